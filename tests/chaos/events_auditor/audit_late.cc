// How soon outcomes were published, and how many reads that took.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/chaos/events_auditor/audit_index.h"

namespace tollbridge::pipeline {
namespace {

/// Until readers have found each other again after one of them was disturbed: a session, and some.
constexpr TimeMs kRegroup = 4'000;
/// The tries of a read that fails: after 1, 5 and 30 s.
constexpr TimeMs kTries = 36'000;
/// An old order is read at most so many times the longest interval apart.
constexpr TimeMs kOldOrders = 24;

struct Span {
  TimeMs from = 0;
  TimeMs to = 0;
};

/// A clock that stands while nothing could be published and until what had come up meanwhile is
/// done, which may take as long again; and that goes at half its speed while anything else was
/// disturbed.
class PatientClock {
 public:
  explicit PatientClock(const History& history) {
    // What begins and ends at each time: disturbances, and those that stop everything.
    std::map<TimeMs, std::pair<int, int>> changes;
    for (const DisturbanceLine& line : history.disturbances) {
      if (line.until == 0 || !line.order.empty()) continue;
      const bool stops = line.stops != 0;
      const TimeMs over =
          line.until + (stops ? std::max(kRegroup, line.until - line.at) : kRegroup);
      (stops ? changes[line.at].second : changes[line.at].first) += 1;
      (stops ? changes[over].second : changes[over].first) -= 1;
    }
    int disturbed = 0;
    int stopped = 0;
    TimeMs counted = 0;
    TimeMs last = 0;
    int speed = 2;
    for (const auto& [at, change] : changes) {
      counted += (at - last) * speed / 2;
      disturbed += change.first;
      stopped += change.second;
      last = at;
      speed = stopped > 0 ? 0 : disturbed > 0 ? 1 : 2;
      steps_.push_back({at, counted, speed});
    }
  }

  /// What it counts from one time to another.
  TimeMs Between(TimeMs from, TimeMs to) const { return At(to) - At(from); }

 private:
  struct Step {
    TimeMs at;
    TimeMs counted;
    int speed;  ///< in halves
  };

  TimeMs At(TimeMs time) const {
    const auto next = std::ranges::upper_bound(steps_, time, {}, &Step::at);
    if (next == steps_.begin()) return time;
    const Step& step = *std::prev(next);
    return step.counted + (time - step.at) * step.speed / 2;
  }

  std::vector<Step> steps_;
};

/// How long reads of an order of the family went wrong between two times, with their tries.
TimeMs Unreadable(const std::vector<Span>& spans, TimeMs from, TimeMs to) {
  TimeMs sum = 0;
  TimeMs done = from;
  for (const Span& span : spans) {
    const TimeMs begin = std::max(done, span.from);
    const TimeMs end = std::min(to, span.to);
    if (end <= begin) continue;
    sum += end - begin;
    done = end;
  }
  return sum;
}

std::map<std::string, std::vector<Span>> UnreadableFamilies(const AuditIndex& index) {
  std::map<std::string, std::vector<Span>> families;
  for (const DisturbanceLine& line : index.history->disturbances) {
    const auto order = index.orders.find(line.order);
    if (order == index.orders.end()) continue;
    families[order->second.root].push_back({line.at, line.until + kTries});
  }
  for (auto& [root, spans] : families) std::ranges::sort(spans, {}, &Span::from);
  return families;
}

/// Two intervals of an order of that age: while it is open the due queue reads it, and once it is
/// final, or where nobody knows it, the sweep of a day finds it.
TimeMs Allowed(TimeMs age, const AuditOptions& options) {
  const PollIntervals& with = options.intervals;
  const TimeMs young = std::clamp(age / 2, with.shortest, with.longest);
  const TimeMs old = std::min(age / 4, kOldOrders * with.longest);
  return 2 * std::max({young, old, with.sweep}) + options.read_lag + options.slack;
}

/// When the first of these statuses says `completed`.
std::optional<TimeMs> CompletedAt(const std::vector<const StatusLine*>& statuses) {
  for (const StatusLine* line : statuses) {
    if (WhatOfStatus(line->status) == "completed") return line->at;
  }
  return std::nullopt;
}

/// The transaction of an own checkout was completed for long enough to be read so, and only then
/// did the payment service let go of the order.
bool WasHeld(const OrderView& order) {
  constexpr TimeMs kLongEnough = 3'000;
  if (order.own_checkout == Sure::kNo || order.transactions.size() != 1) return false;
  const std::optional<TimeMs> paid = CompletedAt(order.transactions.begin()->second);
  const std::optional<TimeMs> let_go = CompletedAt(order.statuses);
  return paid && (!let_go || *let_go - *paid >= kLongEnough);
}

}  // namespace

void CheckLate(const AuditIndex& index, const AuditOptions& options, Report* report) {
  const PatientClock clock(*index.history);
  const std::map<std::string, std::vector<Span>> unreadable = UnreadableFamilies(index);
  static const std::vector<Span> kNone;
  TimeMs longest = 0;
  TimeMs longest_counted = 0;
  std::set<std::tuple<std::string, std::string, std::int64_t>> seen;
  for (const EventLine& event : index.history->events) {
    // The first time that it was told, in whichever stream and as whatever kind.
    if (!IsOutcome(event.what) || !seen.emplace(event.order, event.what, event.occurrence).second) {
      continue;
    }
    const auto found = index.orders.find(event.order);
    if (found == index.orders.end()) continue;
    const OrderView& order = found->second;
    const std::optional<TimeMs> shown = ShownSince(index, event);
    // What may be an orphan waits until its operation is known.
    if (!shown || (order.maybe_orphan && !order.EverPaid())) continue;
    const auto family = unreadable.find(order.root);
    const TimeMs took =
        std::max<TimeMs>(0, clock.Between(*shown, event.published_at) -
                                Unreadable(family == unreadable.end() ? kNone : family->second,
                                           *shown, event.published_at));
    ++report->figures["outcomes whose time was looked at"];
    longest = std::max(longest, event.published_at - *shown);
    longest_counted = std::max(longest_counted, took);
    const TimeMs allowed = Allowed(*shown - order.line->created, options);
    if (took <= allowed) continue;
    report->findings.push_back(
        {rule::kLate, event.order,
         event.kind + "." + event.what + " could be read at " + std::to_string(*shown) +
             " and was published at " + std::to_string(event.published_at) + ": " +
             std::to_string(took) + " ms that count, of " + std::to_string(allowed)});
  }
  report->figures["ms until an outcome was published, at most"] = static_cast<std::size_t>(longest);
  report->figures["ms until an outcome was published, at most, as they count"] =
      static_cast<std::size_t>(longest_counted);
}

// An order whose transaction decides is held for hours by the payment service: an outcome that
// waits for it is hours late. Here it is held for seconds, and a read may come too late for reasons
// of its own; that most do is a fault.
void CheckOwnCheckouts(const AuditIndex& index, Report* report) {
  std::size_t held = 0;
  std::size_t by_order = 0;
  for (const auto& [id, order] : index.orders) {
    const auto first = std::ranges::find_if(
        order.events, [](const EventLine* event) { return IsOutcome(event->what); });
    if (!WasHeld(order) || first == order.events.end() || (*first)->what != "completed") continue;
    ++held;
    if ((*first)->decided_by == "ORDER") ++by_order;
  }
  report->figures["own checkouts that were held when paid"] = held;
  report->figures["of them told by the order alone"] = by_order;
  constexpr std::size_t kTooFewToJudge = 5;
  if (held < kTooFewToJudge || by_order * 2 <= held) return;
  report->findings.push_back({rule::kOnlyByOrder, "all",
                              std::to_string(by_order) + " of " + std::to_string(held) +
                                  " were told when the payment service let go of them"});
}

// A hint costs one read at most, but for what comes again: reads that lag five times, tries that
// fail, hints that two readers have had. Final members are looked at for any hint of their family.
// A call to the gateway looks at its order once, where the store may have forgotten an earlier one.
void CheckReads(const AuditIndex& index, Report* report) {
  constexpr std::size_t kWithoutAHint = 30;
  constexpr std::size_t kAHint = 4;
  std::map<std::string, std::size_t> hints;
  for (const HintLine& hint : index.history->hints) {
    const auto order = index.orders.find(hint.order);
    ++hints[order == index.orders.end() ? hint.order : order->second.root];
  }
  std::size_t all = 0;
  std::size_t most = 0;
  for (const ReadsLine& line : index.history->reads) {
    const auto reads = static_cast<std::size_t>(line.reads);
    all += reads;
    most = std::max(most, reads);
    const auto order = index.orders.find(line.order);
    if (order == index.orders.end()) continue;
    const std::size_t hinted = hints[order->second.root];
    const std::size_t calls = order->second.gateway_calls;
    if (reads <= kWithoutAHint + kAHint * hinted + calls) continue;
    report->findings.push_back({rule::kManyReads, line.order,
                                std::to_string(reads) + " reads; its family had " +
                                    std::to_string(hinted) + " hints, and it " +
                                    std::to_string(calls) + " calls to the gateway"});
  }
  report->figures["reads of orders"] = all;
  report->figures["reads of one order, at most"] = most;
  report->figures["reads of an order, in the mean, in hundredths"] =
      index.orders.empty() ? 0 : all * 100 / index.orders.size();
}

}  // namespace tollbridge::pipeline
