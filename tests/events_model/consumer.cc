#include "tests/events_model/consumer.h"

#include <algorithm>

namespace tollbridge::events_model {

using events::v1::EventKind;
using events::v1::EventWhat;
using events::v1::PaymentEvent;

namespace {

bool IsPart(EventKind kind) {
  return kind == events::v1::EVENT_KIND_CAPTURE || kind == events::v1::EVENT_KIND_VOID;
}

bool IsAtOnce(EventKind kind) {
  return kind == events::v1::EVENT_KIND_PAYMENT || kind == events::v1::EVENT_KIND_ACCOUNT_FUNDING;
}

}  // namespace

std::int64_t DirectionOf(EventKind kind) {
  switch (kind) {
    case events::v1::EVENT_KIND_PAYMENT:
    case events::v1::EVENT_KIND_ACCOUNT_FUNDING:
    case events::v1::EVENT_KIND_CAPTURE:
      return 1;
    case events::v1::EVENT_KIND_AUTHORIZATION:
    case events::v1::EVENT_KIND_VOID:
      return 0;
    default:
      return -1;
  }
}

void Consumer::Take(const PaymentEvent& event) {
  const bool late = !Advance(event);
  const bool other = OtherAtItsPlace(event);
  if (seen_.contains(event.id()) || (late && !other)) return;
  seen_.insert(event.id());
  orders_[event.order_id()].root = event.root_order_id();
  if (event.what() == events::v1::EVENT_WHAT_NEEDS_REVIEW) {
    LeaveToAPerson(event);
  } else if (event.is_outcome()) {
    Book(event);
  }
}

const Consumer::Order* Consumer::Find(const std::string& order_id) const {
  const auto found = orders_.find(order_id);
  return found == orders_.end() ? nullptr : &found->second;
}

bool Consumer::Advance(const PaymentEvent& event) {
  std::uint64_t& position = positions_[{event.root_order_id(), event.stream()}];
  if (event.sequence() <= position) return false;
  if (event.sequence() > position + 1) ++gaps_;
  position = event.sequence();
  return true;
}

bool Consumer::OtherAtItsPlace(const PaymentEvent& event) {
  const auto [known, is_new] =
      ids_.try_emplace({event.root_order_id(), event.stream(), event.sequence()}, event.id());
  const bool other = known->second != event.id();
  if (other) ++alarms_;
  return other;
}

void Consumer::Book(const PaymentEvent& event) {
  Order& order = orders_[event.order_id()];
  const bool recovered = order.outcome == events::v1::EVENT_WHAT_FAILED &&
                         event.what() == events::v1::EVENT_WHAT_COMPLETED;
  const bool changed = order.outcome && order.outcome != event.what() && !recovered;
  const bool other_kind = order.kind && order.kind != event.kind();
  if (changed || other_kind || IsToldTwice(event)) {
    LeaveToAPerson(event);
    return;
  }
  const bool completed = event.what() == events::v1::EVENT_WHAT_COMPLETED;
  order.outcome = event.what();
  order.kind = event.kind();
  order.booked = completed ? DirectionOf(event.kind()) * event.amount() : 0;
}

bool Consumer::IsToldTwice(const PaymentEvent& event) const {
  if (IsPart(event.kind())) {
    const Order* root = Find(event.root_order_id());
    return root != nullptr && root->kind && IsAtOnce(*root->kind);
  }
  if (!IsAtOnce(event.kind())) return false;
  return std::ranges::any_of(orders_, [&](const auto& each) {
    return each.second.root == event.order_id() && each.second.kind && IsPart(*each.second.kind);
  });
}

void Consumer::LeaveToAPerson(const PaymentEvent& event) {
  Order& order = orders_[event.order_id()];
  order.review = true;
  if (!order.kind) order.kind = event.kind();
}

}  // namespace tollbridge::events_model
