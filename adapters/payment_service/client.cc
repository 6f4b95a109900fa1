#include "adapters/payment_service/client.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "adapters/payment_service/answers.h"
#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/confidential.h"
#include "adapters/payment_service/json_pieces.h"
#include "adapters/payment_service/order_form.h"
#include "adapters/payment_service/order_lists.h"
#include "adapters/payment_service/refusal_body.h"
#include "adapters/payment_service/requests.h"
#include "base/core/encoding.h"
#include "base/http/message.h"
#include "base/http/url.h"
#include "services/domain/errors.h"
#include "services/domain/refusal.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/search.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payment_service {
namespace {

namespace asio = boost::asio;
using common::v1::Order;
using Kind = ExpectedOrder::Kind;

/// Path of what is done to the transaction that a request names.
template <typename Request>
std::string TransactionPath(const Request& request, const std::string& rest) {
  return OrderPath(request.order_id(),
                   "transactions/" + http::PercentEncode(request.transaction_id()) + "/" + rest);
}

/// Body of a capture or void: none for the whole, which is what the interface shows.
template <typename Request>
absl::StatusOr<std::string> PartialBody(const Request& request) {
  if (!request.has_amount()) return std::string();
  return ToWire(request);
}

/// What a 404 says: in the payment service's words where it is its own (domain::SaysOrderNotFound).
absl::Status NoSuchOrder(const ExchangeResult& result) {
  absl::Status said = domain::ToError(ReadRefusal(result.response, result.confidential));
  if (domain::SaysOrderNotFound(said)) return said;
  return domain::MakeError(
      absl::StatusCode::kNotFound, "the payment service does not know this order",
      {.reason = domain::reason::kOrderNotFound, .retry = domain::Retry::kAfterChange});
}

/// Reads the refunds of an order, all of which are as expected. They are evidence of what happened
/// to money: a list that cannot be understood is not read as a shorter one.
absl::Status ReadRefunds(const ExchangeResult& result, const ExpectedOrder& expected,
                         common::v1::RefundList* list) {
  DecodeReport report;
  const absl::Status read = ReadAnswer(result, list, &report, kMaxListDepth);
  if (!read.ok()) return read;
  const auto count = static_cast<std::size_t>(list->orders_size());
  const bool complete = report.unreadable_values == 0 || ListsOrders(result.response.body, count);
  const bool as_expected = std::ranges::all_of(
      list->orders(), [&](const Order& order) { return Mismatch(order, expected).empty(); });
  if (!complete || !as_expected) return UnreadableAnswer();
  if (report.unreadable_values > 0) NameUnreadable(result.response.body, list);
  return absl::OkStatus();
}

/// Whether what was read as this order is a transaction: it names another order as its own.
bool IsTransaction(std::string_view body, const Order& order) {
  const std::optional<std::string_view> member = MemberOf(body, "order_id");
  const std::optional<std::string_view> id = member ? PlainText(*member) : std::nullopt;
  return id && !id->empty() && !http::EqualsIgnoreCase(*id, order.id());
}

/// Names in the order what could not be read of it.
void NameUnreadable(DecodeReport report, Order* order) {
  for (std::string& path : report.unreadable_paths) {
    order->add_unreadable_fields(std::move(path));
  }
}

}  // namespace

Client::Client(TransportChain pipe, ApiKeySource api_keys, WalletNames wallet_names,
               OnUnreadable on_unreadable)
    : pipe_(std::move(pipe)),
      api_keys_(std::move(api_keys)),
      wallet_names_(std::move(wallet_names)),
      for_caller_(FormForCaller(wallet_names_)),
      on_unreadable_(std::move(on_unreadable)) {}

Exchange Client::NewExchange(OperationName operation, Effect effect, std::string_view method,
                             Endpoint endpoint, const domain::Project& project,
                             const ports::Context& context) const {
  Exchange exchange;
  exchange.operation = operation.text();
  exchange.effect = effect;
  exchange.origin = endpoint.origin;
  exchange.project = project.name;
  exchange.request.method = method;
  exchange.request.target = std::move(endpoint.target);
  exchange.request.headers.Set("Accept", "application/json");
  if (endpoint.authenticated) {
    // docs/interface.md#authentication: the API key is the user name, the password empty.
    std::string key = api_keys_(project);
    std::string encoded = Base64Encode(absl::StrCat(key, ":"));
    exchange.request.headers.Set("Authorization", absl::StrCat("Basic ", encoded));
    exchange.confidential = {std::move(key), std::move(encoded)};
  }
  exchange.deadline = context.deadline;
  exchange.trace = context.trace;
  exchange.waited = context.waited;
  return exchange;
}

absl::StatusOr<Exchange> Client::NewMutation(OperationName operation, Endpoint endpoint,
                                             const google::protobuf::Message& request,
                                             absl::StatusOr<std::string> body,
                                             const domain::Project& project,
                                             const ports::Context& context,
                                             const ports::SendGuard& guard) const {
  if (!body.ok()) return std::move(body).status();
  Exchange exchange =
      NewExchange(operation, Effect::kMutation, "POST", std::move(endpoint), project, context);
  exchange.write_before = guard.write_before;
  exchange.write_before_civil = guard.write_before_civil;
  AddConfidential(request, &exchange.confidential);
  if (!body->empty()) SetJson(*std::move(body), &exchange.request);
  return exchange;
}

ports::Answer Client::ReadOrder(const ExchangeResult& result, const ExpectedOrder& expected) const {
  const auto order = std::make_shared<Order>();
  DecodeReport report;
  ports::Answer answer = ReadMutation(result, order, &report);
  if (answer.fate != ports::Answer::Fate::kAnswered) return answer;
  const std::string_view mismatch = Mismatch(*order, expected);
  if (!mismatch.empty()) return NotTheAnswer(result, mismatch);
  if (report.unknown_fields > 0 && IsTransaction(result.response.body, *order)) {
    return NotTheAnswer(result, "a transaction, not an order");
  }
  NameUnreadable(std::move(report), order.get());
  wallet_names_.FromService(order.get());
  return answer;
}

asio::awaitable<ports::Answer> Client::SendForOrder(absl::StatusOr<Exchange> exchange,
                                                    ExpectedOrder expected) {
  if (!exchange.ok()) co_return Unsendable(exchange.status());
  const ExchangeResult result = co_await pipe_.Send(*std::move(exchange));
  co_return ReadOrder(result, expected);
}

asio::awaitable<ports::Answer> Client::SendForMessage(
    absl::StatusOr<Exchange> exchange, std::shared_ptr<google::protobuf::Message> message,
    MessageCheck mismatch) {
  if (!exchange.ok()) co_return Unsendable(exchange.status());
  const ExchangeResult result = co_await pipe_.Send(*std::move(exchange));
  ports::Answer answer = ReadMutation(result, message);
  if (answer.fate != ports::Answer::Fate::kAnswered) co_return answer;
  const std::string_view why = mismatch(*message);
  if (!why.empty()) co_return NotTheAnswer(result, why);
  co_return answer;
}

asio::awaitable<ports::Answer> Client::CreateOrder(const domain::Project& project,
                                                   const payments::v1::CreateOrderRequest& request,
                                                   const ports::Context& context,
                                                   const ports::SendGuard& guard) {
  absl::StatusOr<std::string> body;
  if (WalletNames::Concern(request)) {
    payments::v1::CreateOrderRequest renamed = request;
    wallet_names_.ToService(&renamed);
    body = ToWire(renamed);
  } else {
    body = ToWire(request);
  }
  return SendForOrder(NewMutation("create_order", {.target = std::string(kOrdersPath)}, request,
                                  std::move(body), project, context, guard),
                      {.kind = Kind::kNew});
}

asio::awaitable<ports::Answer> Client::InitiateTransaction(
    const domain::Project& project, const payments::v1::InitiateTransactionRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  return SendForOrder(
      NewMutation("initiate_transaction", {.target = TransactionPath(request, "initiate/")},
                  request, ToWire(request), project, context, guard),
      {.kind = Kind::kSame, .order_id = request.order_id()});
}

asio::awaitable<ports::Answer> Client::AuthenticateTransaction(
    const domain::Project& project, const payments::v1::AuthenticateTransactionRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  absl::StatusOr<Exchange> exchange =
      NewMutation("authenticate_transaction", {.target = TransactionPath(request, "authenticate/")},
                  request, ToWire(request), project, context, guard);
  if (!exchange.ok()) co_return Unsendable(exchange.status());
  const ExchangeResult result = co_await pipe_.Send(*std::move(exchange));
  ports::Answer answer = ReadOrder(result, {.kind = Kind::kSame, .order_id = request.order_id()});
  if (answer.fate != ports::Answer::Fate::kAnswered) co_return answer;
  // The order with one more member: the same body read a second time, for that member.
  const auto authenticated = std::make_shared<payments::v1::AuthenticateAnswer>();
  const absl::Status read = FromWire(result.response.body, authenticated.get());
  if (!read.ok()) co_return NotTheAnswer(result, "an answer that cannot be read");
  *authenticated->mutable_order() = static_cast<const Order&>(*answer.result);
  answer.result = authenticated;
  co_return answer;
}

asio::awaitable<ports::Answer> Client::CaptureTransaction(
    const domain::Project& project, const payments::v1::CaptureTransactionRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  const std::string path = request.has_amount() ? "captures/amount/" : "captures/";
  return SendForOrder(NewMutation("capture_transaction", {.target = TransactionPath(request, path)},
                                  request, PartialBody(request), project, context, guard),
                      {.kind = Kind::kCapture,
                       .order_id = request.order_id(),
                       .transaction_id = request.transaction_id()});
}

asio::awaitable<ports::Answer> Client::VoidTransaction(
    const domain::Project& project, const payments::v1::VoidTransactionRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  const std::string path = request.has_amount() ? "voids/amount/" : "voids/";
  return SendForOrder(NewMutation("void_transaction", {.target = TransactionPath(request, path)},
                                  request, PartialBody(request), project, context, guard),
                      {.kind = Kind::kVoid,
                       .order_id = request.order_id(),
                       .transaction_id = request.transaction_id()});
}

asio::awaitable<ports::Answer> Client::CreateRefund(
    const domain::Project& project, const payments::v1::CreateRefundRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  return SendForOrder(
      NewMutation("create_refund", {.target = OrderPath(request.order_id(), "refunds/")}, request,
                  ToWire(request), project, context, guard),
      {.kind = Kind::kRefund, .order_id = request.order_id()});
}

Async<Order> Client::GetOrder(const domain::Project& project, std::string_view order_id,
                              const ports::Context& context) {
  Exchange exchange = NewExchange("get_order", Effect::kRead, "GET",
                                  {.target = OrderPath(order_id)}, project, context);
  const ExchangeResult result = co_await pipe_.Send(std::move(exchange));
  if (IsNotFound(result)) co_return NoSuchOrder(result);
  Order order;
  DecodeReport report;
  const absl::Status read = ReadAnswer(result, &order, &report);
  if (!read.ok()) co_return read;
  // Whatever else was answered, it does not tell how this order is.
  const ExpectedOrder expected{.kind = Kind::kSame, .order_id = std::string(order_id)};
  if (!Mismatch(order, expected).empty()) co_return UnreadableAnswer();
  NameUnreadable(std::move(report), &order);
  wallet_names_.FromService(&order);
  co_return order;
}

Async<common::v1::RefundList> Client::ListRefunds(const domain::Project& project,
                                                  std::string_view order_id,
                                                  const ports::Context& context) {
  Exchange exchange = NewExchange("list_refunds", Effect::kRead, "GET",
                                  {.target = OrderPath(order_id, "refunds/")}, project, context);
  const ExchangeResult result = co_await pipe_.Send(std::move(exchange));
  if (IsNotFound(result)) co_return NoSuchOrder(result);
  const ExpectedOrder expected{.kind = Kind::kRefund, .order_id = std::string(order_id)};
  common::v1::RefundList refunds;
  const absl::Status read = ReadRefunds(result, expected, &refunds);
  if (!read.ok()) co_return read;
  for (Order& order : *refunds.mutable_orders()) wallet_names_.FromService(&order);
  co_return refunds;
}

}  // namespace tollbridge::payment_service
