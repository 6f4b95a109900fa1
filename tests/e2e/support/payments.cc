#include "tests/e2e/support/payments.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace tollbridge::test {

payments::v1::CreateOrderRequest OrderRequest(const std::string& key, std::int64_t amount) {
  payments::v1::CreateOrderRequest request;
  request.set_idempotency_key(key);
  request.set_amount(amount);
  request.set_currency("EUR");
  return request;
}

RpcReply CreateOrder(Stack& stack, const payments::v1::CreateOrderRequest& request,
                     const RpcOptions& options) {
  return stack.grpc().Call(kCreateOrder, request, options);
}

common::v1::Order OrderOf(const RpcReply& reply) {
  if (!reply.status.ok()) {
    throw std::runtime_error(reply.status.code_name() + ": " + reply.status.message);
  }
  payments::v1::CreateOrderResponse response;
  if (!response.ParseFromString(reply.bytes) || !response.has_order()) {
    throw std::runtime_error("the answer holds no order: " + response.ShortDebugString());
  }
  return response.order();
}

common::v1::Customer FundingCustomer() {
  common::v1::Customer customer;
  customer.set_first_name("Ada");
  customer.set_last_name("Example");
  customer.set_address_type("billing");
  customer.set_address("Main Street 1");
  customer.set_postal_code("94016");
  customer.set_city("Somewhere");
  customer.set_country("US");
  customer.set_state("CA");
  return customer;
}

RpcReply GetOrder(Stack& stack, const std::string& order_id) {
  payments::v1::GetOrderRequest request;
  request.set_order_id(order_id);
  return stack.grpc().Call(kGetOrder, request);
}

std::string SubmitForm(const Stack& stack, const std::string& page, const std::string& form) {
  const http::Response response =
      stack.Http("POST", page, form, {{"Content-Type", "application/x-www-form-urlencoded"}});
  if (response.status != 303) {
    throw std::runtime_error("the page answers " + std::to_string(response.status));
  }
  return std::string(response.headers.Find("Location").value_or(""));
}

std::string PayOnCardPage(const Stack& stack, const std::string& page, std::string_view pan) {
  return SubmitForm(stack, page,
                    "pan=" + std::string(pan) + "&expiry=12%2F30&cvc=123&name=A+Cardholder");
}

std::string PayOnHostedPage(const Stack& stack, const common::v1::Order& order,
                            std::string_view pan) {
  return PayOnCardPage(stack, SubmitForm(stack, order.order_url(), "method=credit-card"), pan);
}

std::vector<TopicRecord> EventsOf(const std::vector<TopicRecord>& records,
                                  std::string_view order_id, std::string_view type) {
  std::vector<TopicRecord> found;
  std::copy_if(records.begin(), records.end(), std::back_inserter(found),
               [&](const TopicRecord& record) {
                 return record.header("ce_subject") == order_id &&
                        (type.empty() || record.header("ce_type") == type);
               });
  return found;
}

bool AwaitEvent(Topic& events, std::string_view order_id, std::string_view type) {
  return events.ReadUntil(
      [&](const auto& records) { return !EventsOf(records, order_id, type).empty(); });
}

Health HealthOf(GrpcClient& client, const std::string& name) {
  // HealthCheckRequest{service = 1} and HealthCheckResponse{status = 1}, on the wire.
  const std::string request =
      name.empty() ? "" : std::string("\x0a") + static_cast<char>(name.size()) + name;
  const RpcReply reply = client.CallBytes("grpc.health.v1.Health.Check", request);
  if (reply.bytes == "\x08\x01") return Health::kServing;
  if (reply.bytes == "\x08\x02") return Health::kNotServing;
  return Health::kUnknown;
}

}  // namespace tollbridge::test
