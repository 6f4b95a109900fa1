#include "gateway/commands/operations_confirm.h"

#include <absl/strings/str_cat.h>

#include <iostream>
#include <istream>
#include <optional>

#include "gateway/commands/operation_text.h"
#include "gateway/commands/operations_call.h"
#include "gateway/commands/terminal_text.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

namespace v1 = operations::v1;

/// Shows what is asked, and asks whether it is confirmed. The id of what was shown; nullopt: it is
/// not confirmed, which is told already.
std::optional<std::string> Seen(const Channel& channel, const OperationsConfirmOptions& options,
                                std::istream& answers) {
  v1::GetOperationRequest request;
  if (!options.project.empty()) request.set_project(options.project);
  request.set_operation_id(options.id);
  const std::optional<v1::GetOperationResponse> found =
      AskOperations<v1::GetOperationResponse>(channel, "GetOperation", request);
  if (!found.has_value()) return std::nullopt;
  const v1::Operation& operation = found->operation();
  std::cerr << OperationStory(operation);
  if (!operation.has_approval() || operation.approval().has_confirmed_by()) {
    std::cerr << "tollbridge: nothing is asked of a second person\n";
    return std::nullopt;
  }
  std::cerr << "Confirm this? [y/N] " << std::flush;
  std::string answer;
  std::getline(answers, answer);
  if (answer == "y" || answer == "yes") return operation.approval().id();
  std::cerr << "nothing was changed\n";
  return std::nullopt;
}

int Confirm(const Channel& channel, const OperationsConfirmOptions& options,
            const std::string& approval) {
  v1::ConfirmOperationRequest request;
  if (!options.project.empty()) request.set_project(options.project);
  request.set_operation_id(options.id);
  request.set_approval_id(approval);
  if (!options.note.empty()) request.set_note(options.note);
  request.set_validate_only(options.dry_run);
  const std::optional<v1::ConfirmOperationResponse> confirmed =
      AskOperations<v1::ConfirmOperationResponse>(channel, "ConfirmOperation", request);
  if (!confirmed.has_value()) return kCallFailed;
  if (options.json) {
    std::cout << ToJson(*confirmed);
  } else {
    std::cout << OperationStory(confirmed->operation());
    if (!confirmed->evidence_seen().empty()) {
      std::cout << "its evidence showed: " << Printable(confirmed->evidence_seen()) << "\n";
    }
  }
  return 0;
}

}  // namespace

int RunOperationsConfirm(const OperationsConfirmOptions& options, std::istream* answers) {
  if (options.approval.empty() && answers == nullptr) {
    std::cerr << "tollbridge: --approval says what is confirmed where nobody can be asked\n";
    return kCallNotMade;
  }
  return WithChannel(options.channel, [&](const Channel& channel) {
    if (!options.approval.empty()) return Confirm(channel, options, options.approval);
    const std::optional<std::string> seen = Seen(channel, options, *answers);
    return seen.has_value() ? Confirm(channel, options, *seen) : kCallFailed;
  });
}

}  // namespace tollbridge::gateway
