#include "gateway/commands/order_timeline.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <utility>

#include "base/core/card_numbers.h"
#include "base/telemetry/utf8.h"
#include "gateway/commands/operation_text.h"
#include "gateway/commands/terminal_text.h"
#include "services/domain/event_id.h"
#include "services/domain/family_diff.h"
#include "services/domain/published.h"
#include "services/domain/timestamps.h"
#include "services/domain/wire_names.h"

namespace tollbridge::gateway {
namespace {

using storage::v1::OrderState;

constexpr std::string_view kOperations = "operations";
constexpr std::string_view kSnapshot = "snapshot";
constexpr std::string_view kHints = "hints";
constexpr std::string_view kEvents = "events";
constexpr std::string_view kService = "payment service";

std::string Foreign(std::string_view text) {
  return Printable(MaskCardNumbers(telemetry::WellFormedUtf8(text)));
}

/// What the interface calls it, also a status that we do not know.
template <typename Message>
std::string StatusText(const Message& message) {
  if (message.has_status_text()) return Foreign(message.status_text());
  return OrDash(std::string(domain::WireName(message.status())));
}

template <typename Message>
std::string AmountText(const Message& message) {
  if (!message.has_amount()) return {};
  return absl::StrCat(", ", message.amount(), " ", OrDash(Foreign(message.currency())),
                      " in the smallest unit");
}

template <typename Message>
std::optional<WallTime> ModifiedOf(const Message& message) {
  if (!message.has_modified()) return std::nullopt;
  return domain::ToWallTime(message.modified());
}

boost::json::object PlaceJson(const TopicPlace& place) {
  boost::json::object json;
  json["partition"] = place.partition;
  json["offset"] = place.offset;
  return json;
}

std::string PlaceText(const TopicPlace& place) {
  return absl::StrCat(" at ", place.partition, ":", place.offset);
}

/// What was told of the order, and how often.
std::string ToldText(const OrderState& state) {
  if (state.published().empty()) return "nothing told";
  std::vector<std::string> told;
  for (const auto& [what, times] : domain::PublishedOf(state)) {
    told.push_back(absl::StrCat(std::string(domain::WireName(what)), " ", times));
  }
  return "told " + absl::StrJoin(told, ", ");
}

boost::json::object StateJson(const OrderState& state) {
  boost::json::object json;
  json["status"] = StatusText(state);
  json["kind"] = std::string(domain::WireName(state.kind()));
  json["last_outcome"] = std::string(domain::WireName(state.last_outcome()));
  boost::json::object told;
  for (const auto& [what, times] : domain::PublishedOf(state)) {
    told[domain::WireName(what)] = times;
  }
  json["told"] = std::move(told);
  return json;
}

std::string SequenceText(const storage::v1::Snapshot& snapshot) {
  const std::optional<Uuid> stream = Uuid::FromBytes(snapshot.stream());
  if (!stream) return "settled: the next event begins a stream";
  return absl::StrCat("stream ", stream->ToString(), " up to ", snapshot.sequence());
}

}  // namespace

void OrderTimeline::AddSource(std::string name, absl::Status asked) {
  sources_.push_back({.name = std::move(name), .asked = std::move(asked)});
}

void OrderTimeline::Append(std::optional<WallTime> time, std::string_view source, std::string text,
                           boost::json::object details) {
  entries_.push_back({.time = time,
                      .source = std::string(source),
                      .text = std::move(text),
                      .details = std::move(details)});
}

void OrderTimeline::Add(const operations::v1::Operation& operation) {
  const auto json = [&](std::string_view state) {
    boost::json::object object;
    object["operation_id"] = operation.id();
    object["rpc"] = operation.rpc();
    object["state"] = state;
    if (operation.has_caller()) object["caller"] = operation.caller();
    return object;
  };
  const std::string name = absl::StrCat(RpcText(operation.rpc()), " ", Printable(operation.id()));
  if (operation.has_created()) {
    Append(domain::ToWallTime(operation.created()), kOperations,
           absl::StrCat(name, ": called by ", OrDash(operation.caller())), json("CALLED"));
  }
  const std::string state =
      EnumText(operations::v1::OperationState_Name(operation.state()), "OPERATION_STATE_");
  std::optional<WallTime> since;
  if (operation.has_since()) since = domain::ToWallTime(operation.since());
  std::string text = absl::StrCat(name, ": ", state, ", attempt ", operation.attempt());
  if (operation.has_review_reason())
    absl::StrAppend(&text, ", ", Printable(operation.review_reason()));
  Append(since, kOperations, std::move(text), json(state));
}

void OrderTimeline::Add(const ports::FamilyState& family) {
  if (family.made) Append(family.made, kSnapshot, "made by an operation", {});
  const OrderState* state =
      family.version == 0 ? nullptr : domain::FindState(family.snapshot, root_, order_);
  if (state != nullptr) {
    boost::json::object json = StateJson(*state);
    json["version"] = family.version;
    json["sequence"] = family.snapshot.sequence();
    if (const auto stream = Uuid::FromBytes(family.snapshot.stream())) {
      json["stream"] = stream->ToString();
    }
    Append(ModifiedOf(*state), kSnapshot,
           absl::StrCat(domain::WasRead(*state) ? "the last read showed " + StatusText(*state)
                                                : std::string("never read"),
                        "; kind ", OrDash(std::string(domain::WireName(state->kind()))), "; ",
                        ToldText(*state), "; ", SequenceText(family.snapshot)),
           std::move(json));
  }
  if (family.outbox) {
    std::vector<std::string> ids;
    boost::json::array list;
    for (const storage::v1::OutboxEntry& entry : family.outbox->entries()) {
      ids.push_back(absl::StrCat(entry.sequence(), " ", Printable(entry.id())));
      list.push_back(boost::json::value(entry.id()));
    }
    Append(std::nullopt, kSnapshot,
           absl::StrCat("decided and not proven published: ", absl::StrJoin(ids, ", ")),
           {{"outbox", std::move(list)}});
  }
  if (family.due) {
    Append(family.due, kSnapshot, "due to be read", {{"due", domain::ToRfc3339(*family.due)}});
  }
}

void OrderTimeline::Add(const events::v1::Hint& hint, const TopicPlace& place) {
  const std::string source = EnumText(events::v1::HintSource_Name(hint.source()), "HINT_SOURCE_");
  boost::json::object json = PlaceJson(place);
  json["hint_source"] = source;
  json["order_id"] = hint.order_id();
  std::string text = absl::StrCat("hint of ", source, PlaceText(place));
  if (hint.has_member()) {
    absl::StrAppend(&text, ", names ", Printable(hint.member()));
    json["member"] = hint.member();
  }
  std::optional<WallTime> time;
  if (hint.has_noticed_at()) time = domain::ToWallTime(hint.noticed_at());
  Append(time, kHints, std::move(text), std::move(json));
}

void OrderTimeline::Add(const events::v1::PaymentEvent& event, const TopicPlace& place) {
  if (!domain::IsOfProject(event, project_id_)) return;
  boost::json::object json = PlaceJson(place);
  json["id"] = event.id();
  json["type"] = event.type();
  json["order_id"] = event.order_id();
  json["stream"] = event.stream();
  json["sequence"] = event.sequence();
  json["occurred_at"] = domain::ToRfc3339(domain::ToWallTime(event.occurred_at()));
  std::string text =
      absl::StrCat(Printable(event.type()), PlaceText(place), ", number ", event.sequence(), " of ",
                   Printable(event.stream()), AmountText(event));
  if (event.order_id() != order_.ToString()) {
    absl::StrAppend(&text, ", of ", Printable(event.order_id()));
  }
  absl::StrAppend(&text, "; occurred ", domain::ToRfc3339(domain::ToWallTime(event.occurred_at())));
  Append(domain::ToWallTime(event.noticed_at()), kEvents, std::move(text), std::move(json));
}

void OrderTimeline::Add(const common::v1::Order& order) {
  boost::json::object json;
  json["status"] = StatusText(order);
  if (order.has_amount()) json["amount"] = order.amount();
  if (order.has_currency()) json["currency"] = order.currency();
  if (order.has_refunded_amount()) json["refunded_amount"] = order.refunded_amount();
  std::string text = absl::StrCat("says ", StatusText(order), AmountText(order));
  if (order.refunded_amount() > 0) absl::StrAppend(&text, ", refunded ", order.refunded_amount());
  if (order.has_reason()) absl::StrAppend(&text, "; reason: ", Foreign(order.reason()));
  boost::json::array statuses;
  for (const auto& transaction : order.transactions()) {
    statuses.push_back(boost::json::value(StatusText(transaction)));
    absl::StrAppend(&text, "; transaction ", StatusText(transaction));
  }
  json["transactions"] = std::move(statuses);
  if (order.has_created()) {
    Append(domain::ToWallTime(order.created()), kService, "created", {});
  }
  Append(ModifiedOf(order), kService, std::move(text), std::move(json));
}

bool OrderTimeline::whole() const {
  return std::ranges::all_of(sources_,
                             [](const TimelineSource& source) { return source.asked.ok(); });
}

std::vector<TimelineEntry> OrderTimeline::Sorted() const {
  // What happened at one time stays in the order of the sources.
  std::multimap<WallTime, const TimelineEntry*> by_time;
  for (const TimelineEntry& entry : entries_) {
    by_time.emplace(entry.time.value_or(WallTime::max()), &entry);
  }
  std::vector<TimelineEntry> sorted;
  for (const auto& [time, entry] : by_time) sorted.push_back(*entry);
  return sorted;
}

std::string OrderTimeline::Text() const {
  std::string text = absl::StrCat("order ", order_.ToString(), " of ", project_);
  if (root_ != order_) absl::StrAppend(&text, ", of the family of ", root_.ToString());
  absl::StrAppend(&text, "\n");
  std::vector<Row> rows;
  for (const TimelineEntry& entry : Sorted()) {
    rows.push_back({entry.time ? domain::ToRfc3339(*entry.time) : "-", entry.source, entry.text});
  }
  absl::StrAppend(&text, rows.empty() ? "nobody knows it\n" : Table(rows));
  for (const TimelineSource& source : sources_) {
    if (source.asked.ok()) continue;
    absl::StrAppend(
        &text, "not all of ", source.name, ": ",
        Foreign(std::string_view(source.asked.message().data(), source.asked.message().size())),
        "\n");
  }
  return text;
}

std::string OrderTimeline::Json() const {
  boost::json::object answer;
  answer["order_id"] = order_.ToString();
  answer["project"] = project_;
  answer["root_order_id"] = root_.ToString();
  boost::json::array sources;
  for (const TimelineSource& source : sources_) {
    boost::json::object object;
    object["name"] = source.name;
    object["whole"] = source.asked.ok();
    if (!source.asked.ok()) object["error"] = std::string(source.asked.message());
    sources.push_back(std::move(object));
  }
  answer["sources"] = std::move(sources);
  boost::json::array timeline;
  for (const TimelineEntry& entry : Sorted()) {
    boost::json::object object;
    if (entry.time) object["time"] = domain::ToRfc3339(*entry.time);
    object["source"] = entry.source;
    object["text"] = entry.text;
    object["details"] = entry.details;
    timeline.push_back(std::move(object));
  }
  answer["timeline"] = std::move(timeline);
  return boost::json::serialize(answer) + "\n";
}

}  // namespace tollbridge::gateway
