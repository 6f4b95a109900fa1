#ifndef TOLLBRIDGE_TESTS_DURABILITY_MODEL_SERVICE_H_
#define TOLLBRIDGE_TESTS_DURABILITY_MODEL_SERVICE_H_

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/core/uuid.h"
#include "services/operations/plan.h"
#include "services/operations/settings.h"
#include "services/ports/payment_service.h"
#include "tests/support/fakes/unasked_payment_service.h"
#include "tests/support/simulation/world.h"

namespace tollbridge::model {

/// What a call does at the service.
enum class Act {
  kCreateOrder,
  kStart,        ///< of a transaction; once
  kCapture,      ///< of a transaction; once
  kRefund,       ///< of an order
  kSpendToken,   ///< a setup token; once
  kCreateLink,   ///< nothing shows it afterwards
  kPayoutOrder,  ///< makes an order that can be paid out
  kPayOut,       ///< of such an order; once
};

/// What a call asks the service for.
struct SendSpec {
  int call = 0;  ///< number of the caller's call
  int key = 0;   ///< number of the idempotency key; the setup token is the key's own
  Act act = Act::kCreateOrder;
  std::size_t project = 0;
  Uuid operation;
  std::string order_id;  ///< the order it is about; empty for those that create one
  std::string transaction_id;
  std::int64_t amount = 0;
  /// What it carries to be recognized by: a description, and of orders the mark.
  std::string description;
  std::string mark;
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
  /// Names it in what callers are told: of the order that it made or changed.
  Uuid id;
  /// When the search shows it.
  Time indexed = 0;
};

/// The payment service: it keeps what it is assumed to keep (late_execution_bound,
/// search_index_lag), and nothing else. Plans of the model call Send; what happened is read through
/// the port, by the product's own evidence.
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

  /// An order that was there before the run, with one transaction that is new.
  void AddOrder(std::size_t project, const std::string& order_id,
                const std::string& transaction_id) {
    orders_.emplace(project, order_id, transaction_id);
  }
  /// Whether what a call is about is there for its project.
  bool Has(std::size_t project, std::string_view order_id,
           const std::optional<std::string>& transaction_id) const;

  /// The call of a step, from a process.
  boost::asio::awaitable<ports::Answer> Send(SendSpec spec, const operations::StepContext& step);

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
  /// A planted mistake: who reads cannot tell "there is none" from "it cannot be read".
  bool hides_not_found = false;

  Async<common::v1::Order> GetOrder(const domain::Project& project, std::string_view order_id,
                                    const ports::Context& context) override;
  Async<common::v1::RefundList> ListRefunds(const domain::Project& project,
                                            std::string_view order_id,
                                            const ports::Context& context) override;
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
  /// What the service makes of a request that it carries out.
  struct Done {
    std::optional<Effect> effect;
    domain::Refusal refusal;  ///< without an effect
  };
  Done Execute(const SendSpec& spec, Time sent_at);
  std::optional<domain::Refusal> Refuse(const SendSpec& spec) const;
  ports::Answer AnswerOf(const Effect& effect, std::int64_t amount);

  /// Reading takes a while; false where it fails.
  boost::asio::awaitable<bool> Reads();
  /// Whether the replica that is read shows it by now.
  bool Shows(const Effect& effect, Time asked) const { return effect.time <= asked - read_lag; }
  absl::Status NotFound() const;
  std::optional<common::v1::Order> OrderThatWasThere(std::size_t project, std::string_view id,
                                                     Time asked) const;
  common::v1::Order OrderThatWasMade(const Effect& effect, Time asked) const;

  World& world_;
  const operations::Settings& settings_;
  Hooks hooks_;
  std::set<std::tuple<std::size_t, std::string, std::string>> orders_;
  std::vector<Effect> effects_;
  std::int64_t next_id_ = 1;
};

/// What the service refuses for good; what it does not know; what it did before; what it refuses
/// before it looks.
domain::Refusal ForGood();
domain::Refusal Unknown();
domain::Refusal Again();
domain::Refusal RateLimited();

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_DURABILITY_MODEL_SERVICE_H_
