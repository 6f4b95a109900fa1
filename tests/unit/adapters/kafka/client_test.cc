#include "adapters/kafka/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>

namespace tollbridge::kafka {
namespace {

using testing::HasSubstr;
using testing::Not;

absl::Status Check(std::map<std::string, std::string> properties) {
  return CheckSettings({.bootstrap_servers = "127.0.0.1:1", .librdkafka = std::move(properties)});
}

TEST(ClientSettings, TlsAndSaslPropertiesMayBeSet) {
  const absl::Status checked = Check({{"security.protocol", "sasl_ssl"},
                                      {"sasl.mechanism", "PLAIN"},
                                      {"sasl.username", "gateway"},
                                      {"sasl.password", "secret"},
                                      {"compression.type", "zstd"}});
  EXPECT_TRUE(checked.ok()) << checked;
}

TEST(ClientSettings, PropertiesThatPromisesRestOnAreRefusedByName) {
  for (const std::string name :
       {"acks", "enable.idempotence", "partitioner", "group.id", "enable.auto.offset.store",
        "auto.offset.reset", "message.max.bytes", "partition.assignment.strategy",
        "message.timeout.ms", "enable.ssl.certificate.verification", "plugin.library.paths",
        "ssl.engine.location", "bootstrap.servers"}) {
    const absl::Status checked = Check({{name, "1"}});
    EXPECT_EQ(checked.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(checked.message()), HasSubstr(name + ": may not be set"));
  }
}

TEST(ClientSettings, EveryProblemIsNamedAndNoValueIsRepeated) {
  const absl::Status checked = Check(
      {{"no.such.property", "hunter2"}, {"socket.timeout.ms", "hunter2"}, {"acks", "hunter2"}});
  EXPECT_EQ(checked.code(), absl::StatusCode::kInvalidArgument);
  const std::string text(checked.message());
  EXPECT_THAT(text, HasSubstr("no.such.property: librdkafka has no such property"));
  EXPECT_THAT(text, HasSubstr("socket.timeout.ms: librdkafka does not take the value"));
  EXPECT_THAT(text, HasSubstr("acks: may not be set"));
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
}

TEST(ClientSettings, BootstrapServersAreNeeded) {
  EXPECT_EQ(CheckSettings({}).code(), absl::StatusCode::kInvalidArgument);
}

TEST(LibraryVersion, IsTheOneThatTheBuildUsed) { EXPECT_TRUE(CheckLibraryVersion().ok()); }

TEST(HandlesClosed, AreAwaitedUntilALimitAndCounted) {
  ASSERT_EQ(AwaitHandlesClosed(std::chrono::minutes(1)), 0U);
  std::promise<void> goes_on;
  RunOnHelperThread([waits = goes_on.get_future().share()] { waits.wait(); });
  EXPECT_EQ(AwaitHandlesClosed(std::chrono::milliseconds(1)), 1U);
  goes_on.set_value();
  EXPECT_EQ(AwaitHandlesClosed(std::chrono::minutes(1)), 0U);
}

}  // namespace
}  // namespace tollbridge::kafka
