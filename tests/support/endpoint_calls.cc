#include "tests/support/endpoint_calls.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <absl/status/statusor.h>

#include "base/core/async.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/payment_link.pb.h"
#include "tollbridge/common/v1/search.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::test {
namespace {

namespace asio = boost::asio;
using ports::PaymentService;

const std::string kOrder = "5a0e1c2d-7f4b-4c0a-9d53-2f6f6c1f3a10";
const std::string kOther = "7c2a3e4f-9b6d-4e2c-9f75-4b8b8e3b5c32";
const std::string kTransaction = "6b1f2d3e-8a5c-4d1b-8e64-3a7a7d2a4b21";
const std::string kToken = "8d3b4f5a-0c7e-4f3d-8a86-5c9c9f4c6d43";

template <typename Request>
using Mutation = asio::awaitable<ports::Answer> (PaymentService::*)(const domain::Project&,
                                                                    const Request&,
                                                                    const ports::Context&,
                                                                    const ports::SendGuard&);

template <typename Request>
asio::awaitable<Told> Mutate(PaymentService& service, Mutation<Request> function, Request request,
                             domain::Project project, ports::Context context,
                             ports::SendGuard guard) {
  Told told;
  told.answer = co_await (service.*function)(project, request, context, guard);
  told.result = told.answer.result;
  co_return told;
}

template <typename Message>
Told ToldBy(absl::StatusOr<Message> read) {
  Told told;
  told.status = read.status();
  if (read.ok()) told.result = std::make_shared<Message>(*std::move(read));
  return told;
}

template <typename Message>
using ReadById = Async<Message> (PaymentService::*)(const domain::Project&, std::string_view,
                                                    const ports::Context&);

template <typename Message>
asio::awaitable<Told> ReadAbout(PaymentService& service, ReadById<Message> function, std::string id,
                                domain::Project project, ports::Context context) {
  absl::StatusOr<Message> read = co_await (service.*function)(project, id, context);
  co_return ToldBy(std::move(read));
}

asio::awaitable<Told> OpenSession(PaymentService& service, domain::Project project,
                                  ports::Context context) {
  payments::v1::WalletASessionOrder order;
  order.set_validation_url("https://wallet-a.example/session");
  order.set_merchant_identifier("11111111111141118111111111111111");
  order.set_display_name("Shop");
  order.set_initiative_context("shop.example");
  absl::StatusOr<payments::v1::CreateWalletASessionResponse> read =
      co_await service.CreateWalletASession(project, order, context);
  co_return ToldBy(std::move(read));
}

asio::awaitable<Told> ReadCurrencies(PaymentService& service, domain::Project project,
                                     ports::Context context) {
  absl::StatusOr<payments::v1::CurrencyList> read =
      co_await service.ListCurrencies(project, context);
  co_return ToldBy(std::move(read));
}

common::v1::OrderSearch EveryOrder() {
  common::v1::OrderSearch search;
  search.set_query("*");
  search.set_sort("id asc");
  return search;
}

asio::awaitable<Told> SearchAll(PaymentService& service, domain::Project project,
                                ports::Context context) {
  const common::v1::OrderSearch search = EveryOrder();
  absl::StatusOr<common::v1::OrderSearchResult> read =
      co_await service.SearchOrders(project, search, context);
  co_return ToldBy(std::move(read));
}

AsyncStatus Append(std::string& text, std::string_view piece) {
  text += piece;
  co_return absl::OkStatus();
}

asio::awaitable<Told> ReadWholeReport(PaymentService& service, domain::Project project,
                                      ports::Context context) {
  const common::v1::OrderSearch search = EveryOrder();
  Told told;
  const ports::ReportSink sink = [&told](std::string_view piece) {
    return Append(told.report, piece);
  };
  told.status = co_await service.ReadReport(project, search, sink, context);
  co_return told;
}

/// `$` in the text of an answer stands for a value; each makes one answer.
std::vector<std::string> WithEach(const std::string& text, const std::vector<std::string>& values) {
  std::vector<std::string> all;
  const std::size_t at = text.find('$');
  for (const std::string& value : values) {
    all.push_back(text.substr(0, at) + value + text.substr(at + 1));
  }
  return all;
}

const std::vector<std::string> kNoText = {"{}", "[]", "true", "null", R"({"id":"x"})", R"(["x"])"};

std::string OrderText(const std::string& id) {
  return R"({"id":")" + id + R"(","status":"new","amount":1250,"currency":"EUR"})";
}

template <typename Request>
EndpointCall OfMutation(std::string name, Mutation<Request> function, Request request,
                        std::string good, std::vector<std::string> wrong_types) {
  EndpointCall made{.name = std::move(name),
                    .mutation = true,
                    .good = std::move(good),
                    .wrong_types = std::move(wrong_types)};
  made.call = [function, request = std::move(request)](
                  PaymentService& service, const domain::Project& project,
                  const ports::Context& context, const ports::SendGuard& guard) {
    return Mutate(service, function, request, project, context, guard);
  };
  return made;
}

template <typename Message>
EndpointCall OfReadById(std::string name, ReadById<Message> function, std::string good,
                        std::vector<std::string> wrong_types) {
  EndpointCall made{
      .name = std::move(name), .good = std::move(good), .wrong_types = std::move(wrong_types)};
  made.call = [function](PaymentService& service, const domain::Project& project,
                         const ports::Context& context, const ports::SendGuard& /*guard*/) {
    return ReadAbout(service, function, kOrder, project, context);
  };
  return made;
}

EndpointCall OfRead(std::string name,
                    asio::awaitable<Told> (*read)(PaymentService&, domain::Project, ports::Context),
                    std::string good, std::vector<std::string> wrong_types) {
  EndpointCall made{
      .name = std::move(name), .good = std::move(good), .wrong_types = std::move(wrong_types)};
  made.call = [read](PaymentService& service, const domain::Project& project,
                     const ports::Context& context,
                     const ports::SendGuard& /*guard*/) { return read(service, project, context); };
  return made;
}

template <typename Request>
Request About(std::optional<std::int64_t> amount = std::nullopt) {
  Request request;
  request.set_order_id(kOrder);
  request.set_transaction_id(kTransaction);
  if constexpr (requires { request.set_amount(0); }) {
    if (amount) request.set_amount(*amount);
  }
  return request;
}

void AddOrderMutations(std::vector<EndpointCall>& all) {
  const std::vector<std::string> wrong =
      WithEach(R"({"id":$,"status":"new","amount":1250,"currency":"EUR"})", kNoText);
  payments::v1::CreateOrderRequest create;
  create.set_merchant_order_id("A-1");
  create.set_currency("EUR");
  create.set_amount(1250);
  create.add_transactions()->set_payment_method("credit-card");
  all.push_back(
      OfMutation("CreateOrder", &PaymentService::CreateOrder, create, OrderText(kOrder), wrong));
  auto initiate = About<payments::v1::InitiateTransactionRequest>();
  initiate.set_vault_token(kToken);
  all.push_back(OfMutation("InitiateTransaction", &PaymentService::InitiateTransaction, initiate,
                           OrderText(kOrder), wrong));
  auto authenticate = About<payments::v1::AuthenticateTransactionRequest>();
  authenticate.set_vault_token(kToken);
  authenticate.set_cvc("123");
  all.push_back(OfMutation("AuthenticateTransaction", &PaymentService::AuthenticateTransaction,
                           authenticate, OrderText(kOrder), wrong));
  for (const auto& amount : {std::optional<std::int64_t>(), std::optional<std::int64_t>(300)}) {
    const std::string part = amount ? "InPart" : "";
    all.push_back(OfMutation("CaptureTransaction" + part, &PaymentService::CaptureTransaction,
                             About<payments::v1::CaptureTransactionRequest>(amount),
                             OrderText(kOther), wrong));
    all.push_back(OfMutation("VoidTransaction" + part, &PaymentService::VoidTransaction,
                             About<payments::v1::VoidTransactionRequest>(amount), OrderText(kOther),
                             wrong));
  }
  payments::v1::CreateRefundRequest refund;
  refund.set_order_id(kOrder);
  refund.set_amount(500);
  all.push_back(
      OfMutation("CreateRefund", &PaymentService::CreateRefund, refund, OrderText(kOther), wrong));
}

void AddOtherMutations(std::vector<EndpointCall>& all) {
  auto wallet = About<payments::v1::ExecuteWalletBPaymentRequest>();
  wallet.set_vault_token(kToken);
  all.push_back(OfMutation("ExecuteWalletBPayment", &PaymentService::ExecuteWalletBPayment, wallet,
                           R"({"is_successful":true,"reason":"none"})",
                           WithEach(R"({"is_successful":$,"reason":"none"})",
                                    {"{}", "[]", R"("perhaps")", "null", "2", "[true]"})));
  all.back().main_field = "is_successful";
  payments::v1::CreatePaymentLinkRequest link;
  link.set_merchant_order_id("A-1");
  link.set_amount(1250);
  link.set_currency("EUR");
  all.push_back(OfMutation("CreatePaymentLink", &PaymentService::CreatePaymentLink, link,
                           OrderText(kOrder), WithEach(R"({"id":$,"amount":1250})", kNoText)));
  vault::v1::StoreCardRequest card;
  card.set_pan("4111111111111111");
  card.set_expiry("122030");
  card.set_setup_token(kToken);
  std::vector<std::string> no_token = kNoText;
  no_token.insert(no_token.end(), {"7", R"("token")"});
  all.push_back(OfMutation("StoreCard", &PaymentService::StoreCard, card,
                           R"({"vault_token":")" + kToken + R"(","brand":"brand-1"})",
                           WithEach(R"({"vault_token":$,"brand":"brand-1"})", no_token)));
  all.back().main_field = "vault_token";
  vault::v1::ExchangeWalletBTokenRequest exchange;
  exchange.set_wallet_pay_message("{}");
  exchange.set_setup_token(kToken);
  exchange.set_transaction_id(kTransaction);
  all.push_back(OfMutation("ExchangeWalletBToken", &PaymentService::ExchangeWalletBToken, exchange,
                           R"({"vaultToken":")" + kToken + R"(","eciIndicator":"05"})",
                           WithEach(R"({"vaultToken":$,"eciIndicator":"05"})", no_token)));
  all.back().main_field = "vaultToken";
}

void AddReads(std::vector<EndpointCall>& all) {
  all.push_back(OfRead("CreateWalletASession", &OpenSession, R"({"sessionData":{"a":"b"}})",
                       WithEach(R"({"sessionData":$})", {"[]", R"("x")", "7", "true", "null"})));
  all.back().main_field = "sessionData";
  std::vector<std::string> not_this = kNoText;
  not_this.insert(not_this.end(), {"7", "\"" + kOther + "\""});
  const std::vector<std::string> not_this_one = WithEach(R"({"id":$,"status":"new"})", not_this);
  all.push_back(OfReadById("GetOrder", &PaymentService::GetOrder, OrderText(kOrder), not_this_one));
  all.push_back(OfReadById(
      "ListRefunds", &PaymentService::ListRefunds, "[" + OrderText(kOther) + "]",
      WithEach("[" + OrderText(kOther) + ",$]", {"{}", "[]", "true", "7", R"({"id":{}})"})));
  all.push_back(OfReadById("GetPaymentLink", &PaymentService::GetPaymentLink, OrderText(kOrder),
                           not_this_one));
  all.push_back(OfRead("ListCurrencies", &ReadCurrencies, R"(["EUR","USD"])",
                       WithEach(R"(["EUR",$])", {"{}", "[]", "true"})));
  const std::string orders = "[" + OrderText(kOrder) + "]";
  // An order of a wrong type is passed over, and its page goes on.
  std::vector<std::string> no_page = WithEach(R"({"hits":1,"orders":$})", {"{}", R"("x")", "7"});
  no_page.insert(no_page.end(), {R"({"hits":"many","orders":[]})", R"({"hits":{}})"});
  all.push_back(OfRead("SearchOrders", &SearchAll, R"({"hits":1,"orders":)" + orders + "}",
                       std::move(no_page)));
  all.back().main_field = "orders";
  all.push_back(OfRead("ReadReport", &ReadWholeReport, "id,amount\r\n" + kOrder + ",1250\r\n",
                       WithEach("id,amount\r\n$,1250\r\n", {"", "7", "x", "\"\"", "{}"})));
}

std::vector<EndpointCall> MakeAll() {
  std::vector<EndpointCall> all;
  AddOrderMutations(all);
  AddOtherMutations(all);
  AddReads(all);
  return all;
}

}  // namespace

const std::vector<EndpointCall>& EndpointCalls() {
  static const std::vector<EndpointCall> calls = MakeAll();
  return calls;
}

}  // namespace tollbridge::test
