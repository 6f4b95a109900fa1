#ifndef TOLLBRIDGE_TESTS_UNIT_ADAPTERS_REDIS_PASSING_EXECUTOR_H_
#define TOLLBRIDGE_TESTS_UNIT_ADAPTERS_REDIS_PASSING_EXECUTOR_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/redis/command_executor.h"

namespace tollbridge::redis {

/// Passes all on to another one: for tests that change a part of it.
class PassingExecutor : public CommandExecutor {
 public:
  explicit PassingExecutor(CommandExecutor& server) : server_(&server) {}

  Async<Reply> Execute(Command command, BootTime deadline) override {
    return server_->Execute(std::move(command), deadline);
  }
  Async<std::vector<Reply>> ExecuteTogether(std::vector<Command> commands,
                                            BootTime deadline) override {
    return server_->ExecuteTogether(std::move(commands), deadline);
  }
  void NoteNewEpoch(std::string_view cause) override { server_->NoteNewEpoch(cause); }
  bool ready() const override { return server_->ready(); }
  std::uint64_t generation() const override { return server_->generation(); }
  std::uint64_t commands_sent() const override { return server_->commands_sent(); }

 protected:
  CommandExecutor& server() { return *server_; }
  void PassOnTo(CommandExecutor& other) { server_ = &other; }

 private:
  CommandExecutor* server_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_TESTS_UNIT_ADAPTERS_REDIS_PASSING_EXECUTOR_H_
