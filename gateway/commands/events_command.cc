#include "gateway/commands/events_command.h"

#include <google/protobuf/util/json_util.h>

#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/kafka/event_tail.h"
#include "base/core/boot_clock.h"
#include "gateway/commands/events_audit_command.h"
#include "gateway/commands/events_republish_command.h"
#include "gateway/config/kafka_settings.h"
#include "gateway/config/topic_specs.h"
#include "services/domain/event_payload.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kOpenTimeout{10};
constexpr std::chrono::milliseconds kPollTimeout{200};

struct Options {
  std::string config;
  bool from_beginning = false;
  /// Only events of this order or of its family's root; empty = all.
  std::string order;
  /// Only what is on this topic; empty = on all that events go to.
  std::string topic;
  bool heartbeats = false;
  /// Ends with 0 after an event of this type; empty = goes on.
  std::string until;
  /// Ends with 1 when `until` did not come in this time; 0 = never.
  int timeout_seconds = 0;
};

bool IsHeartbeat(const kafka::TailedRecord& record) {
  return record.Header("ce_type") == domain::kHeartbeatType;
}

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

void Print(const std::string& topic, const kafka::TailedRecord& record) {
  boost::json::object headers;
  for (const auto& [name, value] : record.headers) headers[name] = value;
  std::cout << "{\"key\":" << boost::json::serialize(boost::json::value(record.key))
            << ",\"topic\":\"" << topic << "\",\"partition\":" << record.partition
            << ",\"offset\":" << record.offset << ",\"headers\":" << boost::json::serialize(headers)
            << (IsHeartbeat(record) ? ",\"heartbeat\":" : ",\"event\":") << PayloadAsJson(record)
            << "}" << std::endl;
}

/// All that there are, or the one that was asked for.
std::vector<std::string> TopicsOf(const Config& config, const Options& options) {
  return options.topic.empty() ? EventTopicNames(config) : std::vector{options.topic};
}

int Tail(const Config& config, const Secrets& secrets, const Options& options) {
  const std::chrono::seconds timeout(options.timeout_seconds);
  const BootTime start = BootClock::now();
  const absl::StatusOr<kafka::ClientSettings> settings = KafkaSettings(config, secrets);
  if (!settings.ok()) {
    std::cerr << settings.status().message() << "\n";
    return 2;
  }
  std::vector<std::pair<std::string, std::unique_ptr<kafka::EventTail>>> tails;
  for (const std::string& topic : TopicsOf(config, options)) {
    auto tail = kafka::EventTail::Open(*settings, topic, options.from_beginning, kOpenTimeout);
    if (!tail.ok()) {
      std::cerr << tail.status().message() << "\n";
      return 2;
    }
    tails.emplace_back(topic, *std::move(tail));
  }
  const auto turn = kPollTimeout / static_cast<int>(tails.size());
  for (std::size_t at = 0; timeout.count() == 0 || BootClock::now() - start < timeout; ++at) {
    const auto& [topic, tail] = tails[at % tails.size()];
    const auto record = tail->Next(turn);
    if (!record.ok()) {
      std::cerr << record.status().message() << "\n";
      return 2;
    }
    if (!record->has_value()) continue;
    const kafka::TailedRecord& event = **record;
    if (IsHeartbeat(event) && !options.heartbeats) continue;
    if (!options.order.empty() && event.key != options.order &&
        event.Header("ce_subject").find(options.order) == std::string::npos) {
      continue;
    }
    Print(topic, event);
    if (!options.until.empty() && event.Header("ce_type") == options.until) return 0;
  }
  std::cerr << "no event of type " << options.until << " came in time\n";
  return 1;
}

}  // namespace

void AddEvents(CLI::App& app, Action* action) {
  CLI::App* events = app.add_subcommand("events", "the domain events on Kafka");
  events->require_subcommand(1);
  AddEventsAudit(events, action);
  AddEventsRepublish(events, action);
  CLI::App* tail = events->add_subcommand("tail", "print events as JSON lines as they come");
  const auto options = std::make_shared<Options>();
  AddConfigOption(tail, &options->config);
  tail->add_flag("--from-beginning", options->from_beginning, "also those that are there already");
  tail->add_option("--order", options->order, "only events of this order");
  tail->add_option("--topic", options->topic, "only those on this topic");
  tail->add_flag("--heartbeats", options->heartbeats, "heartbeats too");
  tail->add_option("--until", options->until, "end after an event of this type");
  AddTimeoutOption(tail, &options->timeout_seconds, "give up after so many seconds");
  tail->callback([options, action] {
    *action = [options] {
      return WithSecrets(options->config, {.kafka = true},
                         [&](const Config& config, const Secrets& secrets) {
                           return Tail(config, secrets, *options);
                         });
    };
  });
}

}  // namespace tollbridge::gateway
