#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_SETTINGS_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_SETTINGS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "services/operations/keys.h"
#include "services/ports/clock.h"

namespace tollbridge::config {
class Section;
}  // namespace tollbridge::config

namespace tollbridge::operations {

/// Intervals of durable operations. Tests set them short.
struct Settings {
  /// It lasts from asking for SENT to the last moment at which the request may be written
  /// (docs/design/operations.md#rule-2).
  ports::Millis send_window{10'000};
  /// Bounds a call to the payment service, from its start to its end. The outbound pipe has the
  /// same.
  ports::Millis attempt_deadline{8'000};
  /// How long a claim keeps others away. Longer than send_window + attempt_deadline + lease_margin.
  ports::Millis lease{30'000};
  /// Leaves time for recording the result, and for clocks that do not run at one speed.
  ports::Millis lease_margin{5'000};
  /// Bounds one call of the operation store.
  ports::Millis store_timeout{1'000};
  /// Waits between tries to record a result that the store did not take: doubled from the first to
  /// the longest.
  ports::Millis record_backoff{100};
  ports::Millis record_longest_backoff{5'000};
  /// RetryInfo of ORDER_BUSY, and retry_after of a pending operation.
  ports::Millis busy_retry_after{1'000};
  ports::Millis pending_retry_after{5'000};
  /// How late the payment service may still execute a request that it has got: a stated assumption
  /// about it (docs/design/operations.md#rule-4).
  ports::Millis late_execution_bound{120'000};
  /// How far its search index may be behind.
  ports::Millis search_index_lag{60'000};
  /// Reads in a row, after the quarantine, that must find nothing; and the time between them.
  std::int64_t absence_reads = 3;
  ports::Millis absence_read_interval{15'000};
  /// The first looks follow UNKNOWN, and each other, after these; all further ones after the last.
  std::vector<ports::Millis> look_backoff{ports::Millis(2'000), ports::Millis(5'000),
                                          ports::Millis(15'000), ports::Millis(60'000)};
  /// For how long after its quarantine an operation stays UNKNOWN whose evidence cannot be read;
  /// then it is for a person.
  ports::Millis review_unreadable_after{3'600'000};
  /// When NOT_EXECUTED by absence is looked at again, from when it was closed.
  std::vector<ports::Millis> look_again{ports::Millis(600'000), ports::Millis(3'600'000)};
  /// Bounds one look at the payment service, all its reads together.
  ports::Millis look_timeout{5'000};
  /// How long the resolver keeps others from what it took.
  ports::Millis resolver_lease{30'000};
  /// ResolveOperation closes nothing by itself: another identity has to confirm it.
  bool resolve_needs_approval = false;
  /// For how long what a second person is asked for stands, by the store's clock.
  ports::Millis approval_lifetime{3'600'000};
  /// The resolver waits so long between two passes.
  ports::Millis resolver_interval{1'000};
  /// Names the process as an owner of operations, in their transitions.
  std::string process_name;
};

/// Binds what a configuration may set, with its bounds.
void Describe(config::Section& section, Settings* settings);

/// Gives the time from SENT to when absence counts (docs/design/operations.md#rule-4): send window,
/// attempt deadline, late execution bound; and the lag of the search index where the step is found
/// by search.
ports::Millis Quarantine(const Settings& settings, bool by_search);

/// The same for a record that may lack steps of its plan, which has so many.
ports::Millis LongestQuarantine(const Settings& settings, std::size_t steps);

/// INVALID_ARGUMENT naming the setting that cannot be: an interval that is not positive, or a lease
/// that may end while its owner can still be sending.
absl::Status CheckSettings(const Settings& settings);

/// Secrets of durable operations.
struct OperationKeys {
  KeyRing fingerprints;
  KeyRing outcomes;

  bool operator==(const OperationKeys&) const = default;
};

/// Gives the keys in force; never null. They may be others at the next call, so what has to fit
/// together is made from one answer. On every shard.
using KeySource = std::function<std::shared_ptr<const OperationKeys>()>;

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_SETTINGS_H_
