// The gateway's certificate, its callers' authority and its callers are exchanged under load.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/e2e/support/repeaters.h"
#include "tests/e2e/support/steady_load.h"
#include "tests/integration/rpc/certificates.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using std::chrono::steady_clock;
using testing::IsEmpty;

/// The gateway with a certificate of one authority, and callers of another; each has a successor.
class World {
 public:
  World() {
    PutServer(old_servers);
    TrustCallersOf({&old_callers});
    stack_ = std::make_unique<Stack>(Options());
  }

  void PutServer(const Authority& authority) const {
    const Certified own = authority.Issue("IP:127.0.0.1");
    // Two writes: in between they do not fit, and what was there before stays.
    folder_.Write("key.pem", own.key);
    folder_.Write("chain.pem", own.certificate);
  }
  void TrustCallersOf(const std::vector<const Authority*>& authorities) const {
    std::string all;
    for (const Authority* each : authorities) all += each->certificate();
    folder_.Write("client-ca.pem", all);
  }
  /// A caller that trusts both authorities of servers.
  RpcTls CallerOf(const Authority& authority, const std::string& name) const {
    const Certified own = authority.Issue(name);
    return {.root_certificates = old_servers.certificate() + new_servers.certificate(),
            .private_key = own.key,
            .certificate_chain = own.certificate};
  }
  std::unique_ptr<GrpcClient> Connect(const RpcTls& tls) const {
    return std::make_unique<GrpcClient>(stack_->grpc_address(), tls);
  }
  std::string MakeOrder(const RpcTls& tls) const {
    return OrderOf(Connect(tls)->Call(kCreateOrder, OrderRequest("exchanged"))).id();
  }
  Stack& stack() { return *stack_; }

  const Authority old_servers;
  const Authority new_servers;
  const Authority old_callers;
  const Authority new_callers;

 private:
  StackOptions Options() const {
    return {
        .settings = {{"rpc",
                      {{"tls", "{enabled: true, certificate_file: " + folder_.PathOf("chain.pem") +
                                   ", private_key_file: " + folder_.PathOf("key.pem") +
                                   ", client_ca_file: " + folder_.PathOf("client-ca.pem") + "}"},
                       {"callers",
                        "[{identity: 'spiffe://shop.example/leaving', projects: [demo], "
                        "permissions: [payments.read]}, "
                        "{identity: 'spiffe://shop.example/shop', projects: [demo], "
                        "permissions: [payments.create, payments.read]}]"}}},
                     // However busy the machine is, calls wait for the sandbox and do not fail.
                     {"payment_service", {{"max_pool_wait", "1m"}, {"max_in_flight", "10000"}}}}};
  }

  TempFolder folder_;
  std::unique_ptr<Stack> stack_;
};

RpcStatus Make(GrpcClient& client, const SteadyCall& call) {
  return client.CallBytes(call.method, call.request).status;
}

TEST(AccessExchangeTest, OfCertificateAuthorityAndCallersUnderLoadFailsNoCall) {
  World world;
  const RpcTls shop = world.CallerOf(world.old_callers, "URI:spiffe://shop.example/shop");
  const SteadyCall read = ReadsOf(world.MakeOrder(shop))(0);
  const auto comes_anew = [&](const RpcTls& tls) {
    return [&, tls] { return Make(*world.Connect(tls), read).ok(); };
  };
  const auto leaving =
      world.Connect(world.CallerOf(world.old_callers, "URI:spiffe://shop.example/leaving"));
  ASSERT_TRUE(Make(*leaving, read).ok());
  // Its connections are there from the beginning to the end.
  SteadyLoad steady(world.stack().grpc_address(),
                    {.tls = shop, .call = [&](std::size_t) { return read; }});
  Repeaters first(comes_anew(shop));
  ASSERT_TRUE(first.AwaitMore(20));

  world.PutServer(world.new_servers);
  RpcTls trusts_the_new_alone = shop;
  trusts_the_new_alone.root_certificates = world.new_servers.certificate();
  ASSERT_TRUE(Eventually(comes_anew(trusts_the_new_alone)));
  ASSERT_TRUE(first.AwaitMore(20));

  world.TrustCallersOf({&world.old_callers, &world.new_callers});
  const RpcTls next = world.CallerOf(world.new_callers, "URI:spiffe://shop.example/shop");
  ASSERT_TRUE(Eventually(comes_anew(next)));
  Repeaters second(comes_anew(next));
  ASSERT_TRUE(first.AwaitMore(20));
  first.Stop();
  world.TrustCallersOf({&world.new_callers});
  ASSERT_TRUE(Eventually([&] { return !comes_anew(shop)(); }));
  ASSERT_TRUE(second.AwaitMore(20));

  const std::string path = world.stack().config_path();
  const std::string before = ReadFile(path);
  const std::size_t found = before.find("/leaving");
  ASSERT_NE(found, std::string::npos);
  std::ofstream(path) << std::string(before).replace(found, 8, "/another");
  const auto withdrawn = steady_clock::now();
  RpcStatus refused;
  ASSERT_TRUE(Eventually([&] {
    refused = Make(*leaving, read);
    return !refused.ok();
  }));
  const std::chrono::duration<double> waited = steady_clock::now() - withdrawn;
  ASSERT_TRUE(second.AwaitMore(20));
  second.Stop();
  const SteadyCalls calls = steady.Stop();
  std::cout << "open connections: " << calls.calls << " calls, " << calls.failures.size()
            << " failed, p99 " << calls.p99_ms << " ms; on new ones "
            << first.went_well() + second.went_well() << " calls, "
            << first.failed() + second.failed() << " failed; a withdrawn caller was refused after "
            << waited.count() << " s\n";

  EXPECT_THAT(calls.failures, IsEmpty());
  EXPECT_EQ(first.failed(), 0);
  EXPECT_EQ(second.failed(), 0);
  EXPECT_EQ(refused.code_name(), "PERMISSION_DENIED") << refused.message;
  EXPECT_LT(waited, std::chrono::seconds(5));
}

}  // namespace
}  // namespace tollbridge::test
