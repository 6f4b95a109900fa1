// Payments by wallet.

#include <memory>
#include <utility>

#include "adapters/payment_service/answers.h"
#include "adapters/payment_service/client.h"
#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/requests.h"
#include "base/http/url.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payment_service {
namespace {

namespace asio = boost::asio;

std::string_view PaymentMismatch(const google::protobuf::Message& message) {
  const auto& payment = static_cast<const payments::v1::WalletBPayment&>(message);
  return payment.has_is_successful() ? "" : "a wallet payment that does not say whether it went on";
}

}  // namespace

asio::awaitable<ports::Answer> Client::ExecuteWalletBPayment(
    const domain::Project& project, const payments::v1::ExecuteWalletBPaymentRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  std::string path = "/pay/" + http::PercentEncode(request.order_id()) + "/select-payment-method/" +
                     http::PercentEncode(wallet_names_.wallet_b) + "/" +
                     http::PercentEncode(request.transaction_id()) + "/";
  return SendForMessage(
      NewMutation("execute_wallet_b_payment", {.target = std::move(path), .authenticated = false},
                  request, ToWire(request), project, context, guard),
      std::make_shared<payments::v1::WalletBPayment>(), &PaymentMismatch);
}

Async<payments::v1::CreateWalletASessionResponse> Client::CreateWalletASession(
    const domain::Project& project, const payments::v1::WalletASessionOrder& request,
    const ports::Context& context) {
  absl::StatusOr<std::string> body = ToWire(request);
  if (!body.ok()) co_return std::move(body).status();
  // A mutation only in that it is not repeated: a validation URL may be good for one session.
  std::string path = "/v1/" + http::PercentEncode(wallet_names_.wallet_a) + "/sessions/";
  Exchange exchange = NewExchange("create_wallet_a_session", Effect::kMutation, "POST",
                                  {.target = std::move(path)}, project, context);
  SetJson(*std::move(body), &exchange.request);
  const ExchangeResult result = co_await pipe_.Send(std::move(exchange));
  payments::v1::CreateWalletASessionResponse session;
  const absl::Status read = ReadAnswer(result, &session);
  if (!read.ok()) co_return read;
  if (!session.has_session_data()) co_return UnreadableAnswer();
  co_return session;
}

}  // namespace tollbridge::payment_service
