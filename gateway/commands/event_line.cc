#include "gateway/commands/event_line.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "gateway/commands/terminal_text.h"
#include "gateway/commands/typed_name.h"
#include "services/domain/event_id.h"
#include "services/domain/event_payload.h"
#include "services/domain/timestamps.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::gateway {
namespace {

namespace v1 = events::v1;

template <typename Message>
std::string AsJson(const std::optional<Message>& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  if (!message || !google::protobuf::util::MessageToJsonString(*message, &json, options).ok()) {
    return "null";
  }
  return json;
}

/// The payload as JSON text: as it is in JSON mode, else read as the message that it is.
std::string PayloadAsJson(const kafka::TailedRecord& record) {
  const std::string content_type = record.Header("content-type");
  if (content_type.starts_with("application/json")) return record.value;
  return IsHeartbeat(record) ? AsJson(domain::ReadHeartbeat(content_type, record.value))
                             : AsJson(domain::ReadEvent(content_type, record.value));
}

/// Without what all types begin and end with.
std::string ShortType(std::string_view type) {
  constexpr std::string_view kStart = "tollbridge.";
  constexpr std::string_view kEnd = ".v1";
  if (type.starts_with(kStart)) type.remove_prefix(kStart.size());
  if (type.ends_with(kEnd)) type.remove_suffix(kEnd.size());
  return std::string(type);
}

std::string Columns(const std::string& time, const std::string& type, const std::string& order,
                    const std::string& rest) {
  return absl::StrFormat("%-24s  %-24s  %-36s  %s", time, type, order, rest);
}

std::string AmountOf(const v1::PaymentEvent& event) {
  std::string text = event.has_amount()
                         ? absl::StrCat(event.amount(), " ", OrDash(event.currency()))
                         : std::string("-");
  return event.test() ? text + "  test" : text;
}

std::vector<std::string> ShortTypes() {
  std::vector<std::string> types;
  const auto* kinds = v1::EventKind_descriptor();
  const auto* whats = v1::EventWhat_descriptor();
  // The first of both stands for none.
  for (int kind = 1; kind < kinds->value_count(); ++kind) {
    for (int what = 1; what < whats->value_count(); ++what) {
      types.push_back(
          ShortType(domain::EventType(static_cast<v1::EventKind>(kinds->value(kind)->number()),
                                      static_cast<v1::EventWhat>(whats->value(what)->number()))));
    }
  }
  return types;
}

}  // namespace

bool IsHeartbeat(const kafka::TailedRecord& record) {
  return record.Header("ce_type") == domain::kHeartbeatType;
}

std::string EventJson(const std::string& topic, const kafka::TailedRecord& record) {
  boost::json::object headers;
  for (const auto& [name, value] : record.headers) headers[name] = value;
  return absl::StrCat(
      "{\"key\":", boost::json::serialize(boost::json::value(record.key)), ",\"topic\":\"", topic,
      "\",\"partition\":", record.partition, ",\"offset\":", record.offset,
      ",\"headers\":", boost::json::serialize(headers),
      IsHeartbeat(record) ? ",\"heartbeat\":" : ",\"event\":", PayloadAsJson(record), "}");
}

std::string EventLineHead() { return Columns("TIME", "TYPE", "ORDER", "AMOUNT, smallest unit"); }

std::string EventLine(const std::string& topic, const kafka::TailedRecord& record) {
  const std::string type = OrDash(ShortType(record.Header("ce_type")));
  const std::string content_type = record.Header("content-type");
  if (IsHeartbeat(record)) {
    const auto heartbeat = domain::ReadHeartbeat(content_type, record.value);
    const std::string before =
        heartbeat && heartbeat->has_published_before()
            ? domain::ToRfc3339(domain::ToWallTime(heartbeat->published_before()))
            : "-";
    return Columns(OrDash(record.Header("ce_time")), type, "-", "published before " + before);
  }
  const std::optional<v1::PaymentEvent> event = domain::ReadEvent(content_type, record.value);
  if (!event) {
    return Columns(
        OrDash(record.Header("ce_time")), type, OrDash(record.key),
        absl::StrCat("cannot be read: ", topic, " ", record.partition, ":", record.offset));
  }
  return Columns(domain::ToRfc3339(domain::ToWallTime(event->occurred_at())), type,
                 OrDash(event->order_id()), AmountOf(*event));
}

absl::StatusOr<std::string> EventTypeOption(const std::string& option, const std::string& name) {
  const std::vector<std::string> known = ShortTypes();
  const std::string wanted = ShortType(name);
  if (std::ranges::find(known, wanted) != known.end()) {
    return absl::StrCat("tollbridge.", wanted, ".v1");
  }
  return absl::InvalidArgumentError(absl::StrCat(option, ": no event has the type", Quoted(name),
                                                 DidYouMean(wanted, known),
                                                 " (docs/guides/consumers.md lists them)"));
}

}  // namespace tollbridge::gateway
