#include "gateway/config/rpc_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "gateway/config/published_services.h"
#include "services/rpc/method.h"
#include "tests/support/read_file.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::gateway {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kLeast =
    "operations: {fingerprint_keys_file: /f, outcome_keys_file: /o}\n"
    "projects:\n"
    "  - {name: shop, id: 11111111-1111-4111-8111-111111111111, api_key_file: /k}\n"
    "  - {name: travel, id: 22222222-2222-4222-8222-222222222222, api_key_file: /k}\n";

constexpr std::string_view kDevelopment = "process: {environment: development}\n";

std::string Rpc(const std::string& settings) {
  return std::string(kLeast) + "rpc: {" + settings + "}\n";
}

std::string Tls(const std::string& more) {
  return "tls: {enabled: true, certificate_file: /c, private_key_file: /p" + more + "}";
}

std::string Caller(const std::string& settings) { return Rpc("callers: [{" + settings + "}]"); }

std::string ProblemsOf(const std::string& yaml) {
  return std::string(ParseConfig(yaml).status().message());
}

Config Good(const std::string& yaml) {
  const absl::StatusOr<Config> config = ParseConfig(yaml);
  EXPECT_TRUE(config.ok()) << config.status() << "\n" << yaml;
  return config.value_or(Config());
}

TEST(RpcSettingsTest, TakesCallersAsTheyAreWritten) {
  const Config config =
      Good(Rpc(Tls(", client_ca_file: /ca") +
               ", callers: [{identity: 'spiffe://shop.example/*', projects: [shop], "
               "permissions: ['payments.*', operations.read]}, "
               "{identity: desk.shop.example, projects: ['*'], permissions: ['*']}]"));
  const rpc::AccessSettings access = RpcAccess(config);
  ASSERT_EQ(access.callers.size(), 2u);
  EXPECT_EQ(access.callers[0].identity, "spiffe://shop.example/*");
  EXPECT_THAT(access.callers[0].projects, ElementsAre("shop"));
  EXPECT_THAT(access.callers[0].permissions, ElementsAre("payments.*", "operations.read"));
  EXPECT_TRUE(access.certificate_required);
  EXPECT_THAT(RpcWarnings(config), IsEmpty());
  const rpc::ServerSettings server = RpcServerSettings(config, {.host = "127.0.0.1", .port = 7070});
  EXPECT_EQ(server.listen.Text(), "127.0.0.1:7070");
  ASSERT_TRUE(server.tls.has_value());
  EXPECT_EQ(server.tls->client_ca_file, "/ca");
  EXPECT_EQ(server.tls->certificate_chain_file, "/c");
}

TEST(RpcSettingsTest, NamesTheNearestPermissionProjectAndGroup) {
  const std::string identity = "identity: 'spiffe://shop.example/a', ";
  EXPECT_THAT(ProblemsOf(Caller(identity + "projects: [shop], permissions: [payments.crate]")),
              HasSubstr("rpc.callers[0].permissions: there is no permission 'payments.crate'; did "
                        "you mean 'payments.create'?"));
  EXPECT_THAT(ProblemsOf(Caller(identity + "projects: [shop], permissions: ['paiments.*']")),
              HasSubstr("did you mean 'payments.*'?"));
  EXPECT_THAT(
      ProblemsOf(Caller(identity + "projects: [shpo], permissions: ['*']")),
      HasSubstr("rpc.callers[0].projects: there is no project 'shpo'; did you mean 'shop'?"));
  EXPECT_THAT(ProblemsOf(Rpc("local_permissions: [operations.raed]")),
              HasSubstr("rpc.local_permissions: there is no permission 'operations.raed'; did you "
                        "mean 'operations.read'?"));
}

TEST(RpcSettingsTest, RefusesWhatCannotBeMeant) {
  const std::string everything = "projects: ['*'], permissions: ['*']";
  const struct {
    std::string yaml;
    std::string problem;
  } rows[] = {
      {Caller(everything), "rpc.callers[0].identity: must be"},
      {Caller("identity: 'spiffe://shop.example*', " + everything), "identity: must be"},
      {Caller("identity: '*', " + everything), "identity: must be"},
      {Caller("identity: a.example, permissions: ['*']"), "rpc.callers[0].projects: names none"},
      {Caller("identity: a.example, projects: ['*']"), "rpc.callers[0].permissions: names none"},
      {Caller("identity: a.example, projects: ['*'], permissions: [development]"),
       "there is no permission 'development'"},
      {Rpc("tls: {client_ca_file: /ca}"), "rpc.tls.client_ca_file: is for rpc.tls.enabled"},
      {Rpc(Tls(", client_crl_file: /crl") + ", allow_callers_without_certificate: true"),
       "rpc.tls.client_crl_file: is for rpc.tls.client_ca_file"},
      {Rpc("allow_callers_without_certificate: true"),
       "rpc.allow_callers_without_certificate: is for TLS"},
      {Rpc(Tls(", client_ca_file: /ca") + ", allow_callers_without_certificate: true"),
       "rpc.allow_callers_without_certificate: is for TLS"},
  };
  for (const auto& [yaml, problem] : rows) {
    EXPECT_THAT(ProblemsOf(yaml), HasSubstr(problem)) << yaml;
  }
}

TEST(RpcSettingsTest, InProductionTlsWithoutAClientAuthorityMustBeMeant) {
  EXPECT_THAT(ProblemsOf(Rpc(Tls(""))),
              HasSubstr("rpc.tls.client_ca_file: is required in production"));
  const Config meant = Good(Rpc(Tls("") + ", allow_callers_without_certificate: true, "
                                          "local_permissions: [payments.read]"));
  EXPECT_FALSE(RpcAccess(meant).certificate_required);
  EXPECT_THAT(RpcAccess(meant).without_certificate, ElementsAre("payments.read"));
  const Config development = Good(Rpc(Tls("")) + std::string(kDevelopment));
  EXPECT_THAT(RpcWarnings(development), Contains(HasSubstr("callers show no certificate")));
}

TEST(RpcSettingsTest, LocalCallersMayAllInDevelopmentAndNothingInProductionUnlessSaid) {
  EXPECT_THAT(RpcAccess(Good(std::string(kLeast))).without_certificate, IsEmpty());
  EXPECT_THAT(RpcAccess(Good(std::string(kLeast) + std::string(kDevelopment))).without_certificate,
              ElementsAre("*"));
  EXPECT_THAT(RpcAccess(Good(Rpc("local_permissions: ['payments.*']"))).without_certificate,
              ElementsAre("payments.*"));
  EXPECT_THAT(
      RpcAccess(Good(Rpc("local_permissions: []") + std::string(kDevelopment))).without_certificate,
      IsEmpty());
}

TEST(RpcSettingsTest, WarnsWhenNobodyCanCall) {
  EXPECT_THAT(RpcWarnings(Good(std::string(kLeast))),
              ElementsAre(HasSubstr("rpc.local_permissions: gives none")));
  EXPECT_THAT(RpcWarnings(Good(Rpc(Tls(", client_ca_file: /ca")))),
              ElementsAre(HasSubstr("rpc.callers: names nobody")));
  EXPECT_THAT(RpcWarnings(Good(std::string(kLeast) + "process: {roles: [events]}\n")), IsEmpty());
}

TEST(RpcSettingsTest, WarnsOfCallersThatNobodyCanProveToBe) {
  const Config config = Good(Caller("identity: a.example, projects: ['*'], permissions: ['*']") +
                             std::string(kDevelopment));
  EXPECT_THAT(RpcWarnings(config), Contains(HasSubstr("rpc.callers: has no effect")));
}

TEST(RpcSettingsTest, PrintedCallersReadAsThemselves) {
  const Config config = Good(
      Caller("identity: 'spiffe://a.example/*', projects: [shop, travel], permissions: ['*']"));
  const Config again = Good(PrintConfig(config));
  ASSERT_EQ(again.rpc.callers.size(), 1u);
  EXPECT_EQ(again.rpc.callers[0].identity, "spiffe://a.example/*");
  EXPECT_THAT(again.rpc.callers[0].projects, ElementsAre("shop", "travel"));
  EXPECT_THAT(again.rpc.local_permissions, ElementsAre("development"));
}

TEST(RpcSettingsTest, ClientAuthoritiesMustBeCertificates) {
  const test::TempFolder folder;
  const std::string garbage = folder.Write("ca.pem", "no certificate\n");
  EXPECT_TRUE(CheckClientCa(Good(std::string(kLeast))).ok());
  for (const std::string& path : {garbage, folder.PathOf("none.pem")}) {
    const absl::Status status = CheckClientCa(Good(Rpc(Tls(", client_ca_file: " + path))));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  }
}

TEST(RpcSettingsTest, TheOperatorsGuideTellsEachPermissionOfTheMethods) {
  const std::string guide =
      test::ReadFile(std::string(TOLLBRIDGE_SOURCE_DIR) + "/docs/guides/operators.md");
  const absl::StatusOr<rpc::MethodTable> methods =
      rpc::MethodTable::Of({kPublishedServices.begin(), kPublishedServices.end()});
  ASSERT_TRUE(methods.ok()) << methods.status();
  for (const rpc::MethodInfo& method : methods->all()) {
    EXPECT_THAT(guide, HasSubstr("| `" + method.permission + "` |")) << method.full_name;
  }
}

}  // namespace
}  // namespace tollbridge::gateway
