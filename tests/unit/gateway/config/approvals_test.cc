// What needs a second person, as it is written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "gateway/config/adapter_settings.h"
#include "gateway/config/config.h"

namespace tollbridge::gateway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kIdentities[] =
    "rpc: {tls: {enabled: true, certificate_file: /c, private_key_file: /p, client_ca_file: /a}, "
    "callers: [{identity: 'spiffe://shop.example/a', projects: ['*'], permissions: "
    "['operations.confirm']}]}\n";

std::string With(const std::string& operations, const std::string& limits,
                 const std::string& rpc = kIdentities) {
  return rpc + "operations: {fingerprint_keys_file: /f, outcome_keys_file: /o" + operations +
         "}\n"
         "projects:\n"
         "  - {name: shop, id: 11111111-1111-4111-8111-111111111111, api_key_file: /k" +
         limits + "}\n";
}

std::string ProblemsOf(const std::string& yaml) {
  return std::string(ParseConfig(yaml).status().message());
}

TEST(ApprovalsTest, AreOffUnlessTheyAreSet) {
  const auto config = ParseConfig(With("", "", ""));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_FALSE(config->operations.settings.resolve_needs_approval);
  EXPECT_EQ(config->operations.settings.approval_lifetime, std::chrono::hours(1));
  EXPECT_TRUE(config->projects[0].payout_approvals.empty());
}

TEST(ApprovalsTest, ReachTheProjectAsTheyAreWritten) {
  const auto config =
      ParseConfig(With(", resolve_needs_approval: true, approval_lifetime: 10m",
                       ", limits: {payouts_to_confirm: [{currency: EUR, amount: 100000}, "
                       "{currency: '*'}]}"));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->operations.settings.resolve_needs_approval);
  EXPECT_EQ(config->operations.settings.approval_lifetime, std::chrono::minutes(10));
  const domain::Projects projects = MakeProjects(*config, {}, "");
  EXPECT_THAT(projects.all().front().payout_approvals,
              ElementsAre(domain::ApprovalLimit{.currency = "EUR", .above = 100'000},
                          domain::ApprovalLimit{.currency = "*", .above = 0}));
  // And as print-config prints them.
  const auto again = ParseConfig(PrintConfig(*config));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->projects[0].payout_approvals, config->projects[0].payout_approvals);
}

TEST(ApprovalsTest, AreRefusedWhereNobodyCanBeAnotherPerson) {
  EXPECT_THAT(ProblemsOf(With(", resolve_needs_approval: true", "", "")),
              HasSubstr("operations.resolve_needs_approval: needs rpc.tls.client_ca_file"));
  const std::string limits = ", limits: {payouts_to_confirm: [{currency: EUR}]}";
  EXPECT_THAT(ProblemsOf(With("", limits, "")),
              HasSubstr("projects[0].limits.payouts_to_confirm: needs rpc.tls.client_ca_file"));
  EXPECT_EQ(ProblemsOf(With("", limits)), "");
}

TEST(ApprovalsTest, RefuseWhatCannotBeMeant) {
  const auto problems = [](const std::string& limits) {
    return ProblemsOf(With("", ", limits: {payouts_to_confirm: [" + limits + "]}"));
  };
  EXPECT_THAT(problems("{currency: eur, amount: 1}"),
              HasSubstr("payouts_to_confirm[0].currency: must be three capital letters"));
  EXPECT_THAT(problems("{currency: EUR}, {currency: EUR, amount: 1}"),
              HasSubstr("payouts_to_confirm[1]: the same currency is limited twice"));
}

}  // namespace
}  // namespace tollbridge::gateway
