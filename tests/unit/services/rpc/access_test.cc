#include "services/rpc/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tollbridge::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Caller WithUri(const std::string& uri) { return CertifiedCaller({uri}, {}); }

AccessRules Rules() {
  return AccessRules(
      {.callers =
           {
               {.identity = "spiffe://shop.example/checkout",
                .projects = {"shop"},
                .permissions = {"payments.create"}},
               {.identity = "spiffe://shop.example/checkout",
                .projects = {"travel"},
                .permissions = {"payments.read"}},
               {.identity = "spiffe://shop.example/jobs/*",
                .projects = {"*"},
                .permissions = {"payments.*"}},
               {.identity = "Desk.Shop.example", .projects = {"shop"}, .permissions = {"*"}},
           },
       .without_certificate = {"payments.read"}});
}

TEST(CertifiedCallerTest, UrisComeBeforeDnsNamesWhichAreInLowerCase) {
  const Caller caller = CertifiedCaller({"spiffe://b.example/x", "urn:a"}, {"Desk.Shop.EXAMPLE"});
  EXPECT_TRUE(caller.authenticated);
  EXPECT_FALSE(caller.local);
  EXPECT_EQ(caller.identity, "spiffe://b.example/x");
  EXPECT_THAT(caller.names, ElementsAre("spiffe://b.example/x", "urn:a", "desk.shop.example"));
}

TEST(CertifiedCallerTest, LeavesOutNamesThatCouldBeTakenForOthers) {
  const Caller caller =
      CertifiedCaller({"no-uri", "", "urn:with space", "urn:line\nbreak",
                       std::string("urn:nul\0", 8), "urn:" + std::string(600, 'x'), "urn:\xc3\xa9"},
                      {"spiffe://shop.example/checkout", "", "local", "ANONYMOUS",
                       std::string("a.example\0b", 11)});
  EXPECT_THAT(caller.names, IsEmpty());
  EXPECT_FALSE(caller.authenticated);
  EXPECT_EQ(caller.identity, "anonymous");
}

TEST(LocalCallerTest, IsLocalAndNotAuthenticated) {
  EXPECT_EQ(LocalCaller().identity, "local");
  EXPECT_TRUE(LocalCaller().local);
  EXPECT_FALSE(LocalCaller().authenticated);
}

TEST(IdentityPatternTest, AStarStandsOnlyAtTheEndBehindASlashAndAHost) {
  for (const char* good : {"spiffe://shop.example/checkout", "spiffe://shop.example/*",
                           "spiffe://shop.example/a/*", "checkout.shop.example"}) {
    EXPECT_TRUE(IsIdentityPattern(good)) << good;
  }
  for (const char* bad :
       {"", "*", "/*", "spiffe://*", "spiffe://shop.example*", "*.shop.example",
        "spiffe://*/checkout", "spiffe://shop.example/*/*", "local", "anonymous"}) {
    EXPECT_FALSE(IsIdentityPattern(bad)) << bad;
  }
}

TEST(CoversPermissionTest, NamesOneAGroupOrAll) {
  EXPECT_TRUE(CoversPermission("payments.create", "payments.create"));
  EXPECT_TRUE(CoversPermission("payments.*", "payments.create"));
  EXPECT_TRUE(CoversPermission("*", "payments.create"));
  EXPECT_FALSE(CoversPermission("payments.create", "payments.created"));
  EXPECT_FALSE(CoversPermission("payments.*", "payments_admin.create"));
  EXPECT_FALSE(CoversPermission("payments", "payments.create"));
  EXPECT_FALSE(CoversPermission("pay*", "payments.create"));
  EXPECT_FALSE(CoversPermission("", "payments.create"));
}

TEST(AccessRulesTest, EachGrantIsItsPermissionsInItsProjects) {
  const AccessRules rules = Rules();
  const Caller checkout = WithUri("spiffe://shop.example/checkout");
  EXPECT_TRUE(rules.Allows(checkout, "payments.create", "shop"));
  EXPECT_TRUE(rules.Allows(checkout, "payments.read", "travel"));
  EXPECT_FALSE(rules.Allows(checkout, "payments.create", "travel"));
  EXPECT_FALSE(rules.Allows(checkout, "payments.read", "shop"));
}

TEST(AccessRulesTest, WithoutAProjectOnlyAGrantForAllOfThemCounts) {
  const AccessRules rules = Rules();
  EXPECT_FALSE(rules.Allows(WithUri("spiffe://shop.example/checkout"), "payments.create", ""));
  EXPECT_TRUE(rules.Allows(WithUri("spiffe://shop.example/jobs/a"), "payments.create", ""));
}

TEST(AccessRulesTest, ADnsNameIsComparedWithoutCaseAndAUriWithIt) {
  const AccessRules rules = Rules();
  EXPECT_TRUE(rules.Allows(CertifiedCaller({}, {"desk.SHOP.example"}), "x.y", "shop"));
  EXPECT_FALSE(rules.Allows(WithUri("spiffe://shop.example/Checkout"), "payments.create", "shop"));
}

TEST(AccessRulesTest, ACertifiedCallerWithoutAGrantIsKnownAndMayNothing) {
  const AccessRules rules = Rules();
  const Caller stranger = WithUri("spiffe://shop.example/other");
  EXPECT_TRUE(rules.Knows(stranger));
  EXPECT_FALSE(rules.Allows(stranger, "payments.read", "shop"));
}

TEST(AccessRulesTest, WhoHasNoCertificateMayWhatIsSaidOfThose) {
  const AccessRules rules = Rules();
  for (const Caller& caller : {LocalCaller(), CertifiedCaller({}, {})}) {
    EXPECT_TRUE(rules.Knows(caller));
    EXPECT_TRUE(rules.Allows(caller, "payments.read", "travel"));
    EXPECT_FALSE(rules.Allows(caller, "payments.create", "travel"));
  }
  const AccessRules silent({.callers = {}, .without_certificate = {}});
  EXPECT_FALSE(silent.Knows(LocalCaller()));
  EXPECT_FALSE(silent.Allows(LocalCaller(), "payments.read", "travel"));
}

TEST(AccessRulesTest, WhereACertificateIsRequiredNobodyIsLetInWithoutOne) {
  const AccessRules rules(
      {.callers = {}, .without_certificate = {"*"}, .certificate_required = true});
  for (const Caller& caller : {LocalCaller(), CertifiedCaller({}, {})}) {
    EXPECT_FALSE(rules.Knows(caller));
    EXPECT_FALSE(rules.Allows(caller, "payments.read", "shop"));
  }
}

TEST(AccessRulesTest, OtherCallersTakeThePlaceOfThoseBefore) {
  AccessRules rules = Rules();
  const Caller desk = CertifiedCaller({}, {"desk.shop.example"});
  const Caller checkout = WithUri("spiffe://shop.example/checkout");
  ASSERT_TRUE(rules.Allows(checkout, "payments.create", "shop"));
  rules.set_callers(
      {{.identity = "Desk.Shop.example", .projects = {"*"}, .permissions = {"payments.read"}}});
  EXPECT_FALSE(rules.Allows(checkout, "payments.create", "shop"));
  EXPECT_TRUE(rules.Allows(desk, "payments.read", "travel"));
  EXPECT_FALSE(rules.Allows(desk, "payments.create", "shop"));
  EXPECT_TRUE(rules.Allows(LocalCaller(), "payments.read", "shop")) << "no caller of a certificate";
}

TEST(AccessRulesTest, OfSeveralGrantsTheMostOfEachLimitCountsAndElseTheStandard) {
  const AccessRules rules(
      {.callers = {{.identity = "spiffe://shop.example/*",
                    .limits = {.calls_per_second = 5, .burst = 7, .max_in_flight = 2}},
                   {.identity = "spiffe://shop.example/a", .limits = {.calls_per_second = 9}},
                   {.identity = "spiffe://shop.example/b", .limits = {}}}});
  const CallerLimits standard{
      .calls_per_second = 100, .burst = 200, .max_in_flight = 300, .max_watchers = 400};
  EXPECT_EQ(
      rules.LimitsOf(WithUri("spiffe://shop.example/a"), standard),
      (CallerLimits{.calls_per_second = 9, .burst = 7, .max_in_flight = 2, .max_watchers = 400}));
  EXPECT_EQ(rules.LimitsOf(WithUri("spiffe://other.example/a"), standard), standard);
  EXPECT_EQ(rules.LimitsOf(LocalCaller(), standard), standard);
  const AccessRules rate(
      {.callers = {{.identity = "a.example", .limits = {.calls_per_second = 9}}}});
  EXPECT_EQ(rate.LimitsOf(CertifiedCaller({}, {"a.example"}), standard).burst, 0)
      << "the standard's burst is of the standard's rate";
}

TEST(AccessRulesTest, AnIdentityThatIsNoPatternLetsNobodyIn) {
  const AccessRules rules(
      {.callers = {{.identity = "spiffe://*", .projects = {"*"}, .permissions = {"*"}}}});
  EXPECT_FALSE(rules.Allows(WithUri("spiffe://shop.example/a"), "payments.read", "shop"));
  EXPECT_FALSE(rules.Allows(WithUri("spiffe://*"), "payments.read", "shop"));
}

}  // namespace
}  // namespace tollbridge::rpc
