#include "services/rpc/handover.h"

#include <exception>
#include <utility>

#include <absl/strings/str_cat.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/telemetry/log.h"

namespace tollbridge::rpc {
namespace {

// Exceptions of libraries end here: a call that throws is an answered call.
AsyncStatus Dispatch(Dispatcher& dispatcher, Call& call) {
  std::string what;
  try {
    co_return co_await dispatcher.Dispatch(call);
  } catch (const std::exception& e) {
    what = e.what();
  }
  telemetry::Log(telemetry::Severity::kError, "rpc_exception",
                 {{"method", call.method().full_name},
                  {"what", what},
                  telemetry::Trace(call.context().trace)});
  co_return absl::InternalError("a use case threw");
}

boost::asio::awaitable<void> Run(Dispatcher& dispatcher, const MethodInfo& method, CallHead head,
                                 std::shared_ptr<AcceptedCall> wire, Drain::Ticket) {
  Call call(method, std::move(head), wire->TakeRequest(), *wire);
  absl::Status status = co_await Dispatch(dispatcher, call);
  wire->Finish(call, status);
}

}  // namespace

Handover::Handover(ShardPool& shards, std::vector<Dispatcher*> dispatchers, Drain& drain)
    : shards_(shards), dispatchers_(std::move(dispatchers)), drain_(drain) {}

void Handover::Accept(std::size_t shard, const MethodInfo& method, CallHead head,
                      std::shared_ptr<AcceptedCall> wire) {
  boost::asio::co_spawn(
      shards_.at(shard).executor(),
      Run(*dispatchers_[shard], method, std::move(head), std::move(wire), Drain::Ticket(drain_)),
      boost::asio::detached);
}

}  // namespace tollbridge::rpc
