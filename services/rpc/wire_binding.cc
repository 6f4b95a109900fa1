#include "services/rpc/wire_binding.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "services/rpc/status.h"

namespace tollbridge::rpc {
namespace {

// A call of the server as the pipe takes it.
class WireAccepted final : public AcceptedCall {
 public:
  explicit WireAccepted(std::shared_ptr<wire::ServerCall> call) : call_(std::move(call)) {}

  bool cancelled() const override { return call_->cancelled(); }
  std::string TakeRequest() override { return call_->TakeRequest(); }

  AsyncStatus Write(std::string bytes, const Metadata& initial_metadata) override {
    return call_->Write(std::move(bytes), initial_metadata);
  }

  void Finish(const Call& call, const absl::Status& status) override {
    const Metadata& initial = call.initial_metadata();
    if (status.ok() && !call.method().server_streaming) {
      call_->Finish({}, &call.answer(), initial, {});
    } else {
      call_->Finish(ToCallStatus(status), nullptr, initial, {});
    }
  }

 private:
  const std::shared_ptr<wire::ServerCall> call_;
};

/// What its caller gives it, or its method, within the server's bounds.
BootClock::duration TimeOf(const wire::ServerCall& call, const MethodInfo& method,
                           const DeadlineBounds& bounds) {
  return std::min<BootClock::duration>(call.timeout().value_or(method.default_deadline),
                                       method.server_streaming ? bounds.stream : bounds.unary);
}

CallHead HeadOf(const wire::ServerCall& call, BootTime deadline) {
  CallHead head;
  head.peer =
      absl::StrCat(call.peer().address.starts_with('[') ? "ipv6:" : "ipv4:", call.peer().address);
  head.caller = CallerOf(call.peer());
  head.deadline = deadline;
  if (const std::string* traceparent = call.FindMetadata("traceparent"); traceparent != nullptr) {
    const std::string* tracestate = call.FindMetadata("tracestate");
    head.remote_trace = telemetry::TraceContext::FromHeaders(
                            *traceparent, tracestate == nullptr ? std::string_view() : *tracestate)
                            .value_or(head.remote_trace);
  }
  return head;
}

}  // namespace

Caller CallerOf(const wire::Peer& peer) {
  if (!peer.tls) return LocalCaller();
  return CertifiedCaller(peer.certificate.uris, peer.certificate.dns_names);
}

wire::Methods BindMethods(const MethodTable& methods, Handover& handover, const ports::Clock& clock,
                          DeadlineBounds bounds) {
  wire::Methods bound;
  for (const MethodInfo& method : methods.all()) {
    bound[method.path] = {
        .streams_requests = false,
        .start = [&method, &handover, &clock, bounds](std::shared_ptr<wire::ServerCall> call) {
          const std::size_t shard = call->shard();
          const BootClock::duration time = TimeOf(*call, method, bounds);
          call->LimitTime(time);
          CallHead head = HeadOf(*call, clock.BootNow() + time);
          call->DropMetadata();
          handover.Accept(shard, method, std::move(head),
                          std::make_shared<WireAccepted>(std::move(call)));
        }};
  }
  return bound;
}

}  // namespace tollbridge::rpc
