#include "services/rpc/dispatcher.h"

#include <absl/strings/str_cat.h>

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

Handler& EndOf(const MethodInfo& method) {
  static MutationEnd mutation;
  static UnknownMethodHandler unknown;
  if (method.effect == options::v1::EFFECT_MUTATION) return mutation;
  return unknown;
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

void Dispatcher::Handle(const MethodInfo& method, std::unique_ptr<Handler> handler) {
  handlers_[&method] = std::move(handler);
}

AsyncStatus Dispatcher::Dispatch(Call& call) {
  const auto it = handlers_.find(&call.method());
  Handler& handler = it == handlers_.end() ? EndOf(call.method()) : *it->second;
  call.set_waits(handler.waits());
  return pipeline_.Run(call, handler);
}

}  // namespace tollbridge::rpc
