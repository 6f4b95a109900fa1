#include "gateway/commands/events_command.h"

#include <google/protobuf/util/json_util.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>

#include "adapters/kafka/event_tail.h"
#include "base/core/boot_clock.h"
#include "gateway/config/kafka_settings.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kOpenTimeout{10};
constexpr std::chrono::milliseconds kPollTimeout{200};

std::string Header(const kafka::TailedRecord& record, std::string_view name) {
  for (const auto& [key, value] : record.headers) {
    if (key == name) return value;
  }
  return "";
}

/// The payload as JSON text: as it is in JSON mode, else read as the event's message.
std::string PayloadAsJson(const kafka::TailedRecord& record) {
  if (Header(record, "content-type").starts_with("application/json")) return record.value;
  events::v1::PaymentEvent event;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  if (!event.ParseFromString(record.value) ||
      !google::protobuf::util::MessageToJsonString(event, &json, options).ok()) {
    return "null";
  }
  return json;
}

void Print(const kafka::TailedRecord& record) {
  boost::json::object headers;
  for (const auto& [name, value] : record.headers) headers[name] = value;
  std::cout << "{\"key\":" << boost::json::serialize(boost::json::value(record.key))
            << ",\"partition\":" << record.partition << ",\"offset\":" << record.offset
            << ",\"headers\":" << boost::json::serialize(headers)
            << ",\"event\":" << PayloadAsJson(record) << "}" << std::endl;
}

}  // namespace

int RunEventsTail(const Config& config, const Secrets& secrets, const EventsTailOptions& options) {
  const BootTime start = BootClock::now();
  const absl::StatusOr<kafka::ClientSettings> settings = KafkaSettings(config, secrets);
  if (!settings.ok()) {
    std::cerr << settings.status().message() << "\n";
    return 2;
  }
  auto tail = kafka::EventTail::Open(*settings, config.kafka.events_topic, options.from_beginning,
                                     kOpenTimeout);
  if (!tail.ok()) {
    std::cerr << tail.status().message() << "\n";
    return 2;
  }
  while (options.timeout.count() == 0 || BootClock::now() - start < options.timeout) {
    const auto record = (*tail)->Next(kPollTimeout);
    if (!record.ok()) {
      std::cerr << record.status().message() << "\n";
      return 2;
    }
    if (!record->has_value()) continue;
    const kafka::TailedRecord& event = **record;
    if (!options.order.empty() && event.key != options.order &&
        Header(event, "ce_subject").find(options.order) == std::string::npos) {
      continue;
    }
    Print(event);
    if (!options.until.empty() && Header(event, "ce_type") == options.until) return 0;
  }
  std::cerr << "no event of type " << options.until << " came in time\n";
  return 1;
}

}  // namespace tollbridge::gateway
