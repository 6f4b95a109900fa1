#ifndef TOLLBRIDGE_SERVICES_RPC_METER_H_
#define TOLLBRIDGE_SERVICES_RPC_METER_H_

#include "base/telemetry/metrics.h"
#include "services/ports/clock.h"
#include "services/rpc/middleware.h"

namespace tollbridge::rpc {

/// Link: counts RPCs as they begin and end, by method and code, and measures how long they take
/// (grpc_server_*).
class Meter : public Middleware {
 public:
  Meter(telemetry::Metrics& metrics, const ports::Clock& clock)
      : metrics_(metrics), clock_(clock) {}
  AsyncStatus Handle(Call& call, Next next) override;

 private:
  telemetry::Metrics& metrics_;
  const ports::Clock& clock_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_METER_H_
