#include "adapters/kafka/topics.h"

#include <absl/status/status.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "adapters/kafka/broker.h"
#include "adapters/kafka/completions.h"
#include "adapters/kafka/handles.h"
#include "adapters/kafka/queue_watcher.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"

namespace tollbridge::kafka {
namespace {

namespace asio = boost::asio;

using OptionsPtr = std::unique_ptr<rd_kafka_AdminOptions_t, Deleter<rd_kafka_AdminOptions_destroy>>;
using NewTopicPtr = std::unique_ptr<rd_kafka_NewTopic_t, Deleter<rd_kafka_NewTopic_destroy>>;
using TopicNamesPtr =
    std::unique_ptr<rd_kafka_TopicCollection_t, Deleter<rd_kafka_TopicCollection_destroy>>;
using ResourcePtr =
    std::unique_ptr<rd_kafka_ConfigResource_t, Deleter<rd_kafka_ConfigResource_destroy>>;
using Configs = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kReplication = "replication";
constexpr std::string_view kMinInsyncReplicas = "min.insync.replicas";
constexpr std::string_view kUncleanElection = "unclean.leader.election.enable";
constexpr std::string_view kRetention = "retention.ms";
constexpr std::string_view kCleanup = "cleanup.policy";
constexpr std::string_view kMaxBytes = "max.message.bytes";
/// An event of 512 KiB with its headers, and some.
constexpr std::int64_t kRecordBytes = 1 << 20;

/// Between two looks at whether new partitions are led.
constexpr std::chrono::milliseconds kLeaderInterval{20};
/// With which the ids of mock clusters begin.
constexpr std::string_view kMockCluster = "mockCluster";

/// librdkafka keeps the news that a topic is not there for this long, but drops what it keeps in
/// the order in which it came: behind a topic that is there, such news would stay for
/// `metadata.max.age`.
constexpr std::chrono::milliseconds kMetadataAge{100};

absl::Status StatusOf(const rd_kafka_error_t* error) {
  return error == nullptr
             ? absl::OkStatus()
             : StatusOfAnswer(rd_kafka_error_code(error), rd_kafka_error_string(error));
}

Configs ConfigsOf(const TopicSpec& spec) {
  Configs configs{{std::string(kMinInsyncReplicas), std::to_string(spec.min_insync_replicas)},
                  {std::string(kUncleanElection), "false"},
                  {std::string(kCleanup), "delete"},
                  {std::string(kMaxBytes), std::to_string(kRecordBytes)}};
  if (spec.retention.has_value()) {
    configs.emplace(kRetention, std::to_string(spec.retention->count()));
  }
  return configs;
}

absl::StatusOr<NewTopicPtr> NewTopicOf(const TopicSpec& spec) {
  std::array<char, 512> text{};
  NewTopicPtr topic(rd_kafka_NewTopic_new(spec.name.c_str(), spec.partitions, spec.replication,
                                          text.data(), text.size()));
  if (topic == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("topic ", spec.name, ": ", text.data()));
  }
  for (const auto& [name, value] : ConfigsOf(spec)) {
    rd_kafka_NewTopic_set_config(topic.get(), name.c_str(), value.c_str());
  }
  return topic;
}

/// Adds what differs in the layout of a topic. False when there is no such topic.
absl::StatusOr<bool> CompareLayout(const rd_kafka_TopicDescription_t* found, const TopicSpec& spec,
                                   std::vector<TopicDifference>& differences) {
  const rd_kafka_error_t* const error = rd_kafka_TopicDescription_error(found);
  if (error != nullptr && rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
    differences.push_back({spec.name, "exists", "yes", "no"});
    return false;
  }
  TB_RETURN_IF_ERROR(StatusOf(error));
  std::size_t partition_count = 0;
  const auto* const* partitions = rd_kafka_TopicDescription_partitions(found, &partition_count);
  std::size_t replication = SIZE_MAX;
  for (std::size_t i = 0; i < partition_count; ++i) {
    std::size_t replicas = 0;
    rd_kafka_TopicPartitionInfo_replicas(partitions[i], &replicas);
    replication = std::min(replication, replicas);
  }
  if (partition_count != static_cast<std::size_t>(spec.partitions)) {
    differences.push_back({spec.name, "partitions", std::to_string(spec.partitions),
                           std::to_string(partition_count)});
  }
  if (partition_count > 0 && replication < static_cast<std::size_t>(spec.replication)) {
    differences.push_back({spec.name, std::string(kReplication),
                           absl::StrCat("at least ", spec.replication),
                           std::to_string(replication)});
  }
  return true;
}

/// Adds a difference when the found number is smaller than the wanted one.
void CompareAtLeast(const TopicSpec& spec, std::string_view property, std::int64_t wanted,
                    const Configs& found, std::vector<TopicDifference>& differences) {
  const auto entry = found.find(property);
  std::int64_t number = 0;
  const bool enough = entry != found.end() && absl::SimpleAtoi(entry->second, &number) &&
                      (number >= wanted || (property == kRetention && number < 0));
  if (enough) return;
  differences.push_back({spec.name, std::string(property), absl::StrCat("at least ", wanted),
                         entry == found.end() ? "nothing" : entry->second});
}

void CompareExactly(const TopicSpec& spec, std::string_view property, const std::string& wanted,
                    const Configs& found, std::vector<TopicDifference>& differences) {
  const auto entry = found.find(property);
  if (entry != found.end() && entry->second == wanted) return;
  differences.push_back(
      {spec.name, std::string(property), wanted, entry == found.end() ? "nothing" : entry->second});
}

void CompareConfigs(const Configs& found, const TopicSpec& spec,
                    std::vector<TopicDifference>& differences) {
  CompareAtLeast(spec, kMinInsyncReplicas, spec.min_insync_replicas, found, differences);
  CompareExactly(spec, kUncleanElection, "false", found, differences);
  CompareExactly(spec, kCleanup, "delete", found, differences);
  CompareAtLeast(spec, kMaxBytes, kRecordBytes, found, differences);
  if (spec.retention.has_value()) {
    CompareAtLeast(spec, kRetention, spec.retention->count(), found, differences);
  }
}

/// All partitions of the topics, with the question for their end.
PartitionsPtr EndsOf(const std::vector<TopicSpec>& specs) {
  PartitionsPtr partitions(rd_kafka_topic_partition_list_new(0));
  for (const TopicSpec& spec : specs) {
    for (int i = 0; i < spec.partitions; ++i) {
      rd_kafka_topic_partition_list_add(partitions.get(), spec.name.c_str(), i)->offset =
          RD_KAFKA_OFFSET_SPEC_LATEST;
    }
  }
  return partitions;
}

/// The broker that is to lead the partition does not know it yet. Any other error says nothing
/// about that, such as that we may create topics and not look at them.
bool IsNotLedYet(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
         error == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
         error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
}

bool AllAreLed(const rd_kafka_ListOffsets_result_t* result) {
  std::size_t count = 0;
  const auto* const* ends = rd_kafka_ListOffsets_result_infos(result, &count);
  return std::none_of(ends, ends + count, [](const rd_kafka_ListOffsetsResultInfo_t* end) {
    return IsNotLedYet(rd_kafka_ListOffsetsResultInfo_topic_partition(end)->err);
  });
}

Configs ReadConfigs(const rd_kafka_ConfigResource_t* resource) {
  Configs configs;
  std::size_t count = 0;
  const auto* const* entries = rd_kafka_ConfigResource_configs(resource, &count);
  for (std::size_t i = 0; i < count; ++i) {
    const char* const value = rd_kafka_ConfigEntry_value(entries[i]);
    configs.emplace(rd_kafka_ConfigEntry_name(entries[i]), value == nullptr ? "" : value);
  }
  return configs;
}

}  // namespace

bool WouldLose(const TopicDifference& difference) {
  constexpr std::array<std::string_view, 5> kLosing = {kReplication, kMinInsyncReplicas,
                                                       kUncleanElection, kCleanup, kMaxBytes};
  return std::ranges::find(kLosing, difference.property) != kLosing.end();
}

struct TopicAdmin::State : std::enable_shared_from_this<TopicAdmin::State> {
  using Request = std::function<void(rd_kafka_t*, rd_kafka_AdminOptions_t*, rd_kafka_queue_t*)>;

  State(const asio::any_io_executor& executor, std::unique_ptr<Client> client_in)
      : client(std::move(client_in)) {
    watcher.emplace(executor, QueuePtr(rd_kafka_queue_new(client->get())), [this] {
      while (EventPtr event = watcher->Poll()) {
        const auto number = reinterpret_cast<std::uintptr_t>(rd_kafka_event_opaque(event.get()));
        completions->Complete(number, std::move(event));
      }
    });
    // Errors of the handle, which are in its log as well.
    errors.emplace(executor, QueuePtr(rd_kafka_queue_get_main(client->get())), [this] {
      while (errors->Poll() != nullptr) {
      }
    });
  }

  /// Sends an admin request and waits for its result, whose own error is checked.
  Async<EventPtr> Ask(rd_kafka_admin_op_t operation, Request request, BootTime deadline) {
    const std::shared_ptr<State> self = shared_from_this();
    if (closed) co_return absl::UnavailableError("kafka: the admin client was closed");
    const asio::any_io_executor shard = co_await asio::this_coro::executor;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - BootClock::now());
    if (left.count() <= 0) co_return absl::UnavailableError("kafka: no time left to ask");
    const auto ticket = completions->Add(shard);
    const OptionsPtr options(rd_kafka_AdminOptions_new(client->get(), operation));
    std::array<char, 1> unused{};
    const int timeout = static_cast<int>(std::min<std::int64_t>(left.count(), 3'600'000));
    rd_kafka_AdminOptions_set_request_timeout(options.get(), timeout, unused.data(), unused.size());
    rd_kafka_AdminOptions_set_opaque(options.get(), reinterpret_cast<void*>(ticket.number));
    request(client->get(), options.get(), watcher->queue());
    std::optional<EventPtr> result =
        co_await Completions<EventPtr>::Wait(completions, ticket, deadline);
    if (!result.has_value() || *result == nullptr) {
      co_return absl::UnavailableError("kafka: no answer by the deadline");
    }
    const rd_kafka_resp_err_t error = rd_kafka_event_error(result->get());
    TB_CO_RETURN_IF_ERROR(StatusOfAnswer(error, rd_kafka_event_error_string(result->get())));
    co_return *std::move(result);
  }

  AsyncStatus AwaitLeaders(std::vector<TopicSpec> specs, BootTime deadline) {
    const std::shared_ptr<State> self = shared_from_this();
    if (specs.empty()) co_return absl::OkStatus();
    const PartitionsPtr partitions = EndsOf(specs);
    const Request request = [&](rd_kafka_t* handle, rd_kafka_AdminOptions_t* options,
                                rd_kafka_queue_t* queue) {
      rd_kafka_ListOffsets(handle, partitions.get(), options, queue);
    };
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (true) {
      const absl::StatusOr<EventPtr> answer =
          co_await Ask(RD_KAFKA_ADMIN_OP_LISTOFFSETS, request, deadline);
      // Not found: not one of them is led.
      if (!answer.ok() && !absl::IsNotFound(answer.status())) co_return answer.status();
      if (answer.ok() && AllAreLed(rd_kafka_event_ListOffsets_result(answer->get()))) break;
      timer.expires_after(kLeaderInterval);
      co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    co_return absl::OkStatus();
  }

  /// UNIMPLEMENTED at librdkafka's mock cluster, which leaves requests of the admin API unanswered.
  AsyncStatus RefuseMock(BootTime deadline) {
    const std::shared_ptr<State> self = shared_from_this();
    TB_CO_RETURN_IF_ERROR(co_await AwaitBroker(client, {}, deadline));
    if (closed) co_return absl::UnavailableError("kafka: the admin client was closed");
    // As that answer said; waits for nothing.
    char* const id = rd_kafka_clusterid(client->get(), 0);
    const bool mock = id != nullptr && std::string_view(id).starts_with(kMockCluster);
    rd_kafka_mem_free(client->get(), id);
    if (!mock) co_return absl::OkStatus();
    co_return absl::UnimplementedError(
        "kafka: the broker of the sandbox does not tell how its topics are set");
  }

  void Close() {
    closed = true;
    watcher.reset();
    errors.reset();
    completions->CompleteAll([] { return EventPtr(); });
    client.reset();
  }

  const std::shared_ptr<Completions<EventPtr>> completions =
      std::make_shared<Completions<EventPtr>>();
  std::shared_ptr<Client> client;
  std::optional<QueueWatcher> watcher;
  std::optional<QueueWatcher> errors;
  bool closed = false;
};

absl::StatusOr<std::unique_ptr<TopicAdmin>> TopicAdmin::Create(const ClientSettings& settings,
                                                               asio::any_io_executor executor) {
  TB_ASSIGN_OR_RETURN(
      auto client, Client::Create(Client::Kind::kProducer, settings,
                                  {{"metadata.max.age.ms", std::to_string(kMetadataAge.count())}},
                                  RD_KAFKA_EVENT_ERROR));
  return std::unique_ptr<TopicAdmin>(
      new TopicAdmin(std::make_shared<State>(executor, std::move(client))));
}

TopicAdmin::TopicAdmin(std::shared_ptr<State> state) : state_(std::move(state)) {}

TopicAdmin::~TopicAdmin() { state_->Close(); }

Async<std::vector<std::string>> TopicAdmin::CreateTopics(std::vector<TopicSpec> specs,
                                                         BootTime deadline) {
  const std::shared_ptr<State> state = state_;
  std::vector<NewTopicPtr> topics;
  std::vector<rd_kafka_NewTopic_t*> pointers;
  for (const TopicSpec& spec : specs) {
    TB_CO_ASSIGN_OR_RETURN(NewTopicPtr topic, NewTopicOf(spec));
    pointers.push_back(topic.get());
    topics.push_back(std::move(topic));
  }
  const State::Request request = [&](rd_kafka_t* handle, rd_kafka_AdminOptions_t* options,
                                     rd_kafka_queue_t* queue) {
    rd_kafka_CreateTopics(handle, pointers.data(), pointers.size(), options, queue);
  };
  absl::StatusOr<EventPtr> answer =
      co_await state->Ask(RD_KAFKA_ADMIN_OP_CREATETOPICS, request, deadline);
  TB_CO_ASSIGN_OR_RETURN(const EventPtr event, std::move(answer));

  std::vector<std::string> created;
  std::size_t count = 0;
  const auto* const* results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const rd_kafka_resp_err_t error = rd_kafka_topic_result_error(results[i]);
    if (error == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) continue;
    TB_CO_RETURN_IF_ERROR(StatusOfAnswer(error, rd_kafka_topic_result_error_string(results[i])));
    created.emplace_back(rd_kafka_topic_result_name(results[i]));
  }
  std::erase_if(specs, [&](const TopicSpec& spec) {
    return std::ranges::find(created, spec.name) == created.end();
  });
  TB_CO_RETURN_IF_ERROR(co_await state->AwaitLeaders(std::move(specs), deadline));
  co_return created;
}

AsyncStatus TopicAdmin::AwaitLeaders(std::vector<TopicSpec> specs, BootTime deadline) {
  return state_->AwaitLeaders(std::move(specs), deadline);
}

Async<std::vector<TopicDifference>> TopicAdmin::CheckTopics(std::vector<TopicSpec> specs,
                                                            BootTime deadline) {
  const std::shared_ptr<State> state = state_;
  TB_CO_RETURN_IF_ERROR(co_await state->RefuseMock(deadline));
  std::vector<TopicDifference> differences;
  std::map<std::string, const TopicSpec*, std::less<>> by_name;
  std::vector<const char*> names;
  for (const TopicSpec& spec : specs) {
    by_name.emplace(spec.name, &spec);
    names.push_back(spec.name.c_str());
  }
  const State::Request describe = [&](rd_kafka_t* handle, rd_kafka_AdminOptions_t* options,
                                      rd_kafka_queue_t* queue) {
    const TopicNamesPtr topics(rd_kafka_TopicCollection_of_topic_names(names.data(), names.size()));
    rd_kafka_DescribeTopics(handle, topics.get(), options, queue);
  };
  absl::StatusOr<EventPtr> layout_answer =
      co_await state->Ask(RD_KAFKA_ADMIN_OP_DESCRIBETOPICS, describe, deadline);
  TB_CO_ASSIGN_OR_RETURN(const EventPtr layout, std::move(layout_answer));

  std::vector<ResourcePtr> resources;
  std::vector<rd_kafka_ConfigResource_t*> pointers;
  std::size_t count = 0;
  const auto* const* topics = rd_kafka_DescribeTopics_result_topics(
      rd_kafka_event_DescribeTopics_result(layout.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const char* const name = rd_kafka_TopicDescription_name(topics[i]);
    const auto spec = by_name.find(name);
    if (spec == by_name.end()) continue;
    TB_CO_ASSIGN_OR_RETURN(const bool exists, CompareLayout(topics[i], *spec->second, differences));
    if (!exists) continue;
    resources.emplace_back(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name));
    pointers.push_back(resources.back().get());
  }
  if (pointers.empty()) co_return differences;

  const State::Request read = [&](rd_kafka_t* handle, rd_kafka_AdminOptions_t* options,
                                  rd_kafka_queue_t* queue) {
    rd_kafka_DescribeConfigs(handle, pointers.data(), pointers.size(), options, queue);
  };
  absl::StatusOr<EventPtr> configs_answer =
      co_await state->Ask(RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, read, deadline);
  TB_CO_ASSIGN_OR_RETURN(const EventPtr configs, std::move(configs_answer));
  const auto* const* found = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(configs.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    TB_CO_RETURN_IF_ERROR(StatusOfAnswer(rd_kafka_ConfigResource_error(found[i]),
                                         rd_kafka_ConfigResource_error_string(found[i])));
    const auto spec = by_name.find(std::string_view(rd_kafka_ConfigResource_name(found[i])));
    if (spec == by_name.end()) continue;
    CompareConfigs(ReadConfigs(found[i]), *spec->second, differences);
  }
  co_return differences;
}

AsyncStatus TopicAdmin::Ping(BootTime deadline) {
  const std::shared_ptr<State> state = state_;
  if (state->closed) co_return absl::UnavailableError("kafka: the admin client was closed");
  co_return co_await AwaitBroker(state->client, {}, deadline);
}

}  // namespace tollbridge::kafka
