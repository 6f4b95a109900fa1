#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_PLAN_RUN_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_PLAN_RUN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include <absl/status/status.h>
#include <google/protobuf/message.h>
#include <boost/asio/awaitable.hpp>

#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/telemetry/span.h"
#include "services/operations/evidence.h"
#include "services/operations/plan.h"
#include "services/operations/settings.h"
#include "services/operations/verdict.h"
#include "services/ports/clock.h"
#include "services/ports/context.h"
#include "services/ports/operation_registry.h"
#include "services/ports/operation_store.h"
#include "services/ports/payment_service.h"

namespace tollbridge::operations {

/// The last step that the record of an operation will know.
struct RecordedStep {
  ports::StepTarget target;
  /// Which step of the plan it is, from 1; 0: none was begun since the claim.
  std::uint32_t number = 0;
  bool late_effect_is_orphan = false;
  /// The order whose gate the operation holds, or has tried to take with this step.
  std::optional<std::string> gate_order;
  /// When its send window was opened, by both clocks.
  BootTime window_start;
  WallTime window_start_civil;
};

/// How a run of a plan ended: all that recording it and answering the caller take.
struct Ended {
  Verdict verdict;
  RecordedStep step;
  /// It is set when the verdict says that the operation took effect: the last answer, or what
  /// evidence showed in its place.
  std::shared_ptr<const google::protobuf::Message> result;
  /// How `result` is known.
  ports::Knowledge knowledge = v1::KNOWLEDGE_ANSWERED;
  /// kNeedsReview: FinishRequest::review_reason.
  std::string review_reason;
  /// FinishRequest::keep_look_first.
  bool keep_look_first = false;
};

/// One run of a plan under its claim: reads the evidence when the claim asks for it, sends the
/// steps, and reads what became of the last one when its answer does not say. It records each
/// further step as SENT before it is sent; what the run ended in is the engine's to record. For one
/// use.
class PlanRun {
 public:
  struct Ports {
    ports::PaymentService& service;
    ports::OperationStore& store;
    ports::OperationRegistry& registry;
    ports::Clock& clock;
  };
  struct Input {
    const Settings& settings;
    const Plan& plan;
    const ports::OperationIdentity& identity;
    const std::string& owner;
    const ports::Context& caller;
    /// kClaimed: the first step is recorded as SENT; or kLookFirst.
    const ports::ClaimResult& claim;
    /// Not later than SENT of the first step was asked for, by both clocks.
    BootTime window_start;
    WallTime window_start_civil;
  };

  PlanRun(const Ports& ports, const Input& input) : ports_(ports), input_(input) {}

  boost::asio::awaitable<Ended> Run() const;

 private:
  /// docs/design/operations.md#rule-12: reads the evidence of all steps, last first, before
  /// anything is sent. nullopt when all are absent for good, so that the plan may be sent.
  boost::asio::awaitable<std::optional<Ended>> LookBeforeSending() const;
  /// The plan's check of what depends on the date. nullopt when it may be sent now.
  std::optional<Ended> CheckDate() const;
  /// Sends the steps that were not sent yet, until one does not succeed.
  boost::asio::awaitable<Ended> SendSteps() const;
  /// What a further step needs before it is SENT: its target, from the answers so far; and that
  /// no earlier attempt has had the effect meanwhile, which the service would do again for a new
  /// order. The step to begin after `before`, or how the run ended without sending it.
  boost::asio::awaitable<std::variant<RecordedStep, Ended>> PrepareStep(
      const Step& step, std::span<const ports::Answer> answers, const RecordedStep& before) const;
  /// Records the step as SENT, with the gate of the order it is about.
  AsyncStatus BeginStep(const RecordedStep& step, const telemetry::TraceContext& trace) const;
  Verdict Judge(const StepKind& kind, const ports::Answer& answer, bool order_is_ours) const;
  /// Reads evidence where the last answer needs it, or leaves time for it
  /// (docs/design/operations.md#rule-3 and #rule-14). The same end, or what evidence makes of it.
  boost::asio::awaitable<Ended> LookAfterSending(Ended ended) const;
  /// The evidence of a step, read now.
  boost::asio::awaitable<Finding> LookFor(const StepKind& kind, ports::StepTarget target,
                                          std::uint32_t attempt, BootTime deadline,
                                          std::optional<WallTime> only_since = {}) const;
  /// Gives the step that has this target, while none was begun since the claim.
  RecordedStep AtClaim(const ports::StepTarget& target) const;

  Ports ports_;
  Input input_;
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_PLAN_RUN_H_
