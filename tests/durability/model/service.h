#ifndef TOLLBRIDGE_TESTS_DURABILITY_MODEL_SERVICE_H_
#define TOLLBRIDGE_TESTS_DURABILITY_MODEL_SERVICE_H_

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/uuid.h"
#include "services/operations/evidence.h"
#include "services/operations/plan.h"
#include "services/operations/settings.h"
#include "services/ports/payment_service.h"
#include "tests/durability/model/world.h"
#include "tests/support/fakes/unasked_payment_service.h"

namespace tollbridge::model {

/// What a call asks the service for.
struct SendSpec {
  int call = 0;  ///< number of the caller's call
  int key = 0;   ///< number of the idempotency key
  Uuid operation;
  std::string step;      ///< name of the step's kind
  std::string order_id;  ///< the order it is about; empty for those that create one
  std::int64_t amount = 0;
  /// The service refuses to do it a second time.
  bool guarded = false;
  /// The last step of its plan: its effect is what counts.
  bool counts = true;
  /// Counts the requests whose first byte left, set by then.
  std::int64_t write = 0;
};

/// Something that happened at the service.
struct Effect {
  SendSpec spec;
  Time sent_at = 0;  ///< when the request was written
  Time time = 0;
  Uuid id;  ///< of the order that it made
  /// When the search shows it.
  Time indexed = 0;
};

/// The payment service: it keeps what it is assumed to keep (late_execution_bound,
/// search_index_lag), and nothing else. Plans of the model call Send and Read; of the port only the
/// search is used.
class Service final : public test::UnaskedPaymentService {
 public:
  struct Hooks {
    /// The first byte of a request leaves.
    std::function<void(SendSpec&)> on_write;
    std::function<void(const Effect&)> on_effect;
    /// A success arrives at the process that asked.
    std::function<void(const SendSpec&, bool other_amount)> on_success;
  };

  Service(World& world, const operations::Settings& settings, Hooks hooks)
      : world_(world), settings_(settings), hooks_(std::move(hooks)) {}

  /// The call of a step, from a process.
  boost::asio::awaitable<ports::Answer> Send(SendSpec spec, const operations::StepContext& step);

  struct View {
    bool readable = false;
    std::vector<Effect> effects;
  };
  /// What reading shows of a step's kind now: through a replica that lags, or through the search.
  /// It takes a while, and may fail.
  boost::asio::awaitable<View> Read(std::string step, bool by_search);

  const std::vector<Effect>& effects() const { return effects_; }

  /// In percent, of the calls that are sent.
  struct Chances {
    std::int64_t not_sent = 6;
    std::int64_t refused = 6;
    std::int64_t rate_limited = 6;
    std::int64_t effect_unanswered = 10;
    std::int64_t nothing_unanswered = 10;
    std::int64_t delayed = 10;
    std::int64_t other_amount = 2;
    std::int64_t slow = 8;
    std::int64_t unreadable = 10;
  };
  Chances chances;
  /// How far the replica that answers reads is behind.
  Time read_lag = 0;
  /// Nothing answers and nothing is done.
  bool down = false;

  boost::asio::awaitable<ports::Answer> CreateOrder(const domain::Project&,
                                                    const payments::v1::CreateOrderRequest&,
                                                    const ports::Context&,
                                                    const ports::SendGuard&) override;
  boost::asio::awaitable<ports::Answer> InitiateTransaction(
      const domain::Project&, const payments::v1::InitiateTransactionRequest&,
      const ports::Context&, const ports::SendGuard&) override;
  boost::asio::awaitable<ports::Answer> AuthenticateTransaction(
      const domain::Project&, const payments::v1::AuthenticateTransactionRequest&,
      const ports::Context&, const ports::SendGuard&) override;
  boost::asio::awaitable<ports::Answer> CaptureTransaction(
      const domain::Project&, const payments::v1::CaptureTransactionRequest&, const ports::Context&,
      const ports::SendGuard&) override;
  boost::asio::awaitable<ports::Answer> VoidTransaction(const domain::Project&,
                                                        const payments::v1::VoidTransactionRequest&,
                                                        const ports::Context&,
                                                        const ports::SendGuard&) override;
  boost::asio::awaitable<ports::Answer> CreateRefund(const domain::Project&,
                                                     const payments::v1::CreateRefundRequest&,
                                                     const ports::Context&,
                                                     const ports::SendGuard&) override;
  Async<common::v1::Order> GetOrder(const domain::Project&, std::string_view,
                                    const ports::Context&) override;
  Async<common::v1::RefundList> ListRefunds(const domain::Project&, std::string_view,
                                            const ports::Context&) override;
  /// All orders that create steps made and the search shows.
  Async<common::v1::OrderSearchResult> SearchOrders(const domain::Project& project,
                                                    const common::v1::OrderSearch& search,
                                                    const ports::Context& context) override;

 private:
  enum class Fate {
    kAnswered,
    kOtherAmount,
    kNotSent,
    kRefused,
    kRateLimited,
    kEffectUnanswered,
    kNothingUnanswered,
    kDelayed
  };
  Fate Roll();
  /// nullptr when the service refuses a repeat.
  std::shared_ptr<Effect> Execute(const SendSpec& spec, Time sent_at);
  ports::Answer AnswerOf(const Effect& effect, std::int64_t amount);

  World& world_;
  const operations::Settings& settings_;
  Hooks hooks_;
  std::vector<Effect> effects_;
  std::int64_t next_id_ = 1;
};

/// What the service refuses for good, and what it refuses before it looks.
domain::Refusal ForGood();
domain::Refusal RateLimited();

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_DURABILITY_MODEL_SERVICE_H_
