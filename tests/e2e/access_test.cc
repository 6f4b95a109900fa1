// Callers with certificates, against the product as it is deployed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/rpc/certificates.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kOrder =
    R"({"idempotency_key": "access-1", "amount": 900, "currency": "EUR"})";

/// The product with a gRPC listener that asks for certificates of one authority.
class AccessTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { world_ = std::make_unique<World>(); }
  static void TearDownTestSuite() { world_.reset(); }
  static Stack& stack() { return *world_->stack; }

  /// `tollbridge call` as the caller of these subject alternative names.
  static Finished CallAs(const std::string& names, const std::string& method,
                         const std::string& request) {
    const Certified own = world_->callers.Issue(names);
    return stack().Tollbridge({"call", method, request, "--address", stack().grpc_address(),
                               "--tls-ca", world_->server_ca, "--tls-certificate",
                               world_->folder.Write("own.pem", own.certificate), "--tls-key",
                               world_->folder.Write("own-key.pem", own.key)});
  }

 private:
  struct World {
    World() {
      const Certified server = servers.Issue("IP:127.0.0.1");
      server_ca = folder.Write("server-ca.pem", servers.certificate());
      const std::string tls =
          "{enabled: true, certificate_file: " + folder.Write("chain.pem", server.certificate) +
          ", private_key_file: " + folder.Write("key.pem", server.key) +
          ", client_ca_file: " + folder.Write("client-ca.pem", callers.certificate()) + "}";
      const std::string grants =
          "[{identity: 'spiffe://shop.example/checkout/*', projects: [demo], "
          "permissions: [payments.create, payments.read]}, "
          "{identity: reader.shop.example, projects: ['*'], permissions: [payments.read]}]";
      stack = std::make_unique<Stack>(
          StackOptions{.settings = {{"rpc", {{"tls", tls}, {"callers", grants}}}}});
    }

    TempFolder folder;
    Authority servers;
    Authority callers;
    std::string server_ca;
    std::unique_ptr<Stack> stack;
  };
  static inline std::unique_ptr<World> world_;
};

TEST_F(AccessTest, ACallerWithThePermissionCreatesAnOrderAndTheLogSaysWho) {
  const Finished called =
      CallAs("URI:spiffe://shop.example/checkout/web", "Payments.CreateOrder", kOrder);
  ASSERT_EQ(called.code, 0) << called.error;
  EXPECT_THAT(called.output, HasSubstr("order_url"));
  EXPECT_TRUE(stack().gateway().WaitForLine(R"("caller":"spiffe://shop.example/checkout/web")"));
}

TEST_F(AccessTest, ACallerWithoutItIsRefusedBeforeThePaymentServiceIsAsked) {
  const std::size_t before = stack().SandboxOrders().size();
  const Finished called = CallAs("DNS:reader.shop.example", "Payments.CreateOrder", kOrder);
  EXPECT_EQ(called.code, 1);
  EXPECT_THAT(called.error,
              AllOf(HasSubstr("PERMISSION_DENIED"), HasSubstr("payments.create"), HasSubstr("demo"),
                    HasSubstr("AFTER_CHANGE"), Not(HasSubstr("checkout"))));
  EXPECT_EQ(stack().SandboxOrders().size(), before);
}

TEST_F(AccessTest, ACertificateWithoutAUsableNameIsNobody) {
  const Finished called = CallAs("IP:127.0.0.1", "Payments.CreateOrder", kOrder);
  EXPECT_EQ(called.code, 1);
  EXPECT_THAT(called.error, HasSubstr("CALLER_UNKNOWN"));
}

TEST_F(AccessTest, WithoutACertificateNothingIsAnswered) {
  const Finished called = stack().Tollbridge(
      {"call", "Payments.CreateOrder", kOrder, "--address", stack().grpc_address()});
  EXPECT_EQ(called.code, 1);
  EXPECT_THAT(called.error, HasSubstr("error UNAVAILABLE"));
}

TEST_F(AccessTest, ACallerThatIsWithdrawnIsRefusedWithoutARestart) {
  const auto create = [] {
    return CallAs("URI:spiffe://shop.example/checkout/web", "Payments.CreateOrder", kOrder);
  };
  ASSERT_EQ(create().code, 0);
  const std::string path = stack().config_path();
  const std::string before = ReadFile(path);
  // A file that is no configuration changes nothing.
  std::ofstream(path, std::ios::app) << "no_such_setting: 1\n";
  EXPECT_TRUE(stack().gateway().WaitForLine(R"("event":"callers_refused")"));
  EXPECT_EQ(create().code, 0);

  const std::size_t found = before.find("/checkout/*");
  ASSERT_NE(found, std::string::npos);
  std::ofstream(path) << std::string(before).replace(found, 11, "/elsewhere/*");
  EXPECT_TRUE(stack().gateway().WaitForLine(R"("event":"callers_changed")"));
  // The other shard hears of it at the same time, if not in the same moment.
  EXPECT_TRUE(
      Eventually([&] { return create().error.find("PERMISSION_DENIED") != std::string::npos; }));
  std::ofstream(path) << before;
  EXPECT_TRUE(Eventually([&] { return create().code == 0; }));
}

}  // namespace
}  // namespace tollbridge::test
