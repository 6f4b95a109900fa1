#include "services/rpc/status.h"

#include <string>

#include "google/rpc/status.pb.h"
#include "services/domain/errors.h"
#include "services/domain/rpc_status.h"

namespace tollbridge::rpc {
namespace {

constexpr std::size_t kLongestMessage = 1024;

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
  if (out.message().size() > kLongestMessage) out.mutable_message()->resize(kLongestMessage);
  return {published.code(), out.message(), out.SerializeAsString()};
}

}  // namespace tollbridge::rpc
