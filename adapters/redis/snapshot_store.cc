#include "adapters/redis/snapshot_store.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <optional>
#include <utility>
#include <vector>

#include "adapters/redis/errors.h"
#include "adapters/redis/family_record.h"
#include "adapters/redis/script.h"
#include "adapters/redis/script_span.h"
#include "adapters/redis/scripts.h"
#include "adapters/redis/settled_family.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {
namespace {

using ports::SaveVerdict;

const Script& LoadScript() {
  static const Script script({kFamilyEpochLua, kSettledLua, kFamilyStateLua, kLoadFamilyLua});
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
const Script& PendingScript() {
  static const Script script({kPendingOutboxesLua});
  return script;
}
const Script& TellAgainScript() {
  static const Script script({kSettledLua, kFamilyLua, kTellAgainLua});
  return script;
}
const Script& NoteMemberScript() {
  static const Script script({kSettledLua, kFamilyLua, kNoteMemberLua});
  return script;
}

/// What stays of the family, or empty: something is to be published, or it is to be read again.
std::string SettledOf(const ports::SaveRequest& request) {
  if (request.next_due || request.tell_again || request.outbox.entries_size() > 0) return {};
  return PackSettled(request.snapshot, request.expected_version + 1).value_or("");
}

}  // namespace

Async<ports::FamilyState> RedisSnapshotStore::Load(const ports::FamilyKey& key,
                                                   const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(const std::string keys, scripts_.keyspace().Of(key.project));
  for (const bool again : {false, true}) {
    TB_CO_RETURN_IF_ERROR(co_await scripts_.LearnEpoch(context.deadline));
    ScriptSpan span("load_family", context.trace);
    TB_CO_ASSIGN_OR_RETURN(
        const Reply reply,
        span.End(co_await LoadScript().Run(
            scripts_.connection(), {keys, key.root.ToBytes(), scripts_.keyspace().epoch_key()},
            context.deadline)));
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
                       request.snapshot.epoch(),
                       TellAgainText(request.seen_tell_again),
                       TellAgainText(request.tell_again),
                       TimeText(request.noticed_at),
                       request.seen_capture_mode,
                       request.seen_own_checkout ? "1" : ""};
  AppendFields(request.snapshot, arguments);
  ScriptSpan span("save_snapshot", context.trace);
  TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                         span.End(co_await SaveScript().Run(
                             scripts_.connection(), std::move(arguments), context.deadline)));
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
  ScriptSpan span("clear_outbox", context.trace);
  TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                         span.End(co_await ClearOutboxScript().Run(
                             scripts_.connection(), std::move(arguments), context.deadline)));
  co_return reply.integer == 1;
}

Async<ports::PendingOutboxes> RedisSnapshotStore::Pending(const std::string& project,
                                                          const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(std::string keys, scripts_.keyspace().Of(project));
  // A store whose epoch was not looked at may be another, or a copy of long ago.
  TB_CO_RETURN_IF_ERROR(co_await scripts_.LearnEpoch(context.deadline));
  TB_CO_ASSIGN_OR_RETURN(
      const Reply reply,
      co_await PendingScript().Run(scripts_.connection(), {std::move(keys)}, context.deadline));
  constexpr std::size_t kParts = 2;
  if (reply.elements.size() != kParts || reply.elements[0].integer < 0) {
    co_return UnexpectedReply("pending_outboxes");
  }
  ports::PendingOutboxes pending{.count = static_cast<std::size_t>(reply.elements[0].integer)};
  if (pending.count > 0) {
    std::int64_t oldest = 0;
    if (!absl::SimpleAtoi(reply.elements[1].text, &oldest)) {
      co_return UnexpectedReply("pending_outboxes");
    }
    pending.oldest = WallTime(ports::Millis(oldest));
  }
  co_return pending;
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

Async<ports::TellAgainVerdict> RedisSnapshotStore::AskToTellAgain(
    const ports::TellAgainRequest& request, const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(std::string keys, scripts_.keyspace().Of(request.key.project));
  Command arguments = {std::move(keys), request.key.root.ToBytes(), TellAgainText(request.what),
                       TimeText(request.due), absl::StrCat(request.retention.count())};
  TB_CO_ASSIGN_OR_RETURN(const Reply reply,
                         co_await TellAgainScript().Run(scripts_.connection(), std::move(arguments),
                                                        context.deadline));
  if (reply.text == "asked") co_return ports::TellAgainVerdict::kAsked;
  if (reply.text == "before") co_return ports::TellAgainVerdict::kAskedBefore;
  if (reply.text == "unknown") co_return ports::TellAgainVerdict::kUnknown;
  co_return UnexpectedReply("tell_again");
}

}  // namespace tollbridge::redis
