// deploy/compose, against the programs that it runs. What an engine makes of it is not tried here.

#include <absl/strings/str_replace.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/read_file.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;

const std::filesystem::path kFolder = TOLLBRIDGE_SOURCE_DIR "/deploy/compose";

class ComposeTest : public testing::Test {
 protected:
  /// The value of a service, from the anchor that it takes in where it has none of its own.
  static YAML::Node Of(const YAML::Node& service, const std::string& key) {
    return service["<<"] && !service[key] ? service["<<"][key] : service[key];
  }

  /// "tollbridge" for an image of ours, "" for another.
  static std::string Program(const YAML::Node& service) {
    const auto image = Of(service, "image").as<std::string>();
    return image.starts_with("tollbridge") ? image.substr(0, image.find(':')) : "";
  }

  static std::set<std::string> Names(const YAML::Node& map) {
    std::set<std::string> names;
    for (const auto& entry : map) names.insert(entry.first.as<std::string>());
    return names;
  }

  static std::vector<std::string> Texts(const YAML::Node& list) {
    return list ? list.as<std::vector<std::string>>() : std::vector<std::string>();
  }

  const YAML::Node compose_ = YAML::LoadFile(kFolder / "compose.yaml");
  const YAML::Node services_ = compose_["services"];
  const YAML::Node config_ = YAML::LoadFile(kFolder / "tollbridge.yaml");
  TempFolder folder_;
};

TEST_F(ComposeTest, TheGatewaysCommandsAreKnownToTheProgram) {
  int tried = 0;
  for (const auto& entry : services_) {
    if (Program(entry.second) != "tollbridge") continue;
    std::vector<std::string> command = {ProgramBeside("tollbridge")};
    for (const std::string& part : Texts(Of(entry.second, "command"))) {
      // It comes as far as the file, and no farther.
      command.push_back(absl::StrReplaceAll(part, {{"/etc/tollbridge/", "/nothing/"}}));
    }
    const Finished finished = test::Run(command);
    EXPECT_THAT(finished.code, AnyOf(1, 2)) << entry.first.as<std::string>();
    EXPECT_THAT(finished.error, HasSubstr("/nothing/tollbridge.yaml"));
    ++tried;
  }
  EXPECT_EQ(tried, 3);
}

TEST_F(ComposeTest, TheSandboxStartsByItsCommand) {
  std::vector<std::string> command = {ProgramBeside("tollbridge-sandbox")};
  for (const std::string& part : Texts(services_["sandbox"]["command"])) {
    command.push_back(absl::StrReplaceAll(part, {{"0.0.0.0:8080", "127.0.0.1:0"}}));
  }
  Process sandbox(command);
  ASSERT_TRUE(sandbox.WaitForLine("base_url").has_value()) << sandbox.standard_error();
  EXPECT_THAT(sandbox.standard_output(), HasSubstr("http://localhost:8080"));
}

TEST_F(ComposeTest, WhatIsMountedIsThere) {
  const std::set<std::string> volumes = Names(compose_["volumes"]);
  for (const auto& entry : services_) {
    for (const std::string& volume : Texts(Of(entry.second, "volumes"))) {
      const std::string source = volume.substr(0, volume.find(':'));
      if (source.starts_with(".")) {
        EXPECT_TRUE(std::filesystem::exists(kFolder / source)) << volume;
      } else {
        EXPECT_THAT(volumes, Contains(source)) << volume;
      }
    }
    for (const auto& needed : Of(entry.second, "depends_on")) {
      EXPECT_THAT(Names(services_), Contains(needed.first.as<std::string>()));
    }
  }
}

TEST_F(ComposeTest, TheConfigurationNamesItsServicesAndPorts) {
  const auto port = [](const std::string& address) { return address.substr(address.rfind(':')); };
  const std::set<std::string> services = Names(services_);
  for (const std::string& url : {config_["payment_service"]["base_url"].as<std::string>(),
                                 config_["payment_service"]["vault_url"].as<std::string>(),
                                 config_["payment_service"]["wallet_token_url"].as<std::string>(),
                                 config_["webhooks"]["public_url"].as<std::string>(),
                                 "redis://" + config_["redis"]["address"].as<std::string>(),
                                 "kafka://" + config_["kafka"]["brokers"][0].as<std::string>()}) {
    const std::string host = url.substr(url.find("//") + 2);
    EXPECT_THAT(services, Contains(host.substr(0, host.find(':')))) << url;
  }
  EXPECT_EQ(port(config_["webhooks"]["public_url"].as<std::string>()),
            port(config_["webhooks"]["listen"].as<std::string>()));
  const std::vector<std::string> published = Texts(services_["gateway"]["ports"]);
  for (const std::string section : {"rpc", "metrics"}) {
    const std::string own = port(config_[section]["listen"].as<std::string>());
    EXPECT_THAT(published, Contains("127.0.0.1" + own + own)) << section;
  }
  EXPECT_EQ(YAML::LoadFile(
                kFolder / "prometheus.yaml")["scrape_configs"][0]["static_configs"][0]["targets"][0]
                .as<std::string>(),
            "gateway" + port(config_["metrics"]["listen"].as<std::string>()));
  EXPECT_THAT(ReadFile(kFolder / "compose.yaml"),
              HasSubstr("KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://" +
                        config_["kafka"]["brokers"][0].as<std::string>()));
}

/// The part of an address before its port, or behind it.
std::string HostOf(const std::string& address) { return address.substr(0, address.rfind(':')); }
std::string PortOf(const std::string& address) { return address.substr(address.rfind(':')); }

TEST_F(ComposeTest, PrometheusTellsTheAlertmanagerThatRunsWhatIsShipped) {
  const YAML::Node prometheus = YAML::LoadFile(kFolder / "prometheus.yaml");
  const auto told = prometheus["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"][0]
                        .as<std::string>();
  ASSERT_THAT(Names(services_), Contains(HostOf(told)));
  const YAML::Node alertmanager = services_[HostOf(told)];
  // Where the image has its port and looks for its file.
  EXPECT_EQ(PortOf(told), ":9093");
  EXPECT_THAT(Texts(alertmanager["ports"]), Contains("127.0.0.1:9093:9093"));
  EXPECT_THAT(Texts(alertmanager["volumes"]),
              Contains("../observability/alertmanager.yaml:/etc/alertmanager/alertmanager.yml:ro"));
  // Its own rules are looked for where they are mounted.
  EXPECT_THAT(Texts(services_["prometheus"]["volumes"]),
              Contains("../observability/rules:/etc/prometheus/rules:ro"));
  EXPECT_EQ(prometheus["rule_files"][0].as<std::string>(), "/etc/prometheus/rules/*.yaml");
  for (const char* service : {"prometheus", "alertmanager"}) {
    EXPECT_THAT(services_[service]["image"].as<std::string>(),
                testing::ContainsRegex("^prom/[a-z]+:v[0-9]+[.][0-9]+[.][0-9]+$"));
  }
}

TEST_F(ComposeTest, ItsSecretsFitItsConfigurationAndStay) {
  const std::string secrets = folder_.PathOf("secrets");
  const std::vector<std::string> make = {"bash", kFolder / "make-secrets.sh", secrets,
                                         std::to_string(getuid())};
  const Finished made = test::Run(make);
  ASSERT_EQ(made.code, 0) << made.error;
  const std::string config = folder_.Write(
      "tollbridge.yaml",
      absl::StrReplaceAll(ReadFile(kFolder / "tollbridge.yaml"), {{"/secrets/", secrets + "/"}}));
  const Finished good =
      test::Run({ProgramBeside("tollbridge"), "check-config", "--config", config});
  EXPECT_EQ(good.code, 0) << good.output << good.error;
  const std::string keys = ReadFile(secrets + "/outcome-keys");
  EXPECT_THAT(test::Run(make).output, HasSubstr("outcome-keys is there already"));
  EXPECT_EQ(ReadFile(secrets + "/outcome-keys"), keys);
  EXPECT_EQ(std::filesystem::status(secrets + "/outcome-keys").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace
}  // namespace tollbridge::test
