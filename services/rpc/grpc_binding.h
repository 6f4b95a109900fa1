#ifndef TOLLBRIDGE_SERVICES_RPC_GRPC_BINDING_H_
#define TOLLBRIDGE_SERVICES_RPC_GRPC_BINDING_H_

#include <chrono>
#include <memory>

#include "services/ports/clock.h"
#include "services/rpc/handover.h"
#include "services/rpc/method.h"

namespace grpc {
class ServerBuilder;
}  // namespace grpc

namespace tollbridge::rpc {

/// How long a caller may ask a call to live.
struct DeadlineBounds {
  std::chrono::milliseconds unary{std::chrono::minutes(2)};
  std::chrono::milliseconds stream{std::chrono::hours(1)};
};

/// The published methods as gRPC services, by descriptor: one raw callback for all methods that
/// answer once and one for all that stream, no generated code and none per method. Requests are
/// read by us (middleware Parse), not by gRPC. A method of any other name is answered UNIMPLEMENTED
/// UNKNOWN_METHOD.
class GrpcBinding {
 public:
  /// `methods`, `handover` and `clock` outlive this; this outlives the grpc::Server.
  GrpcBinding(const MethodTable& methods, Handover& handover, const ports::Clock& clock,
              DeadlineBounds bounds);
  ~GrpcBinding();
  GrpcBinding(const GrpcBinding&) = delete;
  GrpcBinding& operator=(const GrpcBinding&) = delete;

  void RegisterWith(grpc::ServerBuilder& builder);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_GRPC_BINDING_H_
