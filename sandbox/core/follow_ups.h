#ifndef TOLLBRIDGE_SANDBOX_CORE_FOLLOW_UPS_H_
#define TOLLBRIDGE_SANDBOX_CORE_FOLLOW_UPS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sandbox/core/model.h"
#include "sandbox/core/orders.h"
#include "sandbox/core/result.h"
#include "sandbox/core/simulation.h"

namespace tollbridge::sandbox {

/// Orders that are made from orders: captures, voids, refunds, chargebacks, reversals. Each ends
/// completed within the call, but for refunds where these are to begin `pending`
/// (Variants::pending_refunds).
class FollowUps {
 public:
  using Made = Result<const Order*>;

  FollowUps(Simulation* simulation, Orders* orders) : simulation_(simulation), orders_(orders) {}

  /// Without an amount: what is still authorized. With one (an extension): that part of it. Once
  /// per transaction, whole or in part.
  Made Capture(const Uuid& order, const Uuid& transaction, std::optional<std::int64_t> amount,
               std::optional<std::string> description);
  /// Without an amount: all that is still authorized. CanNotCancelTransaction where nothing is.
  Made Void(const Uuid& order, const Uuid& transaction, std::optional<std::int64_t> amount,
            std::optional<std::string> description);
  /// RefundError past what was captured and not yet refunded. Without an amount: all of that. Of an
  /// authorization the capture is refunded, unless Variants::refund_authorizations.
  Made Refund(const Uuid& order, std::optional<std::int64_t> amount,
              std::optional<std::string> description);
  /// What the customer's bank does. Without an amount: all that is left to take back.
  Made Chargeback(const Uuid& order, std::optional<std::int64_t> amount);
  Made Reversal(const Uuid& order, std::optional<std::int64_t> amount);
  /// Ends a refund that is pending: done, or declined, and then nothing was refunded. 409
  /// CanNotCancelTransaction for any other order.
  Result<void> EndRefund(const Uuid& refund, bool approved);

 private:
  const Order* Make(Order& from, const Transaction& of, Relation relation, std::int64_t amount,
                    std::optional<std::string> description);
  /// What can still be taken back of an order.
  std::int64_t Left(const Order& order, Relation relation) const;
  void RecordEffect(const Order& made);
  void Complete(Order& made);
  void Submit(Order& refund);
  Made TakeBack(const Uuid& order, Relation relation, std::optional<std::int64_t> amount,
                std::optional<std::string> description);

  Simulation* simulation_;
  Orders* orders_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_FOLLOW_UPS_H_
