#include "services/rpc/authenticate.h"

#include <string_view>

#include "services/domain/errors.h"
#include "services/rpc/call.h"

namespace tollbridge::rpc {
namespace {

absl::Status CallerUnknown(const Caller& caller) {
  const std::string_view message =
      caller.local ? "callers without TLS are not let in: use TLS with a certificate of your own"
                   : "no certificate with a URI or a DNS name of yours was shown";
  return domain::MakeError(absl::StatusCode::kUnauthenticated, message,
                           {.reason = domain::reason::kCallerUnknown,
                            .retry = domain::Retry::kAfterChange,
                            .metadata = {},
                            .retry_after = std::nullopt,
                            .violations = {}});
}

}  // namespace

AsyncStatus Authenticate::Handle(Call& call, Next next) {
  if (!rules_.Knows(call.caller())) {
    refused_.Tell(call, domain::reason::kCallerUnknown, "");
    co_return CallerUnknown(call.caller());
  }
  co_return co_await next(call);
}

}  // namespace tollbridge::rpc
