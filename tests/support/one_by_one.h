#ifndef TOLLBRIDGE_TESTS_SUPPORT_ONE_BY_ONE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_ONE_BY_ONE_H_

#include <utility>
#include <vector>

#include "adapters/redis/command_executor.h"

namespace tollbridge::test {

/// Carries out commands that are sent in one write so that others may come between them.
inline Async<std::vector<redis::Reply>> OneByOne(redis::CommandExecutor& server,
                                                 std::vector<redis::Command> commands,
                                                 BootTime deadline) {
  std::vector<redis::Reply> replies;
  for (redis::Command& command : commands) {
    absl::StatusOr<redis::Reply> reply = co_await server.Execute(std::move(command), deadline);
    if (!reply.ok()) co_return reply.status();
    replies.push_back(*std::move(reply));
  }
  co_return replies;
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_ONE_BY_ONE_H_
