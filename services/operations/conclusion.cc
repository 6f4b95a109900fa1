#include "services/operations/conclusion.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "base/telemetry/log.h"
#include "services/domain/deterministic.h"
#include "services/domain/rpc_status.h"
#include "services/domain/sensitivity.h"
#include "services/operations/outcome.h"
#include "services/operations/verdict.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::operations {

std::string Conclusions::Executed(const PlanRegistration& plan, const domain::Project& project,
                                  const google::protobuf::Message& last, ports::Knowledge knowledge,
                                  ports::FinishRequest& finish) const {
  absl::StatusOr<PlanResult> result = plan.result(project, last, knowledge);
  if (!result.ok()) {
    finish.to = v1::OPERATION_STATE_UNKNOWN;
    finish.reason = "an answer that lacks what it must hold";
    return {};
  }
  const Verdict compared = CompareAmounts(finish.step, *result);
  finish.to = compared.state;
  if (finish.to == v1::OPERATION_STATE_NEEDS_REVIEW) {
    finish.review_reason = compared.reason;
    finish.reason = compared.reason;
  }
  finish.knowledge = knowledge;
  finish.order = std::move(result->order);
  finish.created_order = result->created_order;
  if (finish.order.has_value()) {
    finish.order->capture_mode = finish.identity.capture_mode;
    finish.order->traceparent = finish.identity.traceparent;
    finish.step.order_id = finish.order->key.root.ToString();
  }
  std::string response = domain::SerializeDeterministically(*result->response);
  storage::v1::StoredOutcome outcome;
  outcome.set_knowledge(knowledge == v1::KNOWLEDGE_RECOVERED ? v1::KNOWLEDGE_RECOVERED
                                                             : v1::KNOWLEDGE_ANSWERED);
  // What may be kept nowhere may not be kept here (docs/design/operations.md#rule-17).
  if (plan.result_holds_card_data ||
      domain::HoldsSensitive(*result->response, options::v1::SENSITIVITY_CARD_DATA)) {
    outcome.set_result_not_kept(true);
  } else {
    outcome.set_response(response);
  }
  const bool kept = Seal(std::move(outcome), finish, keys_()->outcomes);
  // Were it told and then lost, its key would do it again. One that is not kept is told now or
  // never.
  finish.replicated = kept && finish.to == v1::OPERATION_STATE_DONE && plan.OnlyRecordShows();
  return response;
}

void Conclusions::Refused(const absl::Status& error, ports::FinishRequest& finish) const {
  finish.to = v1::OPERATION_STATE_DONE;
  finish.refused = true;
  finish.knowledge = v1::KNOWLEDGE_ANSWERED;
  storage::v1::StoredOutcome outcome;
  outcome.set_knowledge(v1::KNOWLEDGE_ANSWERED);
  *outcome.mutable_status() = domain::ToRpcStatus(error);
  Seal(std::move(outcome), finish, keys_()->outcomes);
}

void Conclusions::Renew(ports::FinishRequest& finish,
                        std::shared_ptr<const OperationKeys>& made_with) const {
  std::shared_ptr<const OperationKeys> keys = keys_();
  if (keys == made_with) return;
  std::vector<ports::Fingerprint>& prints = finish.identity.fingerprints;
  const auto current =
      std::ranges::find(prints, keys->fingerprints.current().id, &ports::Fingerprint::key_id);
  if (current != prints.end()) std::rotate(prints.begin(), current, current + 1);
  // It may have been sealed under these already, if they came between.
  for (const OperationKeys* ring : {made_with.get(), keys.get()}) {
    if (finish.outcome.empty()) break;
    const absl::StatusOr<storage::v1::StoredOutcome> outcome =
        OpenOutcome(finish.outcome, finish.identity.id, ring->outcomes);
    if (!outcome.ok()) continue;
    Seal(*outcome, finish, keys->outcomes);
    break;
  }
  made_with = std::move(keys);
}

bool Conclusions::Seal(storage::v1::StoredOutcome outcome, ports::FinishRequest& finish,
                       const KeyRing& keys) const {
  absl::StatusOr<std::string> sealed = SealOutcome(outcome, finish.identity.id, keys, rng_);
  if (absl::IsResourceExhausted(sealed.status())) {
    outcome.clear_response();
    outcome.set_result_not_kept(true);
    sealed = SealOutcome(outcome, finish.identity.id, keys, rng_);
  }
  if (sealed.ok()) {
    finish.outcome = *std::move(sealed);
    return !outcome.result_not_kept();
  }
  telemetry::Log(telemetry::Severity::kError, "outcome_not_sealed",
                 {telemetry::OperationId(finish.identity.id.ToString()),
                  {"cause", std::string(sealed.status().message())}});
  return false;
}

}  // namespace tollbridge::operations
