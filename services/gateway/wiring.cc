// Where concrete classes are named and put together: the one place that knows them all. Read it
// from the two lists, InboundPipe and OutboundPipe, on.

#include <absl/strings/str_cat.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/http/client.h"
#include "adapters/http/server.h"
#include "adapters/kafka/dead_letter_log.h"
#include "adapters/kafka/event_log.h"
#include "adapters/kafka/hint_feed.h"
#include "adapters/kafka/hint_log.h"
#include "adapters/kafka/producer.h"
#include "adapters/kafka/topics.h"
#include "adapters/payment_service/client.h"
#include "adapters/payment_service/deadline_transport.h"
#include "adapters/payment_service/http_transport.h"
#include "adapters/payment_service/meter_transport.h"
#include "adapters/payment_service/retry_transport.h"
#include "adapters/payment_service/trace_transport.h"
#include "adapters/redis/connection.h"
#include "adapters/redis/due_queue.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/server_check.h"
#include "adapters/redis/snapshot_store.h"
#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "adapters/telemetry/metrics_page.h"
#include "adapters/telemetry/tracing.h"
#include "services/base/shard.h"
#include "services/base/status_macros.h"
#include "services/events/hint_handler.h"
#include "services/events/hint_loop.h"
#include "services/events/reader.h"
#include "services/gateway/adapter_settings.h"
#include "services/gateway/gateway.h"
#include "services/gateway/health_monitor.h"
#include "services/gateway/kafka_settings.h"
#include "services/gateway/listen_address.h"
#include "services/gateway/published_services.h"
#include "services/gateway/version.h"
#include "services/operations/durable.h"
#include "services/operations/engine.h"
#include "services/operations/get_operation.h"
#include "services/operations/lease_sweeper.h"
#include "services/payments/create_order.h"
#include "services/payments/create_order_rules.h"
#include "services/payments/get_order.h"
#include "services/reconcile/due_poller.h"
#include "services/rpc/dispatcher.h"
#include "services/rpc/drain.h"
#include "services/rpc/limit.h"
#include "services/rpc/log.h"
#include "services/rpc/meter.h"
#include "services/rpc/parse.h"
#include "services/rpc/server.h"
#include "services/rpc/trace.h"
#include "services/rpc/validate.h"
#include "services/telemetry/log.h"
#include "services/telemetry/metric_definitions.h"
#include "services/telemetry/metrics.h"
#include "services/webhooks/ingress.h"
#include "tollbridge/operations/v1/operations.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kRedisStartWait{2};
constexpr std::chrono::milliseconds kKafkaPing{800};
constexpr std::string_view kBoundAddress = "bound-address";

/// What belongs to one shard, and is used on it only.
struct ShardParts {
  system::SystemClock clock;
  system::SystemRng rng;
  std::unique_ptr<redis::Connection> redis;
  std::unique_ptr<ports::OperationStore> operation_store;
  std::unique_ptr<ports::SnapshotStore> snapshot_store;
  std::unique_ptr<ports::DueQueue> due_queue;
  std::shared_ptr<http::Client> http_client;
  std::unique_ptr<ports::PaymentService> payment_service;
  std::unique_ptr<operations::Engine> engine;
  std::unique_ptr<rpc::Dispatcher> dispatcher;
};

/// Runs a coroutine on a shard from outside, and waits for it.
template <typename Awaitable>
auto RunOn(Shard& shard, Awaitable awaitable) {
  return boost::asio::co_spawn(shard.executor(), std::move(awaitable), boost::asio::use_future)
      .get();
}

}  // namespace

class Gateway::Impl {
 public:
  Impl(const Config& config, Secrets secrets)
      : config_(config),
        secrets_(std::move(secrets)),
        shards_(static_cast<std::size_t>(config.process.shards)) {}
  ~Impl() {
    if (started_ && !stopped_) Stop();
    rpc_server_.reset();
    shards_.Stop();
  }

  absl::Status Start();
  bool Stop();
  const Addresses& addresses() const { return addresses_; }

 private:
  absl::Status BindListeners();
  absl::Status MakeShard(std::size_t index);
  absl::Status MakeDispatcher(ShardParts& parts);
  absl::Status MakeMethods();
  absl::Status CheckRedis();
  absl::Status StartRpc();
  absl::Status StartIngress();
  absl::Status StartEvents();
  void StartReconcile();
  void StartMonitor();
  boost::asio::awaitable<bool> RedisAnswers();
  boost::asio::awaitable<bool> KafkaAnswers();
  void RotateTokens();

  std::vector<std::unique_ptr<rpc::Middleware>> InboundPipe(
      ShardParts& parts, std::unique_ptr<operations::Durable> durable);
  payment_service::TransportChain OutboundPipe(ShardParts& parts);
  std::vector<operations::PlanRegistration> Plans() const;
  void RegisterReads(ShardParts& parts) const;

  /// What loops and servers without a shard of their own live on.
  Shard& first_shard() { return shards_.at(0); }
  ShardParts& first_parts() { return *parts_.front(); }

  const Config config_;
  Secrets secrets_;
  Addresses addresses_;

  // In the order in which they are needed: what comes later goes first, and the shards outlive all
  // that lives on them.
  telemetry::Metrics metrics_;
  std::unique_ptr<telemetry_exporters::Tracing> tracing_;
  std::unique_ptr<domain::Projects> projects_;
  std::unique_ptr<rpc::MethodTable> methods_;
  std::unique_ptr<rpc::RequestRules> rules_;
  rpc::Drain drain_;
  ShardPool shards_;
  std::vector<std::unique_ptr<ShardParts>> parts_;
  std::unique_ptr<kafka::TopicAdmin> kafka_admin_;
  std::unique_ptr<kafka::Producer> producer_;
  std::unique_ptr<ports::HintLog> hint_log_;
  std::unique_ptr<ports::EventLog> event_log_;
  std::unique_ptr<ports::DeadLetterLog> dead_letters_;
  std::unique_ptr<kafka::KafkaHintFeed> hint_feed_;
  std::unique_ptr<events::Reader> reader_;
  std::unique_ptr<events::HintHandler> hint_handler_;
  std::shared_ptr<events::HintLoop> hint_loop_;
  std::shared_ptr<reconcile::DuePoller> poller_;
  std::unique_ptr<operations::LeaseSweeper> sweeper_;
  std::unique_ptr<webhooks::Ingress> ingress_;
  std::vector<SecretFile::Lines> tokens_in_force_;
  std::unique_ptr<HealthMonitor> monitor_;
  std::unique_ptr<http::Server> ingress_server_;
  std::unique_ptr<http::Server> metrics_server_;
  std::unique_ptr<rpc::Server> rpc_server_;
  bool started_ = false;
  bool stopped_ = false;
};

// What a call passes on its way in, outermost first.
std::vector<std::unique_ptr<rpc::Middleware>> Gateway::Impl::InboundPipe(
    ShardParts& parts, std::unique_ptr<operations::Durable> durable) {
  std::vector<std::unique_ptr<rpc::Middleware>> links;
  links.push_back(std::make_unique<rpc::Trace>());
  links.push_back(std::make_unique<rpc::Meter>(metrics_, parts.clock));
  links.push_back(std::make_unique<rpc::Log>(parts.clock));
  links.push_back(std::make_unique<rpc::Limit>(
      rpc::LimitSettings{.max_in_flight = static_cast<std::size_t>(config_.rpc.max_in_flight)},
      drain_, parts.clock));
  links.push_back(std::make_unique<rpc::Parse>(metrics_));
  links.push_back(std::make_unique<rpc::Validate>(*rules_));
  links.push_back(std::move(durable));
  return links;
}

// What an exchange with the payment service passes on its way out, outermost first.
payment_service::TransportChain Gateway::Impl::OutboundPipe(ShardParts& parts) {
  std::vector<std::unique_ptr<payment_service::Transport>> links;
  links.push_back(std::make_unique<payment_service::RetryTransport>(
      payment_service::RetrySettings{.max_attempts =
                                         static_cast<int>(config_.payment_service.read_attempts)},
      &parts.clock, &metrics_));
  links.push_back(std::make_unique<payment_service::TraceTransport>());
  links.push_back(std::make_unique<payment_service::MeterTransport>(&metrics_, &parts.clock));
  links.push_back(std::make_unique<payment_service::DeadlineTransport>(
      config_.operations.settings.attempt_deadline, &parts.clock));
  links.push_back(std::make_unique<payment_service::HttpTransport>(parts.http_client));
  return payment_service::TransportChain(std::move(links));
}

// The mutations: a method and the function that plans it.
std::vector<operations::PlanRegistration> Gateway::Impl::Plans() const {
  const domain::Projects& projects = *projects_;
  return {
      operations::PlanFor<payments::v1::CreateOrderRequest>(
          payments::kCreateOrderRpc,
          [&projects](const payments::v1::CreateOrderRequest& request) {
            return payments::PlanCreateOrder(projects, request);
          }),
  };
}

// The reads: a method and its use case.
void Gateway::Impl::RegisterReads(ShardParts& parts) const {
  const domain::Projects& projects = *projects_;
  parts.dispatcher->HandleRead<payments::v1::GetOrderRequest, payments::v1::GetOrderResponse>(
      "tollbridge.payments.v1.Payments.GetOrder",
      [&parts, &projects](const payments::v1::GetOrderRequest& request,
                          const ports::Context& context) {
        return payments::GetOrder(*parts.payment_service, projects, request, context);
      });
  parts.dispatcher
      ->HandleRead<operations::v1::GetOperationRequest, operations::v1::GetOperationResponse>(
          "tollbridge.operations.v1.Operations.GetOperation",
          [&parts, &projects](const operations::v1::GetOperationRequest& request,
                              const ports::Context& context) {
            return operations::GetOperation(*parts.operation_store, projects, request, context);
          });
}

absl::Status Gateway::Impl::Start() {
  TB_ASSIGN_OR_RETURN(
      tracing_, telemetry_exporters::Tracing::Start({.otlp_endpoint = config_.traces.otlp_endpoint,
                                                     .service_name = "tollbridge",
                                                     .service_version = std::string(kVersion),
                                                     .service_instance_id = config_.process.name}));
  metrics_.Get(telemetry::kBuildInfo, {kVersion}).Set(1);

  // Ports are bound first, since orders carry the ingress's address; nothing is served before the
  // shards run.
  TB_RETURN_IF_ERROR(BindListeners());
  TB_RETURN_IF_ERROR(MakeMethods());
  TB_ASSIGN_OR_RETURN(const kafka::ClientSettings kafka, KafkaSettings(config_, secrets_));
  TB_ASSIGN_OR_RETURN(producer_,
                      kafka::Producer::Create({.client = kafka}, first_shard().executor()));
  producer_->Prepare(
      {config_.kafka.hints_topic, config_.kafka.events_topic, config_.kafka.dead_letter_topic});
  TB_ASSIGN_OR_RETURN(kafka_admin_, kafka::TopicAdmin::Create(kafka, first_shard().executor()));
  hint_log_ = std::make_unique<kafka::KafkaHintLog>(*producer_, config_.kafka.hints_topic);
  event_log_ = std::make_unique<kafka::KafkaEventLog>(*producer_, config_.kafka.events_topic);
  dead_letters_ = std::make_unique<kafka::KafkaDeadLetterLog>(
      *producer_, config_.kafka.dead_letter_topic, config_.kafka.hints_topic);
  for (std::size_t i = 0; i < shards_.size(); ++i) TB_RETURN_IF_ERROR(MakeShard(i));
  if (config_.HasRole("webhooks")) TB_RETURN_IF_ERROR(StartIngress());

  shards_.Start();
  TB_RETURN_IF_ERROR(CheckRedis());
  if (config_.HasRole("rpc")) TB_RETURN_IF_ERROR(StartRpc());
  if (config_.HasRole("events")) TB_RETURN_IF_ERROR(StartEvents());
  if (config_.HasRole("reconcile")) StartReconcile();
  StartMonitor();
  started_ = true;
  return absl::OkStatus();
}

absl::Status Gateway::Impl::BindListeners() {
  std::string ingress_url = config_.webhooks.public_url;
  if (config_.HasRole("webhooks")) {
    TB_ASSIGN_OR_RETURN(const Address address,
                        ParseAddress(config_.webhooks.listen, "webhooks.listen"));
    http::ServerOptions options;
    options.host = address.host;
    options.port = address.port;
    options.limits = webhooks::IngressLimits();
    TB_ASSIGN_OR_RETURN(options.tls, ServerTls(config_.webhooks.tls));
    options.error_response = [this](int status, std::string_view reason) {
      return ingress_->Refuse(status, reason);
    };
    TB_ASSIGN_OR_RETURN(ingress_server_,
                        http::Server::Start({first_shard().executor()}, std::move(options),
                                            [this](const http::Request& request,
                                                   const http::ConnectionInfo& connection) {
                                              return ingress_->Handle(request, connection);
                                            }));
    addresses_.webhooks = ingress_server_->address();
    if (ingress_url == kBoundAddress) {
      ingress_url =
          absl::StrCat(config_.webhooks.tls.enabled ? "https://" : "http://", addresses_.webhooks);
    }
  } else if (ingress_url == kBoundAddress) {
    return absl::InvalidArgumentError(
        "webhooks.public_url: bound-address needs the role webhooks in the same process");
  }
  projects_ = std::make_unique<domain::Projects>(MakeProjects(config_, secrets_, ingress_url));

  TB_ASSIGN_OR_RETURN(const Address metrics,
                      ParseAddress(config_.metrics.listen, "metrics.listen"));
  http::ServerOptions options;
  options.host = metrics.host;
  options.port = metrics.port;
  TB_ASSIGN_OR_RETURN(metrics_server_,
                      http::Server::Start({first_shard().executor()}, std::move(options),
                                          telemetry_exporters::MetricsHandler(metrics_)));
  addresses_.metrics = metrics_server_->address();
  return absl::OkStatus();
}

absl::Status Gateway::Impl::MakeMethods() {
  TB_ASSIGN_OR_RETURN(rpc::MethodTable methods,
                      rpc::MethodTable::Of({kPublishedServices.begin(), kPublishedServices.end()}));
  methods_ = std::make_unique<rpc::MethodTable>(std::move(methods));
  rules_ = std::make_unique<rpc::RequestRules>(*methods_, domain::FieldLimits{});
  rules_->Add<payments::v1::CreateOrderRequest>(
      "tollbridge.payments.v1.Payments.CreateOrder",
      [this](const payments::v1::CreateOrderRequest& request) {
        return payments::CreateOrderViolations(request, projects_->Find(request.project()));
      });
  return rules_->status();
}

absl::Status Gateway::Impl::MakeShard(std::size_t index) {
  Shard& shard = shards_.at(index);
  auto parts = std::make_unique<ShardParts>();
  TB_ASSIGN_OR_RETURN(redis::ConnectionOptions redis, RedisOptions(config_, secrets_));
  parts->redis = std::make_unique<redis::Connection>(shard.executor(), std::move(redis), metrics_);
  parts->operation_store = std::make_unique<redis::RedisOperationStore>(
      *parts->redis,
      redis::OperationStoreOptions{.prefix = config_.redis.key_prefix,
                                   .closed_retention = config_.redis.outcomes_kept,
                                   .entry_retention = config_.events.settings.snapshot_retention});
  parts->snapshot_store =
      std::make_unique<redis::RedisSnapshotStore>(*parts->redis, config_.redis.key_prefix);
  parts->due_queue =
      std::make_unique<redis::RedisDueQueue>(*parts->redis, config_.redis.key_prefix);

  TB_ASSIGN_OR_RETURN(http::ClientOptions http, PaymentServiceOptions(config_));
  parts->http_client = std::make_shared<http::Client>(shard.executor(), std::move(http));
  parts->payment_service = std::make_unique<payment_service::Client>(
      OutboundPipe(*parts),
      [this](const domain::Project& project) {
        return secrets_.api_keys.at(project.name)->Get()->front();
      },
      payment_service::WalletNames{.wallet_a = config_.payment_service.wallet_a_name,
                                   .wallet_b = config_.payment_service.wallet_b_name});

  parts->engine = std::make_unique<operations::Engine>(
      shard.executor(),
      operations::Engine::Ports{.service = *parts->payment_service,
                                .store = *parts->operation_store,
                                .clock = parts->clock,
                                .rng = parts->rng,
                                .metrics = metrics_},
      config_.operations.settings, secrets_.operation_keys);
  TB_RETURN_IF_ERROR(MakeDispatcher(*parts));
  parts->redis->Start();
  metrics_.OnCollect(
      [statistics = parts->http_client->statistics(), index](telemetry::Metrics& metrics) {
        const auto set = [&](std::string_view state, std::int64_t value) {
          // The first shard's collector runs first and begins the sum.
          const telemetry::Gauge gauge = metrics.Get(telemetry::kPoolConnections, {state});
          if (index == 0) gauge.Set(0);
          gauge.Add(static_cast<double>(value));
        };
        set("idle", statistics->idle);
        set("in_use", statistics->in_use);
        set("waiting", statistics->waiting);
      });
  parts_.push_back(std::move(parts));
  return absl::OkStatus();
}

absl::Status Gateway::Impl::MakeDispatcher(ShardParts& parts) {
  TB_ASSIGN_OR_RETURN(auto durable, operations::Durable::Make(*methods_, Plans(), *parts.engine));
  parts.dispatcher =
      std::make_unique<rpc::Dispatcher>(*methods_, InboundPipe(parts, std::move(durable)));
  parts.dispatcher->HandleMutation("tollbridge.payments.v1.Payments.CreateOrder");
  RegisterReads(parts);
  return parts.dispatcher->status();
}

absl::Status Gateway::Impl::CheckRedis() {
  redis::Connection& connection = *first_parts().redis;
  const BootTime deadline = BootClock::now() + kRedisStartWait;
  const absl::Status ready = RunOn(first_shard(), connection.WaitReady(deadline));
  if (!ready.ok()) {
    // Reads, search and webhooks go on without Redis; mutations wait for it.
    telemetry::Log(telemetry::Severity::kWarning, "redis_not_reachable_yet",
                   {{"reason", std::string(ready.message())}});
    return absl::OkStatus();
  }
  const bool strict = config_.process.environment == "production";
  const auto warnings =
      RunOn(first_shard(), redis::CheckServer(connection, {.strict = strict}, deadline));
  if (!warnings.ok()) return warnings.status();
  for (const std::string& warning : *warnings) {
    telemetry::Log(telemetry::Severity::kWarning, "redis_setting", {{"warning", warning}});
  }
  return absl::OkStatus();
}

absl::Status Gateway::Impl::StartRpc() {
  TB_ASSIGN_OR_RETURN(const Address address, ParseAddress(config_.rpc.listen, "rpc.listen"));
  rpc::ServerSettings settings;
  settings.listen_address = config_.rpc.listen;
  if (config_.rpc.tls.enabled) {
    settings.tls = rpc::ServerTls{.certificate_chain_file = config_.rpc.tls.certificate_file,
                                  .private_key_file = config_.rpc.tls.private_key_file};
  }
  settings.plaintext_beyond_loopback = config_.rpc.allow_plaintext_beyond_loopback;
  settings.max_request_bytes = static_cast<int>(config_.rpc.max_request_bytes);
  settings.deadlines.unary = config_.rpc.max_deadline;
  std::vector<rpc::Dispatcher*> dispatchers;
  for (const auto& parts : parts_) dispatchers.push_back(parts->dispatcher.get());
  TB_ASSIGN_OR_RETURN(
      rpc_server_, rpc::Server::Start(settings, *methods_, shards_, std::move(dispatchers), drain_,
                                      first_parts().clock));
  addresses_.grpc = absl::StrCat(address.host, ":", rpc_server_->port());
  sweeper_ = std::make_unique<operations::LeaseSweeper>(
      first_shard().executor(), *first_parts().operation_store, first_parts().clock, metrics_,
      config_.operations.settings.sweep_interval, config_.operations.settings.store_timeout);
  sweeper_->Start();
  return absl::OkStatus();
}

absl::Status Gateway::Impl::StartIngress() {
  TB_ASSIGN_OR_RETURN(webhooks::PathTokens tokens, MakePathTokens(*projects_, secrets_));
  const double per_second = static_cast<double>(config_.webhooks.max_per_second);
  ingress_ = std::make_unique<webhooks::Ingress>(
      webhooks::Ingress::Ports{
          .hint_log = *hint_log_, .clock = first_parts().clock, .metrics = metrics_},
      std::move(tokens),
      webhooks::IngressSettings{.per_second = per_second,
                                .burst = per_second * 2,
                                .append_timeout = config_.webhooks.answer_within});
  for (const auto& [project, file] : secrets_.webhook_tokens) {
    tokens_in_force_.push_back(file->Get());
  }
  return absl::OkStatus();
}

void Gateway::Impl::RotateTokens() {
  if (!ingress_) return;
  std::vector<SecretFile::Lines> lines;
  for (const auto& [project, file] : secrets_.webhook_tokens) lines.push_back(file->Get());
  if (lines == tokens_in_force_) return;
  tokens_in_force_ = std::move(lines);
  absl::StatusOr<webhooks::PathTokens> tokens = MakePathTokens(*projects_, secrets_);
  if (tokens.ok()) {
    ingress_->ReplaceTokens(*std::move(tokens));
  } else {
    telemetry::Log(telemetry::Severity::kError, "webhook_tokens_refused",
                   {{"reason", std::string(tokens.status().message())}});
  }
}

absl::Status Gateway::Impl::StartEvents() {
  ShardParts& parts = first_parts();
  TB_ASSIGN_OR_RETURN(const kafka::ClientSettings kafka, KafkaSettings(config_, secrets_));
  TB_ASSIGN_OR_RETURN(hint_feed_, kafka::KafkaHintFeed::Create({.client = kafka,
                                                                .topic = config_.kafka.hints_topic,
                                                                .group = config_.kafka.group},
                                                               first_shard().executor()));
  reader_ = std::make_unique<events::Reader>(
      events::Reader::Ports{.payment_service = *parts.payment_service,
                            .snapshots = *parts.snapshot_store,
                            .event_log = *event_log_,
                            .clock = parts.clock,
                            .rng = parts.rng,
                            .metrics = metrics_},
      config_.events.settings);
  hint_handler_ = std::make_unique<events::HintHandler>(
      events::HintHandler::Ports{.reader = *reader_,
                                 .snapshots = *parts.snapshot_store,
                                 .due_queue = *parts.due_queue,
                                 .dead_letters = *dead_letters_,
                                 .clock = parts.clock,
                                 .metrics = metrics_},
      config_.events.settings);
  hint_loop_ = events::HintLoop::Create(first_shard().executor(),
                                        events::HintLoop::Ports{.feed = *hint_feed_,
                                                                .handler = *hint_handler_,
                                                                .clock = parts.clock,
                                                                .projects = *projects_},
                                        config_.events.settings);
  // The feed is used on its shard only, so it joins the group from there.
  const absl::Status joined =
      RunOn(first_shard(), [](std::shared_ptr<events::HintLoop> loop) -> AsyncStatus {
        co_return loop->Start();
      }(hint_loop_));
  TB_RETURN_IF_ERROR(joined);
  metrics_.OnCollect([loop = hint_loop_, clock = &parts.clock](telemetry::Metrics& metrics) {
    const std::optional<ports::WallTime> oldest = loop->OldestHint();
    const std::chrono::duration<double> age =
        oldest ? clock->WallNow() - *oldest : ports::Millis::zero();
    metrics.Get(telemetry::kOldestHint).Set(age.count());
  });
  boost::asio::co_spawn(first_shard().executor(), hint_loop_->Run(), boost::asio::detached);
  return absl::OkStatus();
}

void Gateway::Impl::StartReconcile() {
  ShardParts& parts = first_parts();
  poller_ = reconcile::DuePoller::Create(
      reconcile::DuePoller::Ports{.due_queue = *parts.due_queue,
                                  .hint_log = *hint_log_,
                                  .clock = parts.clock,
                                  .metrics = metrics_},
      reconcile::PollerSettings{
          .interval = config_.reconcile.poll_interval,
          .move_by = config_.reconcile.take_again_after,
          .per_second = static_cast<std::size_t>(config_.reconcile.max_hints_per_second)});
  boost::asio::co_spawn(first_shard().executor(), poller_->Run(), boost::asio::detached);
}

boost::asio::awaitable<bool> Gateway::Impl::RedisAnswers() {
  co_return first_parts().redis->ready();
}

boost::asio::awaitable<bool> Gateway::Impl::KafkaAnswers() {
  const absl::Status status = co_await kafka_admin_->Ping(BootClock::now() + kKafkaPing);
  co_return status.ok();
}

void Gateway::Impl::StartMonitor() {
  std::vector<HealthProbe> probes;
  if (rpc_server_) {
    probes.push_back({rpc::health::kMutations, [this] { return RedisAnswers(); }});
  }
  const auto kafka_answers = [this] { return KafkaAnswers(); };
  if (rpc_server_ && ingress_server_) probes.push_back({rpc::health::kWebhooks, kafka_answers});
  if (rpc_server_ && hint_loop_) probes.push_back({rpc::health::kEvents, kafka_answers});
  monitor_ = std::make_unique<HealthMonitor>(
      &first_parts().clock, std::move(probes),
      [this](std::string_view name, bool serving) { rpc_server_->SetServing(name, serving); });
  boost::asio::co_spawn(first_shard().executor(), monitor_->Run([this] { RotateTokens(); }),
                        boost::asio::detached);
}

bool Gateway::Impl::Stop() {
  const BootTime deadline = BootClock::now() + config_.process.grace_period;
  bool in_time = true;
  stopped_ = true;
  RunOn(first_shard(), [](HealthMonitor* monitor) -> boost::asio::awaitable<void> {
    monitor->Stop();
    co_return;
  }(monitor_.get()));
  // Calls end first, and with them what they began; then nothing comes from outside any more.
  if (rpc_server_) in_time &= rpc_server_->Stop(deadline);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    in_time &= RunOn(shards_.at(i), parts_[i]->engine->Drain(deadline));
  }
  if (ingress_server_) {
    in_time &= RunOn(first_shard(), ingress_server_->Stop(deadline)).ok();
  }
  // The rest is our own doing, and can be stopped between two steps.
  RunOn(first_shard(), [](Impl* self) -> boost::asio::awaitable<void> {
    if (self->sweeper_) self->sweeper_->Stop();
    if (self->poller_) self->poller_->Stop();
    co_return;
  }(this));
  if (hint_loop_) in_time &= RunOn(first_shard(), hint_loop_->Stop(deadline)).ok();
  in_time &= RunOn(first_shard(), metrics_server_->Stop(deadline)).ok();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    RunOn(shards_.at(i), [](redis::Connection* redis) -> boost::asio::awaitable<void> {
      redis->Stop();
      co_return;
    }(parts_[i]->redis.get()));
  }
  shards_.Stop();
  in_time &= tracing_->ShutDown(std::chrono::seconds(2)).ok();
  return in_time;
}

absl::StatusOr<std::unique_ptr<Gateway>> Gateway::Start(const Config& config, Secrets secrets) {
  auto impl = std::make_unique<Impl>(config, std::move(secrets));
  TB_RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<Gateway>(new Gateway(std::move(impl)));
}

Gateway::Gateway(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Gateway::~Gateway() = default;
const Addresses& Gateway::addresses() const { return impl_->addresses(); }
bool Gateway::Stop() { return impl_->Stop(); }

}  // namespace tollbridge::gateway
