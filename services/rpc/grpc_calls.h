#ifndef TOLLBRIDGE_SERVICES_RPC_GRPC_CALLS_H_
#define TOLLBRIDGE_SERVICES_RPC_GRPC_CALLS_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>

#include "services/rpc/handover.h"

// The two kinds of gRPC calls as AcceptedCalls. Part of grpc_binding.cc; nobody else includes this.
//
// Two threads can want to end a call: the shard, with its answer, and gRPC, when the caller has
// gone. `ending` decides: whoever moves it from kOpen may touch the context and the response, and
// calls Finish; gRPC frees both only after that. The object itself is shared between gRPC (until
// OnDone) and the call's coroutine.

namespace tollbridge::rpc {

/// The caller's time left, or `by_default` when it set no deadline.
BootClock::duration TimeLeft(const grpc::CallbackServerContext& context,
                             std::chrono::milliseconds by_default);

/// A call that answers once.
class UnaryCall : public grpc::ServerUnaryReactor, public AcceptedCall {
 public:
  UnaryCall(grpc::CallbackServerContext& context, const grpc::ByteBuffer& request,
            grpc::ByteBuffer& response)
      : context_(context), request_(request), response_(response) {}

  void KeepUntilDone(std::shared_ptr<UnaryCall> self) { self_ = std::move(self); }

  // AcceptedCall, on the shard.
  std::string TakeRequest() override;
  void Finish(const Call& call, const absl::Status& status) override;
  AsyncStatus Write(std::string bytes, const Metadata& initial_metadata) override;
  bool cancelled() const override { return cancelled_.load(std::memory_order_acquire); }

  // grpc::ServerUnaryReactor, on gRPC's threads.
  void OnCancel() override;
  void OnDone() override;

 private:
  bool TakeEnd() { return !ended_.exchange(true, std::memory_order_acq_rel); }

  grpc::CallbackServerContext& context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer& response_;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> ended_{false};
  std::shared_ptr<UnaryCall> self_;
};

/// A call that answers with a stream.
class StreamCall : public grpc::ServerWriteReactor<grpc::ByteBuffer>, public AcceptedCall {
 public:
  StreamCall(grpc::CallbackServerContext& context, const grpc::ByteBuffer& request)
      : context_(context), request_(request) {}

  void KeepUntilDone(std::shared_ptr<StreamCall> self) { self_ = std::move(self); }

  // AcceptedCall, on the shard.
  std::string TakeRequest() override;
  void Finish(const Call& call, const absl::Status& status) override;
  AsyncStatus Write(std::string bytes, const Metadata& initial_metadata) override;
  bool cancelled() const override { return cancelled_.load(std::memory_order_acquire); }

  // grpc::ServerWriteReactor, on gRPC's threads.
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  enum class State {
    kIdle,
    kWriting,
    kWritingLast,  // the caller went away during a write; whoever ends the write ends the call
    kEnded,
  };
  bool Move(State from, State to) {
    return state_.compare_exchange_strong(from, to, std::memory_order_acq_rel);
  }
  void AddInitialMetadata(const Metadata& metadata);

  grpc::CallbackServerContext& context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer message_;
  bool metadata_added_ = false;
  std::atomic<bool> cancelled_{false};
  std::atomic<State> state_{State::kIdle};
  // Of the coroutine that awaits the write. Set before the write starts, taken when it is done.
  boost::asio::any_io_executor shard_;
  boost::asio::any_completion_handler<void(bool)> written_;
  std::shared_ptr<StreamCall> self_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_GRPC_CALLS_H_
