#include "sandbox/core/orders.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace tollbridge::sandbox {
namespace {

[[noreturn]] void NotInTheTable(std::string_view what, std::string_view status, Trigger trigger) {
  std::fprintf(stderr, "tollbridge-sandbox: %s in status %s has no transition by '%s'\n",
               std::string(what).c_str(), std::string(status).c_str(),
               std::string(Text(trigger)).c_str());
  std::abort();
}

}  // namespace

Order& Orders::Add(Order order) {
  order.id = simulation_->ids.NewUuid();
  order.created = order.modified = simulation_->clock.Now();
  std::vector<Transaction> transactions = std::move(order.transactions);
  order.transactions.clear();
  for (Transaction& transaction : transactions) AddTransaction(order, std::move(transaction));
  by_creation_.push_back(order.id);
  const Uuid id = order.id;
  Order& added = orders_.emplace(id, std::move(order)).first->second;
  index_.emplace(id, &added);
  NoteReference(added);
  changes_.push_back({.order = id, .status = added.status, .at = added.created});
  return added;
}

const std::vector<Uuid>& Orders::ByReference(const std::string& merchant_order_id) const {
  static const std::vector<Uuid> none;
  const auto found = by_reference_.find(merchant_order_id);
  return found == by_reference_.end() ? none : found->second;
}

void Orders::NoteReference(const Order& order) {
  if (!order.merchant_order_id) return;
  std::vector<Uuid>& ids = by_reference_[*order.merchant_order_id];
  if (std::ranges::find(ids, order.id) == ids.end()) ids.push_back(order.id);
}

Transaction& Orders::AddTransaction(Order& order, Transaction transaction) {
  transaction.id = simulation_->ids.NewUuid();
  transaction.created = transaction.modified = simulation_->clock.Now();
  transaction.amount = order.amount;
  if (order.relation == Relation::kNone) {
    transaction.expiration_period =
        order.expiration_period.value_or(DurationText(simulation_->settings.order_validity));
  }
  transaction.events.push_back({.id = simulation_->ids.NewUuid(),
                                .event = transaction.status,
                                .occurred = transaction.created});
  order.transactions.push_back(std::move(transaction));
  return order.transactions.back();
}

const Order* Orders::Find(const Uuid& id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : found->second;
}

const Order* Orders::FindOf(const Uuid& project, const Uuid& id) const {
  const Order* order = Find(id);
  return order != nullptr && order->project_id == project ? order : nullptr;
}

Order& Orders::Edit(const Uuid& id) {
  Order& order = orders_.at(id);
  const Time now = simulation_->clock.Now();
  // Several changes at one instant are one for those who look back.
  if (history_kept_ > Millis{0} && order.modified < now) {
    history_[id].push_back({.from = order.modified, .order = order});
    replaced_.emplace_back(now, id);
    ForgetOldVersions();
  }
  order.modified = now;
  return order;
}

void Orders::Apply(Order& order, Trigger trigger) {
  const std::optional<OrderStatus> next = Next(order.status, trigger);
  if (!next) NotInTheTable("an order", Text(order.status), trigger);
  order.status = *next;
  const Time now = simulation_->clock.Now();
  if (*next == OrderStatus::kCompleted) order.completed = now;
  changes_.push_back({.order = order.id, .status = *next, .at = now});
  for (const Observer& observer : observers_) observer(order);
}

void Orders::Apply(Order& order, Transaction& transaction, Trigger trigger) {
  const std::optional<TransactionStatus> next = Next(transaction.status, trigger);
  if (!next) NotInTheTable("a transaction", Text(transaction.status), trigger);
  transaction.status = *next;
  transaction.modified = simulation_->clock.Now();
  transaction.events.push_back(
      {.id = simulation_->ids.NewUuid(), .event = *next, .occurred = transaction.modified});
  for (const Observer& observer : transaction_observers_) observer(order);
}

void Orders::KeepHistory(Millis how_long) {
  history_kept_ = how_long;
  ForgetOldVersions();
}

const Order* Orders::AsOf(const Uuid& id, Time time) const {
  const Order* current = Find(id);
  if (current == nullptr || current->created > time) return nullptr;
  if (current->modified <= time) return current;
  const auto versions = history_.find(id);
  if (versions == history_.end() || versions->second.empty()) return current;
  const Order* best = &versions->second.front().order;
  for (const Version& version : versions->second) {
    if (version.from <= time) best = &version.order;
  }
  return best;
}

void Orders::ForgetOldVersions() {
  const Time oldest = simulation_->clock.Now() - history_kept_;
  while (!replaced_.empty() && replaced_.front().first < oldest) {
    const auto versions = history_.find(replaced_.front().second);
    versions->second.pop_front();
    if (versions->second.empty()) history_.erase(versions);
    replaced_.pop_front();
  }
}

void Orders::Clear() {
  index_.clear();
  orders_.clear();
  by_creation_.clear();
  by_reference_.clear();
  changes_.clear();
  history_.clear();
  replaced_.clear();
}

}  // namespace tollbridge::sandbox
