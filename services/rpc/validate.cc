#include "services/rpc/validate.h"

#include <algorithm>
#include <iterator>

#include <google/protobuf/descriptor.h>

#include "services/rpc/call.h"

namespace tollbridge::rpc {
namespace {

std::vector<const google::protobuf::Descriptor*> RequestTypes(const MethodTable& methods) {
  std::vector<const google::protobuf::Descriptor*> types;
  for (const MethodInfo& method : methods.all()) types.push_back(method.descriptor->input_type());
  return types;
}

}  // namespace

RequestRules::RequestRules(const MethodTable& methods, domain::FieldLimits limits)
    : fields_(RequestTypes(methods), limits) {}

std::vector<domain::FieldViolation> RequestRules::Check(const MethodInfo& method,
                                                        const google::protobuf::Message& request,
                                                        const domain::Project* project) const {
  std::vector<domain::FieldViolation> found = fields_.Check(request);
  const auto it = rules_.find(&method);
  if (it == rules_.end()) return found;
  std::ranges::move(it->second(request, project), std::back_inserter(found));
  return found;
}

AsyncStatus Validate::Handle(Call& call, Next next) {
  std::vector<domain::FieldViolation> violations =
      rules_.Check(call.method(), call.request(), call.project());
  if (!violations.empty()) co_return domain::InvalidRequest(std::move(violations));
  co_return co_await next(call);
}

}  // namespace tollbridge::rpc
