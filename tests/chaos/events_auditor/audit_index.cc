#include "tests/chaos/events_auditor/audit_index.h"

#include <algorithm>

namespace tollbridge::pipeline {
namespace {

constexpr int kMostHops = 5;

bool Had(const std::vector<const StatusLine*>& statuses, std::string_view status, TimeMs by) {
  return std::ranges::any_of(
      statuses, [&](const StatusLine* line) { return line->status == status && line->at <= by; });
}

bool IsFinalTransaction(std::string_view status) {
  return status == "completed" || status == "declined" || status == "error" ||
         status == "cancelled" || status == "expired";
}

std::string RootOf(const std::map<std::string, OrderView>& orders, const std::string& order) {
  std::string root = order;
  for (int hop = 0; hop < kMostHops; ++hop) {
    const auto found = orders.find(root);
    if (found == orders.end() || found->second.line->origin.empty()) break;
    root = found->second.line->origin;
  }
  return root;
}

/// Between the note that memory is lost and the loss, whichever is first.
constexpr TimeMs kLosing = 10'000;

/// The first loss of `losses`, which are in order, that may concern the order.
TimeMs KeptBefore(const std::vector<TimeMs>& losses, const OrderLine& order) {
  const auto first =
      std::ranges::find_if(losses, [&](TimeMs loss) { return loss + kLosing >= order.created; });
  return first == losses.end() ? kEnd : *first - kLosing;
}

/// How long the create of an order is under way, at most, once there is the order.
constexpr TimeMs kBeingRecorded = 5'000;

/// Whether Redis was disturbed while the create's result was to be recorded: its caller is told all
/// the same, and what the operation leaves with the order comes later, or with the resolver.
bool RecordedLate(const std::vector<DisturbanceLine>& disturbances, const OrderLine& order) {
  return std::ranges::any_of(disturbances, [&order](const DisturbanceLine& line) {
    return line.until != 0 && line.disturbance.find("Redis") != std::string::npos &&
           line.at <= order.created + kBeingRecorded && line.until >= order.created;
  });
}

/// What an operation left with its order goes with Redis' memory.
Sure Kept(Sure left, bool memory_lost) { return memory_lost ? std::min(left, Sure::kMaybe) : left; }

void Add(const CallLine& call, OrderView* order) {
  if (call.gateway != 0) ++order->gateway_calls;
  const Sure done = call.known != 0 ? Sure::kYes : Sure::kMaybe;
  if (call.what == "capture_mode") {
    order->capture_mode = true;
    if (call.gateway != 0) order->capture_mode_left = order->recorded_late ? Sure::kMaybe : done;
  } else if (call.what == "own_checkout" && call.gateway != 0) {
    order->own_checkout = std::max(order->own_checkout, Kept(done, order->kept_before != kEnd));
  } else if (call.what == "created") {
    order->maybe_orphan = false;
  }
}

void AddEvents(const History& history, AuditIndex* index) {
  std::set<std::string> seen;
  for (const EventLine& event : history.events) {
    if (!seen.insert(event.stream + "/" + std::to_string(event.sequence) + "/" + event.digest)
             .second) {
      ++index->repeats;
      continue;
    }
    index->streams[{event.root, event.stream}].push_back(&event);
    const auto order = index->orders.find(event.order);
    if (order != index->orders.end()) order->second.events.push_back(&event);
  }
}

}  // namespace

std::string WhatOfStatus(std::string_view status) {
  if (status == "new") return "created";
  if (status == "error" || status == "declined") return "failed";
  if (status == "see-transactions") return "needs_review";
  if (status == "processing" || status == "completed" || status == "cancelled" ||
      status == "expired") {
    return std::string(status);
  }
  return "";
}

bool IsOutcome(std::string_view what) {
  return what == "completed" || what == "failed" || what == "cancelled" || what == "expired" ||
         what == "needs_review";
}

const std::string& Effective(const EventLine& event) {
  return event.observed_what.empty() ? event.what : event.observed_what;
}

bool OrderView::EverHad(std::string_view status, TimeMs by) const {
  return Had(statuses, status, by);
}

bool OrderView::TransactionEverHad(std::string_view status, TimeMs by) const {
  return std::ranges::any_of(transactions,
                             [&](const auto& entry) { return Had(entry.second, status, by); });
}

bool OrderView::EverPaid() const {
  return std::ranges::any_of(transactions, [](const auto& entry) {
    return std::ranges::any_of(entry.second,
                               [](const StatusLine* line) { return line->status == "completed"; });
  });
}

std::string OrderView::TransactionOutcome() const {
  if (transactions.size() != 1) return "";
  const std::string& status = transactions.begin()->second.back()->status;
  return IsFinalTransaction(status) ? WhatOfStatus(status) : "";
}

std::set<std::string> OrderView::Endings() const {
  const std::string what = WhatOfStatus(LastStatus());
  if (IsOutcome(what)) return {what};
  const std::string decided = TransactionOutcome();
  if (decided.empty() || own_checkout == Sure::kNo) return {};
  if (own_checkout == Sure::kYes) return {decided};
  return {decided, ""};
}

std::set<std::string> OrderView::Kinds(TimeMs published_at) const {
  if (!line->relation.empty()) return {line->relation};
  if (line->transaction_type == "oct") return {"payout"};
  const std::string base = line->transaction_type == "aft" ? "account_funding" : "payment";
  if (!capture_mode) return {base};
  // It failed first: then only what was kept with the order says that it is to be captured.
  const bool failed_first = EverHad("error", statuses.empty() ? 0 : statuses.back()->at);
  const bool shown = EverPaid() || has_captures_or_voids;
  const Sure kept = Kept(capture_mode_left, kept_before != kEnd && published_at >= kept_before);
  if (kept == Sure::kYes || (shown && !failed_first)) return {"authorization"};
  if (kept == Sure::kMaybe || shown) return {"authorization", base};
  return {base};
}

std::set<std::string> OrderView::KindsBefore() const {
  std::set<std::string> kinds = Kinds();
  if (capture_mode && line->relation.empty() && line->transaction_type != "oct") {
    kinds.insert(line->transaction_type == "aft" ? "account_funding" : "payment");
    kinds.insert("authorization");
  }
  return kinds;
}

bool OrderView::MayBeReviewOfKind(const EventLine& event) const {
  return event.what == "needs_review" && event.observed_what.empty() && Kinds().size() > 1;
}

AuditIndex::AuditIndex(const History& given) : history(&given) {
  for (const DisturbanceLine& line : given.disturbances) {
    if (line.disturbance != "memory_lost" && line.disturbance != "store_rolled_back") continue;
    losses.push_back(line.at);
  }
  std::ranges::sort(losses);
  for (const OrderLine& line : given.orders) {
    OrderView& view = orders[line.order];
    view.line = &line;
    view.maybe_orphan = line.marked != 0;
    view.kept_before = KeptBefore(losses, line);
    view.recorded_late = RecordedLate(given.disturbances, line);
  }
  for (auto& [id, view] : orders) {
    view.root = RootOf(orders, id);
    if (view.line->relation != "capture" && view.line->relation != "void") continue;
    const auto origin = orders.find(view.line->origin);
    if (origin != orders.end()) origin->second.has_captures_or_voids = true;
  }
  for (const StatusLine& line : given.statuses) {
    const auto order = orders.find(line.order);
    if (order == orders.end()) continue;
    if (line.transaction.empty()) {
      order->second.statuses.push_back(&line);
    } else {
      order->second.transactions[line.transaction].push_back(&line);
    }
  }
  for (const CallLine& call : given.calls) {
    const auto order = orders.find(call.order);
    if (order != orders.end()) Add(call, &order->second);
  }
  for (const MoneyLine& line : given.money) {
    const auto order = orders.find(line.order);
    if (order != orders.end()) order->second.money.push_back(&line);
  }
  AddEvents(given, this);
}

bool AuditIndex::MayHaveForgotten(TimeMs from, TimeMs until) const {
  return std::ranges::any_of(
      losses, [=](TimeMs loss) { return loss + kLosing >= from && loss - kLosing <= until; });
}

std::optional<TimeMs> ShownSince(const AuditIndex& index, const EventLine& event) {
  const auto order = index.orders.find(event.order);
  if (order == index.orders.end()) return std::nullopt;
  std::optional<TimeMs> since;
  const auto look = [&](const std::vector<const StatusLine*>& statuses) {
    for (const StatusLine* line : statuses) {
      if (line->at <= event.noticed_at && WhatOfStatus(line->status) == Effective(event)) {
        since = std::max(since.value_or(line->at), line->at);
      }
    }
  };
  if (event.decided_by == "TRANSACTION") {
    for (const auto& [id, statuses] : order->second.transactions) look(statuses);
  } else {
    look(order->second.statuses);
  }
  return since;
}

}  // namespace tollbridge::pipeline
