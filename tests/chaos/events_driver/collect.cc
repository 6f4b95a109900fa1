#include "tests/chaos/events_driver/collect.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "services/domain/wire_names.h"
#include "tests/chaos/driver/collect.h"
#include "tests/chaos/events_auditor/history_file.h"
#include "tests/chaos/lines/json_lines.h"
#include "tests/support/http_call.h"
#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/events/v1/hint.pb.h"

namespace tollbridge::pipeline {
namespace {

namespace json = boost::json;
namespace v1 = events::v1;
using chaos::ParseTime;
using chaos::TextOf;

constexpr std::string_view kProjectId = "11111111-1111-4111-8111-111111111111";
constexpr const char* kProject = "demo";
constexpr std::chrono::seconds kPatience{60};

TimeMs TimeOf(const google::protobuf::Timestamp& time) {
  return time.seconds() * 1'000 + time.nanos() / 1'000'000;
}

/// "WEBHOOK" of HINT_SOURCE_WEBHOOK.
std::string AfterPrefix(const std::string& name, std::string_view prefix) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

OrderLine ReadOrder(const json::object& order) {
  OrderLine line{.order = TextOf(order, "id"), .project = kProject};
  line.merchant_order_id = TextOf(order, "merchant_order_id");
  line.created = ParseTime(TextOf(order, "created"));
  for (const std::string_view relation : {"capture", "void", "refund", "chargeback", "reversal"}) {
    const std::string origin = TextOf(order, std::string(relation) + "_of_order_id");
    if (origin.empty()) continue;
    line.relation = relation;
    line.origin = origin;
  }
  line.amount = order.at("amount").to_number<std::int64_t>();
  line.currency = TextOf(order, "currency");
  line.bytes = static_cast<std::int64_t>(json::serialize(order).size());
  if (const json::value* flags = order.if_contains("flags"); flags && flags->is_array()) {
    const json::array& all = flags->get_array();
    const bool test = std::ranges::any_of(all, [](const json::value& flag) {
      return flag.is_string() && flag.get_string() == "is-test";
    });
    line.test = test ? 1 : 0;
  }
  if (const json::value* extra = order.if_contains("extra"); extra && extra->is_object()) {
    line.marked = extra->get_object().contains("tollbridge_operation") ? 1 : 0;
  }
  return line;
}

bool WillChange(const json::object& order) {
  const bool held = TextOf(order, "status") == "processing";
  for (const json::value& each : order.at("transactions").as_array()) {
    const std::string status = TextOf(each.as_object(), "status");
    if (status == "accepted" || (held && status == "completed")) return true;
  }
  return false;
}

/// Whether a record is an event about an order. What else may be there, later versions say: by its
/// type, and consumers pass over it.
bool IsOfAnOrder(const test::TopicRecord& record) {
  constexpr std::string_view kBegin = "tollbridge.";
  const std::string type = record.header("ce_type");
  if (!type.starts_with(kBegin)) return false;
  const std::string kind =
      type.substr(kBegin.size(), type.find('.', kBegin.size()) - kBegin.size());
  for (int value = v1::EventKind_MIN; value <= v1::EventKind_MAX; ++value) {
    if (value == v1::EVENT_KIND_UNSPECIFIED || !v1::EventKind_IsValid(value)) continue;
    if (domain::WireName(static_cast<v1::EventKind>(value)) == kind) return true;
  }
  return false;
}

EventLine ReadEvent(const test::TopicRecord& record) {
  v1::PaymentEvent event;
  if (!event.ParseFromString(record.value)) {
    throw std::runtime_error("the events topic holds what is no PaymentEvent");
  }
  std::string bytes = record.key + "\n";
  for (const auto& [name, value] : record.headers) bytes += name + "=" + value + "\n";
  EventLine line{.partition = record.partition, .offset = record.offset, .key = record.key};
  line.id = event.id();
  line.root = event.root_order_id();
  line.order = event.order_id();
  line.kind = domain::WireName(event.kind());
  line.what = domain::WireName(event.what());
  line.stream = event.stream();
  line.sequence = static_cast<std::int64_t>(event.sequence());
  line.occurrence = event.occurrence();
  line.occurred_at = TimeOf(event.occurred_at());
  line.noticed_at = TimeOf(event.noticed_at());
  if (event.has_status()) line.status = domain::WireName(event.status());
  line.decided_by = AfterPrefix(v1::DecidedBy_Name(event.decided_by()), "DECIDED_BY_");
  if (event.has_published_what()) {
    line.published_what = domain::WireName(event.published_what());
  }
  if (event.has_observed_what()) {
    line.observed_what = domain::WireName(event.observed_what());
  }
  line.digest = chaos::Digest(bytes + record.value);
  line.published_at = record.time;
  if (event.has_amount()) line.amount = event.amount();
  line.currency = event.currency();
  line.merchant_order_id = event.merchant_order_id();
  line.parent = event.parent_order_id();
  line.is_outcome = event.is_outcome() ? 1 : 0;
  line.test = event.test() ? 1 : 0;
  line.outcome_header = record.header("ce_isoutcome");
  line.test_header = record.header("test");
  line.order_omitted = event.order_omitted() ? 1 : 0;
  line.has_order = event.has_order() ? 1 : 0;
  if (event.has_order() && event.order().has_amount()) line.shown_amount = event.order().amount();
  return line;
}

}  // namespace

Collector::Collector(Cluster* cluster)
    : cluster_(*cluster),
      hints_(cluster->stack().OpenTopic("hints")),
      events_(cluster->stack().OpenTopic("events")) {}

bool Collector::ChangesAreComing() const {
  bool coming = false;
  chaos::EachOrder(cluster_.stack(),
                   [&](const json::object& order) { coming = coming || WillChange(order); });
  return coming;
}

void Collector::AddOrders(History* history) const {
  chaos::EachOrder(cluster_.stack(), [&](const json::object& order) {
    OrderLine line = ReadOrder(order);
    for (const json::value& each : order.at("transactions").as_array()) {
      const json::object& transaction = each.as_object();
      const std::string type = TextOf(transaction, "transaction_type");
      if (!type.empty()) line.transaction_type = type;
      for (const json::value& event : transaction.at("events").as_array()) {
        history->statuses.push_back({.order = line.order,
                                     .transaction = TextOf(transaction, "id"),
                                     .status = TextOf(event.as_object(), "event"),
                                     .at = ParseTime(TextOf(event.as_object(), "occurred"))});
      }
    }
    history->orders.push_back(std::move(line));
  });
}

json::array Collector::AdminList(const std::string& name) const {
  const http::Response answer = test::HttpCall(
      "GET", cluster_.stack().sandbox_url() + "/_sandbox/" + name, "", {}, kPatience);
  if (answer.status != 200) throw std::runtime_error(name + ": " + answer.body);
  return json::parse(answer.body).as_array();
}

void Collector::AddChanges(History* history) const {
  const json::array changes = AdminList("changes");
  for (const json::value& each : changes) {
    const json::object& change = each.as_object();
    history->statuses.push_back({.order = TextOf(change, "order_id"),
                                 .status = TextOf(change, "status"),
                                 .at = ParseTime(TextOf(change, "at"))});
  }
}

void Collector::AddDeliveries(History* history) const {
  const json::array deliveries = cluster_.stack().SandboxDeliveries();
  for (const json::value& each : deliveries) {
    const json::object& delivery = each.as_object();
    const json::value* status = delivery.if_contains("status");
    const std::string project = TextOf(delivery, "project_id");
    history->deliveries.push_back({.order = TextOf(delivery, "order_id"),
                                   .project = project == kProjectId ? kProject : project,
                                   .at = ParseTime(TextOf(delivery, "at")),
                                   .status = status == nullptr ? 0 : status->to_number<int>()});
  }
}

void Collector::AddHints(History* history) {
  for (const test::TopicRecord& record : hints_->ReadAll()) {
    v1::Hint hint;
    // Poison hints are there too.
    if (!hint.ParseFromString(record.value) || hint.order_id().empty()) continue;
    history->hints.push_back(
        {.order = hint.order_id(),
         .member = hint.member(),
         .project = hint.project(),
         .source = AfterPrefix(v1::HintSource_Name(hint.source()), "HINT_SOURCE_"),
         .noticed_at = TimeOf(hint.noticed_at())});
  }
}

void Collector::AddEvents(History* history) {
  for (const test::TopicRecord& record : events_->ReadAll()) {
    if (IsOfAnOrder(record)) history->events.push_back(ReadEvent(record));
  }
}

void Collector::AddMoney(History* history) const {
  for (const json::value& each : cluster_.stack().SandboxLedger()) {
    const json::object& entry = each.as_object();
    history->money.push_back({.at = ParseTime(TextOf(entry, "at")),
                              .effect = TextOf(entry, "effect"),
                              .order = TextOf(entry, "result_order_id"),
                              .amount = entry.at("amount").to_number<std::int64_t>(),
                              .currency = TextOf(entry, "currency")});
  }
}

void Collector::AddReads(History* history) const {
  const json::array reads = AdminList("reads");
  for (const json::value& each : reads) {
    const json::object& order = each.as_object();
    history->reads.push_back(
        {.order = TextOf(order, "order_id"), .reads = order.at("reads").to_number<std::int64_t>()});
  }
  for (const test::TopicRecord& record : events_->heartbeats()) {
    v1::Heartbeat heartbeat;
    if (!heartbeat.ParseFromString(record.value) || heartbeat.partition() != record.partition) {
      throw std::runtime_error("the events topic holds what is no Heartbeat of its partition");
    }
    history->heartbeats.push_back({.partition = record.partition,
                                   .offset = record.offset,
                                   .published_before = TimeOf(heartbeat.published_before())});
  }
}

void Collector::Collect(const std::string& folder) {
  History history;
  AddMoney(&history);
  AddReads(&history);
  AddOrders(&history);
  AddChanges(&history);
  AddDeliveries(&history);
  AddHints(&history);
  AddEvents(&history);
  chaos::WriteAll(folder, file::kOrders, history.orders);
  chaos::WriteAll(folder, file::kStatuses, history.statuses);
  chaos::WriteAll(folder, file::kDeliveries, history.deliveries);
  chaos::WriteAll(folder, file::kHints, history.hints);
  chaos::WriteAll(folder, file::kEvents, history.events);
  chaos::WriteAll(folder, file::kHeartbeats, history.heartbeats);
  chaos::WriteAll(folder, file::kMoney, history.money);
  chaos::WriteAll(folder, file::kReads, history.reads);
}

}  // namespace tollbridge::pipeline
