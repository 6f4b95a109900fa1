#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_PAYOUTS_PAYOUTS_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_PAYOUTS_PAYOUTS_FIXTURE_H_

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "services/payouts/create_payout.h"
#include "services/payouts/methods.h"
#include "tests/support/plans_of.h"
#include "tests/unit/services/operations/engine_fixture.h"
#include "tollbridge/payouts/v1/payouts.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::payouts {

using Function = test::FakePaymentService::Function;
using test::FakePaymentService;

/// A payment service at whose calls the caller's process can be stopped for good.
class DeadlyService final : public FakePaymentService {
 public:
  /// The call at which the process dies: before its effect, or after.
  struct Death {
    Function at = Function::kCreateOrder;
    bool after_effect = false;
  };
  std::optional<Death> death;
  bool dead = false;
  /// What pays is done, and then refused as done already.
  bool copied = false;
  /// Runs within each StoreCard.
  std::function<void()> during_store_card;

  boost::asio::awaitable<Answer> CreateOrder(const domain::Project& project,
                                             const payments::v1::CreateOrderRequest& request,
                                             const ports::Context& context,
                                             const ports::SendGuard& guard) override {
    co_await DieIf(Function::kCreateOrder, false);
    Answer answer = co_await FakePaymentService::CreateOrder(project, request, context, guard);
    co_await DieIf(Function::kCreateOrder, true);
    co_return answer;
  }
  boost::asio::awaitable<Answer> StoreCard(const domain::Project& project,
                                           const vault::v1::StoreCardRequest& request,
                                           const ports::Context& context,
                                           const ports::SendGuard& guard) override {
    if (during_store_card) during_store_card();
    co_await DieIf(Function::kStoreCard, false);
    Answer answer = co_await FakePaymentService::StoreCard(project, request, context, guard);
    co_await DieIf(Function::kStoreCard, true);
    co_return answer;
  }
  boost::asio::awaitable<Answer> AuthenticateTransaction(
      const domain::Project& project, const payments::v1::AuthenticateTransactionRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override {
    co_await DieIf(Function::kAuthenticate, false);
    Answer answer =
        co_await FakePaymentService::AuthenticateTransaction(project, request, context, guard);
    co_await DieIf(Function::kAuthenticate, true);
    // Something in between sent it twice; the second one's answer comes back.
    if (copied) co_return Refused(409, "TransactionAlreadyStarted");
    co_return answer;
  }

 private:
  boost::asio::awaitable<void> DieIf(Function at, bool after_effect) {
    if (!death || death->at != at || death->after_effect != after_effect) co_return;
    dead = true;
    const boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
    boost::asio::steady_timer never(executor, boost::asio::steady_timer::time_point::max());
    co_await never.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  }
};

/// Payouts run by an engine on fakes.
class PayoutTest : public operations::EngineTest {
 protected:
  PayoutTest() {
    payout_service_.UseClock(&clock_);
    plans_ = *operations::PlanTable::Of(test::PlansOf(PayoutMethods()));
    settings_.look_again = {ports::Millis(600'000)};
    RestartPayouts();
  }

  operations::Engine::Ports Ports() {
    return {payout_service_, store_, clock_, rng_, metrics_, memory_};
  }
  void RestartPayouts() {
    engine_ = std::make_unique<operations::Engine>(context_.get_executor(), Ports(), settings_,
                                                   plans_, Keys());
  }

  static v1::CreatePayoutRequest Request(bool with_card) {
    v1::CreatePayoutRequest request;
    request.set_idempotency_key("key");
    request.set_amount(1200);
    request.set_currency("EUR");
    request.mutable_customer()->set_first_name("A");
    if (with_card) {
      request.mutable_card()->set_pan("4111111111111111");
      request.mutable_card()->set_expiry("122030");
      request.mutable_card()->set_name("A Cardholder");
    } else {
      request.set_vault_token(kToken);
    }
    return request;
  }

  const operations::PlanRegistration& Registration() const {
    return *plans_.Find(operations::RpcOf(*v1::CreatePayoutRequest::descriptor()));
  }
  operations::Plan Plan(const v1::CreatePayoutRequest& request) {
    if (payout_resolver_ == nullptr) ResolveOnce();  // it watches from the start
    kept_.push_back(request);
    auto plan = Registration().make(operations::TestProject(), kept_.back());
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *std::move(plan) : operations::Plan();
  }
  operations::Reply Pay(const v1::CreatePayoutRequest& request) {
    return test::Await(context_, engine_->Run(Plan(request), CallContext()));
  }
  /// With so little time that the call itself reads no evidence.
  operations::Reply PayInHaste(const v1::CreatePayoutRequest& request) {
    ports::Context call = CallContext();
    call.deadline = clock_.BootNow() + settings_.store_timeout;
    return test::Await(context_, engine_->Run(Plan(request), call));
  }

  /// The call's process is gone at that point.
  void PayAndDie(const v1::CreatePayoutRequest& request, DeadlyService::Death death) {
    payout_service_.death = death;
    payout_service_.dead = false;
    dead_engines_.push_back(std::make_unique<operations::Engine>(
        other_process_.get_executor(), Ports(), settings_, plans_, Keys()));
    boost::asio::co_spawn(other_process_, dead_engines_.back()->Run(Plan(request), CallContext()),
                          boost::asio::detached);
    ASSERT_TRUE(test::RunUntil(other_process_, [this] { return payout_service_.dead; }));
    payout_service_.death = std::nullopt;
  }

  operations::KeySource Keys() {
    return [this] { return keys_; };
  }

  void ResolveOnce() {
    if (payout_resolver_ == nullptr) {
      payout_resolver_ = std::make_unique<operations::Resolver>(
          context_.get_executor(),
          operations::Resolver::Ports{payout_service_, store_, memory_, clock_, rng_, metrics_,
                                      memory_},
          settings_, plans_, projects_, Keys());
    }
    test::Await(context_, payout_resolver_->Pass());
  }
  /// Until absence is established.
  void ResolveToTheEnd() {
    clock_.Advance(operations::Quarantine(settings_, true));
    for (int read = 0; read < 5; ++read) {
      ResolveOnce();
      clock_.Advance(settings_.absence_read_interval);
    }
  }

  static v1::CreatePayoutResponse Result(const operations::Reply& reply) {
    EXPECT_TRUE(reply.status.ok()) << reply.status;
    v1::CreatePayoutResponse response;
    EXPECT_TRUE(response.ParseFromString(reply.response));
    return response;
  }
  std::size_t Payouts() const { return payout_service_.EffectsOf(Function::kAuthenticate); }
  std::size_t Orders() const { return payout_service_.EffectsOf(Function::kCreateOrder); }
  /// The last call of a function, as it arrived.
  template <typename Message>
  const Message& Last(Function function) const {
    const Message* found = nullptr;
    for (const FakePaymentService::Call& call : payout_service_.calls()) {
      if (call.function == function) found = dynamic_cast<const Message*>(call.request.get());
    }
    if (found == nullptr) throw std::runtime_error("was not called");
    return *found;
  }

  static constexpr const char* kToken = "7d444840-9dc0-41d1-b245-5ffdce74fad2";

  DeadlyService payout_service_;
  std::list<v1::CreatePayoutRequest> kept_;
  std::list<std::unique_ptr<operations::Engine>> dead_engines_;
  std::unique_ptr<operations::Resolver> payout_resolver_;
};

}  // namespace tollbridge::payouts

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_PAYOUTS_PAYOUTS_FIXTURE_H_
