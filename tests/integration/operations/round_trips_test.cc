// What a mutation costs (docs/design/operations.md#rule-16), counted on a real redis-server.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/redis/connection.h"
#include "adapters/redis/operation_registry.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/script_runner.h"
#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "base/telemetry/metrics.h"
#include "services/operations/engine.h"
#include "services/payments/methods.h"
#include "services/vault/methods.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_payment_service.h"
#include "tests/support/plans_of.h"
#include "tests/support/redis_server.h"
#include "tests/support/test_keyspace.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::operations {
namespace {

class RoundTripsTest : public ::testing::Test {
 protected:
  RoundTripsTest() {
    redis::ConnectionOptions options;
    options.host = "127.0.0.1";
    options.port = server_.port();
    options.command_timeout = std::chrono::seconds(3);
    connection_ = std::make_unique<redis::Connection>(context_.get_executor(), options, metrics_);
    connection_->Start();
    EXPECT_TRUE(test::Await(context_, connection_->WaitReady(In(10))).ok());
    scripts_ = std::make_unique<redis::ScriptRunner>(
        *connection_, test::TestKeyspace(),
        redis::OperationStoreOptions{.entry_retention = std::chrono::days(400)}, clock_, rng_);
    store_ = std::make_unique<redis::RedisOperationStore>(*scripts_, *scripts_);
    registry_ = std::make_unique<redis::RedisOperationRegistry>(*scripts_);
    EXPECT_TRUE(test::Await(context_, store_->InitializeEpoch(rng_.NewUuid(), {In(10), {}})).ok());
    auto keys = std::make_shared<OperationKeys>();
    keys->fingerprints.keys = {{"f1", std::string(32, 'f')}};
    keys->outcomes.keys = {{"o1", std::string(32, 'o')}};
    engine_ = std::make_unique<Engine>(
        context_.get_executor(),
        Engine::Ports{service_, *store_, clock_, rng_, metrics_, *registry_}, Settings{}, plans_,
        [keys] { return keys; });
  }
  ~RoundTripsTest() override {
    connection_->Stop();
    context_.restart();
    context_.poll();
  }

  static BootTime In(int seconds) { return BootClock::now() + std::chrono::seconds(seconds); }

  Reply Run(std::string_view rpc, const google::protobuf::Message& request) {
    absl::StatusOr<Plan> made = plans_.Find(rpc)->make(projects_.all().front(), request);
    EXPECT_TRUE(made.ok()) << made.status();
    return test::Await(context_, engine_->Run(*std::move(made), {In(15), {}}));
  }

  Reply Create(const std::string& key) {
    request_.set_idempotency_key(key);
    request_.set_amount(500);
    request_.set_currency("EUR");
    return Run("tollbridge.payments.v1.Payments/CreateOrder", request_);
  }

  /// A step that cannot be read back, with a check of the date before it is sent.
  Reply StoreCard(const std::string& key) {
    vault::v1::StoreCardRequest request;
    request.set_idempotency_key(key);
    request.set_pan("4111111111111111");
    request.set_expiry("129999");
    request.set_setup_token("3b241101-e2bb-4255-8caf-4136c566a963");
    return Run("tollbridge.vault.v1.Vault/StoreCard", request);
  }

  PlanTable MakePlans() const {
    std::vector<PlanRegistration> all = test::PlansOf(payments::PaymentMethods({}));
    std::ranges::move(test::PlansOf(vault::VaultMethods()), std::back_inserter(all));
    return *PlanTable::Of(std::move(all));
  }

  /// Round trips that a call cost.
  std::uint64_t CostOf(const std::string& key) {
    const std::uint64_t before = connection_->commands_sent();
    const Reply reply = Create(key);
    EXPECT_TRUE(reply.status.ok()) << reply.status;
    return connection_->commands_sent() - before;
  }

  test::RedisServer server_;
  boost::asio::io_context context_{1};
  telemetry::Metrics metrics_;
  system::SystemClock clock_;
  system::SystemRng rng_;
  test::FakePaymentService service_;
  domain::Projects projects_{{domain::Project{
      .name = "shop", .id = *Uuid::Parse("3b241101-e2bb-4255-8caf-4136c566a962")}}};
  PlanTable plans_ = MakePlans();
  payments::v1::CreateOrderRequest request_;
  std::unique_ptr<redis::Connection> connection_;
  std::unique_ptr<redis::ScriptRunner> scripts_;
  std::unique_ptr<redis::RedisOperationStore> store_;
  std::unique_ptr<redis::RedisOperationRegistry> registry_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(RoundTripsTest, SingleStepMutationCostsTwo) {
  Create("the first learns the epoch and gives the scripts to the server");
  EXPECT_EQ(CostOf("key"), 2U);
  EXPECT_EQ(service_.created().size(), 2U);
}

TEST_F(RoundTripsTest, ACheckOfTheDateCostsNone) {
  Create("the first learns the epoch and gives the scripts to the server");
  const std::uint64_t before = connection_->commands_sent();
  const Reply reply = StoreCard("key");
  EXPECT_TRUE(reply.status.ok()) << reply.status;
  EXPECT_EQ(connection_->commands_sent() - before, 2U);
}

TEST_F(RoundTripsTest, ReplayCostsOne) {
  Create("key");
  EXPECT_EQ(CostOf("key"), 1U);
  EXPECT_EQ(service_.created().size(), 1U);
}

}  // namespace
}  // namespace tollbridge::operations
