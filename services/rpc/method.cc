#include "services/rpc/method.h"

#include <utility>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>

#include "base/core/status_macros.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::rpc {
namespace {

namespace pb = google::protobuf;
namespace options = tollbridge::options::v1;

absl::Status Refused(const pb::MethodDescriptor& method, const char* why) {
  return absl::FailedPreconditionError(absl::StrCat(method.full_name(), ": ", why));
}

bool HasIdempotencyKey(const pb::Descriptor& request) {
  const pb::FieldDescriptor* key = request.FindFieldByName("idempotency_key");
  return key != nullptr && key->type() == pb::FieldDescriptor::TYPE_STRING && !key->is_repeated();
}

}  // namespace

absl::StatusOr<MethodInfo> DescribeMethod(const pb::MethodDescriptor& method) {
  if (!method.options().HasExtension(options::policy)) {
    return Refused(method, "has no option tollbridge.options.v1.policy");
  }
  if (method.client_streaming()) return Refused(method, "streams from the caller are not served");
  const options::MethodPolicy& policy = method.options().GetExtension(options::policy);

  MethodInfo info;
  info.effect = policy.effect();
  if (info.effect == options::EFFECT_UNSPECIFIED) {
    return Refused(method, "its policy declares no effect");
  }
  if (policy.permission().empty()) return Refused(method, "its policy names no permission");
  const pb::Duration& deadline = policy.default_deadline();
  info.default_deadline = std::chrono::seconds(deadline.seconds()) +
                          std::chrono::milliseconds(deadline.nanos() / 1'000'000);
  if (info.default_deadline <= std::chrono::milliseconds(0)) {
    return Refused(method, "its policy has no default_deadline");
  }
  if (info.effect == options::EFFECT_MUTATION) {
    if (method.server_streaming()) return Refused(method, "a mutation cannot stream");
    if (!HasIdempotencyKey(*method.input_type())) {
      return Refused(method, "the request of a mutation needs a string idempotency_key");
    }
  }
  info.descriptor = &method;
  info.full_name = method.full_name();
  info.service = method.service()->full_name();
  info.name = method.name();
  info.path = absl::StrCat("/", info.service, "/", info.name);
  info.permission = policy.permission();
  info.carries_card_data = policy.carries_card_data();
  info.server_streaming = method.server_streaming();
  return info;
}

const pb::MethodDescriptor* MethodOf(const pb::Descriptor& request) {
  const pb::MethodDescriptor* found = nullptr;
  for (int i = 0; i < request.file()->service_count(); ++i) {
    const pb::ServiceDescriptor& service = *request.file()->service(i);
    for (int j = 0; j < service.method_count(); ++j) {
      if (service.method(j)->input_type() != &request) continue;
      if (found != nullptr) return nullptr;
      found = service.method(j);
    }
  }
  return found;
}

absl::StatusOr<MethodTable> MethodTable::Of(const std::vector<std::string_view>& services) {
  MethodTable table;
  for (const std::string_view name : services) {
    const pb::ServiceDescriptor* service =
        pb::DescriptorPool::generated_pool()->FindServiceByName(std::string(name));
    if (service == nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat(std::string(name), ": no such service is compiled in"));
    }
    table.services_.push_back(service);
    for (int i = 0; i < service->method_count(); ++i) {
      TB_ASSIGN_OR_RETURN(MethodInfo info, DescribeMethod(*service->method(i)));
      table.methods_.push_back(std::move(info));
    }
  }
  // Only now: growing the vector moves its elements.
  for (const MethodInfo& method : table.methods_) table.by_name_.emplace(method.full_name, &method);
  return table;
}

const MethodInfo* MethodTable::Find(std::string_view full_name) const {
  const auto it = by_name_.find(full_name);
  return it == by_name_.end() ? nullptr : it->second;
}

}  // namespace tollbridge::rpc
