#ifndef TOLLBRIDGE_TESTS_INTEGRATION_PAYMENT_SERVICE_PIPE_H_
#define TOLLBRIDGE_TESTS_INTEGRATION_PAYMENT_SERVICE_PIPE_H_

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "adapters/payment_service/client.h"
#include "adapters/system/system_clock.h"
#include "base/telemetry/metrics.h"
#include "tests/integration/sandbox/sandbox_process.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/search.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::test {

/// The client with its whole pipe, against the sandbox's program. Breaker and rate gate go by a
/// clock that the test moves; everything else by the real one.
class PipeTest : public testing::Test {
 protected:
  static constexpr int kBreakerFailures = 3;
  static constexpr std::chrono::milliseconds kBreakerOpen{10'000};

  PipeTest();

  ports::Context Context() const {
    return {.deadline = BootClock::now() + kAwaitLimit, .trace = {}};
  }
  ports::SendGuard Guard() const { return {.write_before = BootClock::now() + kAwaitLimit}; }
  template <typename T>
  T Await(boost::asio::awaitable<T> awaitable) {
    return test::Await(context_, std::move(awaitable));
  }

  /// Runs a mutation of the client.
  template <typename Request, typename Result>
  ports::Answer Send(Result (ports::PaymentService::*function)(const domain::Project&,
                                                               const Request&,
                                                               const ports::Context&,
                                                               const ports::SendGuard&),
                     const Request& request) {
    const ports::Context context = Context();
    const ports::SendGuard guard = Guard();
    return Await((service().*function)(project_, request, context, guard));
  }

  ports::PaymentService& service() { return *client_; }
  ports::Answer Create(const std::string& merchant_order_id, const std::string& capture_mode = "");
  /// An order that is there, with one transaction; `capture_mode` empty for a plain payment.
  common::v1::Order MakeOrder(const std::string& merchant_order_id,
                              const std::string& capture_mode = "");
  absl::StatusOr<common::v1::Order> Read(const std::string& order_id);
  /// A request about the order's transaction.
  template <typename Request>
  static Request About(const common::v1::Order& order) {
    Request request;
    request.set_order_id(order.id());
    request.set_transaction_id(order.transactions(0).id());
    return request;
  }
  /// Stores an approved test card for the order; its vault token.
  std::string StoreCard(const common::v1::Order& order) const;
  /// Pays the order with a stored card, and lets the payment complete.
  void Pay(const common::v1::Order& order);
  void Faults(const std::string& rules) const { sandbox_.Operate("faults", rules); }
  /// How often the ledger shows an effect of the kind.
  int Effects(const std::string& kind) const;

  boost::asio::io_context context_{1};
  SandboxProcess sandbox_{{"--own-checkout-hold", "PT0S", "--start-time", "2026-11-21T08:00:00Z"}};
  domain::Project project_{.name = "demo"};
  system::SystemClock clock_;
  FakeClock slow_clock_;
  telemetry::Metrics metrics_;
  int opened_ = 0;
  int closed_ = 0;
  std::unique_ptr<payment_service::Client> client_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_INTEGRATION_PAYMENT_SERVICE_PIPE_H_
