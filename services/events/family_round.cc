#include "services/events/family_round.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/telemetry/log.h"
#include "services/domain/kind.h"
#include "services/domain/timestamps.h"
#include "services/events/settings.h"

namespace tollbridge::events {

using boost::asio::awaitable;
using common::v1::Order;
using storage::v1::OrderState;

namespace {

/// Whether other orders can be made from one of this kind. UNSPECIFIED: not known yet.
bool CanHaveChildren(events::v1::EventKind kind) {
  return kind != events::v1::EVENT_KIND_VOID && kind != events::v1::EVENT_KIND_REFUND &&
         kind != events::v1::EVENT_KIND_REVERSAL;
}

/// What of reading a member ends the round: nothing would be different with the next one.
bool EndsRound(ReadOutcome outcome) {
  return outcome == ReadOutcome::kOutage || outcome == ReadOutcome::kProjectRefused;
}

}  // namespace

awaitable<ReadResult> FamilyRound::Run(Order root) {
  seen_.insert(input_.key.root);
  for (const OrderState& member : input_.state.snapshot.members()) {
    if (const std::optional<Uuid> id = Uuid::FromBytes(member.order_id())) members_.insert(*id);
  }
  for (const Uuid& id : input_.named) Add(id, Proof::kNamed);
  AddKnownMembers();
  Accept({.id = input_.key.root,
          .entry = input_.state.entry,
          .order = std::make_unique<Order>(std::move(root))});
  ReadResult result = co_await ReadCandidates();
  if (result.outcome != ReadOutcome::kDone) co_return result;
  if (changed_) {
    // What is published comes in the order in which it happened: also of what others led to.
    for (const Uuid& id : final_parents_) candidates_.push_back({.id = id, .proof = Proof::kKnown});
    result = co_await ReadCandidates();
    if (result.outcome != ReadOutcome::kDone) co_return result;
  }
  LeaveUnlinked();
  co_return ReadResult{};
}

awaitable<ReadResult> FamilyRound::ReadCandidates() {
  for (; !candidates_.empty(); ++reads_) {
    const Candidate next = candidates_.front();
    candidates_.pop_front();
    if (reads_ < kMaxMembersARound && !more_) {
      ReadResult result = co_await ReadMember(next);
      if (result.outcome != ReadOutcome::kDone) co_return result;
    } else {
      more_ = true;
      orders_.push_back({.id = next.id});
    }
  }
  co_return ReadResult{};
}

void FamilyRound::AddKnownMembers() {
  std::vector<Uuid> open;
  std::vector<Uuid> unread;
  for (const OrderState& member : input_.state.snapshot.members()) {
    const std::optional<Uuid> id = Uuid::FromBytes(member.order_id());
    if (!id) continue;
    if (!domain::WasRead(member)) {
      unread.push_back(*id);
    } else if (!domain::IsFinal(member) || (input_.thorough && CanHaveChildren(member.kind()))) {
      open.push_back(*id);
    } else if (seen_.insert(*id).second && CanHaveChildren(member.kind())) {
      final_parents_.push_back(*id);  // not to be read because an array names it
    }
  }
  // Where there are more than one round reads, each round begins with others.
  std::ranges::sort(open);
  if (!open.empty()) {
    const std::size_t turn = input_.state.version * kMaxMembersARound % open.size();
    std::ranges::rotate(open, open.begin() + static_cast<std::ptrdiff_t>(turn));
  }
  for (const Uuid& id : unread) Add(id, Proof::kKnown);
  for (const Uuid& id : open) Add(id, Proof::kKnown);
}

void FamilyRound::AddNewOnesOf(const Order& order) {
  for (const auto* ids : {&order.refund_orders(), &order.chargeback_orders(),
                          &order.reversal_orders(), &order.related_orders()}) {
    for (const std::string& text : *ids) {
      if (const std::optional<Uuid> id = Uuid::Parse(text)) Add(*id, Proof::kKnown);
    }
  }
}

void FamilyRound::Add(const Uuid& id, Proof proof) {
  if (!seen_.insert(id).second) return;
  const bool known = proof == Proof::kKnown || members_.contains(id);
  candidates_.push_back({.id = id, .proof = known ? Proof::kKnown : Proof::kNamed});
}

awaitable<ReadResult> FamilyRound::ReadMember(Candidate candidate) {
  const ports::FamilyKey key{.project = input_.key.project, .root = candidate.id};
  absl::StatusOr<ports::FamilyState> own = co_await ports_.snapshots.Load(
      key, {.deadline = ports_.clock.BootNow() + kStoreTimeout, .trace = input_.trace});
  if (!own.ok()) co_return InfrastructureFailure(own.status());
  if (own->version > 0) co_return ReadResult{};  // a root of its own, for ever

  const OrderState* state = domain::FindState(input_.state.snapshot, input_.key.root, candidate.id);
  FetchedOrder fetched = co_await ports_.fetcher.Fetch(
      {.project = input_.project, .order = candidate.id, .state = state, .trace = input_.trace});
  if (EndsRound(fetched.outcome)) {
    co_return ReadResult{.outcome = fetched.outcome, .cause = fetched.cause};
  }
  FamilyOrder member{.id = candidate.id, .entry = std::move(own->entry)};
  if (fetched.outcome == ReadOutcome::kOverBudget) {
    more_ = true;
    orders_.push_back(std::move(member));
    co_return ReadResult{};
  }
  if (fetched.outcome != ReadOutcome::kDone) {
    if (!failed_) {
      failed_ = true;
      failure_ = fetched.cause;
      failed_outcome_ = fetched.outcome;
    }
    member.outcome = fetched.outcome;
    Accept(std::move(member));
    co_return ReadResult{};
  }
  if (state == nullptr || !domain::WasRead(*state)) {
    const absl::StatusOr<bool> orphan =
        co_await ports_.orphans.IsUnpaidOrphan(key, fetched.order, input_.trace);
    if (!orphan.ok()) co_return InfrastructureFailure(orphan.status());
    if (*orphan) co_return ReadResult{};
  }
  member.order = std::make_unique<Order>(std::move(fetched.order));
  const std::string& parent = domain::ParentOf(*member.order);
  if (candidate.proof == Proof::kNamed && !IsMember(parent)) {
    // Made from an order that the family does not have yet: that one is looked at as well.
    if (const std::optional<Uuid> id = Uuid::Parse(parent)) Add(*id, Proof::kNamed);
    unlinked_.push_back(std::move(member));
  } else {
    Accept(std::move(member));
  }
  co_return ReadResult{};
}

void FamilyRound::Accept(FamilyOrder order) {
  members_.insert(order.id);
  if (order.order) {
    AddNewOnesOf(*order.order);
    changed_ = changed_ || DiffersFromState(order);
  }
  orders_.push_back(std::move(order));
  AcceptLinked();
}

bool FamilyRound::DiffersFromState(const FamilyOrder& order) const {
  const OrderState* state = domain::FindState(input_.state.snapshot, input_.key.root, order.id);
  if (state == nullptr || !domain::WasRead(*state)) return true;
  return state->status() != order.order->status() ||
         domain::ToWallTime(state->modified()) != domain::ToWallTime(order.order->modified());
}

void FamilyRound::AcceptLinked() {
  const auto linked = std::ranges::find_if(unlinked_, [this](const FamilyOrder& each) {
    return IsMember(domain::ParentOf(*each.order));
  });
  if (linked == unlinked_.end()) return;
  FamilyOrder order = std::move(*linked);
  unlinked_.erase(linked);
  Accept(std::move(order));
}

bool FamilyRound::IsMember(const std::string& order_id) const {
  const std::optional<Uuid> id = Uuid::Parse(order_id);
  return id && members_.contains(*id);
}

void FamilyRound::LeaveUnlinked() {
  for (const FamilyOrder& each : unlinked_) {
    if (more_) {  // what links it may come in the next round
      orders_.push_back({.id = each.id});
      continue;
    }
    telemetry::Log(telemetry::Severity::kWarning, "not_of_the_family",
                   {telemetry::OrderId(each.id.ToString()),
                    {"root", input_.key.root.ToString()},
                    {"project", input_.key.project},
                    telemetry::Trace(input_.trace)});
  }
}

}  // namespace tollbridge::events
