#include "services/vault/store_card.h"

#include <memory>
#include <utility>

#include <absl/status/status.h>

#include "services/domain/errors.h"
#include "services/orders/card_expiry.h"
#include "services/orders/results.h"
#include "services/vault/setup_token_plan.h"

namespace tollbridge::vault {
namespace {

absl::StatusOr<operations::PlanResult> ReadAnswer(const domain::Project& /*project*/,
                                                  const google::protobuf::Message& last,
                                                  ports::Knowledge knowledge) {
  const auto* card = google::protobuf::DynamicCastToGenerated<v1::StoredCard>(&last);
  if (card == nullptr || card->vault_token().empty()) {
    return absl::DataLossError("the answer holds no stored card");
  }
  auto response = std::make_shared<v1::StoreCardResponse>();
  *response->mutable_card() = *card;
  response->set_knowledge(knowledge);
  operations::PlanResult result;
  result.response = std::move(response);
  return result;
}

}  // namespace

const operations::StepKind& StoreCardStep() {
  static const operations::StepKind kind = SetupTokenStep("store_card");
  return kind;
}

operations::Plan PlanStoreCard(const domain::Project& project,
                               const v1::StoreCardRequest& request) {
  operations::Plan plan = SetupTokenPlan<v1::StoreCardRequest>(project, StoreCardStep(), request,
                                                               &v1::StoreCardRequest::mutable_pan,
                                                               &ports::PaymentService::StoreCard);
  plan.check_before_sending = orders::ExpiryCheck("expiry", request.expiry());
  return plan;
}

operations::MutationSpec StoreCardSpec() { return {{&StoreCardStep()}, ReadAnswer}; }

}  // namespace tollbridge::vault
