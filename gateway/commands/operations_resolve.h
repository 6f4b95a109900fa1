#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_OPERATIONS_RESOLVE_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_OPERATIONS_RESOLVE_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "gateway/commands/operations_command.h"

namespace tollbridge::gateway {

/// What review_reason of an operation can be.
std::vector<std::string> ReviewReasons();

struct OperationsResolveOptions : OperationsOptions {
  /// One operation; empty: those that the filter finds.
  std::string id;
  /// The filter: each that is given narrows it. None at all: all in NEEDS_REVIEW (`all`).
  bool all = false;
  /// needs-review, which is what empty means too, or unknown.
  std::string state;
  std::string reason;
  /// In their state for so long, or since then: as TimeOption reads it.
  std::string older_than;
  /// Of those that the filter finds.
  int limit = 100;
  /// done, not-executed, or evidence: as that shows now, and not at all where it does not decide.
  /// Empty only in a dry run: as evidence.
  std::string as;
  std::string note;
  bool dry_run = false;
  /// Do not ask.
  bool yes = false;
};

/// `tollbridge operations resolve`: a person closes what evidence did not decide. One operation, or
/// those of a filter: the evidence of each is read again and shown with what would be done; then it
/// asks on stderr, unless `yes`. The answer is read from `answers`, which is nullptr when nobody
/// sits there: then one is closed without a question, and a filter is not followed without `yes`.
/// Each is closed only if it has had no transition since it was shown.
///
/// kCallFailed also when some that the filter found are left, and when the person says no;
/// kCallNotMade when the options do not fit together. A dry run ends well whatever it shows.
int RunOperationsResolve(const OperationsResolveOptions& options, std::istream* answers);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_OPERATIONS_RESOLVE_H_
