#include "gateway/config/callers_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/telemetry/log.h"
#include "gateway/config/secret_file.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::gateway {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A configuration with these callers, each with a permission.
std::string With(const std::vector<std::string>& callers) {
  std::string yaml =
      "operations: {fingerprint_keys_file: /f, outcome_keys_file: /o}\n"
      "projects: [{name: shop, id: 11111111-1111-4111-8111-111111111111, api_key_file: /k}]\n"
      "rpc:\n"
      "  tls: {enabled: true, certificate_file: /c, private_key_file: /p, client_ca_file: /ca}\n"
      "  callers:\n";
  for (const std::string& caller : callers) {
    yaml += "    - {identity: " + caller + ", projects: [shop], permissions: [payments.read]}\n";
  }
  return yaml;
}

class CallersFileTest : public testing::Test {
 protected:
  void Write(const std::string& yaml) { folder_.Write("tollbridge.yaml", yaml); }
  /// What the second look gives, when the file is as it was at the first.
  std::optional<CallersFile::Callers> LookTwice() {
    EXPECT_EQ(file_.Look(), std::nullopt);
    return file_.Look();
  }

  std::uint64_t Refused() const { return SecretFileFailures(SecretKind::kCallers) - before_; }

  const std::uint64_t before_ = SecretFileFailures(SecretKind::kCallers);
  test::TempFolder folder_;
  std::string path_ = folder_.Write("tollbridge.yaml", With({"a.example", "b.example"}));
  CallersFile file_{path_, {}, *LoadConfig(path_)};
  telemetry::LogCapture log_;
};

TEST_F(CallersFileTest, AFileThatIsAsItWasGivesNothing) {
  EXPECT_EQ(LookTwice(), std::nullopt);
  EXPECT_EQ(LookTwice(), std::nullopt);
  EXPECT_THAT(log_.lines(), IsEmpty());
}

TEST_F(CallersFileTest, GivesOtherCallersOnceTheFileIsStill) {
  EXPECT_EQ(LookTwice(), std::nullopt);
  Write(With({"b.example"}));
  EXPECT_EQ(file_.Look(), std::nullopt);
  Write(With({"b.example", "c.example", "d.example"}));
  EXPECT_EQ(file_.Look(), std::nullopt) << "it has changed since";
  const auto callers = file_.Look();
  ASSERT_TRUE(callers.has_value());
  ASSERT_THAT(callers->named, SizeIs(3));
  EXPECT_EQ(callers->named.at(0).identity, "b.example");
  EXPECT_THAT(log_.lines(), Contains(AllOf(HasSubstr(R"("event":"callers_changed")"),
                                           HasSubstr(R"("entries":3)"))));
  EXPECT_EQ(file_.Look(), std::nullopt);
}

TEST_F(CallersFileTest, WhatWasWrittenBeforeTheFirstLookIsFound) {
  Write(With({"c.example"}));
  const auto callers = LookTwice();
  ASSERT_TRUE(callers.has_value());
  EXPECT_EQ(callers->named.at(0).identity, "c.example");
}

TEST_F(CallersFileTest, GivesWhatCallersWithoutACertificateMayDo) {
  EXPECT_EQ(LookTwice(), std::nullopt);
  const std::string same = With({"a.example", "b.example"});
  Write(same + "  local_permissions: [payments.read, \"search.*\"]\n");
  const auto callers = LookTwice();
  ASSERT_TRUE(callers.has_value());
  EXPECT_THAT(callers->named, SizeIs(2));
  EXPECT_THAT(callers->without_certificate, ElementsAre("payments.read", "search.*"));
  Write(same + "  local_permissions: [payments.reed]\n");
  EXPECT_EQ(LookTwice(), std::nullopt);
  EXPECT_THAT(log_.lines(), Contains(HasSubstr("callers_refused")));
  Write(same);
  EXPECT_THAT(LookTwice()->without_certificate, IsEmpty()) << "in production";
}

TEST_F(CallersFileTest, AFileThatIsNoConfigurationIsRefusedOnce) {
  EXPECT_EQ(LookTwice(), std::nullopt);
  Write(With({"a.example"}) + "no_such_setting: 1\n");
  EXPECT_EQ(LookTwice(), std::nullopt);
  EXPECT_EQ(LookTwice(), std::nullopt);
  EXPECT_THAT(log_.lines(), SizeIs(1));
  EXPECT_EQ(Refused(), 3) << "each look but the first, which waits for whoever writes";
  EXPECT_THAT(log_.lines(), Contains(AllOf(HasSubstr(R"("event":"callers_refused")"),
                                           HasSubstr("no_such_setting"))));
  std::filesystem::remove(path_);
  EXPECT_EQ(LookTwice(), std::nullopt);
  EXPECT_THAT(log_.lines(), SizeIs(2));
  EXPECT_EQ(Refused(), 4);
  std::filesystem::create_directory(path_);
  EXPECT_EQ(LookTwice(), std::nullopt);
  EXPECT_EQ(Refused(), 5);
  std::filesystem::remove(path_);
  Write(With({"a.example"}));
  EXPECT_TRUE(LookTwice().has_value());
  EXPECT_EQ(LookTwice(), std::nullopt);
  EXPECT_EQ(Refused(), 5);
}

TEST_F(CallersFileTest, APipeIsNotRead) {
  std::filesystem::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(LookTwice(), std::nullopt);
  EXPECT_EQ(LookTwice(), std::nullopt);
  EXPECT_THAT(log_.lines(), IsEmpty());
}

}  // namespace
}  // namespace tollbridge::gateway
