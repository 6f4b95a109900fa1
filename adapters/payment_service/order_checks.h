#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ORDER_CHECKS_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ORDER_CHECKS_H_

#include <string>
#include <string_view>

namespace tollbridge::common::v1 {
class Order;
}

namespace tollbridge::payment_service {

/// What the order in an answer must be. An order that is something else is no answer: the fate is
/// then unknown, and never guessed at.
struct ExpectedOrder {
  enum class Kind {
    kNew,      ///< any order that can be named
    kSame,     ///< the order that was asked about
    kCapture,  ///< a new order made of it, linked to it where it names a link
    kVoid,
    kRefund,
  };
  Kind kind = Kind::kNew;
  /// The order that was asked about; unused for kNew.
  std::string order_id;
  /// The transaction that was captured or voided; empty for the others.
  std::string transaction_id;
};

/// Why the order is not the expected one, for a log; empty when it is.
std::string_view Mismatch(const common::v1::Order& order, const ExpectedOrder& expected);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ORDER_CHECKS_H_
