#include "adapters/redis/snapshot_store.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/redis/errors.h"
#include "adapters/redis/record_format.h"
#include "adapters/redis/script.h"
#include "adapters/redis/scripts.h"
#include "adapters/redis/settled_family.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {
namespace {

using ports::SaveVerdict;

const Script& LoadScript() {
  static const Script script({kFamilyEpochLua, kSettledLua, kLoadFamilyLua});
  return script;
}
const Script& SaveScript() {
  static const Script script({kFamilyEpochLua, kSettledLua, kFamilyLua, kSaveSnapshotLua});
  return script;
}
const Script& ClearOutboxScript() {
  static const Script script({kFamilyEpochLua, kClearOutboxLua});
  return script;
}
const Script& NoteMemberScript() {
  static const Script script({kSettledLua, kFamilyLua, kNoteMemberLua});
  return script;
}

// Fields of a family's hash (scripts/load_family.lua); a member's is the 16 bytes of its id.
constexpr std::string_view kVersionField = "v";
constexpr std::string_view kHeadField = "s";
constexpr std::string_view kRootOrderField = "o";
constexpr std::string_view kRootField = "r";
constexpr std::string_view kCaptureModeField = "c";
constexpr std::string_view kTraceparentField = "x";
constexpr std::string_view kOwnCheckoutField = "w";
constexpr std::string_view kMadeField = "n";

WallTime FromMillis(std::int64_t millis) { return WallTime(ports::Millis(millis)); }

std::string TimeText(const std::optional<WallTime>& time) {
  return time ? absl::StrCat(time->time_since_epoch().count()) : std::string();
}

/// Takes one field of a family's hash. False when its value is none of ours.
bool TakeField(const std::string& name, const Reply& value, ports::FamilyState& state) {
  storage::v1::Snapshot& snapshot = state.snapshot;
  if (name == kVersionField) {
    state.version = static_cast<std::uint64_t>(value.AsInteger().value_or(0));
  } else if (name == kHeadField) {
    return snapshot.MergeFromString(value.text);
  } else if (name == kRootOrderField) {
    return snapshot.mutable_root()->ParseFromString(value.text);
  } else if (name == kRootField) {
    state.root = Uuid::FromBytes(value.text);
    return state.root.has_value();
  } else if (name == kCaptureModeField) {
    state.entry.capture_mode = value.text;
  } else if (name == kTraceparentField) {
    state.entry.traceparent = UnpackTraceparent(value.text);
  } else if (name == kOwnCheckoutField) {
    state.entry.own_checkout = value.text == "1";
  } else if (name == kMadeField) {
    if (const std::optional<std::int64_t> made = value.AsInteger()) state.made = FromMillis(*made);
  } else if (Uuid::FromBytes(name)) {
    storage::v1::OrderState& member = *snapshot.add_members();
    if (!member.ParseFromString(value.text)) return false;
    member.set_order_id(name);
  }
  return true;
}

/// What stays of a family that is settled.
bool TakeSettled(const Reply& value, ports::FamilyState& state) {
  std::optional<SettledFamily> settled = UnpackSettled(value.text);
  if (!settled) return false;
  state.version = settled->version;
  state.snapshot = std::move(settled->snapshot);
  return true;
}

/// The epoch that the families are of, and the times when its doubt began and ends.
void TakeEpoch(const Reply& id, const Reply& since, const Reply& until, ports::FamilyState& state) {
  state.epoch = id.text;
  const std::int64_t began = since.AsInteger().value_or(0);
  // It may have gone back by as much as it is doubted for.
  if (began > 0)
    state.doubted_from = FromMillis(began - (until.AsInteger().value_or(began) - began));
}

/// The answer of load_family.lua.
absl::StatusOr<ports::FamilyState> ReadFamily(const ports::FamilyKey& key, const Reply& reply) {
  enum Element : std::uint8_t {
    kFields,
    kOutbox,
    kOutboxVersion,
    kDue,
    kSettled,
    kEpoch,
    kSince,
    kUntil,
    kElements
  };
  if (reply.elements.size() != kElements) return UnexpectedReply("load_family");
  const std::vector<Reply>& fields = reply.elements[kFields].elements;
  ports::FamilyState state;
  state.entry.key = key;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    if (!TakeField(fields[i].text, fields[i + 1], state)) return UnexpectedReply("load_family");
  }
  const Reply& settled = reply.elements[kSettled];
  if (!settled.is_nil() && !TakeSettled(settled, state)) return UnexpectedReply("load_family");
  const Reply& outbox = reply.elements[kOutbox];
  if (!outbox.is_nil() && !state.outbox.emplace().ParseFromString(outbox.text)) {
    return UnexpectedReply("load_family");
  }
  state.outbox_version =
      static_cast<std::uint64_t>(reply.elements[kOutboxVersion].AsInteger().value_or(0));
  if (const std::optional<std::int64_t> due = reply.elements[kDue].AsInteger()) {
    state.due = FromMillis(*due);
  }
  TakeEpoch(reply.elements[kEpoch], reply.elements[kSince], reply.elements[kUntil], state);
  return state;
}

/// Fields and values of a snapshot by turns, as save_snapshot.lua takes them.
void AppendFields(const storage::v1::Snapshot& snapshot, Command& arguments) {
  storage::v1::Snapshot head = snapshot;
  head.clear_root();
  head.clear_members();
  arguments.emplace_back(kHeadField);
  arguments.push_back(head.SerializeAsString());
  arguments.emplace_back(kRootOrderField);
  arguments.push_back(snapshot.root().SerializeAsString());
  for (const storage::v1::OrderState& member : snapshot.members()) {
    arguments.push_back(member.order_id());
    storage::v1::OrderState value = member;
    value.clear_order_id();
    arguments.push_back(value.SerializeAsString());
  }
}

/// What stays of the family, or empty: something is to be published, or it is to be read again.
std::string SettledOf(const ports::SaveRequest& request) {
  if (request.next_due || request.outbox.entries_size() > 0) return {};
  return PackSettled(request.snapshot, request.expected_version + 1).value_or("");
}

}  // namespace

Async<ports::FamilyState> RedisSnapshotStore::Load(const ports::FamilyKey& key,
                                                   const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(const std::string keys, scripts_.keyspace().Of(key.project));
  for (const bool again : {false, true}) {
    TB_CO_RETURN_IF_ERROR(co_await scripts_.LearnEpoch(context.deadline));
    TB_CO_ASSIGN_OR_RETURN(
        const Reply reply,
        co_await LoadScript().Run(scripts_.connection(),
                                  {keys, key.root.ToBytes(), scripts_.keyspace().epoch_key()},
                                  context.deadline));
    absl::StatusOr<ports::FamilyState> state = ReadFamily(key, reply);
    if (again || !state.ok() || !state->epoch.empty()) co_return state;
    // Its memory went while we were connected.
    scripts_.ForgetEpoch(scripts_.epoch());
  }
  co_return UnexpectedReply("load_family");
}

Async<SaveVerdict> RedisSnapshotStore::Save(const ports::SaveRequest& request,
                                            const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(std::string keys, scripts_.keyspace().Of(request.key.project));
  // The connection may be another one than what was loaded came over.
  TB_CO_RETURN_IF_ERROR(co_await scripts_.LearnEpoch(context.deadline));
  Command arguments = {std::move(keys),
                       request.key.root.ToBytes(),
                       absl::StrCat(request.expected_version),
                       request.outbox.SerializeAsString(),
                       absl::StrCat(request.retention.count()),
                       TimeText(request.next_due),
                       TimeText(request.seen_due),
                       SettledOf(request),
                       scripts_.keyspace().epoch_key(),
                       request.snapshot.epoch()};
  AppendFields(request.snapshot, arguments);
  TB_CO_ASSIGN_OR_RETURN(
      const Reply reply,
      co_await SaveScript().Run(scripts_.connection(), std::move(arguments), context.deadline));
  if (reply.text == "saved") co_return SaveVerdict::kSaved;
  if (reply.text == "version_lost") co_return SaveVerdict::kVersionLost;
  if (reply.text == "outbox_pending") co_return SaveVerdict::kOutboxPending;
  co_return UnexpectedReply("save_snapshot");
}

Async<bool> RedisSnapshotStore::ClearOutbox(const ports::FamilyKey& key, std::uint64_t version,
                                            const std::string& epoch,
                                            const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(std::string keys, scripts_.keyspace().Of(key.project));
  // The connection may be another one than what was published came over.
  TB_CO_RETURN_IF_ERROR(co_await scripts_.LearnEpoch(context.deadline));
  Command arguments = {std::move(keys), key.root.ToBytes(), absl::StrCat(version),
                       scripts_.keyspace().epoch_key(), epoch};
  TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                         co_await ClearOutboxScript().Run(scripts_.connection(),
                                                          std::move(arguments), context.deadline));
  co_return reply.integer == 1;
}

AsyncStatus RedisSnapshotStore::NoteMember(const ports::MemberNote& note,
                                           const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(std::string keys, scripts_.keyspace().Of(note.member.project));
  Command arguments = {std::move(keys), note.member.root.ToBytes(), note.root.ToBytes(),
                       TimeText(note.seen_due), absl::StrCat(note.retention.count())};
  const absl::StatusOr<Reply> reply = co_await NoteMemberScript().Run(
      scripts_.connection(), std::move(arguments), context.deadline);
  co_return reply.status();
}

}  // namespace tollbridge::redis
