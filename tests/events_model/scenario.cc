#include "tests/events_model/scenario.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "services/domain/timestamps.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::events_model {

using common::v1::Order;
using events::v1::EventKind;

namespace {

constexpr auto kNew = common::v1::ORDER_STATUS_NEW;
constexpr auto kProcessing = common::v1::ORDER_STATUS_PROCESSING;
constexpr auto kCompleted = common::v1::ORDER_STATUS_COMPLETED;
constexpr auto kError = common::v1::ORDER_STATUS_ERROR;
constexpr auto kSeeTransactions = common::v1::ORDER_STATUS_SEE_TRANSACTIONS;

constexpr int kWebhookAttempts = 10;
constexpr Time kWebhookRepeat = 2 * kMinute;
/// How soon an order is read whose project is in no trouble.
constexpr Time kReadWithin = 30 * kSecond;

const char* NameOf(std::size_t project) { return project == 0 ? "shop" : "stall"; }

void SetLink(Order& order, EventKind kind, const std::string& parent) {
  switch (kind) {
    case events::v1::EVENT_KIND_CAPTURE:
      return order.set_capture_of_order_id(parent);
    case events::v1::EVENT_KIND_VOID:
      return order.set_void_of_order_id(parent);
    case events::v1::EVENT_KIND_REFUND:
      return order.set_refund_of_order_id(parent);
    case events::v1::EVENT_KIND_CHARGEBACK:
      return order.set_chargeback_of_order_id(parent);
    default:
      return order.set_related_order_id(parent);
  }
}

void NameIn(Order& order, EventKind kind, const std::string& member) {
  switch (kind) {
    case events::v1::EVENT_KIND_REFUND:
      return order.add_refund_orders(member);
    case events::v1::EVENT_KIND_CHARGEBACK:
      return order.add_chargeback_orders(member);
    default:
      return order.add_related_orders(member);
  }
}

}  // namespace

void Scenario::After(Time wait, std::function<void()> action) {
  const Time at = stage_.world.now() + wait;
  ends_ = std::max(ends_, at);
  stage_.world.At(at, std::move(action));
}

void Scenario::Plan() {
  Dice& dice = stage_.world.dice;
  for (std::size_t project = 0; project < stage_.traits.projects; ++project) {
    const bool busy = stage_.traits.neighbour_alone && project == 1;
    const std::int64_t families = busy ? dice.Between(20, 40) : dice.Between(1, 4);
    for (std::int64_t i = 0; i < families; ++i) {
      PlanFamily(project, dice.Between(0, busy ? 5 * kMinute : kActive / 2));
    }
  }
  if (stage_.traits.large_family) PlanLargeFamily(0, dice.Between(0, kActive / 4));
  if (!stage_.traits.neighbour_alone) {
    if (dice.Percent(40)) After(dice.Between(kMinute, kActive), [this] { PlanSickness(); });
    PlanNoise();
  }
}

SimOrder& Scenario::AddRoot(std::size_t project, EventKind kind, Order first) {
  first.set_amount(stage_.world.dice.Between(100, 10'000));
  SimOrder& root = stage_.service.Add(project, nullptr, kind, std::move(first));
  if (stage_.world.keeps_history()) {
    stage_.Note(absl::StrCat("order ", root.text_id, " of ", NameOf(project)));
  }
  // Else it was made at the portal.
  if (stage_.world.dice.Percent(60)) EnterOrder(root);
  Webhook(root);
  return root;
}

void Scenario::PlanFamily(std::size_t project, Time at) {
  After(at, [this, project] {
    Dice& dice = stage_.world.dice;
    const std::int64_t which = dice.Between(1, 100);
    Order first;
    first.set_status(kNew);
    EventKind kind = events::v1::EVENT_KIND_PAYMENT;
    if (which <= 30) {
      kind = events::v1::EVENT_KIND_AUTHORIZATION;
      first.set_capture_mode("delayed");
    } else if (which <= 36) {
      kind = events::v1::EVENT_KIND_PAYOUT;
      first.add_transactions()->set_transaction_type("oct");
    }
    Live(AddRoot(project, kind, std::move(first)));
  });
}

void Scenario::End(SimOrder& order, Status status, Time wait) {
  After(wait, [this, &order, status] {
    if (stage_.world.keeps_history()) {
      stage_.Note(
          absl::StrCat("order ", order.text_id, " becomes ", common::v1::OrderStatus_Name(status)));
    }
    stage_.service.Change(order, [status](Order& next) { next.set_status(status); });
    Webhook(order);
  });
}

void Scenario::Live(SimOrder& root) {
  Dice& dice = stage_.world.dice;
  Time wait = dice.Between(kSecond, 3 * kMinute);
  if (dice.Percent(50)) {
    End(root, kProcessing, wait);
    wait += dice.Between(100, 3 * kMinute);
  }
  const std::int64_t which = dice.Between(1, 100);
  if (which <= 10) {
    const std::vector<Status> ends = {common::v1::ORDER_STATUS_CANCELLED,
                                      common::v1::ORDER_STATUS_EXPIRED, kError};
    End(root, ends.at(static_cast<std::size_t>(dice.Between(0, 2))), wait);
    return;
  }
  if (which <= 16) {
    End(root, kError, wait);
    wait += dice.Between(kSecond, 10 * kMinute);
  } else if (which <= 20) {
    End(root, kSeeTransactions, wait);
    wait += dice.Between(kSecond, 10 * kMinute);
  }
  End(root, kCompleted, wait);
  if (which >= 97) {
    wait += dice.Between(kSecond, 10 * kMinute);
    End(root, common::v1::ORDER_STATUS_CANCELLED, wait);
    // A person is asked once more.
    if (which >= 99) End(root, kCompleted, wait + dice.Between(kMinute, 10 * kMinute));
    return;
  }
  if (root.kind != events::v1::EVENT_KIND_PAYOUT) {
    After(wait, [this, &root] { PlanMembers(root); });
  }
}

void Scenario::PlanMembers(SimOrder& root) {
  Dice& dice = stage_.world.dice;
  const bool reserved = root.kind == events::v1::EVENT_KIND_AUTHORIZATION;
  const std::int64_t members = dice.Percent(50) ? dice.Between(1, 3) : 0;
  for (std::int64_t i = 0; i < members; ++i) {
    const EventKind kind =
        reserved ? dice.Percent(80) ? events::v1::EVENT_KIND_CAPTURE : events::v1::EVENT_KIND_VOID
        : dice.Percent(80) ? events::v1::EVENT_KIND_REFUND
                           : events::v1::EVENT_KIND_PAYMENT;
    After(dice.Between(kSecond, 10 * kMinute), [this, &root, kind] {
      SimOrder& member = AddMember(root, kind);
      Link(root, member, false);
      Webhook(member);
      if (kind != events::v1::EVENT_KIND_CAPTURE || !stage_.world.dice.Percent(30)) return;
      After(stage_.Within(kSecond, 5 * kMinute), [this, &member] {
        SimOrder& refund = AddMember(member, events::v1::EVENT_KIND_REFUND);
        Link(member, refund, false);
        Webhook(refund);
      });
    });
  }
  if (!dice.Percent(6)) return;
  // The customer's bank is late.
  After(dice.Between(kHour, 3 * kDay),
        [this, &root] { Link(root, AddMember(root, events::v1::EVENT_KIND_CHARGEBACK), true); });
}

SimOrder& Scenario::AddMember(SimOrder& parent, EventKind kind) {
  Dice& dice = stage_.world.dice;
  Order first;
  const bool at_once = dice.Percent(60);
  first.set_status(at_once ? kCompleted : kProcessing);
  first.set_amount(dice.Between(1, 100));
  SetLink(first, kind, parent.text_id);
  if (kind == events::v1::EVENT_KIND_REFUND) first.add_flags("is-refund");
  SimOrder& member = stage_.service.Add(parent.family->project, &parent, kind, std::move(first));
  if (stage_.world.keeps_history()) {
    stage_.Note(absl::StrCat("order ", member.text_id, " is made of ", parent.text_id));
  }
  if (!at_once) End(member, dice.Percent(90) ? kCompleted : kError, dice.Between(100, 5 * kMinute));
  // An operation of ours did it.
  if (dice.Percent(40)) EnterOrder(parent);
  return member;
}

void Scenario::Link(SimOrder& parent, SimOrder& member, bool always) {
  Dice& dice = stage_.world.dice;
  // Its webhook alone tells of it then.
  if (!always && dice.Percent(20)) return;
  const bool touches = dice.Percent(50);
  stage_.service.Change(
      parent, [&](Order& next) { NameIn(next, member.kind, member.text_id); }, touches);
}

void Scenario::PlanLargeFamily(std::size_t project, Time at) {
  After(at, [this, project] {
    Dice& dice = stage_.world.dice;
    const bool reserved = dice.Percent(60);
    Order first;
    first.set_status(kCompleted);
    if (reserved) first.set_capture_mode("delayed");
    SimOrder& root = AddRoot(
        project, reserved ? events::v1::EVENT_KIND_AUTHORIZATION : events::v1::EVENT_KIND_PAYMENT,
        std::move(first));
    const std::int64_t batches = dice.Between(1, 2);
    for (std::int64_t i = 0; i < batches; ++i) {
      const std::int64_t members = dice.Between(66, 200) / batches;
      After(dice.Between(kSecond, 5 * kMinute), [this, &root, reserved, members] {
        const EventKind kind =
            reserved ? events::v1::EVENT_KIND_CAPTURE : events::v1::EVENT_KIND_PAYMENT;
        std::vector<SimOrder*> made;
        for (std::int64_t j = 0; j < members; ++j) {
          Order member;
          member.set_status(kCompleted);
          member.set_amount(1);
          SetLink(member, kind, root.text_id);
          made.push_back(&stage_.service.Add(root.family->project, &root, kind, std::move(member)));
        }
        stage_.service.Change(root, [&](Order& next) {
          for (const SimOrder* member : made) NameIn(next, kind, member->text_id);
        });
        Webhook(*made.front());
        Webhook(*made.back());
      });
    }
  });
}

void Scenario::PlanSickness() {
  Dice& dice = stage_.world.dice;
  const auto& orders = stage_.service.orders();
  if (orders.empty()) return;
  SimOrder& order = *orders.at(
      static_cast<std::size_t>(dice.Between(0, static_cast<std::int64_t>(orders.size()) - 1)));
  order.sickness = static_cast<Sickness>(dice.Between(1, 4));
  order.sick_from = stage_.world.now();
  // What is not found for a day is given up.
  const bool long_time = order.sickness != Sickness::kNotFound && dice.Percent(60);
  order.sick_until = order.sick_from + (long_time ? dice.Between(kHour, 3 * kDay)
                                                  : dice.Between(kSecond, 30 * kMinute));
  ends_ = std::max(ends_, order.sick_until);
  if (stage_.world.keeps_history()) {
    stage_.Note(absl::StrCat("order ", order.text_id, " cannot be read (",
                             static_cast<int>(order.sickness), ") for ",
                             (order.sick_until - order.sick_from) / kSecond, " s"));
  }
}

void Scenario::Webhook(SimOrder& order) {
  Dice& dice = stage_.world.dice;
  if (dice.Percent(25)) return;
  const std::int64_t times = dice.Percent(15) ? 2 : 1;
  for (std::int64_t i = 0; i < times; ++i) {
    const Time late =
        dice.Percent(90) ? dice.Between(0, 3 * kSecond) : dice.Between(0, 20 * kMinute);
    After(late, [this, &order] { Deliver(order, 1); });
  }
}

void Scenario::Deliver(SimOrder& order, int attempt) {
  const KafkaState& kafka = stage_.kafka;
  Dice& dice = stage_.world.dice;
  const bool written = kafka.reachable && !dice.Percent(kafka.lost_requests);
  const bool answered = written && !dice.Percent(kafka.lost_answers);
  if (written) {
    events::v1::Hint hint;
    hint.set_order_id(order.text_id);
    hint.set_project(NameOf(order.family->project));
    hint.set_source(events::v1::HINT_SOURCE_WEBHOOK);
    *hint.mutable_noticed_at() = domain::ToTimestamp(model::Civil(stage_.world.now()));
    stage_.hints.Write(hint).promised = answered;
  }
  if (!answered) {
    if (attempt == kWebhookAttempts) return;
    After(kWebhookRepeat, [this, &order, attempt] { Deliver(order, attempt + 1); });
    return;
  }
  if (stage_.traits.neighbour_alone && order.family->project == 0) {
    stage_.reference.ExpectRead(order, kReadWithin);
  }
}

void Scenario::EnterOrder(SimOrder& order) {
  World& world = stage_.world;
  RedisState& redis = stage_.redis;
  if (!redis.reachable || redis.WakesAt(world.now()) > world.now()) {
    After(5 * kSecond, [this, &order] { EnterOrder(order); });
    return;
  }
  const auto run = [&](const redis::Command& command) { return redis.Run(world, command); };
  const std::string key = order.id.ToBytes();
  const std::string& due = DueKey(order.family->project);
  Time now = model::Civil(world.now() + redis.ahead).time_since_epoch().count();
  const std::string family = test::KeysOf(NameOf(order.family->project)) + "f:" + key;
  if (run({"ZADD", due, "NX", absl::StrCat(now), key}).integer == 0) {
    const auto* queue = redis.server.data().Get<test::SortedSet>(due);
    const auto current = static_cast<Time>(queue->Score(key).value_or(0));
    if (current >= now && current < now + kSecond) now = current + 1;
    run({"ZADD", due, absl::StrCat(now), key});
  }
  if (&order == order.family->root && order.versions.size() == 1) {
    run({"HSET", family, "n", absl::StrCat(now)});
    if (!order.now().capture_mode().empty()) {
      run({"HSETNX", family, "c", order.now().capture_mode()});
    }
  }
}

void Scenario::PlanNoise() {
  Dice& dice = stage_.world.dice;
  const std::int64_t lines = dice.Between(0, 3);
  for (std::int64_t i = 0; i < lines; ++i) {
    const std::uint64_t number = dice.Next();
    const bool poison = dice.Percent(40);
    After(dice.Between(0, kActive), [this, number, poison] {
      if (!stage_.kafka.reachable) return;
      if (poison) {
        stage_.hints.Write("poison", absl::StrCat("no hint ", number));
        return;
      }
      events::v1::Hint hint;
      hint.set_order_id(Uuid::V5(Uuid(), absl::StrCat(number)).ToString());
      hint.set_project(NameOf(number % stage_.traits.projects));
      hint.set_source(events::v1::HINT_SOURCE_WEBHOOK);
      *hint.mutable_noticed_at() = domain::ToTimestamp(model::Civil(stage_.world.now()));
      stage_.hints.Write(hint);
    });
  }
}

}  // namespace tollbridge::events_model
