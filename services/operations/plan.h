#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_PLAN_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_PLAN_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <boost/asio/awaitable.hpp>

#include "services/domain/project.h"
#include "services/operations/evidence.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "services/ports/family.h"
#include "services/ports/operation_store.h"
#include "services/ports/payment_service.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::operations {

/// What the engine gives a step beside what its plan knows.
struct StepContext {
  /// Names the operation and this attempt at the payment service (domain/mark.h).
  std::string mark;
  ports::Context context;
  ports::SendGuard guard;
  /// Answers of the steps before this one; all are kAnswered.
  std::span<const ports::Answer> earlier;
};

/// One HTTP call that changes something at the payment service.
struct Step {
  /// How it is recognized afterwards; one of the registration's steps, and of its name.
  const StepKind* kind = nullptr;
  /// The order and transaction it is about, and what it leaves to be recognized by. Without an
  /// order it must be enough to find the step in any attempt.
  ports::StepTarget target;
  /// For a step about what an earlier one made: the target with its order and transaction, and
  /// with amount and currency as the answers before show them. Asked before the step is SENT, so
  /// that any replica can look. An amount or currency other than that of `target` is for a
  /// person, and nothing is sent. An error when an answer lacks what the step needs. May be empty.
  std::function<absl::StatusOr<ports::StepTarget>(std::span<const ports::Answer> earlier)> prepare;
  /// The call. Sends once, and makes no decision about the operation.
  std::function<boost::asio::awaitable<ports::Answer>(ports::PaymentService&, const StepContext&)>
      send;
};

/// What the answers of all steps come to.
struct PlanResult {
  /// It has `knowledge`, and for a recovered one `not_recoverable` and `what_to_do` where its
  /// message has them.
  std::shared_ptr<google::protobuf::Message> response;
  /// The order that was made or changed, for the reader. The engine adds capture_mode and
  /// traceparent.
  std::optional<ports::OrderEntry> order;
  /// `order` was made by this operation: for a moment, a 404 on it is a lagging replica.
  bool created_order = false;
  /// It is as answered, and absent when the answer does not say; it is compared with the last
  /// step's target.
  std::optional<std::int64_t> amount;
  std::string currency;
};

/// Which limits of a project a mutation counts for.
enum class MoneyKind { kRefunds, kPayouts };

/// Money that goes out by a mutation.
struct MoneyMoved {
  MoneyKind kind = MoneyKind::kRefunds;
  std::int64_t amount = 0;
  /// Empty: that of the order whose gate the plan takes.
  std::string currency;
  /// In place of an amount, where money may not go out at all: not OK of an order by which it
  /// would. The plan takes its gate, and it is read before the claim, once the key would run.
  absl::Status (*moves_none)(const common::v1::Order& order) = nullptr;
};

/// A mutation, ready to be run by the engine, which alone sends it
/// (docs/design/operations.md#plan-and-engine). Made by a pure function of the request. The steps
/// before the last leave nothing that matters when the operation ends there.
struct Plan {
  const domain::Project* project = nullptr;  ///< outlives the plan
  /// Set by the registration: full method name, and what the fingerprint is taken of.
  std::string rpc;
  const google::protobuf::Message* request = nullptr;
  std::string idempotency_key;
  /// Who asks, as the connection proves it. Not part of the plan's making: whoever runs it says so.
  std::string caller;
  /// All that the connection proves of it: caller is one of them, if there are any.
  std::vector<std::string> caller_names;
  std::string capture_mode;
  /// The order whose gate is taken; nullopt when the operation creates its order.
  std::optional<std::string> gate_order;
  std::vector<Step> steps;  ///< not empty
  /// nullopt: no limit of money concerns it.
  std::optional<MoneyMoved> money;
  /// What depends on the date (docs/design/operations.md#rule-7): asked with the civil time once
  /// the key is to run and before anything is sent, so that a stored outcome is answered whatever
  /// the date. An error is the caller's answer, and the key may run again. May be empty; costs no
  /// round trip.
  std::function<absl::Status(WallTime now)> check_before_sending;
};

/// The step by which evidence shows whether an earlier run of the plan took effect; nullptr where
/// nothing shows it, or not by whom.
const Step* StepThatEvidenceShows(const Plan& plan);

/// Reads the last step's answer, or what evidence shows in its place. An error when it lacks what
/// the caller must get: then the outcome is not known. `knowledge` is kAnswered or kRecovered.
using ResultReader = std::function<absl::StatusOr<PlanResult>(
    const domain::Project&, const google::protobuf::Message& last, ports::Knowledge knowledge)>;

/// A mutation: the function that makes its plans, and all that any replica must know of it when the
/// caller's process is gone. Adding a mutation is making one of these.
struct PlanRegistration {
  std::string rpc;  ///< full method name, `tollbridge.payments.v1.Payments/CreateOrder`
  /// Of a request that fulfils its rules, in its project. Both outlive the plan's first suspension;
  /// the project outlives the plan.
  std::function<absl::StatusOr<Plan>(const domain::Project&, const google::protobuf::Message&)>
      make;
  /// Every kind of step that its plans may have, in order. Lives as long as the process.
  std::vector<const StepKind*> steps;
  ResultReader result;
  /// Its response declares CARD_DATA: nothing of a result is kept, whether it holds any or not
  /// (docs/design/operations.md#rule-17).
  bool result_holds_card_data = false;
  /// The response that says that the outcome is not known.
  std::function<std::shared_ptr<google::protobuf::Message>(const v1::PendingOperation&)> pending;

  /// nullptr when it has no step of this name.
  const StepKind* FindStep(std::string_view name) const;
  /// Says by what is found whether the operation happened, when `name` is the last step that is
  /// known and `may_have_gone_on`: its own kind, or that of the step for which it only prepares.
  const StepKind* FindEvidence(std::string_view name, bool may_have_gone_on) const;
  /// No evidence leads back to what its operations did: their records alone show it.
  bool OnlyRecordShows() const { return !steps.back()->look; }
};

/// The mutations of the process, by full method name. Immutable, shared by all shards.
class PlanTable {
 public:
  /// FAILED_PRECONDITION when a method is there twice, or one has no steps.
  static absl::StatusOr<PlanTable> Of(std::vector<PlanRegistration> registrations);
  /// nullptr when there is none.
  const PlanRegistration* Find(std::string_view rpc) const;
  const std::map<std::string, PlanRegistration, std::less<>>& all() const { return by_rpc_; }

 private:
  std::map<std::string, PlanRegistration, std::less<>> by_rpc_;
};

/// Whether a response declares CARD_DATA. What is below an order does not count: the rooms clear it
/// there before an order is a result (domain/order_view.h).
bool DeclaresCardData(const google::protobuf::Descriptor& response);

/// What publishing a mutation takes beside its plan function.
struct MutationSpec {
  std::vector<const StepKind*> steps;
  ResultReader result;
};

/// The method with this request, as operations store it:
/// `tollbridge.payments.v1.Payments/CreateOrder`. The request's own name when it is of none.
std::string RpcOf(const google::protobuf::Descriptor& request);

/// All of a registration but `make`. The method's response has the field `PendingOperation
/// pending`.
PlanRegistration UnmadePlan(const google::protobuf::Descriptor& request, MutationSpec spec);

/// What stands for the mutation whose request `make` takes: Made, Plan or absl::StatusOr<Plan>, of
/// a request that fulfils its rules.
template <typename Made, typename Request>
PlanRegistration PlanFor(std::function<Made(const domain::Project&, const Request&)> make,
                         MutationSpec spec) {
  PlanRegistration registration = UnmadePlan(*Request::descriptor(), std::move(spec));
  registration.make = [rpc = registration.rpc, make = std::move(make)](
                          const domain::Project& project,
                          const google::protobuf::Message& message) -> absl::StatusOr<Plan> {
    absl::StatusOr<Plan> plan = make(project, static_cast<const Request&>(message));
    if (plan.ok()) {
      plan->rpc = rpc;
      plan->request = &message;
    }
    return plan;
  };
  return registration;
}

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_PLAN_H_
