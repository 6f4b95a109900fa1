#ifndef TOLLBRIDGE_SERVICES_SANDBOX_ORDER_BOOK_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_ORDER_BOOK_H_

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/sandbox/clock.h"
#include "services/sandbox/error_response.h"
#include "services/sandbox/ledger.h"
#include "services/sandbox/model.h"
#include "services/sandbox/projects.h"
#include "services/sandbox/random.h"

namespace tollbridge::sandbox {

/// All orders and the rules by which they change (interface document, section States). Each change
/// of an order's status is told to the observer, which sends the webhook.
class OrderBook {
 public:
  using StatusChanged = std::function<void(const Order&)>;

  OrderBook(Clock* clock, Random* random, Ledger* ledger, StatusChanged observer);

  /// Takes a request in: ids, times, setup tokens.
  const Order& Create(const Project& project, Order order);

  /// nullptr when there is none. The pointer lives until Clear.
  const Order* Find(const Uuid& id) const;
  /// As Find; nullptr also for another project's order.
  const Order* FindOf(const Project& project, const Uuid& id) const;
  /// Oldest first.
  std::vector<const Order*> All() const;

  /// The customer pays with `method` (only asked where the customer picks). The order is completed,
  /// or authorized where capture_mode asks for that.
  std::optional<ApiError> Approve(const Uuid& id, std::string_view method,
                                  std::string_view caused_by);
  /// The issuer declines. Where the customer picks the method the order stays processing, so that
  /// another can be tried; else it ends in error.
  std::optional<ApiError> Decline(const Uuid& id, std::string_view method);
  /// The order runs out.
  std::optional<ApiError> Expire(const Uuid& id);

  void Clear();

 private:
  std::optional<ApiError> FindOpen(const Uuid& id, Order** order);
  Transaction& CurrentAttempt(Order& order, std::string_view method);
  void SetStatus(Order& order, std::string_view status);
  void SetStatus(Transaction& transaction, std::string_view status);

  Clock* clock_;
  Random* random_;
  Ledger* ledger_;
  StatusChanged observer_;
  std::map<Uuid, Order> orders_;
  std::vector<Uuid> in_order_of_creation_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_ORDER_BOOK_H_
