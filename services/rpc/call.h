#ifndef TOLLBRIDGE_SERVICES_RPC_CALL_H_
#define TOLLBRIDGE_SERVICES_RPC_CALL_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "base/core/async.h"
#include "services/ports/context.h"
#include "services/rpc/caller.h"
#include "services/rpc/method.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace tollbridge::domain {
struct Project;
}  // namespace tollbridge::domain

namespace tollbridge::rpc {

using Metadata = std::vector<std::pair<std::string, std::string>>;

/// What is known of a call before its request is read.
struct CallHead {
  std::string peer;
  /// The caller's deadline, else the method's default; within the server's bounds.
  BootTime deadline;
  /// From the caller's `traceparent`; not valid when there was none that could be read.
  telemetry::TraceContext remote_trace;
  /// As the connection proves it; what the caller may do is for Authenticate and Authorize to say.
  Caller caller = {};
};

/// The wire's side of a call, as the pipe needs it. Implemented by the binding to gRPC, and by
/// tests.
class WireCall {
 public:
  virtual ~WireCall() = default;
  /// Whether the caller has gone: cancelled, deadline over, connection lost. Any thread.
  virtual bool cancelled() const = 0;
  /// Sends one message of a server stream and returns when the flow control allows the next.
  /// CANCELLED when the caller has gone. `initial_metadata` goes out with the first message. On the
  /// call's shard; one at a time.
  virtual AsyncStatus Write(std::string bytes, const Metadata& initial_metadata) = 0;
};

/// One RPC on its way through the pipe. Lives on one shard from start to finish and is used there
/// only. When the caller goes away the call runs on (a mutation that has SENT must); who can stop
/// early asks `cancelled()`.
class Call {
 public:
  /// A call as it comes from the wire: `bytes` are the request, read by the middleware Parse.
  /// `wire` outlives the call.
  Call(const MethodInfo& method, CallHead head, std::string bytes, WireCall& wire);
  /// A call whose request is there already, and whose caller never goes away. For tests.
  Call(const MethodInfo& method, CallHead head, const google::protobuf::Message& request);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const MethodInfo& method() const { return method_; }
  const std::string& peer() const { return head_.peer; }
  /// Valid as long as the call.
  const Caller& caller() const { return head_.caller; }
  BootTime deadline() const { return head_.deadline; }
  /// What port calls made for this RPC get: its deadline, the span of the RPC as parent, and where
  /// they say how long they wait.
  ports::Context context() const { return {head_.deadline, head_.remote_trace, waited_}; }
  /// The middleware Trace: makes the RPC's own span the parent of what follows.
  void set_trace(const telemetry::TraceContext& trace) { head_.remote_trace = trace; }
  /// The middleware Meter: asks how long the payment service is waited for from now on.
  void set_waited(std::shared_ptr<ports::Waited> waited) { waited_ = std::move(waited); }

  /// Of the method's input type. Empty until `Parse` has run.
  const google::protobuf::Message& request() const { return *request_; }
  /// The answer: a message of the method's output type in protobuf's wire format. It is sent only
  /// when the status is OK, and not for streams.
  const std::string& answer() const { return answer_; }
  void AnswerBytes(std::string bytes) { answer_ = std::move(bytes); }
  /// A replay must have the bytes of the first answer (docs/design/operations.md#rule-7).
  void Answer(const google::protobuf::Message& message);

  /// The configured project that the request names. Nullptr when it names none; until Authorize has
  /// run, which alone resolves it.
  const domain::Project* project() const { return project_; }
  /// Its name; empty for none.
  std::string_view project_name() const;
  /// `project` outlives the call.
  void set_project(const domain::Project* project) { project_ = project; }

  /// Reads the request's bytes into `request()` and frees them. INVALID_ARGUMENT UNPARSABLE_REQUEST
  /// when they are not the method's message. The first call decides; later ones do nothing and are
  /// OK.
  absl::Status Parse();

  /// Sends one message of a server stream; returns when the next may be sent. CANCELLED when the
  /// caller has gone.
  AsyncStatus Write(const google::protobuf::Message& message);
  /// The same with a message in protobuf's wire format.
  AsyncStatus WriteBytes(std::string bytes);

  /// Any thread.
  bool cancelled() const;

  /// Sent before the answer (of a stream: with its first message). Lower-case names.
  void AddInitialMetadata(std::string name, std::string value);

  /// A stream that spends its life waiting (WatchOrder): Limit counts it apart. Set by the
  /// dispatcher, from the registration.
  void set_waits(bool waits) { waits_ = waits; }
  bool waits() const { return waits_; }
  const Metadata& initial_metadata() const { return initial_metadata_; }

  /// Ids by which the log line of this call can be found; empty when not set. Set by whoever learns
  /// them.
  void set_operation_id(std::string id) { operation_id_ = std::move(id); }
  void set_order_id(std::string id) { order_id_ = std::move(id); }
  const std::string& operation_id() const { return operation_id_; }
  const std::string& order_id() const { return order_id_; }

  /// How a mutation that was answered went: "done", "replayed" or "pending", a constant. Empty for
  /// all else.
  void set_outcome(std::string_view outcome) { outcome_ = outcome; }
  std::string_view outcome() const { return outcome_; }

 private:
  const MethodInfo& method_;
  CallHead head_;
  std::string bytes_;
  bool parsed_;
  bool waits_ = false;
  std::shared_ptr<ports::Waited> waited_;
  WireCall* wire_;
  std::unique_ptr<google::protobuf::Message> request_;
  std::string answer_;
  const domain::Project* project_ = nullptr;
  Metadata initial_metadata_;
  std::string operation_id_;
  std::string order_id_;
  std::string_view outcome_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_CALL_H_
