#include "tests/chaos/driver/collect.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <future>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/core/encoding.h"
#include "tests/chaos/auditor/history_file.h"
#include "tests/support/http_call.h"
#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::chaos {
namespace {

namespace json = boost::json;
namespace v1 = operations::v1;

constexpr int kPage = 1'000;
constexpr std::chrono::seconds kPatience{60};

/// "NOT_EXECUTED" of OPERATION_STATE_NOT_EXECUTED; empty for none.
std::string StateText(v1::OperationState state) {
  if (state == v1::OPERATION_STATE_UNSPECIFIED) return "";
  return v1::OperationState_Name(state).substr(std::string_view("OPERATION_STATE_").size());
}

TimeMs TimeOf(const google::protobuf::Timestamp& time) {
  return time.seconds() * 1'000 + time.nanos() / 1'000'000;
}

KnownOrder ReadOrder(const json::object& order) {
  KnownOrder known;
  known.id = TextOf(order, "id");
  known.created = ParseTime(TextOf(order, "created"));
  known.status = TextOf(order, "status");
  known.description = TextOf(order, "description");
  known.amount = order.at("amount").to_number<std::int64_t>();
  known.currency = TextOf(order, "currency");
  if (const json::value* extra = order.if_contains("extra"); extra && extra->is_object()) {
    known.mark = TextOf(extra->get_object(), "tollbridge_operation");
  }
  if (const json::value* all = order.if_contains("transactions"); all && all->is_array()) {
    for (const json::value& transaction : all->get_array()) {
      known.transaction = TextOf(transaction.as_object(), "id");
      known.transaction_status = TextOf(transaction.as_object(), "status");
    }
  }
  return known;
}

/// Put there by the run (Disturbances); an id that begins so by chance is told by its rpc.
bool IsUnreadable(const v1::Operation& operation) {
  return operation.id().starts_with(kUnreadableId) && operation.rpc().empty();
}

OpenLine ReadOpen(const v1::Operation& operation) {
  OpenLine line;
  line.operation = operation.id();
  line.rpc = operation.rpc();
  line.state = StateText(operation.state());
  line.review_reason = operation.review_reason();
  line.review_of = operation.review_of();
  line.order = operation.order_id();
  if (operation.transitions_size() > 0) {
    line.evidence = operation.transitions(operation.transitions_size() - 1).evidence();
  }
  return line;
}

}  // namespace

void EachOrder(const test::Stack& stack, const std::function<void(const json::object&)>& each,
               const test::StackProject& project) {
  std::string after = "-1";
  while (true) {
    const json::object request{
        {"query", "*"}, {"size", kPage}, {"sort", "id asc"}, {"search_after", after}};
    const http::Response answer = test::HttpCall(
        "POST", stack.sandbox_url() + "/v1/search/orders/", json::serialize(request),
        {{"Authorization", "Basic " + Base64Encode(std::string(project.api_key) + ":")},
         {"Content-Type", "application/json"}},
        kPatience);
    if (answer.status != 200) throw std::runtime_error("search: " + answer.body);
    const json::value page = json::parse(answer.body);
    const json::array& found = page.at("orders").as_array();
    if (found.empty()) return;
    for (const json::value& order : found) each(order.as_object());
    after = page.at("search_after").as_string();
  }
}

Collector::Collector(Cluster* cluster)
    : cluster_(*cluster),
      operations_(cluster->stack().OpenTopic("operations")),
      events_(cluster->stack().OpenTopic("events")) {}

std::vector<OpenLine> Collector::Open() {
  std::vector<OpenLine> open;
  for (const test::StackProject& project : kProjects)
    std::ranges::move(Open(project), std::back_inserter(open));
  return open;
}

std::vector<OpenLine> Collector::Open(const test::StackProject& project) {
  std::vector<OpenLine> open;
  std::string cursor;
  do {
    v1::ListOperationsRequest request;
    request.set_project(std::string(project.name));
    request.set_page_size(500);
    if (!cursor.empty()) request.set_page_token(cursor);
    // The callback may come after this has given up waiting.
    auto promised = std::make_shared<std::promise<test::RpcReply>>();
    std::future<test::RpcReply> answer = promised->get_future();
    cluster_.Start(0, "tollbridge.operations.v1.Operations.ListOperations",
                   request.SerializeAsString(), Millis(5'000),
                   [promised](test::RpcReply reply) { promised->set_value(std::move(reply)); });
    if (answer.wait_for(kPatience) != std::future_status::ready) {
      throw std::runtime_error("ListOperations does not end");
    }
    const test::RpcReply reply = answer.get();
    v1::ListOperationsResponse response;
    if (!reply.status.ok() || !response.ParseFromString(reply.bytes)) {
      throw std::runtime_error("ListOperations: " + reply.status.code_name() + " " +
                               reply.status.message);
    }
    for (const v1::Operation& operation : response.operations()) {
      if (!IsUnreadable(operation)) open.push_back(ReadOpen(operation));
    }
    cursor = response.next_page_token();
  } while (!cursor.empty());
  return open;
}

std::vector<Effect> Collector::Ledger() const {
  std::vector<Effect> effects;
  for (const json::value& entry : cluster_.stack().SandboxLedger()) {
    const json::object& object = entry.as_object();
    effects.push_back({.at = ParseTime(TextOf(object, "at")),
                       .project = TextOf(object, "project_id"),
                       .effect = TextOf(object, "effect"),
                       .order = TextOf(object, "order_id"),
                       .transaction = TextOf(object, "transaction_id"),
                       .result = TextOf(object, "result_order_id"),
                       .cause = TextOf(object, "operation"),
                       .amount = object.at("amount").to_number<std::int64_t>(),
                       .currency = TextOf(object, "currency")});
  }
  for (const json::value& card : AdminList("cards")) {
    const json::object& object = card.as_object();
    effects.push_back({.at = ParseTime(TextOf(object, "at")),
                       .project = TextOf(object, "project_id"),
                       .effect = "card",
                       .order = TextOf(object, "order_id"),
                       .transaction = TextOf(object, "transaction_id"),
                       .result = Digest(TextOf(object, "vault_token")),
                       .cause = TextOf(object, "operation")});
  }
  for (const json::value& link : AdminList("payment-links")) {
    const json::object& object = link.as_object();
    effects.push_back({.at = ParseTime(TextOf(object, "created")),
                       .project = TextOf(object, "project_id"),
                       .effect = "payment_link",
                       .result = TextOf(object, "id"),
                       .cause = "create_payment_link",
                       .reference = TextOf(object, "merchant_order_id"),
                       .amount = object.at("amount").to_number<std::int64_t>(),
                       .currency = TextOf(object, "currency")});
  }
  return effects;
}

json::array Collector::AdminList(const std::string& name) const {
  const http::Response answer = test::HttpCall(
      "GET", cluster_.stack().sandbox_url() + "/_sandbox/" + name, "", {}, kPatience);
  if (answer.status != 200) throw std::runtime_error(name + ": " + answer.body);
  return json::parse(answer.body).as_array();
}

std::vector<KnownOrder> Collector::Orders() const {
  std::vector<KnownOrder> orders;
  for (const test::StackProject& project : kProjects) {
    const auto keep = [&](const json::object& order) {
      orders.push_back(ReadOrder(order));
      orders.back().project = project.id;
    };
    EachOrder(cluster_.stack(), keep, project);
  }
  return orders;
}

std::vector<OperationLine> Collector::OperationLines() {
  std::vector<OperationLine> lines;
  for (const test::TopicRecord& record : operations_->ReadAll()) {
    v1::OperationRecord operation;
    if (!operation.ParseFromString(record.value)) {
      throw std::runtime_error("the operations topic holds what is no OperationRecord");
    }
    // What the command line did is no operation.
    if (operation.has_privileged()) continue;
    const v1::Transition& transition = operation.transition();
    lines.push_back({.operation = operation.operation_id(),
                     .rpc = operation.rpc(),
                     .number = transition.number(),
                     .attempt = transition.attempt(),
                     .from = StateText(transition.from()),
                     .to = StateText(transition.to()),
                     .at = TimeOf(transition.time()),
                     .evidence = transition.evidence(),
                     .order = operation.order_id(),
                     .review_reason = operation.review_reason(),
                     .review_of = operation.review_of(),
                     .orphan = operation.orphan_order_id(),
                     .came = record.time,
                     .digest = Digest(record.value)});
  }
  return lines;
}

std::vector<EventLine> Collector::EventLines() {
  std::vector<EventLine> lines;
  for (const test::TopicRecord& record : events_->ReadAll()) {
    events::v1::PaymentEvent event;
    if (!event.ParseFromString(record.value)) {
      throw std::runtime_error("the events topic holds what is no PaymentEvent");
    }
    lines.push_back({.order = event.order_id(),
                     .stream = event.stream(),
                     .type = event.type(),
                     .sequence = static_cast<std::int64_t>(event.sequence()),
                     .digest = Digest(record.value)});
  }
  return lines;
}

void Collector::Collect(const std::string& folder) {
  WriteAll(folder, file::kLedger, Ledger());
  WriteAll(folder, file::kOrders, Orders());
  WriteAll(folder, file::kOperations, OperationLines());
  WriteAll(folder, file::kEvents, EventLines());
  WriteAll(folder, file::kOpen, Open());
}

}  // namespace tollbridge::chaos
