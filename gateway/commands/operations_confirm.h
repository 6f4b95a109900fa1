#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_OPERATIONS_CONFIRM_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_OPERATIONS_CONFIRM_H_

#include <iosfwd>
#include <string>

#include "gateway/commands/operations_command.h"

namespace tollbridge::gateway {

struct OperationsConfirmOptions : OperationsOptions {
  std::string id;
  /// What was seen: the approval's id. Empty: it is shown, and whoever sits there is asked.
  std::string approval;
  std::string note;
  /// Check everything, and change nothing.
  bool dry_run = false;
};

/// `tollbridge operations confirm`: a second person answers what another identity asked for, to run
/// a payout or to close an operation. Without `approval` the operation is shown on stderr, and
/// `answers` says whether that is confirmed; nullptr: nobody sits there, which is kCallNotMade.
///
/// kCallFailed also when nothing is asked, and when the person says no.
int RunOperationsConfirm(const OperationsConfirmOptions& options, std::istream* answers);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_OPERATIONS_CONFIRM_H_
