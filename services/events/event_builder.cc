#include "services/events/event_builder.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/rfc3339.h"
#include "base/core/text.h"
#include "base/core/uuid.h"
#include "services/domain/confluent_frame.h"
#include "services/domain/deterministic.h"
#include "services/domain/event_id.h"
#include "services/domain/event_payload.h"
#include "services/domain/foreign_text.h"
#include "services/domain/kind.h"
#include "services/domain/mark.h"
#include "services/domain/outbox_header.h"
#include "services/domain/sensitivity.h"
#include "services/domain/statuses.h"
#include "services/domain/timestamps.h"

namespace tollbridge::events {

using common::v1::Order;
using common::v1::Transaction;
using storage::v1::OutboxEntry;
using v1::PaymentEvent;

namespace {

std::string DataSchema(const google::protobuf::Message& message) {
  return "urn:tollbridge:proto:" + std::string(message.GetDescriptor()->full_name());
}

std::string Encode(const google::protobuf::Message& message, const RecordForm& form) {
  if (form.encoding == Encoding::kProtobuf) return domain::SerializeDeterministically(message);
  if (form.encoding == Encoding::kConfluent) {
    return domain::ConfluentFrame(form.schema_id, *message.GetDescriptor()) +
           domain::SerializeDeterministically(message);
  }
  std::string json;
  // Fails for a Struct number that is not finite only, and those are not read.
  const auto status = google::protobuf::util::MessageToJsonString(message, &json);
  return status.ok() ? json : std::string();
}

/// Of the event itself, not of its order: an answer of the payment service has up to 10 MiB.
void CutTexts(PaymentEvent& event) {
  const google::protobuf::Reflection& reflection = *event.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(event, &fields);
  for (const google::protobuf::FieldDescriptor* field : fields) {
    if (field->type() != google::protobuf::FieldDescriptor::TYPE_STRING) continue;
    const std::string text = reflection.GetString(event, field);
    if (text.size() <= kMaxEventText) continue;
    reflection.SetString(&event, field, std::string(Truncated(text, kMaxEventText)));
  }
}

std::string_view ContentType(Encoding encoding) {
  switch (encoding) {
    case Encoding::kProtobuf:
      return "application/protobuf";
    case Encoding::kJson:
      return "application/json";
    case Encoding::kConfluent:
      return domain::kConfluentContentType;
  }
  return {};
}

/// As CloudEvents wants it: the order of the texts is that of the numbers.
std::string SequenceText(std::uint64_t sequence) {
  constexpr std::size_t kDigits = 20;
  const std::string number = std::to_string(sequence);
  return std::string(kDigits - number.size(), '0') + number;
}

void AddHeader(OutboxEntry& entry, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  storage::v1::Header* header = entry.add_headers();
  header->set_name(std::string(name));
  header->set_value(std::string(value));
}

std::string Source(const PaymentEvent& event) { return "/tollbridge/" + event.project(); }

bool Succeeded(const Transaction& transaction) {
  return transaction.status() == common::v1::TRANSACTION_STATUS_COMPLETED ||
         transaction.status() == common::v1::TRANSACTION_STATUS_CAPTURED;
}

/// What an event of the order goes by; nullptr when there is none, or several succeeded.
const Transaction* TransactionOf(const Order& order) {
  const Transaction* latest = nullptr;
  const Transaction* succeeded = nullptr;
  const auto created = [](const Transaction& each) {
    return std::pair(each.created().seconds(), each.created().nanos());
  };
  for (const Transaction& each : order.transactions()) {
    if (latest == nullptr || created(each) >= created(*latest)) latest = &each;
    if (!Succeeded(each)) continue;
    if (succeeded != nullptr) return nullptr;
    succeeded = &each;
  }
  return succeeded != nullptr ? succeeded : latest;
}

/// What consumers join events with: without it they would have to look into the order, which can be
/// left out.
void CopyReferences(const Order& order, PaymentEvent& event) {
  if (order.has_merchant_order_id()) event.set_merchant_order_id(order.merchant_order_id());
  if (const std::optional<Uuid> parent = Uuid::Parse(domain::ParentOf(order))) {
    event.set_parent_order_id(parent->ToString());
  }
  const Transaction* transaction = TransactionOf(order);
  if (transaction == nullptr) return;
  if (transaction->has_id()) event.set_transaction_id(transaction->id());
  if (transaction->has_payment_method()) event.set_payment_method(transaction->payment_method());
}

void CopyFacts(const Order& order, PaymentEvent& event) {
  event.set_test(IsTestOrder(order));
  for (const auto& transaction : order.transactions()) {
    if (transaction.transaction_type().empty()) continue;
    event.set_transaction_type(transaction.transaction_type());
    break;
  }
  if (order.has_status()) event.set_status(order.status());
  if (order.has_status_text()) event.set_status_text(order.status_text());
  if (order.has_reason()) event.set_reason(order.reason());
  if (order.has_related_payment_link_id()) {
    event.set_payment_link_id(order.related_payment_link_id());
  }
  if (order.has_currency()) event.set_currency(order.currency());
  if (order.has_amount()) event.set_amount(order.amount());
  if (order.has_refunded_amount()) event.set_refunded_amount(order.refunded_amount());
}

}  // namespace

Order OrderForEvents(const Order& order, CustomerData customer_data) {
  Order clean = order;
  clean.DiscardUnknownFields();
  domain::ClearSensitive(clean, options::v1::SENSITIVITY_CARD_DATA);
  domain::ClearSensitive(clean, options::v1::SENSITIVITY_CREDENTIAL);
  if (customer_data == CustomerData::kNone) {
    domain::ClearSensitive(clean, options::v1::SENSITIVITY_CUSTOMER_DATA);
  }
  domain::StripMark(clean);
  domain::MaskForeignText(clean);
  return clean;
}

bool IsTestOrder(const Order& order) {
  return std::find(order.flags().begin(), order.flags().end(), "is-test") != order.flags().end();
}

PaymentEvent MakeEvent(const domain::DecidedEvent& decided, const ReadFacts& facts) {
  PaymentEvent event;
  event.set_id(domain::EventId(facts.project.id, decided.order, decided.kind, decided.what,
                               decided.occurrence)
                   .ToString());
  event.set_type(domain::EventType(decided.kind, decided.what));
  event.set_kind(decided.kind);
  event.set_what(decided.what);
  event.set_is_outcome(domain::IsOutcome(decided.what));
  event.set_project(facts.project.name);
  event.set_root_order_id(facts.key.root.ToString());
  event.set_order_id(decided.order.ToString());
  event.set_sequence(decided.sequence);
  if (const auto stream = Uuid::FromBytes(facts.stream)) {
    event.set_stream(stream->ToString());
  }
  event.set_occurrence(decided.occurrence);
  *event.mutable_occurred_at() = domain::ToTimestamp(decided.occurred_at);
  *event.mutable_noticed_at() = domain::ToTimestamp(facts.noticed_at);
  event.set_decided_by(decided.decided_by);
  if (decided.published_what) event.set_published_what(*decided.published_what);
  if (decided.observed_what) event.set_observed_what(*decided.observed_what);
  if (facts.previous != nullptr && facts.previous->has_status()) {
    event.set_previous_status(facts.previous->status());
  }
  if (facts.previous != nullptr && facts.previous->has_status_text()) {
    event.set_previous_status_text(facts.previous->status_text());
  }
  CopyFacts(facts.order, event);
  CopyReferences(facts.order, event);
  *event.mutable_order() = facts.order;
  return event;
}

OutboxEntry MakeOutboxEntry(PaymentEvent event, const EventTraces& traces, const RecordForm& form) {
  CutTexts(event);
  std::string payload = Encode(event, form);
  if (payload.size() > kMaxEventBytes) {
    event.clear_order();
    event.set_order_omitted(true);
    payload = Encode(event, form);
  }

  OutboxEntry entry;
  entry.set_key(event.root_order_id());
  entry.set_id(event.id());
  entry.set_sequence(event.sequence());
  entry.set_topic(form.topic);
  AddHeader(entry, "content-type", ContentType(form.encoding));
  AddHeader(entry, "ce_specversion", "1.0");
  AddHeader(entry, "ce_id", event.id());
  AddHeader(entry, "ce_type", event.type());
  AddHeader(entry, "ce_source", Source(event));
  AddHeader(entry, "ce_subject", event.order_id());
  AddHeader(entry, "ce_time", domain::ToRfc3339(domain::ToWallTime(event.occurred_at())));
  AddHeader(entry, "ce_dataschema", DataSchema(event));
  AddHeader(entry, "ce_sequence", SequenceText(event.sequence()));
  AddHeader(entry, "ce_partitionkey", entry.key());
  AddHeader(entry, "ce_stream", event.stream());
  AddHeader(entry, "ce_root", event.root_order_id());
  AddHeader(entry, "ce_isoutcome", event.is_outcome() ? "true" : "false");
  AddHeader(entry, "traceparent", traces.traceparent);
  AddHeader(entry, "tracestate", traces.tracestate);
  AddHeader(entry, "origin_traceparent", traces.origin_traceparent);
  AddHeader(entry, "test", event.test() ? "true" : "false");
  entry.set_payload(std::move(payload));
  return entry;
}

OutboxEntry MakeHeartbeatEntry(const v1::Heartbeat& heartbeat, const Uuid& id,
                               const RecordForm& form) {
  OutboxEntry entry;
  entry.set_id(id.ToString());
  entry.set_topic(form.topic);
  AddHeader(entry, "content-type", ContentType(form.encoding));
  AddHeader(entry, "ce_specversion", "1.0");
  AddHeader(entry, "ce_id", entry.id());
  AddHeader(entry, "ce_type", domain::kHeartbeatType);
  AddHeader(entry, "ce_source", "/tollbridge");
  AddHeader(entry, "ce_time", domain::ToRfc3339(domain::ToWallTime(heartbeat.made_at())));
  AddHeader(entry, "ce_dataschema", DataSchema(heartbeat));
  if (heartbeat.has_published_before()) {
    AddHeader(entry, "ce_publishedbefore",
              domain::ToRfc3339(domain::ToWallTime(heartbeat.published_before())));
  }
  entry.set_payload(Encode(heartbeat, form));
  return entry;
}

telemetry::Span StartCreation(const v1::PaymentEvent& event, const telemetry::TraceContext& read,
                              const std::optional<telemetry::TraceContext>& origin) {
  telemetry::Span span =
      telemetry::StartSpan("create event", read, telemetry::SpanKind::kProducer, origin);
  span.SetAttribute("messaging.operation.type", "create");
  span.SetAttribute("messaging.message.id", event.id());
  span.SetAttribute("cloudevents.event_type", event.type());
  return span;
}

std::optional<WallTime> HappenedAt(const storage::v1::OutboxEntry& entry) {
  return ParseRfc3339(domain::HeaderOf(entry, "ce_time"));
}

std::pair<std::string, std::string> KindAndWhat(const storage::v1::OutboxEntry& entry) {
  const std::string type(domain::HeaderOf(entry, "ce_type"));
  const auto first = type.find('.');
  const auto second = type.find('.', first + 1);
  const auto third = type.find('.', second + 1);
  if (third == std::string::npos) return {};
  return {type.substr(first + 1, second - first - 1), type.substr(second + 1, third - second - 1)};
}

}  // namespace tollbridge::events
