#include "services/operations/settings.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

#include "base/config/config_schema.h"

namespace tollbridge::operations {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

void Describe(config::Section& section, Settings* settings) {
  section.Duration("send_window", &settings->send_window, milliseconds(50), minutes(2),
                   "From asking for SENT to the last moment of writing the request");
  section.Duration("attempt_deadline", &settings->attempt_deadline, milliseconds(50), minutes(2),
                   "Of one call to the payment service");
  section.Duration("lease", &settings->lease, milliseconds(200), minutes(30),
                   "How long a claim keeps others away; longer than send_window + "
                   "attempt_deadline + lease_margin");
  section.Duration("lease_margin", &settings->lease_margin, milliseconds(50), minutes(5),
                   "For recording the result, and for clocks that do not run at one speed");
  section.Duration("store_timeout", &settings->store_timeout, milliseconds(10), seconds(30),
                   "Of one call to Redis");
  section.Duration("late_execution_bound", &settings->late_execution_bound, milliseconds(10),
                   hours(24),
                   "How late the payment service may still execute a request that it has got: an "
                   "assumption about it, on which absence rests");
  section.Duration("search_index_lag", &settings->search_index_lag, milliseconds(1), hours(24),
                   "How far its search index may be behind");
  section.Number("absence_reads", &settings->absence_reads, 2, 100,
                 "Reads in a row, after the quarantine, that must find nothing");
  section.Duration("absence_read_interval", &settings->absence_read_interval, milliseconds(10),
                   hours(1), "Between those reads");
  section.DurationList(
      "look_backoff", &settings->look_backoff, milliseconds(10), hours(1),
      "Looks at an operation whose outcome is not known, each from the one before; "
      "then always the last");
  section.Duration(
      "review_unreadable_after", &settings->review_unreadable_after, milliseconds(10), hours(72),
      "For how long after its quarantine an operation whose evidence cannot be read is "
      "looked at; then a person closes it");
  section.DurationList("look_again", &settings->look_again, milliseconds(10), hours(72),
                       "When one that was closed by absence is looked at again, from its closing");
  section.Duration("look_timeout", &settings->look_timeout, milliseconds(50), minutes(1),
                   "Of one look at the payment service");
  section.Duration("resolver_lease", &settings->resolver_lease, milliseconds(200), minutes(30),
                   "How long a resolver keeps others from what it took");
  section.Duration("resolver_interval", &settings->resolver_interval, milliseconds(10), minutes(5),
                   "Between two passes of the resolver (role rpc)");
  section.Flag("resolve_needs_approval", &settings->resolve_needs_approval,
               "ResolveOperation closes nothing before another identity confirms it "
               "(ConfirmOperation, permission operations.confirm)");
  section.Duration("approval_lifetime", &settings->approval_lifetime, seconds(1), hours(24),
                   "For how long what a second person is asked for stands: until then it is "
                   "confirmed, and the key of a payout comes again");
  section.Duration("pending_retry_after", &settings->pending_retry_after, milliseconds(10),
                   minutes(5), "When a caller may ask again for a pending operation");
}

absl::Status CheckSettings(const Settings& settings) {
  const std::pair<std::string_view, ports::Millis> intervals[] = {
      {"send_window", settings.send_window},
      {"attempt_deadline", settings.attempt_deadline},
      {"lease", settings.lease},
      {"lease_margin", settings.lease_margin},
      {"store_timeout", settings.store_timeout},
      {"record_backoff", settings.record_backoff},
      {"record_longest_backoff", settings.record_longest_backoff},
      {"busy_retry_after", settings.busy_retry_after},
      {"pending_retry_after", settings.pending_retry_after},
      {"search_index_lag", settings.search_index_lag},
      {"late_execution_bound", settings.late_execution_bound},
      {"absence_read_interval", settings.absence_read_interval},
      {"review_unreadable_after", settings.review_unreadable_after},
      {"look_timeout", settings.look_timeout},
      {"resolver_lease", settings.resolver_lease},
      {"resolver_interval", settings.resolver_interval},
      {"approval_lifetime", settings.approval_lifetime},
  };
  for (const auto& [name, value] : intervals) {
    if (value.count() <= 0) {
      return absl::InvalidArgumentError(absl::StrCat(std::string(name), " must be positive"));
    }
  }
  if (settings.absence_reads < 2) {
    return absl::InvalidArgumentError(
        "absence_reads must be at least 2: one read may come from a lagging replica");
  }
  if (settings.look_backoff.empty()) {
    return absl::InvalidArgumentError("look_backoff must have at least one interval");
  }
  for (const std::vector<ports::Millis>* list : {&settings.look_backoff, &settings.look_again}) {
    for (const ports::Millis interval : *list) {
      if (interval.count() > 0) continue;
      return absl::InvalidArgumentError("look_backoff and look_again must be positive");
    }
  }
  if (!std::ranges::is_sorted(settings.look_again)) {
    return absl::InvalidArgumentError("look_again must grow");
  }
  if (settings.resolver_lease <= settings.look_timeout * 2) {
    return absl::InvalidArgumentError("resolver_lease must be longer than twice look_timeout");
  }
  const ports::Millis least =
      settings.send_window + settings.attempt_deadline + settings.lease_margin;
  if (settings.lease <= least) {
    return absl::InvalidArgumentError(absl::StrCat(
        "lease must be longer than send_window + attempt_deadline + lease_margin: ", least.count(),
        " ms"));
  }
  return absl::OkStatus();
}

ports::Millis Quarantine(const Settings& settings, bool by_search) {
  ports::Millis quarantine =
      settings.send_window + settings.attempt_deadline + settings.late_execution_bound;
  if (by_search) quarantine += settings.search_index_lag;
  return quarantine;
}

ports::Millis LongestQuarantine(const Settings& settings, std::size_t steps) {
  const auto count = static_cast<std::int64_t>(steps);
  return Quarantine(settings, true) + (settings.send_window + settings.attempt_deadline) * count;
}

}  // namespace tollbridge::operations
