#include "adapters/redis/sweep_state.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "adapters/redis/errors.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {
namespace {

using storage::v1::SweepProgress;

const Script& TakeScript() {
  static const Script script({kTakeSweepLua});
  return script;
}
const Script& SaveScript() {
  static const Script script({kSaveSweepLua});
  return script;
}

absl::StatusOr<SweepProgress> ReadProgress(const Reply& reply) {
  SweepProgress progress;
  if (!progress.ParseFromString(reply.text)) return UnexpectedReply("the sweep");
  return progress;
}

}  // namespace

Async<std::optional<SweepProgress>> RedisSweepState::Take(const std::string& project,
                                                          const std::string& token,
                                                          ports::Millis lease,
                                                          const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(const std::string keys, scripts_.keyspace().Of(project));
  TB_CO_RETURN_IF_ERROR(co_await scripts_.LearnEpoch(context.deadline));
  TB_CO_ASSIGN_OR_RETURN(
      const Reply reply,
      co_await TakeScript().Run(scripts_.connection(),
                                {keys, token, MillisText(lease), scripts_.keyspace().epoch_key()},
                                context.deadline));
  if (reply.elements.empty()) co_return UnexpectedReply("take_sweep");
  if (reply.elements[0].integer == 0) co_return std::nullopt;
  if (reply.elements.size() != 3) co_return UnexpectedReply("take_sweep");
  TB_CO_ASSIGN_OR_RETURN(SweepProgress progress, ReadProgress(reply.elements[1]));
  progress.set_store_epoch(reply.elements[2].text);
  co_return progress;
}

Async<bool> RedisSweepState::Save(const std::string& project, const std::string& token,
                                  ports::Millis lease, const SweepProgress& progress,
                                  const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(std::string keys, scripts_.keyspace().Of(project));
  // The connection may be another one than that over which it was taken.
  TB_CO_RETURN_IF_ERROR(co_await scripts_.LearnEpoch(context.deadline));
  Command arguments = {std::move(keys),
                       token,
                       MillisText(lease),
                       progress.SerializeAsString(),
                       scripts_.keyspace().epoch_key(),
                       progress.store_epoch()};
  TB_CO_ASSIGN_OR_RETURN(
      const Reply reply,
      co_await SaveScript().Run(scripts_.connection(), std::move(arguments), context.deadline));
  co_return reply.integer == 1;
}

Async<SweepProgress> RedisSweepState::Load(const std::string& project,
                                           const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(const std::string keys, scripts_.keyspace().Of(project));
  TB_CO_ASSIGN_OR_RETURN(const Reply reply, co_await scripts_.connection().Execute(
                                                {"HGET", keys + "sweep", "p"}, context.deadline));
  TB_CO_RETURN_IF_ERROR(StatusOf(reply));
  co_return ReadProgress(reply);
}

}  // namespace tollbridge::redis
