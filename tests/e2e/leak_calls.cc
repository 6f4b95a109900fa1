#include "tests/e2e/leak_calls.h"

#include <gtest/gtest.h>
#include <cstddef>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/support/process.h"
#include "tollbridge/options/v1/options.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/payouts/v1/payouts.pb.h"
#include "tollbridge/search/v1/search.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::test {
namespace {

/// rpc.max_request_bytes.
constexpr std::size_t kLargestRequest = 256 * 1024;

namespace json = boost::json;
namespace pb = google::protobuf;
using payments::v1::AuthenticateTransactionRequest;
using payments::v1::CreateOrderRequest;
using payments::v1::ExecuteWalletBPaymentRequest;
using payouts::v1::CreatePayoutRequest;
using vault::v1::StoreCardRequest;

// Test cards of the sandbox, none of which another test helper sends.
constexpr std::string_view kCard = "4242424242424242";
constexpr std::string_view kOtherCard = "4000000000000713";
constexpr std::string_view kPayoutCard = "5555555555554444";
constexpr std::string_view kChallengeCard = "4000000000003220";
constexpr std::string_view kDeclinedCard = "4000000000000515";
constexpr std::string_view kNoPayoutCard = "4000000000000622";

/// The mutations that take or give something marked.
constexpr std::array<Kind, 8> kMarkedKinds = {
    Kind::kCreate,        Kind::kInitiate,       Kind::kAuthenticate, Kind::kPayoutByCard,
    Kind::kPayoutByToken, Kind::kExecuteWalletB, Kind::kStoreCard,    Kind::kExchangeWalletB};
/// What goes by itself, beside them.
constexpr std::array<Kind, 4> kOtherKinds = {Kind::kCapture, Kind::kVoid, Kind::kRefund,
                                             Kind::kCreatePaymentLink};

const pb::MethodDescriptor& MethodOf(Kind kind) {
  static const std::vector<const pb::MethodDescriptor*> methods = PublishedMethods();
  const auto found = std::ranges::find_if(
      methods, [&](const pb::MethodDescriptor* method) { return method->name() == RpcOf(kind); });
  if (found == methods.end()) throw std::logic_error("no method " + RpcOf(kind));
  return **found;
}

std::unique_ptr<pb::Message> RequestOf(const Mutation& mutation) {
  auto request = NewMessage(*MethodOf(mutation.kind).input_type());
  if (!request->ParseFromString(mutation.request)) throw std::runtime_error("not a request");
  return request;
}

template <typename Request, typename Change>
void Edit(Mutation& mutation, const Change& change) {
  Request request;
  if (!request.ParseFromString(mutation.request)) throw std::runtime_error("not a request");
  change(request);
  mutation.request = request.SerializeAsString();
}

std::string PathOf(const pb::MethodDescriptor& method) { return method.full_name(); }

std::string Joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : " and ") + value;
  return text;
}

/// A fault that answers with an error object in which the service repeats what it was sent.
std::string ErrorWith(int status, std::string_view type, const std::string& value) {
  json::object error{{"status", status}, {"type", type}, {"value", "refused: " + value}};
  return json::serialize(json::object{
      {"kind", "status"}, {"status", status}, {"body", json::object{{"error", std::move(error)}}}});
}

std::string On(const std::string& route, const std::string& fault) {
  return R"({"rules":[{"on":{"operation":")" + route + R"(","nth":1},"fault":)" + fault + "}]}";
}

/// Sets the texts of these names.
void SetTexts(pb::Message& message, const std::map<std::string, std::string>& texts) {
  for (const auto& [name, value] : texts) {
    const pb::FieldDescriptor* const field = message.GetDescriptor()->FindFieldByName(name);
    if (field != nullptr) message.GetReflection()->SetString(&message, field, value);
  }
}

}  // namespace

Mutation LeakCalls::Marked(Kind kind, const std::string& name, std::string_view pan) {
  Mutation mutation = Prepare(stack_, kind, name);
  const std::string where = RpcOf(kind);
  if (kind == Kind::kStoreCard) {
    Edit<StoreCardRequest>(mutation,
                           [&](StoreCardRequest& request) { request.set_pan(std::string(pan)); });
  } else if (kind == Kind::kPayoutByCard || kind == Kind::kPayoutByToken) {
    Edit<CreatePayoutRequest>(mutation, [&](CreatePayoutRequest& request) {
      if (request.has_card()) request.mutable_card()->set_pan(std::string(pan));
      request.set_cvc(marks_.SecurityCode(where + " cvc"));
    });
  } else if (kind == Kind::kAuthenticate) {
    Edit<AuthenticateTransactionRequest>(mutation, [&](AuthenticateTransactionRequest& request) {
      request.set_cvc(marks_.SecurityCode(where + " cvc"));
    });
  } else if (kind == Kind::kExecuteWalletB) {
    Edit<ExecuteWalletBPaymentRequest>(mutation, [&](ExecuteWalletBPaymentRequest& request) {
      request.set_cryptogram(marks_.Cryptogram(where + " cryptogram"));
      request.set_eci_indicator("05");
    });
  }
  marks_.Learn(*RequestOf(mutation), where);
  return mutation;
}

Told LeakCalls::Call(const Mutation& mutation, std::chrono::milliseconds deadline) {
  Told told = CallOnce(stack_.grpc(), mutation, deadline);
  sinks_.Keep(told.status);
  if (!told.status.ok()) return told;
  auto answer = NewMessage(*MethodOf(mutation.kind).output_type());
  EXPECT_TRUE(answer->ParseFromString(told.bytes));
  marks_.Learn(*answer, RpcOf(mutation.kind) + "'s answer");
  if (mutation.kind != Kind::kExchangeWalletB) answers_ += told.bytes + "\n";
  return told;
}

RpcStatus LeakCalls::Call(const pb::MethodDescriptor& method, const pb::Message& request,
                          const RpcOptions& options) {
  const std::string bytes = request.SerializeAsString();
  if (method.server_streaming()) {
    const auto stream = stack_.grpc().OpenStream(PathOf(method), bytes, options);
    while (const auto message = stream->Read()) {
      // The report is passed through as the payment service wrote it, merchants' texts included.
      if (method.name() != "ExportOrders") answers_ += *message + "\n";
    }
    const RpcStatus status = stream->Finish();
    sinks_.Keep(status);
    return status;
  }
  const RpcReply reply = stack_.grpc().CallBytes(PathOf(method), bytes, options);
  sinks_.Keep(reply);
  if (reply.status.ok()) {
    auto answer = NewMessage(*method.output_type());
    EXPECT_TRUE(answer->ParseFromString(reply.bytes));
    marks_.Learn(*answer, method.name() + "'s answer");
    answers_ += reply.bytes + "\n";
  }
  return reply.status;
}

void LeakCalls::Succeed() {
  std::map<std::string, std::string> texts = {{"validation_url", "https://wallet-a.test/validate"},
                                              {"display_name", "Shop"},
                                              {"initiative_context", "shop.test"},
                                              {"note", "checked"}};
  std::string vault_token;
  const auto run = [&](Kind kind) {
    const bool payout = kind == Kind::kPayoutByCard || kind == Kind::kPayoutByToken;
    const Mutation mutation = Marked(kind, "good", payout ? kPayoutCard : kCard);
    const Told told = Call(mutation);
    EXPECT_TRUE(told.result) << RpcOf(kind) << ": " << told.text();
    if (told.order) texts["order_id"] = told.order->id();
    texts["operation_id"] = OperationIdOf(mutation);
    if (kind == Kind::kStoreCard) {
      vault::v1::StoreCardResponse stored;
      if (stored.ParseFromString(told.bytes)) vault_token = stored.card().vault_token();
    }
    if (kind == Kind::kCreatePaymentLink) {
      payments::v1::CreatePaymentLinkResponse made;
      if (made.ParseFromString(told.bytes)) texts["payment_link_id"] = made.payment_link().id();
    }
    // What is kept is told again, or is said not to be kept.
    Call(mutation);
  };
  for (const Kind kind : kOtherKinds) run(kind);
  for (const Kind kind : kMarkedKinds) run(kind);
  SucceedWithExternalAuthentication();
  SucceedWithOneClickAndAccountFunding(vault_token);
  // Of an order that is a payout: so that GetPayout knows it too.
  const Told payout = Call(Marked(Kind::kPayoutByCard, "read", kPayoutCard));
  if (payout.order) texts["order_id"] = payout.order->id();
  SucceedReading(texts);
}

void LeakCalls::SucceedWithExternalAuthentication() {
  Mutation pay = Marked(Kind::kAuthenticate, "external", kChallengeCard);
  Edit<AuthenticateTransactionRequest>(pay, [&](AuthenticateTransactionRequest& request) {
    request.set_cavv(marks_.Cryptogram("AuthenticateTransaction cavv"));
    request.set_three_ds_version("2.2.0");
    request.set_three_ds_method_used("challenge");
    request.set_ds_transaction_id("ds-1");
  });
  const Told told = Call(pay);
  EXPECT_TRUE(told.result) << told.text();
}

void LeakCalls::SucceedWithOneClickAndAccountFunding(const std::string& vault_token) {
  Mutation one_click = Prepare(stack_, Kind::kCreate, "one-click");
  Edit<CreateOrderRequest>(one_click, [&](CreateOrderRequest& request) {
    // Where a card number has no place, and gets to all the same.
    request.set_description("card " + marks_.CardNumberInText("CreateOrder description"));
    payments::v1::NewTransaction& transaction = *request.add_transactions();
    transaction.set_payment_method("credit-card");
    auto& details = *transaction.mutable_payment_method_details();
    details.set_one_click_type("one-click");
    details.set_vault_token(vault_token);
    details.set_cvc(marks_.SecurityCode("CreateOrder cvc"));
  });
  one_click = WithKey(one_click, marks_.CardNumber("CreateOrder idempotency_key"));
  Told told = Call(one_click);
  EXPECT_TRUE(told.result) << told.text();

  Mutation funding = Prepare(stack_, Kind::kCreate, "funding");
  Edit<CreateOrderRequest>(funding, [&](CreateOrderRequest& request) {
    payments::v1::NewTransaction& transaction = *request.add_transactions();
    transaction.set_payment_method("credit-card");
    auto& details = *transaction.mutable_payment_method_details();
    details.set_receiver_account_number(marks_.CardNumber("CreateOrder receiver_account_number"));
    details.set_receiver_account_number_type("card-account");
    *request.mutable_customer() = FundingCustomer();
  });
  told = Call(funding);
  EXPECT_TRUE(told.result) << told.text();
}

void LeakCalls::SucceedReading(const std::map<std::string, std::string>& texts) {
  for (const pb::MethodDescriptor* method : PublishedMethods()) {
    if (method->input_type()->FindFieldByName("idempotency_key") != nullptr &&
        method->name() != "GetOperation") {
      continue;  // a mutation
    }
    auto request = NewMessage(*method->input_type());
    SetTexts(*request, texts);
    RpcOptions options;
    // It goes on until the order is final.
    if (method->name() == "WatchOrder") options.deadline = std::chrono::milliseconds(500);
    const RpcStatus status = Call(*method, *request, options);
    // A person closes what needs review, and nothing does.
    const bool cannot = method->name() == "ResolveOperation" ||
                        method->name() == "ConfirmOperation" || method->name() == "WatchOrder";
    EXPECT_TRUE(status.ok() || cannot) << method->name() << ": " << status.message;
  }
}

void LeakCalls::Decline() {
  const Mutation order = Prepare(stack_, Kind::kStoreCard, "declined");
  Mutation store = order;
  Edit<StoreCardRequest>(
      store, [&](StoreCardRequest& request) { request.set_pan(std::string(kDeclinedCard)); });
  marks_.Learn(*RequestOf(store), "StoreCard");
  const Told stored = Call(store);
  vault::v1::StoreCardResponse card;
  ASSERT_TRUE(card.ParseFromString(stored.bytes) && card.has_card()) << stored.text();

  AuthenticateTransactionRequest pay;
  pay.set_idempotency_key("pay-with-declined");
  pay.set_order_id(order.order);
  pay.set_transaction_id(order.transaction);
  pay.set_vault_token(card.card().vault_token());
  pay.set_cvc(marks_.SecurityCode("AuthenticateTransaction cvc, declined"));
  const Told declined = Call({.kind = Kind::kAuthenticate,
                              .key = pay.idempotency_key(),
                              .order = order.order,
                              .request = pay.SerializeAsString()});
  EXPECT_TRUE(declined.order) << declined.text();
  EXPECT_FALSE(declined.order && declined.order->reason().empty()) << "not declined";

  const Told payout = Call(Marked(Kind::kPayoutByCard, "declined", kNoPayoutCard));
  EXPECT_TRUE(payout.order) << payout.text();
}

void LeakCalls::BreakRules() {
  for (const pb::MethodDescriptor* method : PublishedMethods()) {
    for (const Shape shape : {Shape::kValid, Shape::kMalformed, Shape::kTooLong, Shape::kNotUtf8}) {
      for (const int choice : {0, 1}) {
        auto request = NewMessage(*method->input_type());
        marks_.Fill(*request, method->name(), shape, choice);
        if (Marks::ValuesIn(*request).empty()) continue;
        const RpcStatus status = Call(*method, *request);
        // What is too large as a whole is refused before anybody reads it.
        const bool too_large = request->ByteSizeLong() > kLargestRequest;
        EXPECT_EQ(status.code_name(), too_large ? "RESOURCE_EXHAUSTED" : "INVALID_ARGUMENT")
            << method->name() << status.message;
      }
    }
    auto request = NewMessage(*method->input_type());
    marks_.FillTexts(*request, method->name());
    const RpcOptions options{.metadata = {{"x-card", marks_.CardNumber("metadata")}}};
    const RpcStatus status = Call(*method, *request, options);
    EXPECT_EQ(status.code_name(), "INVALID_ARGUMENT") << method->name() << status.message;
  }
}

void LeakCalls::BeDenied(std::string_view but_for) {
  for (const pb::MethodDescriptor* method : PublishedMethods()) {
    if (method->options().GetExtension(options::v1::policy).permission() == but_for) continue;
    auto request = NewMessage(*method->input_type());
    marks_.FillTexts(*request, method->name());
    marks_.Fill(*request, method->name(), Shape::kValid);
    const pb::FieldDescriptor* const project = request->GetDescriptor()->FindFieldByName("project");
    request->GetReflection()->ClearField(request.get(), project);
    EXPECT_EQ(Call(*method, *request).reason, "PERMISSION_DENIED") << method->name();
  }
}

void LeakCalls::FailBeforeSending() {
  Mutation store = Marked(Kind::kStoreCard, "unsent", marks_.CardNumber("StoreCard pan, unsent"));
  sinks_.Keep(stack_.grpc().CallBytes("tollbridge.vault.v1.Vault.StoreCards", store.request));
  sinks_.Keep(stack_.grpc().CallBytes("tollbridge.vault.v1.Safe.StoreCard", store.request));
  sinks_.Keep(stack_.grpc().CallBytes(PathOf(MethodOf(Kind::kStoreCard)), store.request,
                                      {.deadline = std::chrono::milliseconds(0)}));
  sinks_.Keep(stack_.grpc().CallBytes(PathOf(MethodOf(Kind::kStoreCard)),
                                      store.request.substr(0, store.request.size() - 3)));

  std::string huge = store.request;
  while (huge.size() < (std::size_t{8} << 20)) huge += huge;
  const RpcReply refused = stack_.grpc().CallBytes(PathOf(MethodOf(Kind::kStoreCard)), huge);
  EXPECT_EQ(refused.status.code_name(), "RESOURCE_EXHAUSTED");
  sinks_.Keep(refused);

  Mutation elsewhere = store;
  Edit<StoreCardRequest>(elsewhere, [&](StoreCardRequest& request) {
    request.set_project(marks_.CardNumber("StoreCard project"));
  });
  EXPECT_EQ(Call(elsewhere).status.code_name(), "INVALID_ARGUMENT");

  stack_.redis().Pause();
  EXPECT_EQ(Call(store).status.code_name(), "UNAVAILABLE");
  stack_.redis().Resume();

  Mutation good = Marked(Kind::kStoreCard, "reused", kCard);
  Told told;
  EXPECT_TRUE(Eventually([&] { return (told = Call(good)).result; })) << told.text();
  Edit<StoreCardRequest>(good, [&](StoreCardRequest& request) {
    request.set_pan(marks_.CardNumber("StoreCard pan, same key"));
  });
  told = Call(good);
  EXPECT_EQ(told.status.reason, "IDEMPOTENCY_KEY_REUSED") << told.text();
}

void LeakCalls::FailOnceUpstream(Kind kind, const std::string& route, const std::string& name,
                                 const std::string& fault) {
  Mutation mutation = Marked(kind, name, kind == Kind::kPayoutByCard ? kOtherCard : kChallengeCard);
  if (kind == Kind::kCreate) {
    Edit<CreateOrderRequest>(mutation, [&](CreateOrderRequest& request) {
      payments::v1::NewTransaction& transaction = *request.add_transactions();
      transaction.set_payment_method("credit-card");
      transaction.mutable_payment_method_details()->set_one_click_type("one-click");
      marks_.Fill(*transaction.mutable_payment_method_details(), RpcOf(kind), Shape::kValid);
      // That goes with much else: SucceedWithOneClickAndAccountFunding.
      transaction.mutable_payment_method_details()->clear_receiver_account_number();
    });
  }
  std::string plan = On(route, fault);
  const std::vector<std::string> sent = Marks::ValuesIn(*RequestOf(mutation));
  EXPECT_FALSE(sent.empty()) << RpcOf(kind);
  const std::string echo = json::serialize(json::string(Joined(sent)));
  const std::string_view place = "MARKS";
  for (std::size_t at = plan.find(place); at != std::string::npos; at = plan.find(place, at)) {
    plan.replace(at, place.size(), echo.substr(1, echo.size() - 2));
    at += echo.size() - 2;
  }
  stack_.SandboxFaults(plan);
  const Told told = Call(mutation, std::chrono::milliseconds(900));
  stack_.SandboxFaults("{}");
  // A fault that is missed would show nothing.
  EXPECT_FALSE(told.result && told.knowledge == operations::v1::KNOWLEDGE_ANSWERED)
      << RpcOf(kind) << " " << name;
}

void LeakCalls::FailUpstream() {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"invalid", ErrorWith(400, "ValidationError", "MARKS")},
      {"credentials", ErrorWith(401, "Unauthorized", "MARKS")},
      {"forbidden", ErrorWith(403, "Forbidden", "MARKS")},
      {"not-found", ErrorWith(404, "NotFound", "MARKS")},
      {"type", ErrorWith(422, "MARKS", "see the type")},
      {"error", ErrorWith(500, "ServerError", "MARKS")},
      {"success-with-error", ErrorWith(200, "ServerError", "MARKS")},
      {"no-object", R"({"kind":"status","status":400,"body":{"message":"MARKS"}})"},
      {"other-answer", R"({"kind":"status","status":201,"body":{"id":"MARKS","status":"MARKS"}})"},
      {"text", R"({"kind":"status","status":200,"body":"MARKS"})"},
      {"page", R"({"kind":"html"})"},
      {"garbled", R"({"kind":"garble"})"},
      {"cut", R"({"kind":"truncate","after_bytes":40})"},
      {"lost", R"({"kind":"drop_after"})"},
      {"late", R"({"kind":"latency","milliseconds":1500})"}};
  for (const Kind kind : kMarkedKinds) {
    const Mutation refused = Marked(kind, "unknown-marks", kCard);
    auto request = RequestOf(refused);
    marks_.Fill(*request, RpcOf(kind) + " for the service to refuse", Shape::kValid,
                kind == Kind::kPayoutByToken ? 1 : 0);
    Call(MethodOf(kind), *request);
    for (const auto& [name, fault] : faults) FailOnceUpstream(kind, RouteOf(kind), name, fault);
  }
  for (const auto& [name, fault] : faults) {
    FailOnceUpstream(Kind::kPayoutByCard, "store_card", "card-" + name, fault);
  }
  FailOnceUpstream(Kind::kStoreCard, "store_card", "limited",
                   ErrorWith(429, "TooManyRequests", "MARKS"));
}

void LeakCalls::HearCardData() {
  const Told created = CallUntilDefinite(stack_.grpc(), Prepare(stack_, Kind::kCreate, "hear"));
  ASSERT_TRUE(created.order) << created.text();
  const std::string where = "an order as read";
  const json::object details{
      {"cvc", marks_.SecurityCode(where)},
      {"receiver_account_number", marks_.CardNumber(where)},
      {"external_authentication_details",
       json::object{{"authenticationValue", marks_.Cryptogram(where)}, {"dsTransID", "ds-1"}}}};
  const json::object transaction{{"id", "77777777-7777-4777-8777-777777777777"},
                                 {"status", "declined"},
                                 {"payment_method", "credit-card"},
                                 {"payment_method_details", details}};
  const json::object order{{"id", created.order->id()},
                           {"status", "error"},
                           {"amount", created.order->amount()},
                           {"currency", created.order->currency()},
                           {"reason", "card " + marks_.CardNumberInText(where) + " is declined"},
                           {"transactions", json::array{transaction}}};
  const json::object fault{{"kind", "status"}, {"status", 200}, {"body", order}};
  stack_.SandboxFaults(R"({"rules":[{"on":{"operation":"get_order","order":")" +
                       created.order->id() + R"("},"fault":)" + json::serialize(fault) + "}]}");
  payments::v1::GetOrderRequest read;
  read.set_order_id(created.order->id());
  const RpcReply reply = stack_.grpc().Call(kGetOrder, read);
  EXPECT_EQ(reply.As<payments::v1::GetOrderResponse>().order().transactions_size(), 1)
      << "the order was not heard as planned: " << reply.status.message;
  answers_ += reply.bytes;
  const auto events = stack_.OpenTopic("events");
  EXPECT_TRUE(AwaitEvent(*events, created.order->id(), "tollbridge.payment.failed.v1"));
  stack_.SandboxFaults("{}");
}

void LeakCalls::Crash() {
  for (const char* hook :
       {"operations.after_claim", "operations.after_answer", "operations.before_finish"}) {
    for (const Kind kind : {Kind::kStoreCard, Kind::kPayoutByCard, Kind::kExchangeWalletB,
                            Kind::kAuthenticate, Kind::kExecuteWalletB}) {
      const Mutation mutation = Marked(kind, std::string("crash-") + hook, kCard);
      sinks_.Restart({{"TOLLBRIDGE_CRASH_AT", hook}});
      Call(mutation, std::chrono::seconds(3));
      const auto exit = stack_.gateway().WaitForExit();
      EXPECT_TRUE(exit && exit->signal == SIGKILL) << RpcOf(kind) << " did not reach " << hook;
      sinks_.Restart();
      Told told;
      EXPECT_TRUE(Eventually([&] { return (told = Call(mutation)).definite(); })) << told.text();
    }
  }
}

void LeakCalls::Settle(const OtlpReceiver& collector) {
  constexpr const char* kTrace = "5e771ed0000000000000000000000001";
  // What a process was draining when it was killed is out of reach for 30 s.
  constexpr std::chrono::seconds kDrained{90};
  EXPECT_TRUE(Eventually(
      [&] {
        return stack_.Metric(
                   "tollbridge_oldest_undrained_operation_record_seconds{project=\"demo\"}") < 1 &&
               stack_.Metric(
                   "tollbridge_operations_unresolved{project=\"demo\",state=\"running\"}") == 0;
      },
      kDrained));
  payments::v1::ListCurrenciesRequest request;
  stack_.grpc().Call(
      "tollbridge.payments.v1.Payments.ListCurrencies", request,
      {.metadata = {{"traceparent", std::string("00-") + kTrace + "-00f067aa0ba902b7-01"}}});
  EXPECT_TRUE(Eventually(
      [&] { return collector.HasSpan("tollbridge.payments.v1.Payments/ListCurrencies", kTrace); }));
}

}  // namespace tollbridge::test
