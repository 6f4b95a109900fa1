#include "adapters/redis/family_record.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/redis/errors.h"
#include "adapters/redis/record_format.h"

namespace tollbridge::redis {
namespace {

// Fields of a family's hash (scripts/family_state.lua); a member's is the 16 bytes of its id.
constexpr std::string_view kVersionField = "v";
constexpr std::string_view kHeadField = "s";
constexpr std::string_view kRootOrderField = "o";
constexpr std::string_view kRootField = "r";
constexpr std::string_view kCaptureModeField = "c";
constexpr std::string_view kTraceparentField = "x";
constexpr std::string_view kOwnCheckoutField = "w";
constexpr std::string_view kMadeField = "n";
constexpr std::string_view kTellAgainField = "a";
constexpr std::string_view kNoticedField = "h";

WallTime FromMillis(std::int64_t millis) { return WallTime(ports::Millis(millis)); }

std::optional<ports::TellAgain> ReadTellAgain(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, ' ');
  std::int64_t from = 0;
  std::int64_t to = 0;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[0], &from)) return std::nullopt;
  ports::TellAgain request{.from = FromMillis(from)};
  if (!parts[1].empty()) {
    if (!absl::SimpleAtoi(parts[1], &to)) return std::nullopt;
    request.to = FromMillis(to);
  }
  request.begun = parts[2] == "begun";
  return request;
}

std::optional<ports::Noticed> ReadNoticed(std::string text) {
  const bool seen = text.ends_with('+');
  if (seen) text.pop_back();
  std::int64_t at = 0;
  if (!absl::SimpleAtoi(text, &at)) return std::nullopt;
  return ports::Noticed{.at = FromMillis(at), .seen = seen};
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
  } else if (name == kNoticedField) {
    state.noticed = ReadNoticed(value.text);
    return state.noticed.has_value();
  } else if (name == kTellAgainField) {
    state.tell_again = ReadTellAgain(value.text);
    return state.tell_again.has_value();
  } else if (Uuid::FromBytes(name)) {
    storage::v1::OrderState& member = *snapshot.add_members();
    if (!member.ParseFromString(value.text)) return false;
    member.set_order_id(name);
  }
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

}  // namespace

bool TakeSettled(const Reply& value, ports::FamilyState& state) {
  std::optional<SettledFamily> settled = UnpackSettled(value.text);
  if (!settled) return false;
  state.version = settled->version;
  state.snapshot = std::move(settled->snapshot);
  return true;
}

std::string TimeText(const std::optional<WallTime>& time) {
  return time ? absl::StrCat(time->time_since_epoch().count()) : std::string();
}

std::string TellAgainText(const std::optional<ports::TellAgain>& request) {
  if (!request) return {};
  const std::string to =
      request->to == WallTime::max() ? "" : absl::StrCat(request->to.time_since_epoch().count());
  return absl::StrCat(request->from.time_since_epoch().count(), " ", to,
                      request->begun ? " begun" : " ");
}

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

}  // namespace tollbridge::redis
