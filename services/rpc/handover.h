#ifndef TOLLBRIDGE_SERVICES_RPC_HANDOVER_H_
#define TOLLBRIDGE_SERVICES_RPC_HANDOVER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/core/shard.h"
#include "services/rpc/call.h"
#include "services/rpc/dispatcher.h"
#include "services/rpc/drain.h"

namespace tollbridge::rpc {

/// A call as the wire gives it away, and the place where its answer goes. Written by the binding to
/// the wire and by tests; kept alive by the Handover until the call has ended.
class AcceptedCall : public WireCall {
 public:
  /// The request's bytes, taken out. Once, on the shard.
  virtual std::string TakeRequest() = 0;
  /// The end of the call: `call.answer()` when OK and not a stream, else the status. Once, on the
  /// shard. When the caller has gone it is lost, which is no error.
  virtual void Finish(const Call& call, const absl::Status& status) = 0;
};

/// Where a call leaves the wire for the pipe: both are on one shard.
class Handover {
 public:
  /// `dispatchers`: one for each shard of `shards`, used on that shard only. All three outlive the
  /// shards' threads.
  Handover(ShardPool& shards, std::vector<Dispatcher*> dispatchers, Drain& drain);

  /// Starts the call on the shard of that index, and returns at once; any thread. The call ends in
  /// `wire->Finish`, also when a use case throws; only if the shards stop first, it does not.
  void Accept(std::size_t shard, const MethodInfo& method, CallHead head,
              std::shared_ptr<AcceptedCall> wire);

 private:
  ShardPool& shards_;
  std::vector<Dispatcher*> dispatchers_;
  Drain& drain_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_HANDOVER_H_
