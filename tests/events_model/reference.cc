#include "tests/events_model/reference.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "tests/support/test_keyspace.h"

namespace tollbridge::events_model {

using common::v1::OrderStatus;
using events::v1::EventWhat;
using events::v1::PaymentEvent;

namespace {

/// Reads of one order, with nothing of its family changing and nothing failing but reads of one
/// order; as many more for each round that the family takes.
constexpr std::uint64_t kMostIdleReads = 90;
/// And whatever happens.
constexpr std::uint64_t kMostReads = 6000;
/// Of one event when nothing fails any more.
constexpr std::uint64_t kMostCopies = 60;
/// How long a sweep may rest: its interval, and what it waits after a failure.
constexpr Time kLongestRest = 20 * kMinute;

EventWhat ShownBy(OrderStatus status) {
  switch (status) {
    case common::v1::ORDER_STATUS_COMPLETED:
      return events::v1::EVENT_WHAT_COMPLETED;
    case common::v1::ORDER_STATUS_CANCELLED:
      return events::v1::EVENT_WHAT_CANCELLED;
    case common::v1::ORDER_STATUS_EXPIRED:
      return events::v1::EVENT_WHAT_EXPIRED;
    case common::v1::ORDER_STATUS_ERROR:
      return events::v1::EVENT_WHAT_FAILED;
    case common::v1::ORDER_STATUS_SEE_TRANSACTIONS:
      return events::v1::EVENT_WHAT_NEEDS_REVIEW;
    case common::v1::ORDER_STATUS_PROCESSING:
      return events::v1::EVENT_WHAT_PROCESSING;
    default:
      return events::v1::EVENT_WHAT_CREATED;
  }
}

bool Ends(EventWhat what) {
  return what != events::v1::EVENT_WHAT_CREATED && what != events::v1::EVENT_WHAT_PROCESSING;
}

/// What the order has shown so far that ends it, each once.
std::set<EventWhat> EndsOf(const SimOrder& order) {
  std::set<EventWhat> ends;
  for (const Version& version : order.versions) {
    const EventWhat what = ShownBy(version.order.status());
    if (Ends(what)) ends.insert(what);
  }
  return ends;
}

std::string Named(const PaymentEvent& event) {
  return absl::StrCat(event.type(), " of ", event.order_id(), ", number ", event.sequence(), " of ",
                      event.stream().substr(0, 8));
}

}  // namespace

void Reference::OnRead(SimOrder& order) {
  const Time now = world_.now();
  ++order.reads;
  const Time sick = order.IsSick(now)        ? order.sick_from
                    : order.sick_until < now ? order.sick_until
                                             : 0;
  const Time from = std::max({healed_, order.family->changed, sick});
  if (order.idle_from != from) {
    order.idle_from = from;
    order.idle_reads = 0;
  }
  if (healed_ >= 0) ++order.idle_reads;
  const std::uint64_t rounds = 1 + order.family->orders.size() / 64;
  if (order.idle_reads > kMostIdleReads * rounds || order.reads > kMostReads) {
    Fail(absl::StrCat("order ", order.text_id, " is read for ever: ", order.idle_reads,
                      " times since nothing changes, ", order.reads, " in all"));
  }
}

void Reference::OnEvent(const storage::v1::OutboxEntry& entry) {
  PaymentEvent event;
  if (!event.ParseFromString(entry.payload())) return Fail("an event cannot be read");
  if (world_.keeps_history()) world_.Note("published: " + Named(event));
  const std::size_t project = event.project() == "shop" ? 0 : 1;
  const std::optional<Uuid> id = Uuid::Parse(event.order_id());
  const SimOrder* order = id ? service_->Find(project, *id) : nullptr;
  if (order == nullptr) return Fail(Named(event) + " is of no order");
  if (event.root_order_id() != order->family->root->text_id ||
      entry.key() != event.root_order_id()) {
    return Fail(Named(event) + " has another root than its order");
  }
  if (IsNew(event, entry.payload())) {
    if (begun_.insert(event.root_order_id()).second &&
        (event.what() != events::v1::EVENT_WHAT_CREATED || order != order->family->root)) {
      Fail(Named(event) + " comes before created");
    }
    CheckTrue(event, *order);
  }
  consumer_.Take(event);
  told_.push_back(std::move(event));
  // Its consumer died before it had committed: it gets the last ones again.
  if (world_.dice.Percent(5)) {
    const auto again = static_cast<std::size_t>(world_.dice.Between(1, 5));
    for (std::size_t i = told_.size() - std::min(again, told_.size()); i < told_.size(); ++i) {
      consumer_.Take(told_.at(i));
    }
  }
}

bool Reference::IsNew(const PaymentEvent& event, const std::string& payload) {
  const std::string meaning =
      absl::StrCat(event.order_id(), " ", event.type(), " ", event.occurrence());
  if (meanings_.try_emplace(event.id(), meaning).first->second != meaning) {
    Fail(Named(event) + " has the id of another event");
  }
  const auto [place, is_new] =
      written_.try_emplace({event.root_order_id(), event.stream(), event.sequence()});
  Written& written = place->second;
  if (!is_new) {
    if (written.payload != payload) Fail(Named(event) + " has two contents");
    if (healed_ >= 0 && ++written.copies > kMostCopies) {
      Fail(Named(event) + " is published for ever");
    }
    return false;
  }
  written.payload = payload;
  if (!places_.insert({event.root_order_id(), event.stream(), event.id()}).second) {
    Fail(Named(event) + " has a number of the stream already");
  }
  std::uint64_t& end = ends_[{event.root_order_id(), event.stream()}];
  if (event.sequence() != end + 1) Fail(Named(event) + " leaves a gap");
  end = event.sequence();
  return true;
}

void Reference::CheckTrue(const PaymentEvent& event, const SimOrder& order) {
  if (event.amount() != order.now().amount()) Fail(Named(event) + " has another amount");
  if (event.kind() != order.kind) Fail(Named(event) + " has another kind");
  if (event.is_outcome() != Ends(event.what())) Fail(Named(event) + " is no outcome, or is one");
  const std::set<EventWhat> ends = EndsOf(order);
  if (event.what() == events::v1::EVENT_WHAT_NEEDS_REVIEW) {
    if (ends.size() < 2 && !ends.contains(event.what())) {
      Fail(Named(event) + " is invented: the order has come to one end");
    }
    return;
  }
  const bool was = event.what() == events::v1::EVENT_WHAT_CREATED ||
                   std::ranges::any_of(order.versions, [&](const Version& version) {
                     return ShownBy(version.order.status()) == event.what();
                   });
  if (!was) Fail(Named(event) + " is invented: the order never was so");
}

bool Reference::IsDue(const SimOrder& order) const {
  const std::string name = order.family->project == 0 ? "shop" : "stall";
  const auto* due = redis_.data().Get<test::SortedSet>(test::KeysOf(name) + "due");
  return due != nullptr && (due->Score(order.id.ToBytes()).has_value() ||
                            due->Score(order.family->root->id.ToBytes()).has_value());
}

bool Reference::IsEnded(const HintTopic::Record& record, const SimOrder& order) const {
  if (lost_ >= record.at || order.answered_begun >= record.at || order.answered_not_found) {
    return true;
  }
  if (IsDue(order)) return true;
  const auto same = [&](const ports::DeadLetter& letter) {
    return letter.record.value == record.record.value;
  };
  if (std::ranges::any_of(letters_.letters(), same)) return true;
  // Passed on to its root.
  return std::ranges::any_of(topic_->partitions(), [&](const HintTopic::Partition& partition) {
    return std::ranges::any_of(partition.records, [&](const HintTopic::Record& other) {
      events::v1::Hint hint;
      return other.at >= record.at && hint.ParseFromString(other.record.value) &&
             hint.member() == order.text_id;
    });
  });
}

void Reference::OnCommitted(const HintTopic::Record& record) {
  if (!record.promised) return;
  events::v1::Hint hint;
  if (!hint.ParseFromString(record.record.value)) return;
  const std::optional<Uuid> id = Uuid::Parse(hint.order_id());
  const SimOrder* order = service_->Find(hint.project() == "shop" ? 0 : 1, *id);
  if (order == nullptr || IsEnded(record, *order)) return;
  Fail(absl::StrCat("the hint at ", record.record.partition, "/", record.record.offset, " for ",
                    order->text_id, " was answered 200, and nobody looks at it any more"));
}

void Reference::ExpectRead(SimOrder& order, Time within) {
  const Time since = world_.now();
  world_.At(since + within, [this, &order, since] {
    if (order.read_begun >= since) return;
    Fail(
        absl::StrCat("order ", order.text_id, " is not read, since another project is in trouble"));
  });
}

void Reference::CheckSweeps(std::size_t projects) {
  for (std::size_t project = 0; project < projects; ++project) {
    if (world_.now() - searched_.at(project) <= kLongestRest) continue;
    Fail(absl::StrCat("project ", project, " was swept last ",
                      (world_.now() - searched_.at(project)) / kMinute, " min ago"));
  }
}

void Reference::CheckPartitions(Time until) {
  for (const HintTopic::Partition& partition : topic_->partitions()) {
    const auto next = static_cast<std::size_t>(partition.committed);
    if (next >= partition.records.size() || partition.records.at(next).at > until) continue;
    const ports::HintRecord& record = partition.records.at(next).record;
    Fail(absl::StrCat("partition ", record.partition, " stands still at ", record.offset));
  }
}

void Reference::CheckSettled() {
  CheckPartitions(world_.now() - kHour);
  if (consumer_.alarms() > 0) Fail("a consumer sounds an alarm");
  if (consumer_.gaps() > 0) Fail("a consumer sees a gap");
  for (const auto& order : service_->orders()) CheckOrder(*order);
}

void Reference::CheckOrder(const SimOrder& order) {
  const EventWhat shown = ShownBy(order.now().status());
  const Consumer::Order* booked = consumer_.Find(order.text_id);
  const auto fail = [&](const std::string& why) {
    Fail(absl::StrCat("order ", order.text_id, " of ", order.family->root->text_id, " ", why));
  };
  if (booked == nullptr) return fail("was never told of");
  const std::set<EventWhat> ends = EndsOf(order);
  if (ends.size() > 1) {
    // Of one that ended in two ways a person may have to look.
    if (booked->outcome != shown && !booked->review) fail("has another outcome than was told");
    return;
  }
  const bool completed = shown == events::v1::EVENT_WHAT_COMPLETED;
  const std::int64_t amount = completed ? DirectionOf(order.kind) * order.now().amount() : 0;
  if (booked->outcome != shown) return fail("has another outcome than was told");
  if (booked->booked != amount) return fail("is booked with another amount");
  if (booked->review) fail("is under review for nothing");
}

}  // namespace tollbridge::events_model
