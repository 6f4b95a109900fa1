// Payment links and currencies.

#include <memory>
#include <utility>

#include "adapters/payment_service/answers.h"
#include "adapters/payment_service/client.h"
#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/requests.h"
#include "base/http/url.h"
#include "services/domain/errors.h"
#include "tollbridge/common/v1/payment_link.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payment_service {
namespace {

namespace asio = boost::asio;
using common::v1::PaymentLink;

constexpr std::string_view kPaymentLinks = "/v1/paymentlinks/";
constexpr std::string_view kCurrencies = "/v1/merchants/self/projects/self/currencies/";

std::string_view LinkMismatch(const google::protobuf::Message& message) {
  const auto& link = static_cast<const PaymentLink&>(message);
  return link.id().empty() ? "a payment link without an id" : "";
}

absl::Status NoSuchLink() {
  return domain::MakeError(
      absl::StatusCode::kNotFound, "the payment service does not know this payment link",
      {.reason = domain::reason::kPaymentLinkNotFound, .retry = domain::Retry::kAfterChange});
}

}  // namespace

asio::awaitable<ports::Answer> Client::CreatePaymentLink(
    const domain::Project& project, const payments::v1::CreatePaymentLinkRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  payments::v1::CreatePaymentLinkRequest wire = request;
  wallet_names_.ToService(wire.mutable_payment_methods());
  absl::StatusOr<Exchange> exchange =
      NewMutation("create_payment_link", {.target = std::string(kPaymentLinks)}, request,
                  ToWire(wire), project, context, guard);
  const auto link = std::make_shared<PaymentLink>();
  ports::Answer answer = co_await SendForMessage(std::move(exchange), link, &LinkMismatch);
  wallet_names_.FromService(link->mutable_payment_methods());
  co_return answer;
}

Async<PaymentLink> Client::GetPaymentLink(const domain::Project& project,
                                          std::string_view payment_link_id,
                                          const ports::Context& context) {
  std::string path = std::string(kPaymentLinks) + http::PercentEncode(payment_link_id) + "/";
  Exchange exchange = NewExchange("get_payment_link", Effect::kRead, "GET",
                                  {.target = std::move(path)}, project, context);
  const ExchangeResult result = co_await pipe_.Send(std::move(exchange));
  if (IsNotFound(result)) co_return NoSuchLink();
  PaymentLink link;
  const absl::Status read = ReadAnswer(result, &link);
  if (!read.ok()) co_return read;
  // Whatever else was answered, it does not tell how this link is.
  if (!http::EqualsIgnoreCase(link.id(), payment_link_id)) co_return UnreadableAnswer();
  wallet_names_.FromService(link.mutable_payment_methods());
  co_return link;
}

Async<payments::v1::CurrencyList> Client::ListCurrencies(const domain::Project& project,
                                                         const ports::Context& context) {
  Exchange exchange = NewExchange("list_currencies", Effect::kRead, "GET",
                                  {.target = std::string(kCurrencies)}, project, context);
  const ExchangeResult result = co_await pipe_.Send(std::move(exchange));
  payments::v1::CurrencyList list;
  DecodeReport report;
  const absl::Status read = ReadAnswer(result, &list, &report);
  if (!read.ok()) co_return read;
  // A list that lost an element is not a shorter list.
  if (report.unreadable_values > 0) co_return UnreadableAnswer();
  co_return list;
}

}  // namespace tollbridge::payment_service
