#include "services/events/family_round.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/telemetry/log.h"
#include "services/domain/kind.h"
#include "services/domain/timestamps.h"
#include "services/domain/told_outcomes.h"
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

/// Where a member comes in the cycle.
std::string PlaceOf(const Uuid& id, bool was_read) { return (was_read ? '1' : '0') + id.ToBytes(); }

/// Before the place of every member: a cycle that has read none yet.
constexpr std::string_view kBeginning = "0";

/// What of reading a member ends the round: nothing would be different with the next one.
bool EndsRound(ReadOutcome outcome) {
  return outcome == ReadOutcome::kOutage || outcome == ReadOutcome::kProjectRefused;
}

/// Why a member could not be read is no word about it: it says nothing of the next time.
bool MayPass(ReadOutcome outcome) {
  return outcome == ReadOutcome::kFailed || outcome == ReadOutcome::kNoAnswer ||
         outcome == ReadOutcome::kOlder || outcome == ReadOutcome::kOverBudget;
}

}  // namespace

awaitable<ReadResult> FamilyRound::Run(Order root) {
  begun_ = ports_.clock.BootNow();
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
    const bool begins = AddToCycle(std::move(final_parents_)) && more_;
    result = co_await ReadCandidates();
    if (result.outcome != ReadOutcome::kDone) co_return result;
    if (begins) cycle_after_ = kBeginning;
  }
  LeaveUnlinked();
  if (!cycle_left_) cycle_after_.clear();
  co_return ReadResult{};
}

bool FamilyRound::MayReadOn() const {
  return !more_ && reads_ < kMaxMembersARound &&
         ports_.clock.BootNow() - begun_ < ports::Millis(kLongestRound);
}

awaitable<ReadResult> FamilyRound::ReadCandidates() {
  for (; !fresh_.empty() || !cycle_.empty(); ++reads_) {
    std::deque<Candidate>& from = fresh_.empty() ? cycle_ : fresh_;
    const Candidate next = std::move(from.front());
    from.pop_front();
    if (MayReadOn()) {
      ReadResult result = co_await ReadMember(next);
      if (result.outcome != ReadOutcome::kDone) co_return result;
    } else {
      more_ = true;
      orders_.push_back({.id = next.id});
    }
    if (next.place.empty()) continue;
    if (more_) {
      cycle_left_ = true;
    } else {
      cycle_after_ = next.place;
    }
  }
  co_return ReadResult{};
}

std::string FamilyRound::CycleBefore() const {
  const bool begins = input_.all && !input_.state.tell_again->begun;
  return begins ? std::string() : input_.state.snapshot.cycle_after();
}

void FamilyRound::AddKnownMembers() {
  cycle_after_ = CycleBefore();
  // A cycle that has begun is brought to its end.
  const bool thorough = input_.thorough || !cycle_after_.empty();
  std::vector<Candidate> members;
  for (const OrderState& member : input_.state.snapshot.members()) {
    const std::optional<Uuid> id = Uuid::FromBytes(member.order_id());
    if (!id) continue;
    // Not to be read because an array names it.
    if (!seen_.insert(*id).second) continue;
    const bool was_read = domain::WasRead(member);
    const bool can_have_children = CanHaveChildren(member.kind());
    Candidate candidate{.id = *id, .proof = Proof::kKnown, .place = PlaceOf(*id, was_read)};
    if (!was_read || !domain::IsFinal(member) || (thorough && can_have_children) || input_.all) {
      members.push_back(std::move(candidate));
    } else if (can_have_children) {
      final_parents_.push_back(std::move(candidate));
    }
  }
  AddToCycle(std::move(members));
}

bool FamilyRound::AddToCycle(std::vector<Candidate> members) {
  const std::string begin = CycleBefore();
  std::ranges::sort(members, {}, &Candidate::place);
  for (Candidate& member : members) {
    if (member.place > begin) cycle_.push_back(std::move(member));
  }
  return !cycle_.empty();
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
  fresh_.push_back({.id = id, .proof = known ? Proof::kKnown : Proof::kNamed, .place = {}});
}

awaitable<ReadResult> FamilyRound::ReadMember(Candidate candidate) {
  const ports::FamilyKey key{.project = input_.key.project, .root = candidate.id};
  absl::StatusOr<ports::FamilyState> own = co_await ports_.snapshots.Load(
      key, {.deadline = ports_.clock.BootNow() + kStoreTimeout, .trace = input_.trace});
  if (!own.ok()) co_return InfrastructureFailure(own.status());
  if (own->version > 0) co_return ReadResult{};  // a root of its own, for ever

  const OrderState* state = domain::FindState(input_.state.snapshot, input_.key.root, candidate.id);
  FetchedOrder fetched = co_await ports_.fetcher.Fetch({.project = input_.project,
                                                        .order = candidate.id,
                                                        .state = state,
                                                        .believe_older = input_.believe_older,
                                                        .trace = input_.trace});
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

bool FamilyRound::LacksTold() const {
  return std::ranges::any_of(orders_, [this](const FamilyOrder& each) {
    if (each.order || !MayPass(each.outcome)) return false;
    const OrderState* const state =
        domain::FindState(input_.state.snapshot, input_.key.root, each.id);
    return state != nullptr && domain::ToldAnOutcome(*state);
  });
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
