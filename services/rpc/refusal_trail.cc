#include "services/rpc/refusal_trail.h"

#include <chrono>
#include <cstddef>
#include <utility>

#include "base/core/place.h"
#include "base/core/text.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "services/domain/timestamps.h"
#include "services/rpc/call.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::rpc {
namespace {

constexpr int kMostAMinute = 10;
constexpr std::int64_t kMostUnderWay = 64;
constexpr std::size_t kMostCallers = 1'000;
constexpr std::chrono::minutes kMinute{1};
/// Whatever deadline the caller chose: a short one may not keep a call out of the records.
constexpr std::chrono::seconds kPatience{1};
/// As much of an identity as there may be (Caller::identity), and of an address.
constexpr std::size_t kLongestIdentity = 512;
constexpr std::size_t kLongestPeer = 128;

bool LacksPermission(const absl::Status& status) {
  return absl::IsPermissionDenied(status) &&
         domain::ReasonOf(status) == domain::reason::kPermissionDenied;
}

}  // namespace

AsyncStatus RefusalTrail::Handle(Call& call, Next next) {
  absl::Status status = co_await next(call);
  if (LacksPermission(status)) co_await Tell(call);
  co_return status;
}

boost::asio::awaitable<void> RefusalTrail::Tell(const Call& call) {
  const std::string& caller = call.caller().identity;
  Minute& minute = MinuteOf(caller);
  if (minute.recorded >= kMostAMinute || under_way_ >= kMostUnderWay) {
    ++minute.left_out;
    CountUnrecorded("bound");
    co_return;
  }
  ++minute.recorded;
  const std::uint64_t left_out = std::exchange(minute.left_out, 0);

  const domain::Project* project = call.project();
  if (project == nullptr) project = &projects_.all().front();
  const operations::v1::OperationRecord record = RecordOf(call, left_out);
  const ports::Context within{.deadline = ports_.clock.BootNow() + kPatience,
                              .trace = call.context().trace};
  const Place place(under_way_);
  const absl::StatusOr<bool> kept = co_await ports_.calls.Note(project->name, record, within);
  if (kept.ok() && *kept) co_return;
  // Another call of this caller may have been told meanwhile.
  MinuteOf(caller).left_out += left_out + 1;
  CountUnrecorded(kept.ok() ? "full" : "store");
}

RefusalTrail::Minute& RefusalTrail::MinuteOf(std::string_view caller) {
  const BootTime now = ports_.clock.BootNow();
  auto found = callers_.find(caller);
  if (found == callers_.end()) {
    if (callers_.size() >= kMostCallers) MakeRoom(now);
    if (callers_.size() < kMostCallers) {
      found = callers_.emplace(std::string(caller), Minute{.began = now}).first;
    }
  }
  Minute& minute = found == callers_.end() ? others_ : found->second;
  if (now - minute.began >= kMinute) {
    minute.began = now;
    minute.recorded = 0;
  }
  return minute;
}

void RefusalTrail::MakeRoom(BootTime now) {
  const auto is_over = [now](const Minute& minute) { return now - minute.began >= kMinute; };
  std::erase_if(callers_, [&](const auto& entry) {
    return is_over(entry.second) && entry.second.left_out == 0;
  });
  // What was left out of theirs is counted in the metric alone.
  if (callers_.size() < kMostCallers) return;
  std::erase_if(callers_, [&](const auto& entry) { return is_over(entry.second); });
}

operations::v1::OperationRecord RefusalTrail::RecordOf(const Call& call, std::uint64_t left_out) {
  operations::v1::OperationRecord record;
  record.set_project(std::string(call.project_name()));
  operations::v1::PrivilegedAction& action = *record.mutable_privileged();
  action.set_id(ports_.rng.NewUuid().ToString());
  *action.mutable_time() = domain::ToTimestamp(ports_.clock.WallNow());
  action.set_who(OneLine(call.caller().identity, kLongestIdentity));
  operations::v1::RefusedCall& refused = *action.mutable_refused_call();
  // Without the slash that a path begins with.
  refused.set_rpc(call.method().path.substr(1));
  refused.set_permission(call.method().permission);
  refused.set_peer(OneLine(call.peer(), kLongestPeer));
  refused.set_left_out(left_out);
  return record;
}

void RefusalTrail::CountUnrecorded(std::string_view cause) {
  ports_.metrics.Get(telemetry::kRpcRefusalsUnrecorded, {cause}).Increment();
}

}  // namespace tollbridge::rpc
