#ifndef TOLLBRIDGE_SERVICES_RPC_MIDDLEWARE_H_
#define TOLLBRIDGE_SERVICES_RPC_MIDDLEWARE_H_

#include <memory>
#include <span>

#include "base/core/async.h"

namespace tollbridge::rpc {

class Call;
class Middleware;

/// What a pipe ends in: the use case of one method. Belongs to one shard.
class Handler {
 public:
  virtual ~Handler() = default;
  /// Answers the call, or writes the messages of a stream, or says why not.
  virtual AsyncStatus Handle(Call& call) = 0;
  /// Whether its calls spend their life waiting.
  virtual bool waits() const { return false; }
};

/// The rest of the pipe behind a link. Three words, copied freely; nothing is allocated to make
/// one.
class Next {
 public:
  Next(std::span<const std::unique_ptr<Middleware>> rest, Handler& handler)
      : rest_(rest), handler_(&handler) {}

  /// Runs the rest. A link calls it once, or not at all when it answers by itself.
  AsyncStatus operator()(Call& call) const;

 private:
  std::span<const std::unique_ptr<Middleware>> rest_;
  Handler* handler_;
};

/// One link of the inbound pipe, for one concern. An instance belongs to one shard, so it needs no
/// locks; it serves many calls at once, so what belongs to a call lives in the coroutine or the
/// Call.
class Middleware {
 public:
  virtual ~Middleware() = default;
  /// Returns the status of the call, its own or that of `next(call)`.
  virtual AsyncStatus Handle(Call& call, Next next) = 0;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_MIDDLEWARE_H_
