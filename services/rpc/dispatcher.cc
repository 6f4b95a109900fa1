#include "services/rpc/dispatcher.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>

#include "services/domain/errors.h"
#include "services/rpc/unknown_method.h"

namespace tollbridge::rpc {
namespace {

// Behind Durable there is nothing for a mutation: no second way to change something.
class MutationEnd : public Handler {
 public:
  AsyncStatus Handle(Call& call) override {
    co_return absl::InternalError(
        absl::StrCat(call.method().full_name, ": a mutation got past the durable engine"));
  }
};

class UnknownMethodHandler : public Handler {
 public:
  AsyncStatus Handle(Call&) override { co_return UnknownMethod(); }
};

Handler& UnknownHandler() {
  static UnknownMethodHandler handler;
  return handler;
}

}  // namespace

absl::Status UnknownMethod() {
  return domain::MakeError(absl::StatusCode::kUnimplemented, "this method is not served here",
                           {.reason = domain::reason::kUnknownMethod,
                            .retry = domain::Retry::kNever,
                            .metadata = {},
                            .retry_after = std::nullopt,
                            .violations = {}});
}

void Dispatcher::Mistake(std::string_view method, const char* what) {
  status_.Update(absl::FailedPreconditionError(absl::StrCat(std::string(method), ": ", what)));
}

void Dispatcher::HandleMutation(std::string_view method) {
  const MethodInfo* info = methods_.Find(method);
  if (info == nullptr) return Mistake(method, "is not a published method");
  Register(method, info->descriptor->input_type(), info->descriptor->output_type(), Kind::kMutation,
           std::make_unique<MutationEnd>());
}

void Dispatcher::Register(std::string_view method, const google::protobuf::Descriptor* request,
                          const google::protobuf::Descriptor* response, Kind kind,
                          std::unique_ptr<Handler> handler) {
  const MethodInfo* info = methods_.Find(method);
  if (info == nullptr) return Mistake(method, "is not a published method");
  if (info->descriptor->input_type() != request || info->descriptor->output_type() != response) {
    return Mistake(method, "is registered with other message types than its .proto declares");
  }
  if ((info->effect == options::v1::EFFECT_MUTATION) != (kind == Kind::kMutation)) {
    return Mistake(method, "is a mutation registered as a read, or a read as a mutation");
  }
  if (info->server_streaming != (kind == Kind::kStream)) {
    return Mistake(method, "streams and is registered as if not, or the other way round");
  }
  if (!handlers_.emplace(info, std::move(handler)).second) {
    return Mistake(method, "is registered twice");
  }
}

AsyncStatus Dispatcher::Dispatch(Call& call) {
  const auto it = handlers_.find(&call.method());
  Handler& handler = it == handlers_.end() ? UnknownHandler() : *it->second;
  call.set_waits(handler.waits());
  return pipeline_.Run(call, handler);
}

}  // namespace tollbridge::rpc
