#ifndef TOLLBRIDGE_SERVICES_RPC_METER_H_
#define TOLLBRIDGE_SERVICES_RPC_METER_H_

#include <cstddef>

#include "base/telemetry/metrics.h"
#include "services/ports/clock.h"
#include "services/rpc/middleware.h"

namespace tollbridge::rpc {

/// Link: counts RPCs as they begin and end, by method and code, and measures how long they take
/// (grpc_server_*) and how much of it is our own, how many are under way, and who is to blame for
/// those that failed.
class Meter : public Middleware {
 public:
  /// `shard`: index of the one that its calls live on.
  Meter(telemetry::Metrics& metrics, const ports::Clock& clock, std::size_t shard = 0);
  AsyncStatus Handle(Call& call, Next next) override;

 private:
  telemetry::Metrics& metrics_;
  const ports::Clock& clock_;
  telemetry::Gauge in_flight_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_METER_H_
