#include "adapters/redis/snapshot_store.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <utility>
#include <vector>

#include "adapters/redis/errors.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "services/base/status_macros.h"

namespace tollbridge::redis {
namespace {

using ports::SaveVerdict;

const Script& LoadScript() {
  static const Script script({kLoadFamilyLua});
  return script;
}
const Script& SaveScript() {
  static const Script script({kSaveSnapshotLua});
  return script;
}
const Script& ClearOutboxScript() {
  static const Script script({kClearOutboxLua});
  return script;
}

std::string TimeText(const std::optional<ports::WallTime>& time) {
  return time ? absl::StrCat(time->time_since_epoch().count()) : std::string();
}

/// {version, snapshot, capture_mode, traceparent, own checkout, outbox, due} of load_family.lua.
absl::StatusOr<ports::FamilyState> ReadFamily(const ports::FamilyKey& key, const Reply& reply) {
  constexpr std::size_t kElements = 7;
  if (reply.elements.size() != kElements) return UnexpectedReply("load_family");
  const std::vector<Reply>& part = reply.elements;
  ports::FamilyState state;
  state.version = static_cast<std::uint64_t>(part[0].AsInteger().value_or(0));
  if (!state.snapshot.ParseFromString(part[1].text)) return UnexpectedReply("load_family");
  state.entry = {.key = key,
                 .capture_mode = part[2].text,
                 .traceparent = UnpackTraceparent(part[3].text),
                 .own_checkout = part[4].text == "1"};
  if (!part[5].is_nil() && !state.outbox.emplace().ParseFromString(part[5].text)) {
    return UnexpectedReply("load_family");
  }
  if (const std::optional<std::int64_t> due = part[6].AsInteger()) {
    state.due = ports::WallTime(ports::Millis(*due));
  }
  return state;
}

}  // namespace

RedisSnapshotStore::RedisSnapshotStore(CommandExecutor& executor, std::string prefix)
    : executor_(executor), prefix_(std::move(prefix)) {}

Async<ports::FamilyState> RedisSnapshotStore::Load(const ports::FamilyKey& key,
                                                   const ports::Context& context) {
  const absl::StatusOr<Reply> reply =
      co_await LoadScript().Run(executor_, {prefix_, PackFamily(key)}, context.deadline);
  TB_CO_RETURN_IF_ERROR(reply.status());
  co_return ReadFamily(key, *reply);
}

Async<SaveVerdict> RedisSnapshotStore::Save(const ports::SaveRequest& request,
                                            const ports::Context& context) {
  Command arguments = {prefix_,
                       PackFamily(request.key),
                       absl::StrCat(request.expected_version),
                       request.snapshot.SerializeAsString(),
                       request.outbox.SerializeAsString(),
                       absl::StrCat(request.retention.count()),
                       TimeText(request.next_due),
                       TimeText(request.seen_due)};
  const absl::StatusOr<Reply> reply =
      co_await SaveScript().Run(executor_, std::move(arguments), context.deadline);
  TB_CO_RETURN_IF_ERROR(reply.status());
  if (reply->text == "saved") co_return SaveVerdict::kSaved;
  if (reply->text == "version_lost") co_return SaveVerdict::kVersionLost;
  if (reply->text == "outbox_pending") co_return SaveVerdict::kOutboxPending;
  co_return UnexpectedReply("save_snapshot");
}

Async<bool> RedisSnapshotStore::ClearOutbox(const ports::FamilyKey& key, std::uint64_t version,
                                            const ports::Context& context) {
  Command arguments = {prefix_, PackFamily(key), absl::StrCat(version)};
  const absl::StatusOr<Reply> reply =
      co_await ClearOutboxScript().Run(executor_, std::move(arguments), context.deadline);
  TB_CO_RETURN_IF_ERROR(reply.status());
  co_return reply->integer == 1;
}

}  // namespace tollbridge::redis
