#include "services/rpc/status.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/core/text.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "services/domain/errors.h"
#include "services/domain/rpc_status.h"

namespace tollbridge::rpc {
namespace {

constexpr std::size_t kLongestMessage = 1024;
/// Clients take 8 KiB of trailers, some no more, and the codec of the server sends no more than 64.
/// The details are there as base64 beside the message, each byte of which may be three.
constexpr int kLargestDetails = 3 * 1024;

/// Leaves out violations from the end until it is small enough.
void Shorten(google::rpc::Status& status) {
  for (google::protobuf::Any& detail : *status.mutable_details()) {
    google::rpc::BadRequest bad;
    if (!detail.UnpackTo(&bad)) continue;
    auto& violations = *bad.mutable_field_violations();
    const auto too_large = [&] {
      return status.ByteSizeLong() - detail.value().size() + bad.ByteSizeLong() > kLargestDetails;
    };
    while (!violations.empty() && too_large()) violations.RemoveLast();
    detail.PackFrom(bad);
  }
}

/// Errors of these reasons begin with words of ours; what follows a colon is what a server, the
/// system or a library said, with addresses, names of keys and the like in it, or what a setting
/// has to do with it. What the payment service says of a request that it refused is for the caller.
constexpr std::array kFollowedByForeign = {
    domain::reason::kStoreUnavailable,
    domain::reason::kNotSent,
    domain::reason::kInternal,
    domain::reason::kUpstreamUnavailable,
    domain::reason::kUpstreamUnreadable,
    domain::reason::kUpstreamCredentials,
    domain::reason::kUpstreamRateLimited,
};

/// The message without what is for the log alone; with what to do in its place.
std::string WithoutForeign(const absl::Status& status, std::string_view reason) {
  std::string message(status.message());
  if (std::ranges::find(kFollowedByForeign, reason) == kFollowedByForeign.end()) return message;
  const std::size_t colon = message.find(": ");
  if (colon == std::string::npos) return message;
  message.resize(colon);
  if (domain::MetadataOf(status, "retry") == domain::RetryText(domain::Retry::kSafeSameKey)) {
    message += "; the same call can be made again, a mutation with the same idempotency_key";
  }
  return message;
}

absl::Status WithMessage(const absl::Status& status, const std::string& message) {
  absl::Status named(status.code(), message);
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { named.SetPayload(url, payload); });
  return named;
}

}  // namespace

absl::Status Published(const absl::Status& status) {
  if (status.ok()) return status;
  const std::string reason = domain::ReasonOf(status);
  if (!reason.empty()) {
    const std::string message = WithoutForeign(status, reason);
    return message == status.message() ? status : WithMessage(status, message);
  }
  const bool internal =
      status.code() == absl::StatusCode::kInternal || status.code() == absl::StatusCode::kUnknown;
  return domain::MakeError(internal ? absl::StatusCode::kInternal : status.code(),
                           internal ? "internal error" : "the call failed within the gateway",
                           {.reason = domain::reason::kInternal, .retry = domain::Retry::kNever});
}

bool IsForTheLog(const absl::Status& status) {
  return Published(status).message() != status.message();
}

wire::CallStatus ToCallStatus(const absl::Status& status) {
  if (status.ok()) return {};
  const absl::Status published = Published(status);
  google::rpc::Status out = domain::ToRpcStatus(published);
  out.set_message(std::string(Truncated(out.message(), kLongestMessage)));
  if (out.ByteSizeLong() > kLargestDetails) Shorten(out);
  return {published.code(), out.message(), out.SerializeAsString()};
}

}  // namespace tollbridge::rpc
