#include "tests/e2e/support/flows.h"

#include <gmock/gmock.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "tests/support/http_call.h"

namespace tollbridge::test {
namespace {

constexpr std::string_view kTypeBegin = "tollbridge.";
constexpr std::string_view kTypeEnd = ".v1";

/// "payment.completed" of "tollbridge.payment.completed.v1"
std::string ShortType(const TopicRecord& event) {
  const std::string type = event.header("ce_type");
  if (type.size() < kTypeBegin.size() + kTypeEnd.size()) return type;
  return type.substr(kTypeBegin.size(), type.size() - kTypeBegin.size() - kTypeEnd.size());
}

/// Without those of progress, which are not promised.
std::vector<std::string> TypesOf(const std::vector<TopicRecord>& records,
                                 const std::string& order_id) {
  std::vector<std::string> types;
  for (const TopicRecord& event : EventsOf(records, order_id)) {
    std::string type = ShortType(event);
    if (!type.ends_with(".processing")) types.push_back(std::move(type));
  }
  return types;
}

/// "refund.completed": of an order that was made from another.
bool IsOfMember(std::string_view type) {
  const std::string_view kind = type.substr(0, type.find('.'));
  return kind == "capture" || kind == "void" || kind == "refund" || kind == "chargeback" ||
         kind == "reversal";
}

/// "COMPLETED" of "ORDER_STATUS_COMPLETED"
std::string WithoutPrefix(const std::string& name, std::string_view prefix) {
  return name.substr(prefix.size());
}

}  // namespace

std::string StateOf(const common::v1::Order& order) {
  std::string state = WithoutPrefix(common::v1::OrderStatus_Name(order.status()), "ORDER_STATUS_");
  if (order.transactions().empty()) return state;
  const common::v1::Transaction& last = *order.transactions().rbegin();
  state +=
      " " + WithoutPrefix(common::v1::TransactionStatus_Name(last.status()), "TRANSACTION_STATUS_");
  const auto outcome = last.outcomes().find("processing");
  if (outcome != last.outcomes().end()) state += " " + outcome->second.response_code();
  return state;
}

std::string RefusalOf(const RpcReply& reply) {
  if (reply.status.ok()) return "OK";
  std::string refusal = reply.status.code_name() + " " + reply.status.reason;
  const auto type = reply.status.metadata.find("provider_type");
  if (type != reply.status.metadata.end()) refusal += " " + type->second;
  for (const auto& [field, rule] : reply.status.violations) refusal += " " + field;
  return refusal;
}

void FlowTest::SetUpTestSuite() {
  stack_ = std::make_unique<Stack>(StackOptions{
      .settings = {{"operations",
                    {{"look_backoff", R"(["200ms", "500ms"])"}, {"pending_retry_after", "100ms"}}}},
      .tls = true});
  events_ = stack_->OpenTopic("events");
}

void FlowTest::TearDownTestSuite() {
  if (events_) events_->ReadAll();
  for (const auto& [order_id, outcomes] : told_) {
    EXPECT_EQ(TypesOf(events_->records(), order_id), outcomes) << "order " << order_id;
  }
  told_.clear();
  events_.reset();
  stack_.reset();
}

void FlowTest::SetUp() { effects_before_ = stack().SandboxLedger().size(); }

std::string FlowTest::NextKey() {
  static int last = 0;
  return "flow-" + std::to_string(++last);
}

RpcReply FlowTest::SendAsIs(const google::protobuf::Message& request) {
  // Each of these files has one service, whose methods' requests are named for them.
  constexpr std::string_view kRequest = "Request";
  const google::protobuf::Descriptor& type = *request.GetDescriptor();
  const std::string name(type.name());
  const std::string service(type.file()->service(0)->full_name());
  return stack().grpc().Call(service + "." + name.substr(0, name.size() - kRequest.size()),
                             request);
}

payments::v1::CreateOrderRequest FlowTest::NewOrder(const std::string& method,
                                                    std::int64_t amount) {
  payments::v1::CreateOrderRequest request = OrderRequest("", amount);
  request.clear_idempotency_key();
  if (!method.empty()) request.add_transactions()->set_payment_method(method);
  return request;
}

common::v1::Order FlowTest::Create(const payments::v1::CreateOrderRequest& request) {
  return Must<payments::v1::CreateOrderResponse>(request).order();
}

common::v1::Order FlowTest::Read(const std::string& order_id) {
  payments::v1::GetOrderRequest request;
  request.set_order_id(order_id);
  return Must<payments::v1::GetOrderResponse>(request).order();
}

vault::v1::StoreCardRequest FlowTest::CardFor(const common::v1::Order& order,
                                              std::string_view pan) {
  vault::v1::StoreCardRequest request;
  request.set_pan(std::string(pan));
  request.set_expiry("122030");
  request.set_name("A Cardholder");
  request.set_setup_token(order.transactions(0).payment_method_details().setup_token());
  return request;
}

std::string FlowTest::Store(const common::v1::Order& order, std::string_view pan) {
  return Must<vault::v1::StoreCardResponse>(CardFor(order, pan)).card().vault_token();
}

payments::v1::AuthenticateTransactionResponse FlowTest::PayWith(const common::v1::Order& order,
                                                                std::string_view pan) {
  auto request = About<payments::v1::AuthenticateTransactionRequest>(order, Store(order, pan));
  request.set_cvc("123");
  return Must<payments::v1::AuthenticateTransactionResponse>(std::move(request));
}

void FlowTest::LetPass(std::string_view duration) {
  const http::Response answer = stack().Http("POST", stack().sandbox_url() + "/_sandbox/clock",
                                             "{\"advance\":\"" + std::string(duration) + "\"}");
  if (answer.status != 200) throw std::runtime_error("the clock: " + answer.body);
}

void FlowTest::DoAtTheService(const std::string& order_id, const std::string& outcome) {
  const http::Response answer =
      stack().Http("POST", stack().sandbox_url() + "/_sandbox/orders/" + order_id + "/pay",
                   "{\"outcome\":\"" + outcome + "\"}");
  if (answer.status != 200) throw std::runtime_error(outcome + ": " + answer.body);
}

std::vector<std::string> FlowTest::Moved() const {
  std::vector<std::string> moved;
  const boost::json::array ledger = stack().SandboxLedger();
  for (std::size_t i = effects_before_; i < ledger.size(); ++i) {
    const boost::json::object& entry = ledger[i].as_object();
    moved.push_back(std::string(entry.at("effect").as_string()) + " " +
                    std::to_string(entry.at("amount").as_int64()) + " " +
                    std::string(entry.at("currency").as_string()));
  }
  return moved;
}

void FlowTest::ExpectEvents(const std::string& order_id, std::string_view outcome) {
  ExpectEventsInTurn(order_id, {std::string(outcome)});
}

void FlowTest::ExpectEventsInTurn(const std::string& order_id,
                                  const std::vector<std::string>& outcomes) {
  const auto all_there = [&](const std::vector<TopicRecord>& records) {
    const std::vector<std::string> types = TypesOf(records, order_id);
    return types.size() >= outcomes.size() && types.back() == outcomes.back();
  };
  events_->ReadUntil(all_there);
  const std::vector<std::string> types = TypesOf(events_->records(), order_id);
  ASSERT_FALSE(types.empty()) << "no event of the order";
  // Of a member `created` is told only when it was seen new.
  const bool begins_with_created = types.front().ends_with(".created");
  EXPECT_TRUE(begins_with_created || IsOfMember(types.front())) << types.front();
  EXPECT_THAT(
      (std::vector<std::string>{types.begin() + (begins_with_created ? 1 : 0), types.end()}),
      testing::ElementsAreArray(outcomes));
  told_[order_id] = types;
}

}  // namespace tollbridge::test
