#include "tests/chaos/driver/kinds.h"

#include <algorithm>
#include <stdexcept>

#include "tests/chaos/auditor/history_file.h"
#include "tollbridge/operations/v1/operations.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/payouts/v1/payouts.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::chaos {
namespace {

// The messages are the subject.
using namespace payments::v1;  // NOLINT(google-build-using-namespace)
using namespace vault::v1;     // NOLINT(google-build-using-namespace)
using payouts::v1::CreatePayoutResponse;

/// Of an order or a link.
template <typename Shown>
void TakeAmount(const Shown& shown, Answer& answer) {
  answer.amount = shown.amount();
  answer.currency = shown.currency();
}

void TakeOrder(const common::v1::Order& order, Answer& answer) {
  answer.order = order;
  answer.result = order.id();
  TakeAmount(order, answer);
}

/// What is in a result, by its kind.
template <typename Response>
  requires requires(const Response& response) { response.order(); }
void Take(const Response& response, Answer& answer) {
  TakeOrder(response.order(), answer);
}
void Take(const CaptureTransactionResponse& response, Answer& answer) {
  TakeOrder(response.capture_order(), answer);
}
void Take(const VoidTransactionResponse& response, Answer& answer) {
  TakeOrder(response.void_order(), answer);
}
void Take(const CreateRefundResponse& response, Answer& answer) {
  TakeOrder(response.refund_order(), answer);
}
// Its result does not name the order unless it was recovered.
void Take(const ExecuteWalletBPaymentResponse& response, Answer& answer) {
  if (response.payment().has_order()) TakeAmount(response.payment().order(), answer);
}
void Take(const CreatePaymentLinkResponse& response, Answer& answer) {
  answer.result = response.payment_link().id();
  TakeAmount(response.payment_link(), answer);
}
void Take(const StoreCardResponse& response, Answer& answer) {
  answer.vault_token = response.card().vault_token();
  answer.result = Digest(answer.vault_token);
}
void Take(const ExchangeWalletBTokenResponse& response, Answer& answer) {
  answer.vault_token = response.token().vault_token();
  answer.cryptogram = response.token().cryptogram();
  answer.eci_indicator = response.token().eci_indicator();
  answer.result = Digest(answer.vault_token);
}

template <typename Response>
Answer Read(const std::string& bytes) {
  Response response;
  Answer answer;
  if (!response.ParseFromString(bytes)) return answer;
  if (response.has_pending()) {
    const operations::v1::PendingOperation& pending = response.pending();
    answer.pending = pending.state() == operations::v1::OPERATION_STATE_NEEDS_REVIEW
                         ? "NEEDS_REVIEW"
                         : "UNKNOWN";
    answer.retry_after = std::chrono::milliseconds(pending.retry_after().seconds() * 1'000 +
                                                   pending.retry_after().nanos() / 1'000'000);
    return answer;
  }
  answer.done = true;
  answer.knowledge =
      response.knowledge() == operations::v1::KNOWLEDGE_RECOVERED ? "RECOVERED" : "ANSWERED";
  Take(response, answer);
  return answer;
}

}  // namespace

std::span<const MutationKind> Kinds() {
  static const std::vector<MutationKind> kinds = {
      {"CreateOrder",
       "tollbridge.payments.v1.Payments.CreateOrder",
       {"create_order"},
       false,
       &Read<CreateOrderResponse>},
      {"InitiateTransaction",
       "tollbridge.payments.v1.Payments.InitiateTransaction",
       {"initiate"},
       true,
       &Read<InitiateTransactionResponse>},
      {"AuthenticateTransaction",
       "tollbridge.payments.v1.Payments.AuthenticateTransaction",
       {"authenticate"},
       true,
       &Read<AuthenticateTransactionResponse>},
      {"CaptureTransaction",
       "tollbridge.payments.v1.Payments.CaptureTransaction",
       {"capture"},
       true,
       &Read<CaptureTransactionResponse>},
      {"VoidTransaction",
       "tollbridge.payments.v1.Payments.VoidTransaction",
       {"void"},
       true,
       &Read<VoidTransactionResponse>},
      {"CreateRefund",
       "tollbridge.payments.v1.Payments.CreateRefund",
       {"create_refund"},
       false,
       &Read<CreateRefundResponse>},
      {"ExecuteWalletBPayment",
       "tollbridge.payments.v1.Payments.ExecuteWalletBPayment",
       {"execute_wallet_b"},
       true,
       &Read<ExecuteWalletBPaymentResponse>},
      {"CreatePaymentLink",
       "tollbridge.payments.v1.Payments.CreatePaymentLink",
       {"create_payment_link"},
       false,
       &Read<CreatePaymentLinkResponse>},
      {"CreatePayout",
       "tollbridge.payouts.v1.Payouts.CreatePayout",
       {"create_order", "store_card", "authenticate"},
       false,
       &Read<CreatePayoutResponse>},
      {"StoreCard",
       "tollbridge.vault.v1.Vault.StoreCard",
       {"store_card"},
       true,
       &Read<StoreCardResponse>},
      {"ExchangeWalletBToken",
       "tollbridge.vault.v1.Vault.ExchangeWalletBToken",
       {"exchange_wallet_b_token"},
       true,
       &Read<ExchangeWalletBTokenResponse>},
  };
  return kinds;
}

const MutationKind& KindOf(std::string_view rpc) {
  const std::span<const MutationKind> kinds = Kinds();
  const auto found = std::ranges::find(kinds, rpc, &MutationKind::rpc);
  if (found == kinds.end()) throw std::out_of_range("no mutation " + std::string(rpc));
  return *found;
}

}  // namespace tollbridge::chaos
