#include "services/rpc/grpc_binding.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_builder.h>

#include "services/rpc/grpc_calls.h"
#include "services/rpc/status.h"
#include "services/rpc/unknown_method.h"

namespace tollbridge::rpc {
namespace {

// What a call is started with; shared by all methods.
struct Starter {
  Handover& handover;
  const ports::Clock& clock;
  DeadlineBounds bounds;

  CallHead Head(const MethodInfo& method, const grpc::CallbackServerContext& context) const {
    CallHead head;
    head.peer = context.peer();
    head.caller = CallerOf(*context.auth_context());
    const auto bound = method.server_streaming ? bounds.stream : bounds.unary;
    const auto left = TimeLeft(context, method.default_deadline);
    head.deadline = clock.BootNow() + std::min<BootClock::duration>(left, bound);
    const auto traceparent = context.client_metadata().find("traceparent");
    if (traceparent != context.client_metadata().end()) {
      const std::string_view text(traceparent->second.data(), traceparent->second.size());
      head.remote_trace =
          telemetry::TraceContext::FromTraceparent(text).value_or(head.remote_trace);
    }
    return head;
  }

  template <typename GrpcCall>
  GrpcCall* Start(const MethodInfo& method, std::shared_ptr<GrpcCall> call,
                  const grpc::CallbackServerContext& context) const {
    GrpcCall* reactor = call.get();
    // gRPC's part of the ownership: until OnDone.
    reactor->KeepUntilDone(call);
    handover.Accept(method, Head(method, context), std::move(call));
    return reactor;
  }
};

// One service of the .proto. It owns nothing that a call needs after gRPC has started it.
class BoundService : public grpc::Service {
 public:
  BoundService(const Starter& starter, std::vector<const MethodInfo*> methods) {
    int index = 0;
    for (const MethodInfo* method : methods) {
      method->server_streaming ? BindStream(starter, *method, index)
                               : BindUnary(starter, *method, index);
      ++index;
    }
  }

 private:
  void BindUnary(const Starter& starter, const MethodInfo& method, int index) {
    AddMethod(new grpc::internal::RpcServiceMethod(method.path.c_str(),
                                                   grpc::internal::RpcMethod::NORMAL_RPC, nullptr));
    MarkMethodRawCallback(
        index, new grpc::internal::CallbackUnaryHandler<grpc::ByteBuffer, grpc::ByteBuffer>(
                   [&starter, &method](grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) -> grpc::ServerUnaryReactor* {
                     return starter.Start(
                         method, std::make_shared<UnaryCall>(*context, *request, *response),
                         *context);
                   }));
  }

  void BindStream(const Starter& starter, const MethodInfo& method, int index) {
    AddMethod(new grpc::internal::RpcServiceMethod(
        method.path.c_str(), grpc::internal::RpcMethod::SERVER_STREAMING, nullptr));
    MarkMethodRawCallback(
        index,
        new grpc::internal::CallbackServerStreamingHandler<grpc::ByteBuffer, grpc::ByteBuffer>(
            [&starter, &method](
                grpc::CallbackServerContext* context,
                const grpc::ByteBuffer* request) -> grpc::ServerWriteReactor<grpc::ByteBuffer>* {
              return starter.Start(method, std::make_shared<StreamCall>(*context, *request),
                                   *context);
            }));
  }
};

// Every path that no service has.
class UnknownMethods : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    class Refusal : public grpc::ServerGenericBidiReactor {
     public:
      Refusal() { Finish(ToGrpcStatus(UnknownMethod())); }
      void OnDone() override { delete this; }
    };
    return new Refusal;
  }
};

}  // namespace

class GrpcBinding::Impl {
 public:
  Impl(const MethodTable& methods, Handover& handover, const ports::Clock& clock,
       DeadlineBounds bounds)
      : starter_{handover, clock, bounds} {
    for (const auto* service : methods.services()) {
      std::vector<const MethodInfo*> of_service;
      for (const MethodInfo& method : methods.all()) {
        if (method.descriptor->service() == service) of_service.push_back(&method);
      }
      services_.push_back(std::make_unique<BoundService>(starter_, std::move(of_service)));
    }
  }

  void RegisterWith(grpc::ServerBuilder& builder) {
    for (const auto& service : services_) builder.RegisterService(service.get());
    builder.RegisterCallbackGenericService(&unknown_);
  }

 private:
  Starter starter_;
  std::vector<std::unique_ptr<BoundService>> services_;
  UnknownMethods unknown_;
};

GrpcBinding::GrpcBinding(const MethodTable& methods, Handover& handover, const ports::Clock& clock,
                         DeadlineBounds bounds)
    : impl_(std::make_unique<Impl>(methods, handover, clock, bounds)) {}

GrpcBinding::~GrpcBinding() = default;

void GrpcBinding::RegisterWith(grpc::ServerBuilder& builder) { impl_->RegisterWith(builder); }

}  // namespace tollbridge::rpc
