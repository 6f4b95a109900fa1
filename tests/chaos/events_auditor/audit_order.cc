// Numbers, ids, keys and partitions; the order of outcomes; and webhooks against hints.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/chaos/events_auditor/audit_index.h"

namespace tollbridge::pipeline {
namespace {

/// A hint may have been on its way already when its webhook came again: not longer than this.
constexpr TimeMs kLongestAnswer = 2'500;

void Add(Report* report, const char* rule, const std::string& subject, const std::string& text) {
  report->findings.push_back({rule, subject, text});
}

void CheckNumbers(const std::string& root, const std::string& stream,
                  const std::vector<const EventLine*>& events, Report* report) {
  std::set<std::int64_t> seen;
  std::map<std::string, std::int64_t> places;
  std::int64_t highest = 0;
  for (const EventLine* event : events) {
    const std::string at = "number " + std::to_string(event->sequence) + " of stream " + stream;
    if (!seen.insert(event->sequence).second) {
      Add(report, rule::kTwoContents, root, at);
    } else if (event->sequence != highest + 1) {
      Add(report, rule::kGap, root, at + " follows " + std::to_string(highest));
    }
    highest = std::max(highest, event->sequence);
    const auto [place, fresh] = places.emplace(event->id, event->sequence);
    if (!fresh && place->second != event->sequence) {
      Add(report, rule::kTwoPlaces, root,
          "id " + event->id + " is number " + std::to_string(place->second) + " and " + at);
    }
  }
}

/// The last outcome of each order in a stream, as on the topic.
std::vector<const EventLine*> LastOf(const std::vector<const EventLine*>& events) {
  std::map<std::string, const EventLine*> last;
  for (const EventLine* event : events) {
    if (IsOutcome(event->what)) last[event->order] = event;
  }
  std::vector<const EventLine*> ordered;
  for (const EventLine* event : events) {
    const auto found = last.find(event->order);
    if (found != last.end() && found->second == event) ordered.push_back(event);
  }
  return ordered;
}

/// Its own time when nothing tells since when a read could show it.
TimeMs ShownOrOccurred(const AuditIndex& index, const EventLine& event) {
  return ShownSince(index, event).value_or(event.occurred_at);
}

/// What one read shows is published by when it occurred, and what two reads show by when it could
/// be read. An outcome that comes before another by both clocks must be published before it.
void CheckTimes(const AuditIndex& index, const AuditOptions& options, const std::string& root,
                const std::vector<const EventLine*>& events, Report* report) {
  const std::vector<const EventLine*> last = LastOf(events);
  for (std::size_t later = 1; later < last.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const EventLine& first = *last[earlier];
      const EventLine& second = *last[later];
      if (second.occurred_at >= first.occurred_at ||
          ShownOrOccurred(index, second) + options.read_lag >= ShownOrOccurred(index, first)) {
        continue;
      }
      // That its transaction decides was away for a while, and with it what that had decided.
      if (second.decided_by == "TRANSACTION" &&
          index.MayHaveForgotten(second.occurred_at, second.noticed_at)) {
        continue;
      }
      Add(report, rule::kNotByTime, root,
          second.kind + "." + second.what + " of " + second.order + " (" +
              std::to_string(second.occurred_at) + ") comes after " + first.kind + "." +
              first.what + " of " + first.order + " (" + std::to_string(first.occurred_at) +
              ") in stream " + second.stream);
    }
  }
}

void CheckPlaces(const AuditIndex& index, Report* report) {
  std::map<std::string, int> partitions;
  std::map<std::string, std::string> roots;
  for (const EventLine& event : index.history->events) {
    if (event.key != event.root) {
      Add(report, rule::kWrongKey, event.root, "event " + event.id + " has key " + event.key);
    }
    const auto [partition, first] = partitions.emplace(event.root, event.partition);
    if (!first && partition->second != event.partition) {
      Add(report, rule::kTwoPartitions, event.root,
          std::to_string(partition->second) + " and " + std::to_string(event.partition));
    }
    const auto [root, fresh] = roots.emplace(event.stream, event.root);
    if (!fresh && root->second != event.root) {
      Add(report, rule::kSharedStream, event.root,
          "stream " + event.stream + " is that of " + root->second);
    }
  }
}

/// An id stands for one (order, kind, what, occurrence), in all streams, and the other way.
void CheckIds(const AuditIndex& index, Report* report) {
  using Name = std::tuple<std::string, std::string, std::string, std::int64_t>;
  std::map<std::string, Name> names;
  std::map<Name, std::string> ids;
  for (const EventLine& event : index.history->events) {
    const Name name{event.order, event.kind, event.what, event.occurrence};
    const std::string said = event.kind + "." + event.what + " " + std::to_string(event.occurrence);
    if (names.emplace(event.id, name).first->second != name) {
      Add(report, rule::kIdOfTwo, event.order,
          "id " + event.id + " is that of another than " + said);
    }
    if (ids.emplace(name, event.id).first->second != event.id) {
      Add(report, rule::kTwoIds, event.order, said + " has id " + event.id + " and another");
    }
  }
}

}  // namespace

void CheckOrder(const AuditIndex& index, const AuditOptions& options, Report* report) {
  for (const auto& [family, events] : index.streams) {
    CheckNumbers(family.first, family.second, events, report);
    CheckTimes(index, options, family.first, events, report);
  }
  CheckPlaces(index, report);
  CheckIds(index, report);
}

void CheckHints(const AuditIndex& index, Report* report) {
  // The newest hint of webhooks, by order and project.
  std::map<std::pair<std::string, std::string>, TimeMs> newest;
  for (const HintLine& hint : index.history->hints) {
    if (hint.source != "WEBHOOK") continue;
    TimeMs& at = newest[{hint.order, hint.project}];
    at = std::max(at, hint.noticed_at);
  }
  for (const DeliveryLine& delivery : index.history->deliveries) {
    if (delivery.status != 200) continue;
    ++report->figures["webhooks answered 200"];
    const auto found = newest.find({delivery.order, delivery.project});
    if (found != newest.end() && found->second >= delivery.at - kLongestAnswer) continue;
    Add(report, rule::kNoHint, delivery.order,
        "the webhook of " + std::to_string(delivery.at) + " has no hint" +
            (found == newest.end() ? "" : "; the newest is of " + std::to_string(found->second)));
  }
}

std::map<std::string, std::vector<std::string>> LastOutcomes(const History& history) {
  std::map<std::string, std::vector<const EventLine*>> families;
  for (const EventLine& event : history.events) families[event.root].push_back(&event);
  std::map<std::string, std::vector<std::string>> outcomes;
  for (const auto& [root, events] : families) {
    std::set<std::string> seen;
    std::vector<const EventLine*> once;
    for (const EventLine* event : events) {
      if (seen.insert(event->id).second) once.push_back(event);
    }
    for (const EventLine* event : LastOf(once)) {
      outcomes[root].push_back(event->order + " " + event->kind + "." + Effective(*event));
    }
  }
  return outcomes;
}

}  // namespace tollbridge::pipeline
