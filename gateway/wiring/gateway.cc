// Where concrete classes are named and put together, with the other files of this folder: the only
// ones that know them; methods.cc puts the rooms' methods together. Read from the two lists on:
// InboundPipe here, OutboundPipe in payment_service.cc.

#include <absl/strings/str_cat.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/kafka/hint_log.h"
#include "adapters/kafka/producer.h"
#include "adapters/telemetry/metrics_page.h"
#include "adapters/telemetry/process_metrics.h"
#include "adapters/telemetry/tracing.h"
#include "base/core/must_go_on.h"
#include "base/core/shard.h"
#include "base/core/status_macros.h"
#include "base/http/server.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/metrics.h"
#include "gateway/config/adapter_settings.h"
#include "gateway/config/listen_address.h"
#include "gateway/config/needs.h"
#include "gateway/config/payment_service_settings.h"
#include "gateway/config/published_services.h"
#include "gateway/config/rpc_settings.h"
#include "gateway/config/stores.h"
#include "gateway/config/topic_specs.h"
#include "gateway/wiring/events.h"
#include "gateway/wiring/gateway.h"
#include "gateway/wiring/health_monitor.h"
#include "gateway/wiring/ingress.h"
#include "gateway/wiring/kafka.h"
#include "gateway/wiring/methods.h"
#include "gateway/wiring/payment_service.h"
#include "gateway/wiring/probes.h"
#include "gateway/wiring/process_gauges.h"
#include "gateway/wiring/shard.h"
#include "services/operations/durable.h"
#include "services/operations/operation_metrics.h"
#include "services/operations/resolver.h"
#include "services/rpc/authenticate.h"
#include "services/rpc/authorize.h"
#include "services/rpc/dispatcher.h"
#include "services/rpc/drain.h"
#include "services/rpc/limit.h"
#include "services/rpc/limit_caller.h"
#include "services/rpc/limit_project.h"
#include "services/rpc/log.h"
#include "services/rpc/meter.h"
#include "services/rpc/parse.h"
#include "services/rpc/refusal_trail.h"
#include "services/rpc/series.h"
#include "services/rpc/server.h"
#include "services/rpc/trace.h"
#include "services/rpc/validate.h"
#include "services/rpc/wire_metrics.h"

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kKafkaStartWait{2};
/// Of probes and scrapes, which are short and come from nearby.
constexpr http::ServerLimits kMetricsLimits{.max_body_bytes = 1024,
                                            .header_timeout = std::chrono::seconds(3),
                                            .body_timeout = std::chrono::seconds(3),
                                            .write_timeout = std::chrono::seconds(10),
                                            .max_connections = 128,
                                            .max_connections_per_address = 16};
constexpr std::chrono::milliseconds kMetricsStopTime{500};

}  // namespace

class Gateway::Impl {
 public:
  Impl(const Config& config, Secrets secrets, CallersFile callers)
      : config_(config),
        needs_(NeedsOf(config)),
        secrets_(std::move(secrets)),
        callers_(std::move(callers)),
        shards_(static_cast<std::size_t>(config.process.shards)),
        probes_(shards_) {}
  ~Impl() {
    if (started_ && !stopped_) Stop();
    rpc_server_.reset();
    shards_.Stop();
  }

  absl::Status Start();
  void EnterLameDuck();
  bool Stop();
  const Addresses& addresses() const { return addresses_; }

 private:
  absl::Status BindListeners();
  absl::Status MakeShard(std::size_t index);
  void MakeDispatcher(ShardParts& parts);
  absl::Status MakeMethods();
  absl::Status StartLoops();
  /// In production before anything is produced; elsewhere they are looked at beside.
  absl::Status CheckTopics();
  absl::Status StartRpc();
  /// Gives each shard the callers that are in the file now, if they are others. On the first shard.
  void TakeCallers();
  void StartResolver();
  /// The payment service answers again. Any shard.
  void ServiceIsBack();
  void AddProbedRoles();
  void StartMonitor();
  /// Whether mutations of some projects can be taken.
  boost::asio::awaitable<bool> AStoreAnswers();

  std::vector<std::unique_ptr<rpc::Middleware>> InboundPipe(ShardParts& parts);

  /// What loops and servers without a shard of their own live on.
  Shard& first_shard() { return shards_.at(0); }
  ShardParts& first_parts() { return *parts_.front(); }

  const Config config_;
  const Needs needs_;
  Secrets secrets_;
  /// Looked at on the first shard.
  CallersFile callers_;
  Addresses addresses_;

  // In the order in which they are needed: what comes later goes first, and the shards outlive all
  // that lives on them.
  telemetry::Metrics metrics_;
  std::unique_ptr<telemetry_exporters::Tracing> tracing_;
  std::unique_ptr<domain::Projects> projects_;
  std::unique_ptr<rpc::MethodTable> published_;
  std::unique_ptr<const operations::Methods> methods_;
  rpc::Drain drain_;
  ShardPool shards_;
  Probes probes_;
  std::vector<std::unique_ptr<ShardParts>> parts_;
  std::unique_ptr<KafkaClients> kafka_;
  std::unique_ptr<kafka::Producer> producer_;
  std::unique_ptr<ports::HintLog> hint_log_;
  std::unique_ptr<BackgroundLoops> loops_;
  std::unique_ptr<operations::Resolver> resolver_;
  std::unique_ptr<IngressRole> ingress_;
  std::unique_ptr<HealthMonitor> monitor_;
  std::unique_ptr<http::Server> metrics_server_;
  std::unique_ptr<rpc::Server> rpc_server_;
  bool started_ = false;
  bool stopped_ = false;
};

// What a call passes on its way in, outermost first.
std::vector<std::unique_ptr<rpc::Middleware>> Gateway::Impl::InboundPipe(ShardParts& parts) {
  std::vector<std::unique_ptr<rpc::Middleware>> links;
  links.push_back(std::make_unique<rpc::Trace>());
  links.push_back(std::make_unique<rpc::Meter>(metrics_, parts.clock, parts_.size()));
  links.push_back(std::make_unique<rpc::Log>(parts.clock));
  links.push_back(std::make_unique<rpc::Authenticate>(*parts.access, metrics_, parts.clock));
  links.push_back(std::make_unique<rpc::RefusalTrail>(
      rpc::RefusalTrail::Ports{.calls = parts.stores->refused_calls(),
                               .clock = parts.clock,
                               .rng = parts.rng,
                               .metrics = metrics_},
      *projects_));
  links.push_back(std::make_unique<rpc::Limit>(config_.rpc.limit, drain_, parts.clock));
  links.push_back(std::make_unique<rpc::LimitCaller>(config_.rpc.limits_per_caller, *parts.access,
                                                     metrics_, parts.clock));
  links.push_back(std::make_unique<rpc::Parse>(metrics_));
  links.push_back(
      std::make_unique<rpc::Authorize>(*parts.access, *projects_, metrics_, parts.clock));
  links.push_back(std::make_unique<rpc::LimitProject>(config_.rpc.limit_project));
  links.push_back(std::make_unique<rpc::Validate>(methods_->rules()));
  links.push_back(std::make_unique<operations::Durable>(methods_->plans(), *parts.engine));
  return links;
}

absl::Status Gateway::Impl::Start() {
  TB_ASSIGN_OR_RETURN(auto traces, TracesSettings(config_, secrets_));
  traces.on_dropped = [dropped = metrics_.Get(telemetry::kSpansDropped)](std::size_t spans) {
    dropped.Increment(static_cast<double>(spans));
  };
  telemetry_exporters::ReportProcess(metrics_);
  ReportShardLag(metrics_, shards_);
  ReportCertificates(metrics_, CertificateFiles(config_, secrets_));
  ReportSecretFiles(metrics_);
  TB_ASSIGN_OR_RETURN(tracing_, telemetry_exporters::Tracing::Start(traces));
  ReportBuild(metrics_, config_.process.roles);

  // Ports are bound first, since orders carry the ingress's address; nothing is served before the
  // shards run.
  TB_RETURN_IF_ERROR(BindListeners());
  TB_RETURN_IF_ERROR(MakeMethods());
  if (needs_.kafka) {
    TB_ASSIGN_OR_RETURN(kafka_, KafkaClients::Create(config_, first_shard().executor()));
  }
  for (std::size_t i = 0; i < shards_.size(); ++i) TB_RETURN_IF_ERROR(MakeShard(i));
  if (ingress_) {
    TB_RETURN_IF_ERROR(ingress_->Open({.config = config_,
                                       .projects = *projects_,
                                       .secrets = secrets_,
                                       .metrics = metrics_,
                                       .clock = first_parts().clock},
                                      *kafka_));
  }

  shards_.Start();
  if (needs_.redis) {
    TB_RETURN_IF_ERROR(ConnectStores(config_, shards_, parts_));
    ReportStoreMemory(metrics_, first_shard(), *first_parts().stores);
  }
  if (needs_.kafka) TB_RETURN_IF_ERROR(CheckTopics());
  if (config_.HasRole("rpc")) {
    TB_RETURN_IF_ERROR(StartRpc());
    StartResolver();
  }
  if (config_.HasRole("events") || config_.HasRole("reconcile")) TB_RETURN_IF_ERROR(StartLoops());
  AddProbedRoles();
  StartMonitor();
  probes_.Started();
  started_ = true;
  return absl::OkStatus();
}

absl::Status Gateway::Impl::BindListeners() {
  std::string ingress_url = config_.webhooks.public_url;
  const bool bound_address = ingress_url == kBoundAddress;
  if (config_.HasRole("webhooks")) {
    TB_ASSIGN_OR_RETURN(ingress_, IngressRole::Bind(config_, first_shard()));
    addresses_.webhooks = ingress_->address();
    if (bound_address) {
      ingress_url =
          absl::StrCat(config_.webhooks.tls.enabled ? "https://" : "http://", addresses_.webhooks);
    }
  } else if (bound_address) {
    ingress_url.clear();
  }
  projects_ = std::make_unique<domain::Projects>(MakeProjects(config_, secrets_, ingress_url));
  std::vector<std::string> names;
  for (const domain::Project& project : projects_->all()) names.push_back(project.name);
  metrics_.CloseProjects(std::move(names));
  if (needs_.payment_service) CreateOutboundSeries(*projects_, metrics_);

  TB_ASSIGN_OR_RETURN(const Address metrics,
                      ParseAddress(config_.metrics.listen, "metrics.listen"));
  http::ServerOptions options;
  options.host = metrics.host;
  options.port = metrics.port;
  options.limits = kMetricsLimits;
  TB_ASSIGN_OR_RETURN(
      metrics_server_,
      http::Server::Start({first_shard().executor()}, std::move(options),
                          probes_.Handler(telemetry_exporters::MetricsHandler(metrics_))));
  addresses_.metrics = metrics_server_->address();
  return absl::OkStatus();
}

absl::Status Gateway::Impl::MakeMethods() {
  TB_ASSIGN_OR_RETURN(rpc::MethodTable published,
                      rpc::MethodTable::Of({kPublishedServices.begin(), kPublishedServices.end()}));
  published_ = std::make_unique<rpc::MethodTable>(std::move(published));
  // Who checks fields without being told otherwise refuses them, whatever a gateway's default is.
  domain::FieldLimits limits;
  if (!config_.rpc.refuse_card_numbers) limits.take_card_numbers = true;
  TB_ASSIGN_OR_RETURN(
      methods_, operations::Methods::Of(*published_, PublishedMethods(config_, drain_), limits));
  if (config_.HasRole("rpc")) {
    rpc::CreateSeries(metrics_, *published_);
    operations::CreateSeries(metrics_, methods_->plans(), *projects_);
  }
  return absl::OkStatus();
}

absl::Status Gateway::Impl::StartLoops() {
  TB_ASSIGN_OR_RETURN(producer_, kafka::Producer::Create({.client = kafka_->settings(),
                                                          .open = kafka_->topics_open(),
                                                          .metrics = &metrics_},
                                                         first_shard().executor()));
  kafka_->Add("reader", [this](kafka::ClientSettings settings) {
    return producer_->Renew(std::move(settings));
  });
  std::vector<std::string> topics = EventTopicNames(config_);
  topics.insert(topics.end(), {config_.kafka.hints_topic, config_.kafka.dead_letter_topic,
                               config_.kafka.operations_topic});
  producer_->Prepare(std::move(topics));
  hint_log_ = std::make_unique<kafka::KafkaHintLog>(*producer_, config_.kafka.hints_topic);
  loops_ = std::make_unique<BackgroundLoops>(BackgroundLoops::Dependencies{.config = config_,
                                                                           .projects = *projects_,
                                                                           .metrics = metrics_,
                                                                           .shard = first_shard(),
                                                                           .parts = first_parts(),
                                                                           .producer = *producer_,
                                                                           .hint_log = *hint_log_});
  if (config_.HasRole("events")) TB_RETURN_IF_ERROR(loops_->StartEvents(*kafka_));
  if (config_.HasRole("reconcile")) loops_->StartReconcile();
  return absl::OkStatus();
}

absl::Status Gateway::Impl::MakeShard(std::size_t index) {
  const ShardDependencies dependencies{.config = config_,
                                       .needs = needs_,
                                       .secrets = secrets_,
                                       .plans = methods_->plans(),
                                       .projects = *projects_,
                                       .metrics = metrics_,
                                       .on_service_back = [this] { ServiceIsBack(); }};
  TB_ASSIGN_OR_RETURN(std::unique_ptr<ShardParts> parts,
                      MakeShardParts(shards_.at(index), index, dependencies));
  if (config_.HasRole("rpc")) MakeDispatcher(*parts);
  parts_.push_back(std::move(parts));
  return absl::OkStatus();
}

void Gateway::Impl::MakeDispatcher(ShardParts& parts) {
  parts.access = std::make_unique<rpc::AccessRules>(RpcAccess(config_));
  parts.dispatcher = std::make_unique<rpc::Dispatcher>(InboundPipe(parts));
  methods_->Bind({.service = *parts.payment_service,
                  .registry = parts.stores->registry(),
                  .snapshots = parts.stores->snapshots(),
                  .changes = parts.stores->changes(),
                  .clock = parts.clock,
                  .metrics = metrics_,
                  .plans = methods_->plans(),
                  .conclusions = *parts.conclusions},
                 *parts.dispatcher);
}

absl::Status Gateway::Impl::CheckTopics() {
  if (!config_.IsProduction()) return absl::OkStatus();
  return RunOn(first_shard(), kafka_->CheckTopics(BootClock::now() + kKafkaStartWait));
}

absl::Status Gateway::Impl::StartRpc() {
  TB_ASSIGN_OR_RETURN(const Address address, ParseAddress(config_.rpc.listen, "rpc.listen"));
  TB_RETURN_IF_ERROR(CheckClientCa(config_));
  for (const std::string& warning : RpcWarnings(config_)) {
    telemetry::Log(telemetry::Severity::kWarning, "rpc_setting", {{"warning", warning}});
  }
  std::vector<rpc::Dispatcher*> dispatchers;
  for (const auto& parts : parts_) dispatchers.push_back(parts->dispatcher.get());
  TB_ASSIGN_OR_RETURN(rpc_server_,
                      rpc::Server::Start(RpcServerSettings(config_, address), *published_, shards_,
                                         std::move(dispatchers), drain_, first_parts().clock));
  rpc::ReportWire(metrics_, rpc_server_->counts());
  addresses_.grpc =
      Address{.host = address.host, .port = static_cast<std::uint16_t>(rpc_server_->port())}.Text();
  return absl::OkStatus();
}

void Gateway::Impl::TakeCallers() {
  const auto callers = callers_.Look();
  if (!callers.has_value()) return;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    boost::asio::post(shards_.at(i).executor(),
                      [access = parts_[i]->access.get(), taken = *callers] {
                        access->set_callers(taken.named);
                        access->set_without_certificate(taken.without_certificate);
                      });
  }
}

void Gateway::Impl::StartResolver() {
  ShardParts& parts = first_parts();
  resolver_ = std::make_unique<operations::Resolver>(
      first_shard().executor(),
      operations::Resolver::Ports{.service = *parts.payment_service,
                                  .store = parts.stores->operations(),
                                  .due = parts.stores->unresolved(),
                                  .clock = parts.clock,
                                  .rng = parts.rng,
                                  .metrics = metrics_,
                                  .registry = parts.stores->registry()},
      config_.operations.settings, methods_->plans(), *projects_, KeysOf(secrets_));
  resolver_->Start();
}

void Gateway::Impl::ServiceIsBack() {
  boost::asio::post(first_shard().executor(), [this] {
    if (resolver_) resolver_->PullDue();
  });
}

boost::asio::awaitable<bool> Gateway::Impl::AStoreAnswers() {
  bool any = false;
  for (const auto& store : first_parts().stores->all()) {
    const bool ready = store->connection().ready();
    metrics_.Get(telemetry::kStoreReady, {store->name()}).Set(ready ? 1 : 0);
    any = any || ready;
  }
  co_return any;
}

void Gateway::Impl::AddProbedRoles() {
  // Its listener is open, and stays so until the process ends.
  if (rpc_server_) probes_.AddRole("rpc", [] { return true; }, "");
  if (ingress_) {
    probes_.AddRole(
        "webhooks", [this] { return monitor_->serving(rpc::health::kWebhooks); },
        "no broker answers, or the topics may not be written to");
  }
  if (config_.HasRole("events")) {
    probes_.AddRole(
        "events", [this] { return loops_->in_group() || kafka_->settling(); },
        "the consumer group has not shared out its partitions");
  }
  if (config_.HasRole("reconcile")) {
    probes_.AddRole(
        "reconcile", [this] { return loops_->has_polled(); },
        "the due queue has not been looked at yet");
  }
}

void Gateway::Impl::StartMonitor() {
  std::vector<HealthProbe> probes;
  if (rpc_server_) {
    probes.push_back({rpc::health::kMutations, [this] { return AStoreAnswers(); }});
  }
  const auto kafka_answers = [this] { return kafka_->Answer(); };
  if (ingress_) probes.push_back({rpc::health::kWebhooks, kafka_answers});
  if (rpc_server_ && config_.HasRole("events")) {
    probes.push_back({rpc::health::kEvents, kafka_answers});
  }
  monitor_ = std::make_unique<HealthMonitor>(&first_parts().clock, std::move(probes),
                                             [this](std::string_view name, bool serving) {
                                               if (rpc_server_)
                                                 rpc_server_->SetServing(name, serving);
                                             });
  const auto each_time = [this] {
    secrets_.Look();
    if (ingress_) ingress_->RotateTokens();
    if (rpc_server_) TakeCallers();
    if (rpc_server_) rpc_server_->LookAtCertificates();
    LookAtFiles(shards_, parts_);
  };
  const auto executor = first_shard().executor();
  boost::asio::co_spawn(executor, monitor_->Run(each_time), MustGoOn{});
  if (kafka_) {
    boost::asio::co_spawn(executor, kafka_->Run(first_parts().clock), MustGoOn{});
  }
}

void Gateway::Impl::EnterLameDuck() {
  probes_.EnterLameDuck();
  if (rpc_server_) rpc_server_->EnterLameDuck();
}

bool Gateway::Impl::Stop() {
  EnterLameDuck();
  const BootTime deadline = BootClock::now() + config_.process.grace_period;
  bool in_time = true;
  stopped_ = true;
  RunOn(first_shard(), [](Impl* self) -> boost::asio::awaitable<void> {
    self->monitor_->Stop();
    if (self->kafka_) self->kafka_->Stop();
    co_return;
  }(this));
  // Calls end first, and with them what they began; then nothing comes from outside any more.
  if (rpc_server_) in_time &= rpc_server_->Stop(deadline);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i]->engine) in_time &= RunOn(shards_.at(i), parts_[i]->engine->Drain(deadline));
  }
  if (ingress_) in_time &= ingress_->Stop(deadline);
  RunOn(first_shard(), [](Impl* self) -> boost::asio::awaitable<void> {
    if (self->resolver_) self->resolver_->Stop();
    co_return;
  }(this));
  if (loops_) in_time &= loops_->Stop(deadline);
  // Whoever is slow to ask is cut off: nothing is lost with it.
  static_cast<void>(
      RunOn(first_shard(), metrics_server_->Stop(BootClock::now() + kMetricsStopTime)));
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    RunOn(shards_.at(i), [](ShardParts* parts) -> boost::asio::awaitable<void> {
      if (parts->stores) parts->stores->Stop();
      co_return;
    }(parts_[i].get()));
  }
  shards_.Stop();
  in_time &= tracing_->ShutDown(std::chrono::seconds(2)).ok();
  return in_time;
}

absl::StatusOr<std::unique_ptr<Gateway>> Gateway::Start(const Config& config, Secrets secrets,
                                                        CallersFile callers) {
  auto impl = std::make_unique<Impl>(config, std::move(secrets), std::move(callers));
  TB_RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<Gateway>(new Gateway(std::move(impl)));
}

Gateway::Gateway(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Gateway::~Gateway() = default;
const Addresses& Gateway::addresses() const { return impl_->addresses(); }
void Gateway::EnterLameDuck() { impl_->EnterLameDuck(); }
bool Gateway::Stop() { return impl_->Stop(); }

}  // namespace tollbridge::gateway
