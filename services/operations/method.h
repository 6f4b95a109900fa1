#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_METHOD_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_METHOD_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <absl/status/statusor.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "base/core/async.h"
#include "base/telemetry/metrics.h"
#include "services/domain/encoded.h"
#include "services/domain/errors.h"
#include "services/domain/field_rules.h"
#include "services/domain/project.h"
#include "services/operations/conclusion.h"
#include "services/operations/plan.h"
#include "services/operations/stream.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "services/ports/operation_registry.h"
#include "services/ports/order_changes.h"
#include "services/ports/payment_service.h"
#include "services/ports/snapshot_store.h"
#include "services/rpc/call.h"
#include "services/rpc/dispatcher.h"
#include "services/rpc/method.h"
#include "services/rpc/validate.h"

namespace tollbridge::operations {

/// What use cases that change nothing are given, on one shard. All outlive what is bound to them.
struct MethodPorts {
  ports::PaymentService& service;
  ports::OperationRegistry& registry;
  ports::SnapshotStore& snapshots;
  ports::OrderChanges& changes;
  ports::Clock& clock;
  telemetry::Metrics& metrics;
  const PlanTable& plans;
  const Conclusions& conclusions;
};

/// Answers one call, whose request fulfils its rules and whose project is resolved. The call
/// outlives the coroutine.
using Responder = std::function<AsyncStatus(rpc::Call&)>;

/// What a method does that is no mutation.
struct Reading {
  const google::protobuf::Descriptor* response = nullptr;
  bool streams = false;
  /// Its calls spend their life waiting (rpc::Call::waits).
  bool waits = false;
  /// Called once for each shard: what it returns may keep what the calls of a shard share.
  std::function<Responder(const MethodPorts&)> bind;
};

/// A published method: all that its .proto does not say. It is found by the type of its request.
struct Method {
  const google::protobuf::Descriptor* request = nullptr;
  /// What a request breaks beyond the rules of its fields: its project, and the method's own rule.
  rpc::RequestRules::Rule rule;
  std::variant<PlanRegistration, Reading> does;
};

/// A method's own rule: what a request breaks beyond its fields and its project. `project` is
/// nullptr when the request names none that is configured.
template <typename Request>
using Rule = std::vector<domain::FieldViolation> (*)(const Request& request,
                                                     const domain::Project* project);

/// The methods of the process. Immutable, shared by all shards.
class Methods {
 public:
  /// FAILED_PRECONDITION unless each published method is there once, and is what its .proto says: a
  /// plan for a mutation and for nothing else, a stream for a stream, with its response.
  /// `published` outlives this.
  static absl::StatusOr<std::unique_ptr<const Methods>> Of(const rpc::MethodTable& published,
                                                           std::vector<Method> methods,
                                                           domain::FieldLimits limits = {});

  const PlanTable& plans() const { return plans_; }
  const rpc::RequestRules& rules() const { return rules_; }
  /// Gives a shard's dispatcher what answers the methods that are no mutations.
  void Bind(const MethodPorts& ports, rpc::Dispatcher& dispatcher) const;

 private:
  Methods(const rpc::MethodTable& published, PlanTable plans, domain::FieldLimits limits)
      : plans_(std::move(plans)), rules_(published, limits) {}

  PlanTable plans_;
  rpc::RequestRules rules_;
  std::vector<std::pair<const rpc::MethodInfo*, Reading>> readings_;
};

/// What watches for the calls of one shard.
template <typename Request, typename Response>
using Watcher = std::function<AsyncStatus(const domain::Project&, const Request&, BootTime deadline,
                                          Stream<Response>&)>;

namespace method_internal {

/// What a request of that project name breaks when no such project is configured.
void CheckProject(std::string_view name, const domain::Project* project,
                  std::vector<domain::FieldViolation>& out);

template <typename Request>
Method Of(std::variant<PlanRegistration, Reading> does, Rule<Request> rule) {
  const auto check = [rule](const google::protobuf::Message& message,
                            const domain::Project* project) {
    const auto& request = static_cast<const Request&>(message);
    std::vector<domain::FieldViolation> found;
    CheckProject(request.project(), project, found);
    if (rule != nullptr) std::ranges::move(rule(request, project), std::back_inserter(found));
    return found;
  };
  return {.request = Request::descriptor(), .rule = check, .does = std::move(does)};
}

template <typename Made, typename Request>
Method MutationOf(std::function<Made(const domain::Project&, const Request&)> plan,
                  MutationSpec spec, std::type_identity_t<Rule<Request>> rule) {
  return Of<Request>(PlanFor(std::move(plan), std::move(spec)), rule);
}

/// The port that a use case asks; `const MethodPorts` is all of them.
template <typename Port>
Port& PortOf(const MethodPorts& ports) {
  if constexpr (std::is_same_v<Port, ports::PaymentService>) {
    return ports.service;
  } else if constexpr (std::is_same_v<Port, ports::OperationRegistry>) {
    return ports.registry;
  } else {
    return ports;
  }
}

template <typename Response>
struct AnsweredBy {
  using Type = Response;
};
template <typename Response>
struct AnsweredBy<domain::Encoded<Response>> {
  using Type = Response;
};
/// The message that a use case answers with, as itself or as its bytes.
template <typename Response>
using Answered = typename AnsweredBy<Response>::Type;

template <typename Response, typename Port, typename Request, typename Told>
using Ask = std::function<Async<Response>(Port&, const domain::Project&, const Request&, Told)>;

template <typename Response, typename Port, typename Request, typename Told>
AsyncStatus AnswerOnce(const Ask<Response, Port, Request, Told>& ask, const MethodPorts& ports,
                       rpc::Call& call) {
  const auto& request = static_cast<const Request&>(call.request());
  absl::StatusOr<Response> answer;
  if constexpr (std::is_same_v<Told, ports::Context>) {
    answer = co_await ask(PortOf<Port>(ports), *call.project(), request, call.context());
  } else {
    answer = co_await ask(PortOf<Port>(ports), *call.project(), request, call);
  }
  if (!answer.ok()) co_return answer.status();
  if constexpr (std::is_base_of_v<google::protobuf::Message, Response>) {
    call.Answer(*answer);
  } else {
    call.AnswerBytes(std::move(answer->bytes));
  }
  co_return absl::OkStatus();
}

template <typename Response, typename Port, typename Request, typename Told>
Method ReadOf(Ask<Response, Port, Request, Told> ask, std::type_identity_t<Rule<Request>> rule) {
  const auto bind = [ask = std::move(ask)](const MethodPorts& ports) -> Responder {
    return [ask, ports](rpc::Call& call) { return AnswerOnce(ask, ports, call); };
  };
  return Of<Request>(Reading{.response = Answered<Response>::descriptor(), .bind = bind}, rule);
}

template <typename Response, typename Port, typename Request>
using SendAll = std::function<AsyncStatus(Port&, const domain::Project&, const Request&,
                                          const ports::Context&, const StreamSink<Response>&)>;

template <typename Response, typename Port, typename Request>
AsyncStatus AnswerAll(const SendAll<Response, Port, Request>& send, const MethodPorts& ports,
                      rpc::Call& call) {
  const ports::Context context = call.context();
  const StreamSink<Response> sink = [&call](domain::Encoded<Response> message) {
    return call.WriteBytes(std::move(message.bytes));
  };
  co_return co_await send(PortOf<Port>(ports), *call.project(),
                          static_cast<const Request&>(call.request()), context, sink);
}

template <typename Response, typename Port, typename Request>
Method StreamOf(SendAll<Response, Port, Request> send, std::type_identity_t<Rule<Request>> rule) {
  const auto bind = [send = std::move(send)](const MethodPorts& ports) -> Responder {
    return [send, ports](rpc::Call& call) { return AnswerAll(send, ports, call); };
  };
  return Of<Request>(Reading{.response = Response::descriptor(), .streams = true, .bind = bind},
                     rule);
}

template <typename Response>
class CallStream final : public Stream<Response> {
 public:
  explicit CallStream(rpc::Call& call) : call_(call) {}
  AsyncStatus Write(const Response& response) override { return call_.Write(response); }
  bool cancelled() const override { return call_.cancelled(); }

 private:
  rpc::Call& call_;
};

template <typename Request, typename Response>
AsyncStatus AnswerWatch(const Watcher<Request, Response>& watch, rpc::Call& call) {
  CallStream<Response> stream(call);
  co_return co_await watch(*call.project(), static_cast<const Request&>(call.request()),
                           call.deadline(), stream);
}

}  // namespace method_internal

// Each makes the method whose request its function takes. A `rule` is a Rule<Request>; without one
// there is nothing beyond fields and project. Arguments by reference outlive the coroutines.

/// A mutation. `plan` makes the plan of a request that fulfils its rules: Plan, or
/// absl::StatusOr<Plan>, (const domain::Project&, const Request&).
template <typename Function, typename OwnRule = std::nullptr_t>
Method Mutation(Function plan, MutationSpec spec, OwnRule rule = nullptr) {
  return method_internal::MutationOf(std::function(std::move(plan)), std::move(spec), rule);
}

/// A read that answers once. `ask`: Async<Response>(Port&, const domain::Project&, const Request&,
/// ports::Context), or Async<domain::Encoded<Response>>. Port is ports::PaymentService,
/// ports::OperationRegistry or const MethodPorts. In place of the context it may take the call
/// (const rpc::Call&).
template <typename Function, typename OwnRule = std::nullptr_t>
Method Read(Function ask, OwnRule rule = nullptr) {
  return method_internal::ReadOf(std::function(std::move(ask)), rule);
}

/// A read that answers with a stream. `send`: AsyncStatus(Port&, const domain::Project&, const
/// Request&, const ports::Context&, const StreamSink<Response>&).
template <typename Function, typename OwnRule = std::nullptr_t>
Method ServerStream(Function send, OwnRule rule = nullptr) {
  return method_internal::StreamOf(std::function(std::move(send)), rule);
}

/// A stream that waits for things to happen: it has a bound of its own (rpc::Limit), so that those
/// who wait take no place of those who ask. `make` is called once for each shard.
template <typename Request, typename Response>
Method Watch(std::function<Watcher<Request, Response>(const MethodPorts&)> make,
             std::type_identity_t<Rule<Request>> rule = nullptr) {
  const auto bind = [make = std::move(make)](const MethodPorts& ports) -> Responder {
    return [watch = make(ports)](rpc::Call& call) {
      return method_internal::AnswerWatch(watch, call);
    };
  };
  return method_internal::Of<Request>(
      Reading{.response = Response::descriptor(), .streams = true, .waits = true, .bind = bind},
      rule);
}

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_METHOD_H_
