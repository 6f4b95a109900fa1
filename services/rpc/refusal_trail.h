#ifndef TOLLBRIDGE_SERVICES_RPC_REFUSAL_TRAIL_H_
#define TOLLBRIDGE_SERVICES_RPC_REFUSAL_TRAIL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "base/telemetry/metrics.h"
#include "services/domain/project.h"
#include "services/ports/clock.h"
#include "services/ports/refused_calls.h"
#include "services/ports/rng.h"
#include "services/rpc/middleware.h"

namespace tollbridge::operations::v1 {
class OperationRecord;
}  // namespace tollbridge::operations::v1

namespace tollbridge::rpc {

class Call;

/// Link: has a record made of each call that Authorize refuses, before it is answered
/// (docs/design/operations.md#records-for-audit). It is kept with the project that the call names;
/// one that names none of the configured ones is kept with the first of them, and its record names
/// no project. Stands outside of Limit, so that a refused call waits for the store in nobody's
/// place. Changes no answer: what cannot be recorded is counted
/// (tollbridge_rpc_refusals_unrecorded_total), and so is what is more than 10 calls of a caller in
/// a minute or 64 records under way. The caller's next record tells how many had none. Belongs to
/// one shard.
class RefusalTrail : public Middleware {
 public:
  struct Ports {
    ports::RefusedCalls& calls;
    ports::Clock& clock;
    ports::Rng& rng;
    telemetry::Metrics& metrics;
  };

  RefusalTrail(const Ports& ports, const domain::Projects& projects)
      : ports_(ports), projects_(projects) {}
  AsyncStatus Handle(Call& call, Next next) override;

 private:
  /// What is known of one caller's refused calls.
  struct Minute {
    BootTime began;
    int recorded = 0;
    std::uint64_t left_out = 0;
  };

  boost::asio::awaitable<void> Tell(const Call& call);
  /// The caller's minute, which is a new one when the last is over. Valid until the next call.
  Minute& MinuteOf(std::string_view caller);
  void MakeRoom(BootTime now);
  operations::v1::OperationRecord RecordOf(const Call& call, std::uint64_t left_out);
  void CountUnrecorded(std::string_view cause);

  Ports ports_;
  const domain::Projects& projects_;
  std::map<std::string, Minute, std::less<>> callers_;
  /// Shared by those who are too many to be remembered.
  Minute others_;
  std::int64_t under_way_ = 0;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_REFUSAL_TRAIL_H_
