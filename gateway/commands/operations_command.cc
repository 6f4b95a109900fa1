#include "gateway/commands/operations_command.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <istream>
#include <memory>
#include <optional>
#include <utility>

#include "gateway/commands/operation_text.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

namespace v1 = operations::v1;
using Channel = std::shared_ptr<grpc::Channel>;

constexpr int kPage = 500;

/// Makes the channel and runs `with` on it.
int WithChannel(const OperationsOptions& options, const std::function<int(const Channel&)>& with) {
  const absl::StatusOr<Channel> channel = MakeChannel(options.channel);
  if (channel.ok()) return with(*channel);
  std::cerr << "tollbridge: " << channel.status().message() << "\n";
  return kCallNotMade;
}

/// Calls a method of Operations. nullopt: the error is told already.
template <typename Response>
std::optional<Response> Ask(const Channel& channel, const std::string& name,
                            const google::protobuf::Message& request) {
  const google::protobuf::ServiceDescriptor* service =
      v1::Operation::descriptor()->file()->FindServiceByName("Operations");
  Response response;
  const UnaryEnd end = CallUnary(channel, *service->FindMethodByName(name), request, &response);
  if (end.ok()) return response;
  PrintCallError(end);
  return std::nullopt;
}

v1::OperationState StateOf(const std::string& name) {
  if (name == "running") return v1::OPERATION_STATE_RUNNING;
  if (name == "unknown") return v1::OPERATION_STATE_UNKNOWN;
  if (name == "needs-review") return v1::OPERATION_STATE_NEEDS_REVIEW;
  return v1::OPERATION_STATE_UNSPECIFIED;
}

/// All pages up to the limit as one answer.
std::optional<v1::ListOperationsResponse> ListAll(const Channel& channel,
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
        Ask<v1::ListOperationsResponse>(channel, "ListOperations", request);
    if (!page.has_value()) return std::nullopt;
    all.mutable_operations()->MergeFrom(page->operations());
    all.set_next_page_token(page->next_page_token());
    request.set_page_token(page->next_page_token());
  } while (!all.next_page_token().empty() && all.operations_size() < options.limit);
  return all;
}

bool Confirmed(const OperationsResolveOptions& options, const v1::Operation& operation,
               std::istream& answers) {
  std::cerr << OperationStory(operation) << "\n";
  if (options.as == "done") {
    std::cerr << "As done: its key is answered with what evidence shows, and never runs again.\n";
  } else {
    std::cerr << "As not-executed: its key may run again. If it did take effect, that happens "
                 "twice.\n";
  }
  std::cerr << "Close " << operation.id() << " as " << options.as << "? [y/N] " << std::flush;
  std::string answer;
  std::getline(answers, answer);
  return answer == "y" || answer == "yes";
}

}  // namespace

int RunOperationsList(const OperationsListOptions& options) {
  return WithChannel(options, [&options](const Channel& channel) {
    const std::optional<v1::ListOperationsResponse> all = ListAll(channel, options);
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
  return WithChannel(options, [&options](const Channel& channel) {
    v1::GetOperationRequest request;
    if (!options.project.empty()) request.set_project(options.project);
    if (!options.id.empty()) request.set_operation_id(options.id);
    if (!options.key.empty()) request.set_idempotency_key(options.key);
    const std::optional<v1::GetOperationResponse> found =
        Ask<v1::GetOperationResponse>(channel, "GetOperation", request);
    if (!found.has_value()) return kCallFailed;
    std::cout << (options.json ? ToJson(found->operation()) : OperationStory(found->operation()));
    return 0;
  });
}

int RunOperationsResolve(const OperationsResolveOptions& options, std::istream* answers) {
  return WithChannel(options, [&options, answers](const Channel& channel) {
    v1::ResolveOperationRequest request;
    if (!options.project.empty()) request.set_project(options.project);
    request.set_operation_id(options.id);
    request.set_resolution(options.as == "done" ? v1::RESOLUTION_DONE
                                                : v1::RESOLUTION_NOT_EXECUTED);
    request.set_note(options.note);
    if (!options.yes && answers != nullptr) {
      v1::GetOperationRequest get;
      if (!options.project.empty()) get.set_project(options.project);
      get.set_operation_id(options.id);
      const std::optional<v1::GetOperationResponse> found =
          Ask<v1::GetOperationResponse>(channel, "GetOperation", get);
      if (!found.has_value()) return kCallFailed;
      if (!Confirmed(options, found->operation(), *answers)) {
        std::cerr << "nothing was changed\n";
        return kCallFailed;
      }
    }
    const std::optional<v1::ResolveOperationResponse> closed =
        Ask<v1::ResolveOperationResponse>(channel, "ResolveOperation", request);
    if (!closed.has_value()) return kCallFailed;
    std::cout << (options.json ? ToJson(closed->operation()) : OperationStory(closed->operation()));
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
  list->add_option("--state", options->state, "only running, unknown or needs-review")
      ->check(CLI::IsMember({"running", "unknown", "needs-review"}));
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
  CLI::App* resolve = operations->add_subcommand("resolve", "close one that needs review");
  const auto options = std::make_shared<OperationsResolveOptions>();
  AddCommonOptions(resolve, options.get());
  resolve->add_option("operation", options->id, "operation id")->required();
  resolve->add_option("--as", options->as, "done, or not-executed: then the key may run again")
      ->required()
      ->check(CLI::IsMember({"done", "not-executed"}));
  resolve->add_option("--note", options->note, "why: kept with your identity")->required();
  resolve->add_flag("--yes", options->yes, "do not ask");
  resolve->callback([options, action] {
    *action = [options] {
      return RunOperationsResolve(*options, isatty(STDIN_FILENO) != 0 ? &std::cin : nullptr);
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
}

}  // namespace tollbridge::gateway
