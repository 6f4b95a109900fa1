#include "gateway/commands/operations_command.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <istream>
#include <memory>
#include <optional>
#include <utility>

#include "gateway/commands/operation_text.h"
#include "gateway/commands/operations_confirm.h"
#include "gateway/commands/operations_resolve.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

namespace v1 = operations::v1;

constexpr int kPage = 500;

v1::OperationState StateOf(const std::string& name) {
  if (name == "running") return v1::OPERATION_STATE_RUNNING;
  if (name == "unknown") return v1::OPERATION_STATE_UNKNOWN;
  if (name == "needs-review") return v1::OPERATION_STATE_NEEDS_REVIEW;
  if (name == "awaits-approval") return v1::OPERATION_STATE_AWAITS_APPROVAL;
  return v1::OPERATION_STATE_UNSPECIFIED;
}

}  // namespace

std::optional<v1::ListOperationsResponse> ListOperations(const Channel& channel,
                                                         const OperationsListOptions& options) {
  v1::ListOperationsRequest request;
  if (!options.project.empty()) request.set_project(options.project);
  if (!options.state.empty()) request.set_state(StateOf(options.state));
  if (!options.order.empty()) request.set_order_id(options.order);
  if (!options.page_token.empty()) request.set_page_token(options.page_token);
  v1::ListOperationsResponse all;
  do {
    request.set_page_size(std::min(kPage, options.limit - all.operations_size()));
    std::optional<v1::ListOperationsResponse> page =
        AskOperations<v1::ListOperationsResponse>(channel, "ListOperations", request);
    if (!page.has_value()) return std::nullopt;
    all.mutable_operations()->MergeFrom(page->operations());
    all.set_next_page_token(page->next_page_token());
    request.set_page_token(page->next_page_token());
  } while (!all.next_page_token().empty() && all.operations_size() < options.limit);
  return all;
}

int RunOperationsList(const OperationsListOptions& options) {
  return WithChannel(options.channel, [&options](const Channel& channel) {
    const std::optional<v1::ListOperationsResponse> all = ListOperations(channel, options);
    if (!all.has_value()) return kCallFailed;
    if (options.json) {
      std::cout << ToJson(*all);
      return 0;
    }
    std::cout << OperationTable(*all);
    if (!all->next_page_token().empty()) {
      std::cout << "there are more: --page-token " << all->next_page_token() << "\n";
    }
    return 0;
  });
}

int RunOperationsShow(const OperationsShowOptions& options) {
  return WithChannel(options.channel, [&options](const Channel& channel) {
    v1::GetOperationRequest request;
    if (!options.project.empty()) request.set_project(options.project);
    if (!options.id.empty()) request.set_operation_id(options.id);
    if (!options.key.empty()) request.set_idempotency_key(options.key);
    const std::optional<v1::GetOperationResponse> found =
        AskOperations<v1::GetOperationResponse>(channel, "GetOperation", request);
    if (!found.has_value()) return kCallFailed;
    std::cout << (options.json ? ToJson(found->operation()) : OperationStory(found->operation()));
    return 0;
  });
}

namespace {

void AddCommonOptions(CLI::App* command, OperationsOptions* options) {
  AddChannelOptions(command, &options->channel);
  command->add_option("--project", options->project, "project; needed when there are several");
  AddJsonOption(command, &options->json);
}

void AddList(CLI::App* operations, Action* action) {
  CLI::App* list = operations->add_subcommand("list", "those that are open, or of one order");
  const auto options = std::make_shared<OperationsListOptions>();
  AddCommonOptions(list, options.get());
  list->add_option("--state", options->state,
                   "only running, unknown, needs-review or awaits-approval")
      ->check(CLI::IsMember({"running", "unknown", "needs-review", "awaits-approval"}));
  list->add_option("--order", options->order, "those about this order, closed ones too");
  list->add_option("--limit", options->limit, "show so many at most")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  list->add_option("--page-token", options->page_token, "go on where an earlier answer ended");
  list->callback(
      [options, action] { *action = [options] { return RunOperationsList(*options); }; });
}

void AddShow(CLI::App* operations, Action* action) {
  CLI::App* show = operations->add_subcommand("show", "the whole story of one");
  const auto options = std::make_shared<OperationsShowOptions>();
  AddCommonOptions(show, options.get());
  auto* id = show->add_option("operation", options->id, "operation id");
  show->add_option("--key", options->key, "its idempotency key, instead")->excludes(id);
  show->callback([options, action] {
    if (options->id.empty() && options->key.empty()) throw CLI::RequiredError("operation or --key");
    *action = [options] { return RunOperationsShow(*options); };
  });
}

void AddResolve(CLI::App* operations, Action* action) {
  CLI::App* resolve = operations->add_subcommand(
      "resolve", "close one that needs a person, or those that a filter finds");
  const auto options = std::make_shared<OperationsResolveOptions>();
  AddCommonOptions(resolve, options.get());
  auto* id = resolve->add_option("operation", options->id, "operation id; without: a filter");
  resolve->add_flag("--all", options->all, "all that need review")->excludes(id);
  resolve->add_option("--state", options->state, "all that are needs-review or unknown")
      ->check(CLI::IsMember({"needs-review", "unknown"}))
      ->excludes(id);
  resolve->add_option("--reason", options->reason, "all that need review for this reason")
      ->check(CLI::IsMember(ReviewReasons()))
      ->excludes(id);
  resolve
      ->add_option("--older-than", options->older_than,
                   "all that are in their state for so long: 90m; or since then: RFC 3339")
      ->excludes(id);
  resolve->add_option("--limit", options->limit, "so many of them at most")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  resolve
      ->add_option("--as", options->as,
                   "done; not-executed: then the key may run again; or as its evidence shows now")
      ->check(CLI::IsMember({"done", "not-executed", "evidence"}));
  resolve->add_option("--note", options->note, "why: kept with your identity");
  resolve->add_flag("--dry-run", options->dry_run,
                    "read the evidence again and say what would be done, change nothing");
  resolve->add_flag("--yes", options->yes, "do not ask");
  resolve->callback([options, action] {
    const bool filter = options->all || !options->state.empty() || !options->reason.empty() ||
                        !options->older_than.empty();
    if (options->id.empty() && !filter) {
      throw CLI::RequiredError("operation, --all, --state, --reason or --older-than");
    }
    if (options->as.empty() && !options->dry_run) throw CLI::RequiredError("--as");
    if (options->note.empty() && !options->dry_run) throw CLI::RequiredError("--note");
    *action = [options] {
      return RunOperationsResolve(*options, isatty(STDIN_FILENO) != 0 ? &std::cin : nullptr);
    };
  });
}

void AddConfirm(CLI::App* operations, Action* action) {
  CLI::App* confirm = operations->add_subcommand(
      "confirm", "as a second person: let a payout run, or close what another wants to close");
  const auto options = std::make_shared<OperationsConfirmOptions>();
  AddCommonOptions(confirm, options.get());
  confirm->add_option("operation", options->id, "operation id")->required();
  confirm->add_option("--approval", options->approval,
                      "id of what was seen (operations show); without: it is shown, and asked");
  confirm->add_option("--note", options->note, "kept with your identity");
  confirm->add_flag("--dry-run", options->dry_run, "say what would be answered, change nothing");
  confirm->callback([options, action] {
    *action = [options] {
      return RunOperationsConfirm(*options, isatty(STDIN_FILENO) != 0 ? &std::cin : nullptr);
    };
  });
}

}  // namespace

void AddOperations(CLI::App& app, Action* action) {
  CLI::App* operations = app.add_subcommand("operations", "what became of mutations");
  operations->require_subcommand(1);
  AddList(operations, action);
  AddShow(operations, action);
  AddResolve(operations, action);
  AddConfirm(operations, action);
}

}  // namespace tollbridge::gateway
