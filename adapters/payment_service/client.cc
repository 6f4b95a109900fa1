#include "adapters/payment_service/client.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "adapters/http/url.h"
#include "adapters/payment_service/answers.h"
#include "adapters/payment_service/codec.h"
#include "services/base/encoding.h"
#include "services/domain/errors.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payment_service {
namespace {

/// A mutation that could not even be written down.
ports::Answer Unsendable(const absl::Status& why) {
  ports::Answer answer;
  answer.fate = ports::Answer::Fate::kNotSent;
  answer.cause = std::string(why.message());
  return answer;
}

}  // namespace

Client::Client(TransportChain pipe, ApiKeySource api_keys, WalletNames wallet_names)
    : pipe_(std::move(pipe)),
      api_keys_(std::move(api_keys)),
      wallet_names_(std::move(wallet_names)) {}

Exchange Client::NewExchange(std::string_view operation, Effect effect, std::string_view method,
                             std::string target, const domain::Project& project,
                             const ports::Context& context) const {
  Exchange exchange;
  exchange.operation = operation;
  exchange.effect = effect;
  exchange.request.method = method;
  exchange.request.target = std::move(target);
  exchange.request.headers.Set("Accept", "application/json");
  // Interface document, section Authentication: the API key is the user name, the password empty.
  exchange.request.headers.Set(
      "Authorization", absl::StrCat("Basic ", Base64Encode(absl::StrCat(api_keys_(project), ":"))));
  exchange.deadline = context.deadline;
  exchange.trace = context.trace;
  return exchange;
}

boost::asio::awaitable<ports::Answer> Client::CreateOrder(
    const domain::Project& project, const payments::v1::CreateOrderRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  payments::v1::CreateOrderRequest wire = request;
  wallet_names_.ToService(&wire);
  absl::StatusOr<std::string> body = ToWire(wire);
  if (!body.ok()) co_return Unsendable(body.status());
  Exchange exchange =
      NewExchange("create_order", Effect::kMutation, "POST", "/v1/orders/", project, context);
  exchange.write_before = guard.write_before;
  exchange.request.headers.Set("Content-Type", "application/json");
  exchange.request.body = *std::move(body);
  const ExchangeResult result = co_await pipe_.Send(std::move(exchange));
  const auto order = std::make_shared<common::v1::Order>();
  ports::Answer answer = ReadMutation(result, order);
  if (answer.fate == ports::Answer::Fate::kAnswered) {
    if (order->id().empty()) {
      // An order that cannot be named is no order: nobody could read, pay or find it.
      answer = {.fate = ports::Answer::Fate::kUnknown,
                .refusal = {.http_status = result.response.status},
                .cause = "an order without an id"};
    } else {
      wallet_names_.FromService(order.get());
    }
  }
  co_return answer;
}

Async<common::v1::Order> Client::GetOrder(const domain::Project& project, std::string_view order_id,
                                          const ports::Context& context) {
  Exchange exchange = NewExchange("get_order", Effect::kRead, "GET",
                                  absl::StrCat("/v1/orders/", http::PercentEncode(order_id), "/"),
                                  project, context);
  const ExchangeResult result = co_await pipe_.Send(std::move(exchange));
  if (result.fate == http::Fate::kAnswered && result.response.status == 404) {
    co_return domain::MakeError(
        absl::StatusCode::kNotFound, "the payment service does not know this order",
        {.reason = domain::reason::kOrderNotFound, .retry = domain::Retry::kAfterChange});
  }
  common::v1::Order order;
  const absl::Status read = ReadAnswer(result, &order);
  if (!read.ok()) co_return read;
  // Whatever else was answered, it does not tell how this order is.
  if (!http::EqualsIgnoreCase(order.id(), order_id)) co_return UnreadableAnswer();
  wallet_names_.FromService(&order);
  co_return order;
}

}  // namespace tollbridge::payment_service
