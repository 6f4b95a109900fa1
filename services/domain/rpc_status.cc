#include "services/domain/rpc_status.h"

#include <map>
#include <string>

#include <absl/strings/cord.h>
#include <absl/strings/string_view.h>

namespace tollbridge::domain {

google::rpc::Status ToRpcStatus(const absl::Status& status) {
  google::rpc::Status message;
  message.set_code(static_cast<int>(status.code()));
  message.set_message(std::string(status.message()));
  std::map<std::string, std::string> details;
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) {
    details.emplace(std::string(url), std::string(payload));
  });
  for (const auto& [url, payload] : details) {
    google::protobuf::Any& detail = *message.add_details();
    detail.set_type_url(url);
    detail.set_value(payload);
  }
  return message;
}

absl::Status FromRpcStatus(const google::rpc::Status& status) {
  absl::Status result(static_cast<absl::StatusCode>(status.code()), status.message());
  for (const google::protobuf::Any& detail : status.details()) {
    result.SetPayload(detail.type_url(), absl::Cord(absl::string_view(detail.value())));
  }
  return result;
}

}  // namespace tollbridge::domain
