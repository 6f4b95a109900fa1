#include "adapters/redis/settled_family.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/message_differencer.h>
#include <google/protobuf/wire_format_lite.h>

#include "services/domain/published.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::redis {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::ArrayInputStream;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

constexpr int kDayBytes = 2;
/// Of a value in Redis' compact encoding, the day included.
constexpr std::size_t kMostBytes = 64 - kDayBytes;
constexpr std::int64_t kMicros = 1'000'000;
constexpr std::uint32_t kSmall = 16;  ///< what two of fit into a byte are below it

enum Flag : std::uint32_t { kOwnCheckout = 1, kCapturableSeen = 2, kByOrder = 4, kModified = 8 };

/// Two numbers in one byte; each is below kSmall, or the check in PackSettled finds it.
std::uint32_t Pair(std::uint32_t high, std::uint32_t low) {
  return (high * kSmall + low) % (kSmall * kSmall);
}

class Reading {
 public:
  explicit Reading(std::string_view bytes)
      : array_(bytes.data(), static_cast<int>(bytes.size())), in_(&array_) {
    in_.PushLimit(static_cast<int>(bytes.size()));
  }

  bool Number(std::uint64_t* number) { return in_.ReadVarint64(number); }
  bool Two(std::uint32_t* high, std::uint32_t* low) {
    std::uint64_t both = 0;
    if (!Number(&both) || both >= kSmall * kSmall) return false;
    *high = static_cast<std::uint32_t>(both / kSmall);
    *low = static_cast<std::uint32_t>(both % kSmall);
    return true;
  }
  bool AtEnd() { return in_.BytesUntilLimit() == 0; }

 private:
  ArrayInputStream array_;
  CodedInputStream in_;
};

void WritePair(std::uint32_t high, std::uint32_t low, CodedOutputStream* out) {
  out->WriteVarint32(Pair(high, low));
}

std::string Write(const storage::v1::Snapshot& snapshot, std::uint64_t version) {
  const storage::v1::OrderState& root = snapshot.root();
  std::string bytes;
  StringOutputStream stream(&bytes);
  CodedOutputStream out(&stream);
  out.WriteVarint64(version);
  out.WriteVarint64(static_cast<std::uint64_t>(snapshot.began()));
  const std::uint32_t flags =
      (root.own_checkout() ? kOwnCheckout : 0) | (root.capturable_seen() ? kCapturableSeen : 0) |
      (root.outcome_by_order() ? kByOrder : 0) | (root.has_modified() ? kModified : 0);
  WritePair(static_cast<std::uint32_t>(root.status()), flags, &out);
  WritePair(static_cast<std::uint32_t>(root.kind()),
            static_cast<std::uint32_t>(root.last_outcome()), &out);
  if (root.has_modified()) {
    const std::int64_t since =
        (root.modified().seconds() - snapshot.began()) * kMicros + root.modified().nanos() / 1'000;
    out.WriteVarint64(WireFormatLite::ZigZagEncode64(since));
  }
  for (const auto& [what, times] : domain::PublishedOf(root)) {
    WritePair(static_cast<std::uint32_t>(what), times, &out);
  }
  out.Trim();
  return bytes;
}

bool ReadRoot(Reading& in, std::int64_t began, storage::v1::OrderState* root) {
  std::uint32_t status = 0;
  std::uint32_t flags = 0;
  std::uint32_t kind = 0;
  std::uint32_t outcome = 0;
  if (!in.Two(&status, &flags) || !in.Two(&kind, &outcome)) return false;
  root->set_status(static_cast<common::v1::OrderStatus>(status));
  root->set_kind(static_cast<events::v1::EventKind>(kind));
  root->set_last_outcome(static_cast<events::v1::EventWhat>(outcome));
  root->set_own_checkout((flags & kOwnCheckout) != 0);
  root->set_capturable_seen((flags & kCapturableSeen) != 0);
  root->set_outcome_by_order((flags & kByOrder) != 0);
  if ((flags & kModified) != 0) {
    std::uint64_t encoded = 0;
    if (!in.Number(&encoded)) return false;
    const std::int64_t micros = began * kMicros + WireFormatLite::ZigZagDecode64(encoded);
    root->mutable_modified()->set_seconds(micros / kMicros);
    root->mutable_modified()->set_nanos(static_cast<std::int32_t>(micros % kMicros) * 1'000);
  }
  while (!in.AtEnd()) {
    std::uint32_t what = 0;
    std::uint32_t times = 0;
    if (!in.Two(&what, &times) || what == 0 || times == 0) return false;
    const auto told = static_cast<events::v1::EventWhat>(what);
    if (domain::TimesPublished(*root, told) != 0) return false;
    domain::SetPublished(root, told, times);
  }
  return true;
}

}  // namespace

std::optional<std::string> PackSettled(const storage::v1::Snapshot& snapshot,
                                       std::uint64_t version) {
  if (snapshot.began() < 0) return std::nullopt;
  std::string packed = Write(snapshot, version);
  if (packed.size() > kMostBytes) return std::nullopt;
  // What it does not carry, as members, or numbers that are larger than usual, shows here.
  const std::optional<SettledFamily> read = UnpackSettled(std::string(kDayBytes, '\0') + packed);
  storage::v1::Snapshot kept = snapshot;
  kept.clear_stream();
  kept.clear_sequence();
  kept.clear_epoch();
  kept.clear_topic();
  if (!read || read->version != version ||
      !google::protobuf::util::MessageDifferencer::Equals(read->snapshot, kept)) {
    return std::nullopt;
  }
  return packed;
}

std::optional<SettledFamily> UnpackSettled(std::string_view value) {
  if (value.size() < kDayBytes) return std::nullopt;
  Reading in(value.substr(kDayBytes));
  SettledFamily family;
  std::uint64_t began = 0;
  if (!in.Number(&family.version) || !in.Number(&began)) return std::nullopt;
  family.snapshot.set_began(static_cast<std::int64_t>(began));
  if (!ReadRoot(in, family.snapshot.began(), family.snapshot.mutable_root())) return std::nullopt;
  return family;
}

}  // namespace tollbridge::redis
