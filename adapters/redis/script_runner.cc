#include "adapters/redis/script_runner.h"

#include <absl/strings/str_cat.h>

#include <cstddef>

#include "adapters/redis/errors.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/scripts.h"
#include "adapters/redis/server_check.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"

namespace tollbridge::redis {
namespace {

const Script& LearnEpochScript() {
  static const Script script({kRecordLua, kLearnEpochLua});
  return script;
}

const Script& InitEpochScript() {
  static const Script script({kRecordLua, kInitEpochLua});
  return script;
}
const Script& JoinStoreScript() {
  static const Script script({kRecordLua, kJoinStoreLua});
  return script;
}
const Script& LeaveStoreScript() {
  static const Script script({kRecordLua, kLeaveStoreLua});
  return script;
}

void AppendProjects(const std::vector<KeptProject>& projects, ScriptRunner::Arguments* arguments) {
  arguments->Add("projects", absl::StrCat(projects.size()));
  for (std::size_t i = 0; i < projects.size(); ++i) {
    arguments->Add(absl::StrCat("project", i + 1), projects[i].keys);
  }
}

std::vector<KeptProject> All(const Keyspace& keyspace) {
  std::vector<KeptProject> all;
  for (const auto& [name, project] : keyspace.projects()) all.push_back(project);
  return all;
}

std::int64_t MillisOf(BootTime time) {
  return std::chrono::duration_cast<ports::Millis>(time.time_since_epoch()).count();
}

}  // namespace

ScriptRunner::ScriptRunner(CommandExecutor& connection, Keyspace keyspace,
                           OperationStoreOptions options, ports::Clock& clock, ports::Rng& rng)
    : connection_(connection),
      keyspace_(std::move(keyspace)),
      options_(options),
      clock_(clock),
      rng_(rng) {}

Command ScriptRunner::AllArguments(std::string beginning, Arguments arguments) const {
  constexpr std::size_t kArguments = 4;
  Command all;
  all.reserve(kArguments);
  all.push_back(std::move(beginning));
  all.push_back(keyspace_.epoch_key());
  all.push_back(MillisText(time_offset_));
  all.push_back(std::move(arguments).Pack());
  return all;
}

Async<Reply> ScriptRunner::Run(const Script& script, std::string_view project, Arguments arguments,
                               BootTime deadline) {
  TB_CO_ASSIGN_OR_RETURN(std::string beginning, keyspace_.Of(project));
  co_return co_await script.Run(connection_,
                                AllArguments(std::move(beginning), std::move(arguments)), deadline);
}

Async<Reply> ScriptRunner::RunOnStore(const Script& script, Arguments arguments,
                                      BootTime deadline) {
  co_return co_await script.Run(connection_, AllArguments({}, std::move(arguments)), deadline);
}

Async<ScriptRunner::Replicated> ScriptRunner::RunReplicated(const Script& script,
                                                            std::string_view project,
                                                            Arguments arguments,
                                                            BootTime deadline) {
  TB_CO_ASSIGN_OR_RETURN(std::string beginning, keyspace_.Of(project));
  Command wait = {"WAIT", absl::StrCat(options_.min_replicas),
                  MillisText(options_.replica_timeout)};
  TB_CO_ASSIGN_OR_RETURN(Script::Followed followed,
                         co_await script.RunFollowed(
                             connection_, AllArguments(std::move(beginning), std::move(arguments)),
                             std::move(wait), deadline));
  TB_CO_RETURN_IF_ERROR(StatusOf(followed.after));
  const std::optional<std::int64_t> replicas = followed.after.AsInteger();
  if (!replicas) co_return UnexpectedReply("WAIT");
  const bool enough = *replicas >= static_cast<std::int64_t>(options_.min_replicas);
  if (!enough) connection_.NoteReplicasMissing();
  co_return Replicated{.reply = std::move(followed.reply), .enough = enough};
}

Async<Reply> ScriptRunner::AskEpoch(const std::vector<KeptProject>& projects, bool known_only,
                                    BootTime deadline) {
  Arguments arguments = {{"id", rng_.NewUuid().ToString()},
                         {"last", epoch_},
                         {"layout", kLayout},
                         {"known_only", known_only ? "1" : ""},
                         {"memory_lost_doubt", MillisText(options_.memory_lost_doubt)},
                         {"failover_doubt", MillisText(options_.failover_doubt)}};
  AppendProjects(projects, &arguments);
  TB_CO_ASSIGN_OR_RETURN(Reply reply,
                         co_await RunOnStore(LearnEpochScript(), std::move(arguments), deadline));
  if (reply.text == "layout") co_return OtherLayout();
  constexpr std::size_t kElements = 4;
  if (reply.elements.size() != kElements) co_return UnexpectedReply("learn_epoch");
  if (const std::string& cause = reply.elements[3].text; !cause.empty()) {
    connection_.NoteNewEpoch(cause);
    telemetry::Log(telemetry::Severity::kWarning, "store_doubted", {{"cause", cause}});
  }
  co_return reply;
}

AsyncStatus ScriptRunner::BeginDoubt(BootTime deadline) {
  const std::uint64_t generation = connection_.generation();
  if (knows_epoch() || (generation != 0 && doubt_generation_ == generation)) {
    co_return absl::OkStatus();
  }
  const absl::StatusOr<Reply> reply = co_await AskEpoch({}, /*known_only=*/true, deadline);
  if (reply.ok()) doubt_generation_ = generation;
  co_return reply.status();
}

AsyncStatus ScriptRunner::LearnEpoch(BootTime deadline) {
  // Again where the connection became another one meanwhile.
  while (!knows_epoch()) TB_CO_RETURN_IF_ERROR(co_await LearnOnce(deadline));
  co_return absl::OkStatus();
}

AsyncStatus ScriptRunner::LearnForClaims(BootTime deadline) {
  for (;;) {
    TB_CO_RETURN_IF_ERROR(co_await LearnEpoch(deadline));
    const std::uint64_t generation = connection_.generation();
    if (options_.min_replicas == 0 || claims_generation_ == generation) co_return absl::OkStatus();
    TB_CO_RETURN_IF_ERROR(co_await CheckSettings(options_.min_replicas, deadline));
    claims_generation_ = generation;
  }
}

AsyncStatus ScriptRunner::LearnOnce(BootTime deadline) {
  const std::uint64_t generation = connection_.generation();
  // Only claims wait for replicas.
  TB_CO_RETURN_IF_ERROR(co_await CheckSettings(/*min_replicas=*/0, deadline));
  const std::vector<KeptProject> projects = All(keyspace_);
  const BootTime sent = clock_.BootNow();
  TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                         co_await AskEpoch(projects, /*known_only=*/false, deadline));
  LearnClock(sent, reply.elements[1].integer);
  std::vector<KeptProject> unlisted;
  for (const Reply& place : reply.elements[2].elements) {
    unlisted.push_back(projects.at(static_cast<std::size_t>(place.integer - 1)));
  }
  if (!unlisted.empty()) {
    // The others of this store are not held up by it: its claims try again, and say why.
    const absl::Status joined = co_await Join(unlisted, deadline);
    if (!joined.ok()) {
      telemetry::Log(telemetry::Severity::kWarning, "project_not_served",
                     {{"reason", std::string(joined.message())}});
    }
  }
  epoch_ = reply.elements[0].text;
  epoch_generation_ = generation;
  co_return absl::OkStatus();
}

AsyncStatus ScriptRunner::Join(std::string_view project, BootTime deadline) {
  const auto found = keyspace_.projects().find(project);
  if (found == keyspace_.projects().end()) co_return keyspace_.Of(project).status();
  co_return co_await Join(std::vector<KeptProject>{found->second}, deadline);
}

AsyncStatus ScriptRunner::Join(const std::vector<KeptProject>& projects, BootTime deadline) {
  // It is on the list only when the others were told after it was said that it comes: another
  // process may have brought it back there, and what we do here may end anywhere.
  TB_CO_RETURN_IF_ERROR(co_await LeaveOthers(projects, deadline));
  Arguments announcement = {{"token", rng_.NewUuid().ToString()}};
  AppendProjects(projects, &announcement);
  TB_CO_ASSIGN_OR_RETURN(const Reply said,
                         co_await RunOnStore(JoinStoreScript(), std::move(announcement), deadline));
  if (said.elements.size() != projects.size()) co_return UnexpectedReply("join_store");
  TB_CO_RETURN_IF_ERROR(co_await LeaveOthers(projects, deadline));
  Arguments arguments = {{"memory_lost_doubt", MillisText(options_.memory_lost_doubt)}};
  AppendProjects(projects, &arguments);
  for (std::size_t i = 0; i < projects.size(); ++i) {
    arguments.Add(absl::StrCat("said", i + 1), said.elements[i].text);
  }
  TB_CO_ASSIGN_OR_RETURN(const Reply joined,
                         co_await RunOnStore(JoinStoreScript(), std::move(arguments), deadline));
  if (joined.integer > 0) {
    for (const KeptProject& project : projects) {
      telemetry::Log(telemetry::Severity::kWarning, "project_new_to_store",
                     {{"project_id", project.id.ToString()}});
    }
  }
  co_return absl::OkStatus();
}

AsyncStatus ScriptRunner::LeaveOthers(const std::vector<KeptProject>& projects, BootTime deadline) {
  for (ScriptRunner* other : others_) {
    std::vector<KeptProject> there;
    for (const KeptProject& project : projects) {
      there.push_back({.id = project.id, .keys = other->keyspace_.KeysOf(project.id)});
    }
    Arguments arguments;
    AppendProjects(there, &arguments);
    const absl::StatusOr<Reply> left =
        co_await other->RunOnStore(LeaveStoreScript(), std::move(arguments), deadline);
    if (!left.ok()) {
      co_return StoreUnavailable(
          absl::StrCat("a project is new to this store, and another one cannot be told: ",
                       std::string(left.status().message())));
    }
  }
  co_return absl::OkStatus();
}

Async<bool> ScriptRunner::InitializeEpoch(const Uuid& id, BootTime deadline) {
  Arguments arguments = {{"id", id.ToString()}, {"layout", kLayout}};
  AppendProjects(All(keyspace_), &arguments);
  TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                         co_await RunOnStore(InitEpochScript(), std::move(arguments), deadline));
  if (reply.text == "layout") co_return OtherLayout();
  co_return reply.integer == 1;
}

AsyncStatus ScriptRunner::CheckSettings(std::size_t min_replicas, BootTime deadline) {
  if (!options_.strict_server) co_return absl::OkStatus();
  const auto warnings =
      co_await CheckServer(connection_, {.strict = true, .min_replicas = min_replicas}, deadline);
  if (!absl::IsFailedPrecondition(warnings.status())) co_return warnings.status();
  telemetry::Log(telemetry::Severity::kError, "redis_not_used",
                 {{"reason", std::string(warnings.status().message())}});
  co_return StoreUnavailable(
      absl::StrCat("Redis may not be used as it is set: ", warnings.status().message()));
}

bool ScriptRunner::knows_epoch() const {
  return epoch_generation_ != 0 && epoch_generation_ == connection_.generation();
}

void ScriptRunner::LearnClock(BootTime sent, std::int64_t shown) {
  // It was shown between then and now: so far it is ahead at most, and at least.
  const std::int64_t most = shown - MillisOf(sent);
  const std::int64_t least = shown - MillisOf(now());
  if (ahead_ > most || ahead_ < least) ahead_ = most;
}

std::int64_t ScriptRunner::ClockAt(BootTime time) const { return MillisOf(time) + ahead_; }

void ScriptRunner::ForgetEpoch(std::string_view epoch) {
  if (epoch_ == epoch) epoch_generation_ = 0;
}

void AppendOrderEntry(ScriptRunner::Arguments& arguments,
                      const std::optional<ports::OrderEntry>& order,
                      std::chrono::milliseconds retention) {
  if (!order) return;
  arguments.Add("family", order->key.root.ToBytes());
  arguments.Add("entry_capture_mode", order->capture_mode);
  arguments.Add("entry_traceparent", PackTraceparent(order->traceparent));
  arguments.Add("entry_own_checkout", order->own_checkout ? "1" : "0");
  arguments.Add("entry_retention", MillisText(retention));
}

}  // namespace tollbridge::redis
