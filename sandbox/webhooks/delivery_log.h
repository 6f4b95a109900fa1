#ifndef TOLLBRIDGE_SANDBOX_WEBHOOKS_DELIVERY_LOG_H_
#define TOLLBRIDGE_SANDBOX_WEBHOOKS_DELIVERY_LOG_H_

#include <boost/json/array.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/uuid.h"
#include "sandbox/core/clock.h"

namespace tollbridge::sandbox {

/// Events of webhooks; the second one where Variants::transaction_webhooks asks for it.
inline constexpr std::string_view kStatusChanged = "status_changed";
inline constexpr std::string_view kTransactionStatusChanged = "transaction_status_changed";

/// What became of an attempt, or of a webhook that had none.
enum class DeliveryOutcome {
  kInFlight,
  kDelivered,
  kFailed,
  kLost,     ///< by the fault plan
  kDropped,  ///< too many webhooks wait already
};

std::string_view Text(DeliveryOutcome outcome);

/// One attempt at a webhook.
struct DeliveryRow {
  Uuid order_id;
  Uuid project_id;
  /// One of those above.
  std::string_view event = kStatusChanged;
  /// Counted from 1.
  int attempt = 1;
  /// When it began.
  Time at;
  /// The URL without its path, which is a credential of the receiver.
  std::string url_origin;
  DeliveryOutcome outcome = DeliveryOutcome::kInFlight;
  /// Of an answer.
  std::optional<int> status;
  /// Why there was no answer; empty where there was one.
  std::string error;
  /// What is worth knowing beside that.
  std::string detail;
  /// No attempt follows.
  bool final = false;
};

/// The last attempts, in the order in which they began.
class DeliveryLog {
 public:
  using RowId = std::uint64_t;

  /// Keeps that many, 1 at least.
  explicit DeliveryLog(std::size_t kept) : kept_(kept) {}

  RowId Add(DeliveryRow row);
  /// nullptr when it is no longer kept. The pointer lives until the next Add or Clear.
  DeliveryRow* Find(RowId id);
  void Clear();

  /// Oldest first: [{order_id, project_id, event, attempt, at, url_origin, result, outcome,
  /// status?, detail, final}]. `outcome` is "delivered", "failed", "in flight", "lost" or
  /// "dropped"; `result` is the answer's status as text, the reason why there was none, or else the
  /// outcome.
  boost::json::array ToJson() const;

 private:
  const std::size_t kept_;
  std::deque<DeliveryRow> rows_;
  /// Of the oldest row.
  RowId first_ = 0;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_WEBHOOKS_DELIVERY_LOG_H_
