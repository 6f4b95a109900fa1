#ifndef TOLLBRIDGE_SANDBOX_CORE_ORDERS_H_
#define TOLLBRIDGE_SANDBOX_CORE_ORDERS_H_

#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sandbox/core/model.h"
#include "sandbox/core/simulation.h"
#include "sandbox/core/transitions.h"

namespace tollbridge::sandbox {

/// That an order took a status.
struct StatusChange {
  Uuid order;
  OrderStatus status = OrderStatus::kNew;
  Time at;
};

/// All orders. Statuses change here only, and only as the tables of transitions.h say.
class Orders {
 public:
  /// Told of each change of an order's status, once it has happened.
  using Observer = std::function<void(const Order&)>;

  explicit Orders(Simulation* simulation) : simulation_(simulation) {}
  Orders(const Orders&) = delete;
  Orders& operator=(const Orders&) = delete;

  void Subscribe(Observer observer) { observers_.push_back(std::move(observer)); }
  /// To be told of each change of a transaction's status, once it has happened.
  void SubscribeToTransactions(Observer observer) {
    transaction_observers_.push_back(std::move(observer));
  }

  /// Whether there is room for one more (Settings::max_orders).
  bool full() const { return orders_.size() >= simulation_->settings.max_orders; }
  /// Takes in a new order: gives it and its transactions ids, times and their first event.
  Order& Add(Order order);
  /// A further transaction, with id, time and first event.
  Transaction& AddTransaction(Order& order, Transaction transaction);

  /// nullptr when there is none. The pointer lives until Clear.
  const Order* Find(const Uuid& id) const;
  /// As Find; nullptr also for another project's order.
  const Order* FindOf(const Uuid& project, const Uuid& id) const;
  /// To change an order: sets `modified`, and keeps the state before where history is kept. The
  /// order must exist.
  Order& Edit(const Uuid& id);

  /// Changes a status by the table and tells the observers. A trigger that the table does not have
  /// for that status is a defect of the caller and ends the process.
  void Apply(Order& order, Trigger trigger);
  /// As above for a transaction of the order: adds its event record.
  void Apply(Order& order, Transaction& transaction, Trigger trigger);

  /// By id, ascending.
  const std::map<Uuid, Order>& by_id() const { return orders_; }
  /// Ids, oldest order first.
  const std::vector<Uuid>& by_creation() const { return by_creation_; }
  /// Ids of all orders that have, or had, this merchant_order_id, in the order in which they got
  /// it.
  const std::vector<Uuid>& ByReference(const std::string& merchant_order_id) const;
  /// Called when an order's merchant_order_id has changed.
  void NoteReference(const Order& order);
  /// Every status that any order has taken since the last Clear, the first one too, oldest first.
  /// The interface keeps no such history: it is for those who compare with what really happened.
  const std::vector<StatusChange>& changes() const { return changes_; }

  /// From now on keeps states that were replaced, for as long (zero: none), so that AsOf can look
  /// back: stale reads and a search index that lags.
  void KeepHistory(Millis how_long);
  /// The order as it was then; nullptr when it did not exist. Before what is kept: the oldest state
  /// that is known. The pointer lives until the next Edit or Clear.
  const Order* AsOf(const Uuid& id, Time time) const;

  void Clear();

 private:
  struct Version {
    Time from;
    Order order;
  };
  /// Ids are random: any of their bytes are a hash.
  struct IdHash {
    std::size_t operator()(const Uuid& id) const {
      std::size_t hash = 0;
      std::memcpy(&hash, id.bytes.data(), sizeof(hash));
      return hash;
    }
  };

  void ForgetOldVersions();

  Simulation* simulation_;
  std::vector<Observer> observers_;
  std::vector<Observer> transaction_observers_;
  std::map<Uuid, Order> orders_;
  /// Into orders_, for finding one without walking a tree of them.
  std::unordered_map<Uuid, const Order*, IdHash> index_;
  std::vector<Uuid> by_creation_;
  std::unordered_map<std::string, std::vector<Uuid>> by_reference_;
  std::vector<StatusChange> changes_;
  Millis history_kept_{0};
  /// Replaced states, oldest first, and when each was replaced.
  std::map<Uuid, std::deque<Version>> history_;
  std::deque<std::pair<Time, Uuid>> replaced_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_ORDERS_H_
