#include "gateway/commands/orders_show_command.h"

#include <absl/strings/str_cat.h>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "adapters/kafka/event_tail.h"
#include "adapters/system/system_clock.h"
#include "base/core/boot_clock.h"
#include "base/core/status_macros.h"
#include "base/telemetry/metrics.h"
#include "gateway/commands/command_stores.h"
#include "gateway/commands/order_timeline.h"
#include "gateway/commands/run_to_end.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/config/kafka_settings.h"
#include "gateway/config/topic_specs.h"
#include "gateway/wiring/payment_service.h"
#include "services/domain/event_payload.h"

namespace tollbridge::gateway {
namespace {

constexpr int kNotWhole = 1;
constexpr int kNotAsked = 2;
constexpr std::chrono::seconds kTimeout{10};
constexpr std::chrono::milliseconds kPollTimeout{100};
/// Of the records of operations.
constexpr std::size_t kMostOperations = 1'000;

struct Options {
  std::string config;
  std::string order;
  /// May be empty where one is configured.
  std::string project;
  bool json = false;
  /// How long each topic is read.
  int topic_seconds = 60;
};

/// Where the order is looked for.
struct Wanted {
  const Config& config;
  const Secrets& secrets;
  const domain::Projects& projects;
  const domain::Project& project;
  Uuid order;
  std::chrono::seconds topic_limit;
};

ports::Context Within(std::chrono::milliseconds limit) {
  return {.deadline = BootClock::now() + limit, .trace = {}};
}

AsyncStatus AskStores(const Wanted& wanted, ShardStores& stores, OrderTimeline& timeline) {
  TB_CO_RETURN_IF_ERROR(co_await AwaitStores(stores, {&wanted.project}, kTimeout));
  ports::FamilyKey key{.project = wanted.project.name, .root = wanted.order};
  TB_CO_ASSIGN_OR_RETURN(ports::FamilyState family,
                         co_await stores.snapshots().Load(key, Within(kTimeout)));
  if (family.root && family.version == 0) {
    key.root = *family.root;
    timeline.SetRoot(key.root);
    TB_CO_ASSIGN_OR_RETURN(family, co_await stores.snapshots().Load(key, Within(kTimeout)));
  }
  timeline.Add(family);
  std::string cursor;
  std::size_t shown = 0;
  do {
    TB_CO_ASSIGN_OR_RETURN(const ports::OperationPage page,
                           co_await stores.registry().List({.project = wanted.project.name,
                                                            .state = std::nullopt,
                                                            .order_id = wanted.order.ToString(),
                                                            .cursor = cursor},
                                                           Within(kTimeout)));
    for (const auto& operation : page.operations) timeline.Add(operation);
    shown += page.operations.size();
    cursor = page.next;
  } while (!cursor.empty() && shown < kMostOperations);
  co_return cursor.empty()
      ? absl::OkStatus()
      : absl::OutOfRangeError(absl::StrCat("only the newest ", shown, " operations are shown"));
}

absl::Status ShowStores(const Wanted& wanted, OrderTimeline& timeline) {
  CommandStores opened;
  TB_RETURN_IF_ERROR(OpenStores(wanted.config, wanted.secrets, wanted.projects, opened));
  return RunToEnd(opened.context, AskStores(wanted, *opened.stores, timeline));
}

absl::Status ShowService(const Wanted& wanted, OrderTimeline& timeline) {
  boost::asio::io_context context{1};
  telemetry::Metrics metrics;
  system::SystemClock clock;
  payment_service::OriginClients clients;
  TB_ASSIGN_OR_RETURN(const std::unique_ptr<ports::PaymentService> service,
                      MakePaymentService({.executor = context.get_executor(),
                                          .config = wanted.config,
                                          .secrets = wanted.secrets,
                                          .clock = clock,
                                          .metrics = metrics},
                                         clients));
  const std::string order_id = wanted.order.ToString();
  TB_ASSIGN_OR_RETURN(
      const common::v1::Order order,
      RunToEnd(context, service->GetOrder(wanted.project, order_id, Within(kTimeout))));
  timeline.Add(order);
  return absl::OkStatus();
}

/// Gives `take` the records of that key that the topic holds.
absl::Status ReadKey(const Wanted& wanted, const std::string& topic, const std::string& key,
                     const std::function<void(const kafka::TailedRecord&)>& take) {
  TB_ASSIGN_OR_RETURN(const kafka::ClientSettings settings,
                      KafkaSettings(wanted.config, wanted.secrets));
  TB_ASSIGN_OR_RETURN(const auto tail, kafka::EventTail::OpenAtKey(settings, topic, key, kTimeout));
  const BootTime end = BootClock::now() + wanted.topic_limit;
  while (!tail->AtEnd()) {
    if (BootClock::now() >= end) {
      return absl::DeadlineExceededError(absl::StrCat(topic, " was not read to its end in ",
                                                      wanted.topic_limit.count(),
                                                      " s: --topic-timeout gives it longer"));
    }
    TB_ASSIGN_OR_RETURN(const std::optional<kafka::TailedRecord> record, tail->Next(kPollTimeout));
    if (record && record->key == key) take(*record);
  }
  return absl::OkStatus();
}

absl::Status ShowHints(const Wanted& wanted, OrderTimeline& timeline) {
  const auto read = [&](const Uuid& order) {
    return ReadKey(wanted, wanted.config.kafka.hints_topic,
                   absl::StrCat(wanted.project.name, ":", order.ToString()),
                   [&timeline](const kafka::TailedRecord& record) {
                     events::v1::Hint hint;
                     if (!hint.ParseFromString(record.value)) return;
                     timeline.Add(hint, {.partition = record.partition, .offset = record.offset});
                   });
  };
  absl::Status done = read(wanted.order);
  if (timeline.root() != wanted.order) done.Update(read(timeline.root()));
  return done;
}

absl::Status ShowEvents(const Wanted& wanted, OrderTimeline& timeline) {
  const events::ProjectTopics topics = EventTopics(wanted.config).at(wanted.project.name);
  absl::Status done;
  for (const std::string& topic : std::set{topics.events.name, topics.test_orders.name}) {
    done.Update(
        ReadKey(wanted, topic, timeline.root().ToString(), [&](const kafka::TailedRecord& record) {
          const auto event = domain::ReadEvent(record.Header("content-type"), record.value);
          if (!event) return;
          timeline.Add(*event, {.partition = record.partition, .offset = record.offset});
        }));
  }
  return done;
}

int Show(const Config& config, const Secrets& secrets, const Options& options) {
  const std::optional<Uuid> order = Uuid::Parse(options.order);
  if (!order) return Fail(absl::InvalidArgumentError("an order's id is a UUID"), kNotAsked);
  const domain::Projects projects = MakeProjects(config, secrets, "");
  const domain::Project* project = projects.Find(options.project);
  if (project == nullptr) {
    return Fail(absl::InvalidArgumentError(
                    "--project: must be one that is configured; needed when there are several"),
                kNotAsked);
  }
  const Wanted wanted{.config = config,
                      .secrets = secrets,
                      .projects = projects,
                      .project = *project,
                      .order = *order,
                      .topic_limit = std::chrono::seconds(options.topic_seconds)};
  OrderTimeline timeline(*project, *order);
  // The store first: it knows the family, whose root is the key of the events.
  timeline.AddSource("operations and snapshot", ShowStores(wanted, timeline));
  timeline.AddSource("hints", ShowHints(wanted, timeline));
  timeline.AddSource("events", ShowEvents(wanted, timeline));
  timeline.AddSource("payment service", ShowService(wanted, timeline));
  std::cout << (options.json ? timeline.Json() : timeline.Text());
  return timeline.known() && timeline.whole() ? 0 : kNotWhole;
}

}  // namespace

void AddOrdersShow(CLI::App* orders, Action* action) {
  CLI::App* show = orders->add_subcommand(
      "show", "the whole story of an order, out of stores, topics and the payment service");
  const auto options = std::make_shared<Options>();
  AddConfigOption(show, &options->config);
  show->add_option("order", options->order, "order id, a UUID")->required();
  show->add_option("--project", options->project, "project; needed when there are several");
  show->add_option("--topic-timeout", options->topic_seconds,
                   "read each topic for so many seconds at most")
      ->check(CLI::Range(1, 3'600))
      ->capture_default_str();
  AddJsonOption(show, &options->json);
  show->callback([options, action] {
    *action = [options] {
      return WithSecrets(options->config, {.payment_service = true, .redis = true, .kafka = true},
                         [&](const Config& config, const Secrets& secrets) {
                           return Show(config, secrets, *options);
                         });
    };
  });
}

}  // namespace tollbridge::gateway
