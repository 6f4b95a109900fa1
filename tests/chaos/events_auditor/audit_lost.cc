// What the payment service shows in the end, and what consumers know last.

#include <algorithm>
#include <map>
#include <string>

#include "tests/chaos/events_auditor/audit_index.h"

namespace tollbridge::pipeline {
namespace {

std::string LastOutcomeOf(const OrderView& order) {
  std::string last;
  for (const EventLine* event : order.events) {
    if (!IsOutcome(event->what)) continue;
    if (!last.empty() && order.MayBeReviewOfKind(*event)) continue;
    last = Effective(*event);
  }
  return last;
}

/// An operation that nobody was told the result of may have made it: of an order that nobody paid
/// nothing is published then.
bool MayBeSilent(const OrderView& order) { return order.maybe_orphan && !order.EverPaid(); }

void CheckOrderIsTold(const std::string& id, const OrderView& order, Report* report) {
  if (order.events.empty() && MayBeSilent(order)) {
    ++report->figures["orders that may be orphans and were not published"];
    return;
  }
  if (order.line->relation.empty() && order.events.empty()) {
    report->findings.push_back(
        {rule::kNotCreated, id, "it is " + order.LastStatus() + " and has no event"});
    if (order.LastStatus() == "new") return;
  }
  const std::set<std::string> endings = order.Endings();
  const std::string last = LastOutcomeOf(order);
  if (endings.empty() || endings.contains(last)) return;
  const std::string expected = *std::max_element(endings.begin(), endings.end());
  report->findings.push_back(
      {last.empty() ? rule::kNoOutcome : rule::kOtherOutcome, id,
       "it is " + order.LastStatus() + (order.line->relation.empty() ? "" : ", a ") +
           order.line->relation + ", so " + expected + " is the last outcome; published is " +
           (last.empty() ? "none" : last)});
}

}  // namespace

void CheckLost(const AuditIndex& index, Report* report) {
  for (const auto& [id, order] : index.orders) CheckOrderIsTold(id, order, report);
  // A store that went back begins a stream in the middle of a family's story.
  std::map<std::string, const EventLine*> told;
  for (const EventLine& event : index.history->events) {
    if (event.what == "created" && event.order == event.root) told.try_emplace(event.root, &event);
  }
  for (const auto& [family, events] : index.streams) {
    const EventLine& first = *events.front();
    const auto created = told.find(family.first);
    if (first.sequence == 1 && created != told.end() && created->second <= &first) continue;
    report->findings.push_back({rule::kNotCreatedFirst, family.first,
                                "stream " + family.second + " begins with " + first.kind + "." +
                                    first.what + " of " + first.order + " as number " +
                                    std::to_string(first.sequence)});
  }
}

}  // namespace tollbridge::pipeline
