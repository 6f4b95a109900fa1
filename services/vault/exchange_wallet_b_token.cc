#include "services/vault/exchange_wallet_b_token.h"

#include <memory>
#include <utility>

#include <absl/status/status.h>

#include "services/domain/errors.h"
#include "services/orders/one_step_plan.h"
#include "services/orders/results.h"
#include "services/vault/setup_token_plan.h"

namespace tollbridge::vault {
namespace {

absl::StatusOr<operations::PlanResult> ReadAnswer(const domain::Project& /*project*/,
                                                  const google::protobuf::Message& last,
                                                  ports::Knowledge knowledge) {
  const auto* token = google::protobuf::DynamicCastToGenerated<v1::WalletBToken>(&last);
  if (token == nullptr || token->vault_token().empty()) {
    return absl::DataLossError("the answer holds no stored card");
  }
  auto response = std::make_shared<v1::ExchangeWalletBTokenResponse>();
  *response->mutable_token() = *token;
  response->set_knowledge(knowledge);
  operations::PlanResult result;
  result.response = std::move(response);
  return result;
}

}  // namespace

const operations::StepKind& ExchangeWalletBTokenStep() {
  static const operations::StepKind kind = SetupTokenStep("exchange_wallet_b_token");
  return kind;
}

operations::Plan PlanExchangeWalletBToken(const domain::Project& project,
                                          const v1::ExchangeWalletBTokenRequest& request) {
  operations::Plan plan = SetupTokenPlan<v1::ExchangeWalletBTokenRequest>(
      project, ExchangeWalletBTokenStep(), request,
      &v1::ExchangeWalletBTokenRequest::mutable_wallet_pay_message,
      &ports::PaymentService::ExchangeWalletBToken);
  plan.steps.front().target.transaction_id = orders::CanonicalId(request.transaction_id());
  return plan;
}

operations::MutationSpec ExchangeWalletBTokenSpec() {
  return {{&ExchangeWalletBTokenStep()}, ReadAnswer};
}

}  // namespace tollbridge::vault
