#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_OPERATIONS_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_OPERATIONS_COMMAND_H_

#include <optional>
#include <string>

#include "gateway/commands/command.h"
#include "gateway/commands/grpc_channel.h"
#include "gateway/commands/operations_call.h"

namespace tollbridge::gateway {

/// `tollbridge operations list|show|resolve|confirm`: asks a running gateway, with the caller's own
/// permissions. Exit codes: 0; kCallFailed when it answers with an error (also: not found) or the
/// person says no; kCallNotMade when the call cannot be made.
void AddOperations(CLI::App& app, Action* action);

struct OperationsOptions {
  ChannelOptions channel;
  /// May be empty when the gateway has one.
  std::string project;
  bool json = false;
};

struct OperationsListOptions : OperationsOptions {
  /// running, unknown, needs-review or awaits-approval; empty: all four.
  std::string state;
  /// Those about this order, closed ones included; empty: none in particular.
  std::string order;
  /// Operations shown at most.
  int limit = 100;
  /// next_page_token of an earlier answer.
  std::string page_token;
};

struct OperationsShowOptions : OperationsOptions {
  /// One of the two.
  std::string id;
  std::string key;
};

int RunOperationsList(const OperationsListOptions& options);
int RunOperationsShow(const OperationsShowOptions& options);

/// All pages of ListOperations up to the limit, as one answer; nullopt: the error is told already.
std::optional<operations::v1::ListOperationsResponse> ListOperations(
    const Channel& channel, const OperationsListOptions& options);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_OPERATIONS_COMMAND_H_
