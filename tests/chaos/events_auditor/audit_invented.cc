// What each event says, and whether it ever was so.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/chaos/events_auditor/audit_index.h"

namespace tollbridge::pipeline {
namespace {

/// Whether the order, or the transaction that decides, was `what` by then.
bool WasSo(const OrderView& order, const std::string& what, bool by_transaction, TimeMs by) {
  if (what == "failed") {
    return by_transaction
               ? order.TransactionEverHad("declined", by) || order.TransactionEverHad("error", by)
               : order.EverHad("error", by);
  }
  if (by_transaction) return order.TransactionEverHad(what, by);
  if (what == "needs_review") return order.EverHad("see-transactions", by);
  if (what == "created") return order.line->created <= by;
  return order.EverHad(what, by);
}

std::string Named(const EventLine& event) {
  return event.kind + "." + event.what + " (number " + std::to_string(event.sequence) +
         " of stream " + event.stream + ")";
}

class EventCheck {
 public:
  EventCheck(const EventLine& event, const OrderView& order, Report* report)
      : event_(event), order_(order), report_(report) {}

  void Run() {
    if (event_.root != order_.root) Add(rule::kWrongRoot, "its root is " + order_.root);
    CheckKind();
    CheckWhat();
    CheckTime();
    if (!event_.status.empty() && !order_.EverHad(event_.status, event_.noticed_at)) {
      Add(rule::kWrongStatus, "by then it never was " + event_.status);
    }
  }

 private:
  void Add(const char* rule, const std::string& text) {
    report_->findings.push_back({rule, event_.order, Named(event_) + ": " + text});
  }

  void CheckKind() {
    const std::set<std::string> kinds =
        IsOutcome(event_.what) ? order_.Kinds(event_.published_at) : order_.KindsBefore();
    if (kinds.contains(event_.kind)) return;
    Add(rule::kWrongKind, "it is of kind " + *kinds.begin());
  }

  void CheckWhat() {
    const bool by_transaction = event_.decided_by == "TRANSACTION";
    if (by_transaction && (order_.own_checkout == Sure::kNo || order_.transactions.size() != 1)) {
      Add(rule::kWrongDecider, "Tollbridge has not sent its one transaction's start");
    }
    if (order_.MayBeReviewOfKind(event_) ||
        WasSo(order_, Effective(event_), by_transaction, event_.noticed_at)) {
      return;
    }
    Add(rule::kNeverSo, "by then it never was " + Effective(event_));
  }

  void CheckTime() {
    if (event_.what == "created"
            ? event_.occurred_at != order_.line->created
            : event_.occurred_at < order_.line->created || event_.occurred_at > event_.noticed_at) {
      Add(rule::kWrongTime, "it says " + std::to_string(event_.occurred_at) + "; the order is of " +
                                std::to_string(order_.line->created) + " and was read at " +
                                std::to_string(event_.noticed_at));
    }
  }

  const EventLine& event_;
  const OrderView& order_;
  Report* report_;
};

/// The outcomes of one order in one stream, one after the other. `told` are those of all streams.
class OutcomesCheck {
 public:
  OutcomesCheck(std::string order, std::set<std::string>& told, Report* report)
      : order_(std::move(order)), told_(told), report_(report) {}

  void Next(const EventLine& event) {
    if (!kind_.empty() && event.kind != kind_) {
      Add(rule::kKindChanged, event, "it was " + kind_ + " before");
    }
    if (!IsOutcome(event.what)) return;
    kind_ = event.kind;
    const std::string& now = Effective(event);
    if (now == last_) Add(rule::kToldTwice, event, "so was the outcome before it");
    // see-transactions is a reason by itself.
    if (event.what == "needs_review" && now != "needs_review" &&
        (event.published_what == now || !told_.contains(event.published_what))) {
      Add(rule::kNoContradiction, event,
          "published before: '" + event.published_what + "', seen now: " + now);
    }
    last_ = now;
    told_.insert(now);
  }

 private:
  void Add(const char* rule, const EventLine& event, const std::string& text) {
    report_->findings.push_back({rule, order_, Named(event) + ": " + text});
  }

  std::string order_;
  std::set<std::string>& told_;
  Report* report_;
  std::string kind_;
  std::string last_;
};

}  // namespace

void CheckInvented(const AuditIndex& index, Report* report) {
  std::map<std::string, std::set<std::string>> told;
  for (const auto& [family, events] : index.streams) {
    std::map<std::string, OutcomesCheck> outcomes;
    for (const EventLine* event : events) {
      const auto order = index.orders.find(event->order);
      if (order == index.orders.end()) {
        report->findings.push_back({rule::kUnknownOrder, event->order, Named(*event)});
        continue;
      }
      EventCheck(*event, order->second, report).Run();
      outcomes.try_emplace(event->order, event->order, told[event->order], report)
          .first->second.Next(*event);
    }
  }
}

}  // namespace tollbridge::pipeline
