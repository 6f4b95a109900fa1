#include "services/gateway/wiring_kafka.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "services/base/file_stamp.h"
#include "services/base/status_macros.h"
#include "services/gateway/kafka_settings.h"
#include "services/telemetry/log.h"

namespace tollbridge::gateway {
namespace {

constexpr ports::Millis kLookInterval{1000};
constexpr std::chrono::milliseconds kPing{800};
/// What a broker is given to take a new client, its TLS handshake with it.
constexpr std::chrono::seconds kAcceptLimit{5};
/// Between two tries with the same files.
constexpr std::chrono::seconds kRetry{10};

}  // namespace

KafkaClients::KafkaClients(const Config& config, boost::asio::any_io_executor executor,
                           kafka::ClientSettings settings)
    : config_(config), executor_(std::move(executor)), settings_(std::move(settings)) {
  seen_ = StampOf(Files()).text;
}

absl::StatusOr<std::unique_ptr<KafkaClients>> KafkaClients::Create(
    const Config& config, const Secrets& secrets, boost::asio::any_io_executor executor) {
  TB_ASSIGN_OR_RETURN(kafka::ClientSettings settings, KafkaSettings(config, secrets));
  std::unique_ptr<KafkaClients> clients(
      new KafkaClients(config, std::move(executor), std::move(settings)));
  TB_ASSIGN_OR_RETURN(clients->admin_,
                      kafka::TopicAdmin::Create(clients->settings_, clients->executor_));
  // First, since it shows whether the brokers take what is new.
  clients->Add("admin", [self = clients.get()](kafka::ClientSettings renewed) {
    return self->RenewAdmin(std::move(renewed));
  });
  return clients;
}

void KafkaClients::Add(std::string name, RenewClient renew) {
  entries_.push_back({.name = std::move(name), .renew = std::move(renew), .made_from = seen_});
}

std::vector<std::string> KafkaClients::Files() const {
  std::vector<std::string> files = kafka::FilesOf(settings_);
  const std::string& properties = config_.kafka.secret_properties_file;
  if (!properties.empty()) files.push_back(properties);
  return files;
}

boost::asio::awaitable<bool> KafkaClients::Answer() {
  const absl::Status status = co_await admin_->Ping(BootClock::now() + kPing);
  co_return status.ok();
}

boost::asio::awaitable<void> KafkaClients::Run(ports::Clock& clock) {
  while (!stopping_) {
    co_await clock.Sleep(kLookInterval);
    co_await Look();
  }
}

boost::asio::awaitable<void> KafkaClients::Look() {
  old_admin_.reset();
  std::string stamp = StampOf(Files()).text;
  if (stamp != seen_) {
    // Whoever exchanges them may not be done; what stands for a second is taken for whole.
    seen_ = std::move(stamp);
    try_after_ = {};
    refused_.clear();
    co_return;
  }
  const bool all_new =
      std::ranges::all_of(entries_, [&](const Entry& entry) { return entry.made_from == seen_; });
  if (all_new || BootClock::now() < try_after_) co_return;
  const absl::Status renewed = co_await RenewAll();
  if (renewed.ok()) {
    telemetry::Log(telemetry::Severity::kInfo, "kafka_clients_renewed", {});
  } else {
    try_after_ = BootClock::now() + kRetry;
    std::string reason(renewed.message());
    if (stopping_ || reason == refused_) co_return;
    refused_ = std::move(reason);
    telemetry::Log(telemetry::Severity::kWarning, "kafka_clients_not_renewed",
                   {{"reason", refused_}, {"kept", "what was there before"}});
  }
}

AsyncStatus KafkaClients::RenewAll() {
  Secrets secrets;
  TB_CO_ASSIGN_OR_RETURN(secrets.kafka_properties, LoadKafkaProperties(config_));
  TB_CO_ASSIGN_OR_RETURN(settings_, KafkaSettings(config_, secrets));
  // The properties may name other files than before.
  const std::string made_from = StampOf(Files()).text;
  for (Entry& entry : entries_) {
    if (entry.made_from == made_from) continue;
    if (stopping_) co_return absl::CancelledError("the process stops");
    const absl::Status renewed = co_await entry.renew(settings_);
    if (!renewed.ok()) {
      co_return absl::Status(renewed.code(), absl::StrCat(entry.name, ": ", renewed.message()));
    }
    entry.made_from = made_from;
  }
  seen_ = made_from;
  co_return absl::OkStatus();
}

AsyncStatus KafkaClients::RenewAdmin(kafka::ClientSettings settings) {
  TB_CO_ASSIGN_OR_RETURN(std::unique_ptr<kafka::TopicAdmin> admin,
                         kafka::TopicAdmin::Create(settings, executor_));
  TB_CO_RETURN_IF_ERROR(co_await admin->Ping(BootClock::now() + kAcceptLimit));
  old_admin_ = std::exchange(admin_, std::move(admin));
  co_return absl::OkStatus();
}

}  // namespace tollbridge::gateway
