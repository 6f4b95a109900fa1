#include "adapters/redis/script_runner.h"

#include <absl/strings/str_cat.h>

#include "adapters/redis/errors.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/scripts.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {
namespace {

const Script& LearnEpochScript() {
  static const Script script({kRecordLua, kLearnEpochLua});
  return script;
}

}  // namespace

ScriptRunner::ScriptRunner(CommandExecutor& connection, OperationStoreOptions options,
                           ports::Rng& rng)
    : connection_(connection), options_(std::move(options)), rng_(rng) {}

Command ScriptRunner::AllArguments(Arguments arguments) const {
  Command all = {options_.prefix, MillisText(time_offset_), MillisText(options_.closed_retention)};
  all.reserve(all.size() + 2 * arguments.size());
  for (auto& [name, value] : arguments) {
    all.push_back(std::move(name));
    all.push_back(std::move(value));
  }
  return all;
}

Async<Reply> ScriptRunner::Run(const Script& script, Arguments arguments, BootTime deadline) {
  co_return co_await script.Run(connection_, AllArguments(std::move(arguments)), deadline);
}

Async<ScriptRunner::Replicated> ScriptRunner::RunReplicated(const Script& script,
                                                            Arguments arguments,
                                                            BootTime deadline) {
  Command wait = {"WAIT", absl::StrCat(options_.min_replicas),
                  MillisText(options_.replica_timeout)};
  TB_CO_ASSIGN_OR_RETURN(
      Script::Followed followed,
      co_await script.RunFollowed(connection_, AllArguments(std::move(arguments)), std::move(wait),
                                  deadline));
  TB_CO_RETURN_IF_ERROR(StatusOf(followed.after));
  const std::optional<std::int64_t> replicas = followed.after.AsInteger();
  if (!replicas) co_return UnexpectedReply("WAIT");
  co_return Replicated{.reply = std::move(followed.reply),
                       .enough = *replicas >= static_cast<std::int64_t>(options_.min_replicas)};
}

AsyncStatus ScriptRunner::LearnEpoch(BootTime deadline) {
  if (knows_epoch()) co_return absl::OkStatus();
  const std::uint64_t generation = connection_.generation();
  Arguments arguments = {{"id", rng_.NewUuid().ToString()},
                         {"memory_lost_doubt", MillisText(options_.memory_lost_doubt)},
                         {"failover_doubt", MillisText(options_.failover_doubt)}};
  TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                         co_await Run(LearnEpochScript(), std::move(arguments), deadline));
  if (reply.elements.empty()) co_return UnexpectedReply("learn_epoch");
  epoch_ = reply.elements[0].text;
  epoch_generation_ = generation;
  co_return absl::OkStatus();
}

bool ScriptRunner::knows_epoch() const {
  return epoch_generation_ != 0 && epoch_generation_ == connection_.generation();
}

void ScriptRunner::ForgetEpoch(std::string_view epoch) {
  if (epoch_ == epoch) epoch_generation_ = 0;
}

void AppendOrderEntry(ScriptRunner::Arguments& arguments,
                      const std::optional<ports::OrderEntry>& order,
                      std::chrono::milliseconds retention) {
  if (!order) return;
  arguments.emplace_back("family", PackFamily(order->key));
  arguments.emplace_back("entry_capture_mode", order->capture_mode);
  arguments.emplace_back("entry_traceparent", PackTraceparent(order->traceparent));
  arguments.emplace_back("entry_own_checkout", order->own_checkout ? "1" : "0");
  arguments.emplace_back("entry_retention", MillisText(retention));
}

}  // namespace tollbridge::redis
