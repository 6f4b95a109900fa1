#include "services/rpc/status.h"

#include <string>

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

}  // namespace

absl::Status Published(const absl::Status& status) {
  if (status.ok() || !domain::ReasonOf(status).empty()) return status;
  const bool internal =
      status.code() == absl::StatusCode::kInternal || status.code() == absl::StatusCode::kUnknown;
  const std::string message = internal ? "internal error" : std::string(status.message());
  return domain::MakeError(internal ? absl::StatusCode::kInternal : status.code(), message,
                           {.reason = domain::reason::kInternal, .retry = domain::Retry::kNever});
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
