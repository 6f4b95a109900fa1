#include "tests/chaos/auditor/audit_index.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "base/core/uuid.h"
#include "services/domain/mark.h"

namespace tollbridge::chaos {
namespace {

/// A record of the topic is written a moment after what it tells of, and a call ends a moment after
/// its record was written.
constexpr TimeMs kSlack = 15'000;
/// While Redis is disturbed again and again, records wait in it so long for the drainer, whose
/// backoff is up to 15 s, or for the lease of one that died: memory that is lost takes them along.
constexpr TimeMs kUndrained = 40'000;
/// At most so long, where the topic shows that nothing of the project came for longer.
constexpr TimeMs kLongestUndrained = 120'000;

constexpr std::array<std::string_view, 12> kSaysNothing = {
    "OPERATION_IN_PROGRESS", "ORDER_BUSY",   "STORE_UNAVAILABLE",
    "STORE_DOUBTFUL",        "OVERLOADED",   "SHUTTING_DOWN",
    "MEMORY_LOST",           "INTERNAL",     "OUTBOX_FULL",
    "SECRET_KEY_UNKNOWN",    "CALLER_LIMIT", "MONEY_LIMIT"};

void Extend(OperationView& view, TimeMs at) {
  if (view.first == 0 || at < view.first) view.first = at;
  view.last = std::max(view.last, at);
}

void TakeTold(const Told& told, OperationView& view) {
  view.id = told.operation;
  view.rpc = told.rpc;
  view.project = told.project;
  view.order = told.order;
  view.transaction = told.transaction;
  view.wrong = told.wrong;
  view.told.push_back(&told);
  Extend(view, told.at);
}

/// "CreateOrder" of "tollbridge.payments.v1.Payments/CreateOrder".
std::string MethodOf(std::string_view rpc) {
  const std::size_t slash = rpc.rfind('/');
  return std::string(slash == rpc.npos ? rpc : rpc.substr(slash + 1));
}

/// `[tb:<16 hexadecimal digits>]` of a description; empty when it has none.
std::string ShortIdIn(std::string_view description) {
  constexpr std::string_view kBegin = "[tb:";
  constexpr std::size_t kDigits = 16;
  const std::size_t at = description.rfind(kBegin);
  if (at == description.npos) return "";
  return std::string(description.substr(at + kBegin.size(), kDigits));
}

std::string ShortId(const std::string& operation) {
  const std::optional<Uuid> id = Uuid::Parse(operation);
  return id ? ShortIdIn(domain::DescriptionMark(*id)) : "";
}

bool SaysSomething(const Told* told) {
  const Word word = WordOf(*told);
  return word != Word::kNothing && word != Word::kSilence;
}

}  // namespace

Word WordOf(const Told& told) {
  if (!told.result.empty()) return Word::kResult;
  if (!told.pending.empty()) return Word::kPending;
  if (told.reason == "RESULT_NOT_KEPT") return Word::kResult;
  if (told.reason.empty()) return Word::kSilence;
  if (std::ranges::find(kSaysNothing, told.reason) != kSaysNothing.end()) return Word::kNothing;
  if (told.reason == "UPSTREAM_REFUSED" || told.reason == "ORDER_NOT_FOUND") return Word::kRefused;
  return told.retry == "SAFE_SAME_KEY" ? Word::kNotExecuted : Word::kNothing;
}

bool WasNotTakenUp(const Told& told) {
  return told.reason == "NOT_SENT" && told.code == "DEADLINE_EXCEEDED";
}

std::string OperationView::FinalState() const {
  if (open != nullptr) return open->state;
  return lines.empty() ? "" : lines.back()->to;
}

std::string OperationView::StateAt(TimeMs at) const {
  std::string state;
  for (const OperationLine* line : lines) {
    if (line->at > at) break;
    state = line->to;
  }
  return state;
}

Word OperationView::LastWord() const {
  const auto word = std::find_if(told.rbegin(), told.rend(), SaysSomething);
  return word == told.rend() ? Word::kSilence : WordOf(**word);
}

const Told* OperationView::LastDenial() const {
  const auto rank = [](const Told& call) { return std::pair{!WasNotTakenUp(call), call.began}; };
  const Told* found = nullptr;
  for (const Told* one : told) {
    if (WordOf(*one) != Word::kNotExecuted) continue;
    if (found == nullptr || rank(*one) >= rank(*found)) found = one;
  }
  return found;
}

bool OperationView::RanAgain(TimeMs closed_from, TimeMs begun_until) const {
  const auto closed = std::ranges::find_if(lines, [closed_from](const OperationLine* line) {
    return line->to == "NOT_EXECUTED" && line->at >= closed_from;
  });
  return std::any_of(closed, lines.end(), [begun_until](const OperationLine* line) {
    return line->to == "RUNNING" && line->at <= begun_until;
  });
}

bool OperationView::RanUnanswered(const Told& silent, const Told& denial) const {
  if (WasNotTakenUp(denial)) return true;
  if (silent.at < denial.began) return false;
  if (RanAgain(denial.began, std::numeric_limits<TimeMs>::max())) return true;
  return silent.at >= denial.at && std::ranges::any_of(lines, [&](const OperationLine* line) {
           return line->to == "RUNNING" && line->at > denial.at;
         });
}

bool OperationView::IsOutdated(const Told& denial, bool recorded) const {
  return std::ranges::any_of(told, [&](const Told* one) {
    const Word word = WordOf(*one);
    if (word == Word::kSilence) return RanUnanswered(*one, denial);
    if (word != Word::kResult && word != Word::kPending) return false;
    if (WasNotTakenUp(denial)) return true;
    return one->at >= denial.began && (!recorded || RanAgain(denial.began, one->at));
  });
}

std::string OperationView::Result() const {
  for (const Told* one : told) {
    if (!one->result.empty()) return one->result;
  }
  return "";
}

bool OperationView::WasAnswered(const std::string& result) const {
  return std::ranges::any_of(told, [&result](const Told* one) {
    return one->knowledge == "ANSWERED" && one->result == result;
  });
}

std::string OperationView::Name() const {
  return rpc + (told.empty() ? "" : " with key " + told.front()->key);
}

std::size_t OperationView::RunsNobodyCanJudge() const {
  return static_cast<std::size_t>(std::ranges::count_if(lines, [](const OperationLine* line) {
    return line->to == "NOT_EXECUTED" && line->evidence.ends_with("cannot be read back");
  }));
}

bool IsUnreadable(std::string_view rpc) {
  return rpc == "StoreCard" || rpc == "ExchangeWalletBToken" || rpc == "CreatePaymentLink";
}

std::optional<Target> TargetOf(const OperationView& view) {
  if (view.rpc == "StoreCard" || view.rpc == "ExchangeWalletBToken") {
    return Target{view.order, view.transaction, "card"};
  }
  if (view.rpc == "InitiateTransaction" || view.rpc == "AuthenticateTransaction" ||
      view.rpc == "ExecuteWalletBPayment") {
    return Target{view.order, view.transaction, "charge"};
  }
  if (view.rpc == "CaptureTransaction") return Target{view.order, view.transaction, "capture"};
  if (view.rpc == "VoidTransaction") return Target{view.order, view.transaction, "void"};
  return std::nullopt;
}

Target TargetOf(const Effect& effect) {
  return {effect.order, effect.transaction,
          effect.effect == "authorize" ? "charge" : effect.effect};
}

bool LosesMemory(const Disturbance& disturbance) {
  return disturbance.what == "memory_lost" || disturbance.what == "store_rolled_back" ||
         disturbance.what == "store_failed_over";
}

std::string OperationOfMark(std::string_view mark) {
  const std::optional<domain::Mark> parsed = domain::ParseMark(mark);
  return parsed ? parsed->operation.ToString() : "";
}

std::int64_t AttemptOfMark(std::string_view mark) {
  const std::optional<domain::Mark> parsed = domain::ParseMark(mark);
  return parsed ? parsed->attempt : 0;
}

AuditIndex::AuditIndex(const History& given) : history(&given) {
  for (const Told& told : given.told) TakeTold(told, operations[told.operation]);
  for (const OperationLine& line : given.operations) {
    OperationView& view = operations[line.operation];
    view.id = line.operation;
    if (view.rpc.empty()) view.rpc = MethodOf(line.rpc);
    view.lines.push_back(&line);
    Extend(view, line.at);
    if (!line.orphan.empty()) view.orphans.insert(line.orphan);
    if (!line.review_of.empty())
      operations[line.review_of].review_records.push_back(line.operation);
  }
  for (const OpenLine& line : given.open) {
    OperationView& view = operations[line.operation];
    view.id = line.operation;
    if (view.rpc.empty()) view.rpc = MethodOf(line.rpc);
    view.open = &line;
    if (!line.review_of.empty())
      operations[line.review_of].review_records.push_back(line.operation);
  }
  for (const KnownOrder& order : given.orders) {
    orders[order.id] = &order;
    const std::string operation = OperationOfMark(order.mark);
    if (!operation.empty()) marked[operation].push_back(&order);
  }
  for (auto& [operation, list] : marked) {
    std::ranges::sort(list, {}, [](const KnownOrder* order) { return order->created; });
  }
  std::map<std::string, std::string> by_short_id;
  std::map<std::string, std::string> by_key;
  for (auto& [id, view] : operations) {
    view.id = id;
    // Of one time: as they lie in the history.
    std::ranges::sort(view.told, {}, [](const Told* told) { return std::pair{told->at, told}; });
    const auto target = TargetOf(view);
    if (target && view.wrong.empty()) asked[*target].push_back(&view);
    if (view.rpc == "CreateRefund") by_short_id[ShortId(id)] = id;
    if (view.rpc == "CreatePaymentLink" && !view.told.empty()) {
      by_key[view.project + view.told.front()->key] = id;
    }
  }
  for (const Effect& effect : given.ledger) Sort(effect, by_short_id, by_key);
  for (const auto& [id, view] : operations) {
    for (const OperationLine* line : view.lines) recorded[view.project].push_back(line->at);
  }
  for (auto& [project, times] : recorded) std::ranges::sort(times);
}

void AuditIndex::Sort(const Effect& effect, const std::map<std::string, std::string>& by_short_id,
                      const std::map<std::string, std::string>& by_project_and_key) {
  const auto in = [](const std::map<std::string, std::string>& owners, const std::string& name) {
    const auto found = owners.find(name);
    return found == owners.end() ? std::string() : found->second;
  };
  by_result[effect.result] = &effect;
  const auto order = orders.find(effect.result);
  const KnownOrder* shown = order == orders.end() ? nullptr : order->second;
  if (effect.effect == "refund") {
    refunds[shown == nullptr ? "" : in(by_short_id, ShortIdIn(shown->description))].push_back(
        &effect);
  } else if (effect.effect == "payout") {
    payouts[shown == nullptr ? "" : OperationOfMark(shown->mark)].push_back(&effect);
  } else if (effect.effect == "payment_link") {
    links[in(by_project_and_key, effect.project + effect.reference)].push_back(&effect);
  } else {
    effects[TargetOf(effect)].push_back(&effect);
  }
}

TimeMs AuditIndex::UndrainedFor(const std::string& project, TimeMs at) const {
  const auto found = recorded.find(project);
  if (found == recorded.end()) return kUndrained;
  const std::vector<TimeMs>& times = found->second;
  const auto after = std::ranges::upper_bound(times, at);
  if (after == times.begin()) return kUndrained;
  return std::clamp(at - *std::prev(after) + kSlack, kUndrained, kLongestUndrained);
}

bool AuditIndex::MemoryLostDuring(const OperationView& view) const {
  return std::ranges::any_of(history->disturbances, [&](const Disturbance& disturbance) {
    return LosesMemory(disturbance) && disturbance.at >= view.first - kSlack &&
           disturbance.at <= view.last + UndrainedFor(view.project, disturbance.at);
  });
}

bool AuditIndex::MemoryLostSince(const OperationView& view) const {
  return std::ranges::any_of(history->disturbances, [&](const Disturbance& disturbance) {
    return LosesMemory(disturbance) && disturbance.at >= view.first - kSlack;
  });
}

bool AuditIndex::WasForgotten(const OperationView& view, const std::string& result) const {
  // Pending after what the topic has last of it, which ends it: a later run, whose records went
  // with the memory before they came to the topic.
  const TimeMs ended = view.lines.empty() ? 0 : view.lines.back()->at;
  const bool told = std::ranges::any_of(view.told, [&](const Told* one) {
    return one->result == result || (!one->pending.empty() && one->began > ended);
  });
  return told && MemoryLostSince(view);
}

bool AuditIndex::DisturbedBetween(TimeMs from, TimeMs to) const {
  return std::ranges::any_of(history->disturbances, [&](const Disturbance& disturbance) {
    return disturbance.at >= from - kSlack && disturbance.at <= to;
  });
}

std::size_t AuditIndex::EffectsOf(const OperationView& view) const {
  if (view.rpc == "CreateOrder") {
    const auto found = marked.find(view.id);
    return found == marked.end() ? 0 : found->second.size();
  }
  const auto* by_operation = view.rpc == "CreateRefund"        ? &refunds
                             : view.rpc == "CreatePayout"      ? &payouts
                             : view.rpc == "CreatePaymentLink" ? &links
                                                               : nullptr;
  if (by_operation != nullptr) {
    const auto found = by_operation->find(view.id);
    return found == by_operation->end() ? 0 : found->second.size();
  }
  const auto target = TargetOf(view);
  const auto found = target ? effects.find(*target) : effects.end();
  return found == effects.end() ? 0 : found->second.size();
}

const Effect* AuditIndex::PayoutOf(const std::string& operation, const std::string& order) const {
  const auto found = payouts.find(operation);
  if (found == payouts.end()) return nullptr;
  const auto payout = std::ranges::find(found->second, order, &Effect::result);
  return payout == found->second.end() ? nullptr : *payout;
}

}  // namespace tollbridge::chaos
