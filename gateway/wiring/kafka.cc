#include "gateway/wiring/kafka.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/core/file_stamp.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"
#include "gateway/config/kafka_settings.h"
#include "gateway/config/secret_file.h"

namespace tollbridge::gateway {
namespace {

constexpr ports::Millis kLookInterval{1000};
constexpr std::chrono::milliseconds kPing{800};
/// What a broker is given to take a new client, its TLS handshake with it.
constexpr std::chrono::seconds kAcceptLimit{5};
/// For a look at the topics, and between two of them.
constexpr std::chrono::seconds kTopicsLimit{1};
constexpr std::chrono::seconds kTopicsInterval{2};
/// Between two tries with the same files.
constexpr std::chrono::seconds kRetry{10};

}  // namespace

absl::StatusOr<std::unique_ptr<KafkaClients>> KafkaClients::Create(
    const Config& config, boost::asio::any_io_executor executor) {
  std::unique_ptr<KafkaClients> clients(new KafkaClients(config, std::move(executor)));
  TB_RETURN_IF_ERROR(clients->ReadSettings());
  TB_ASSIGN_OR_RETURN(clients->admin_,
                      kafka::TopicAdmin::Create(clients->settings_, clients->executor_));
  // First, since it shows whether the brokers take what is new.
  clients->Add("admin", [self = clients.get()](kafka::ClientSettings renewed) {
    return self->RenewAdmin(std::move(renewed));
  });
  return clients;
}

absl::Status KafkaClients::ReadSettings() {
  const std::string& path = config_.kafka.secret_properties_file;
  const auto stamp = [&path] { return path.empty() ? std::string() : StampOf({path}).text; };
  const std::string before = stamp();
  Secrets secrets;
  TB_ASSIGN_OR_RETURN(secrets.kafka_properties, LoadKafkaProperties(config_));
  TB_ASSIGN_OR_RETURN(settings_, KafkaSettings(config_, secrets));
  seen_ = StampOf(Files()).text;
  if (stamp() == before) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(path, ": changed while it was read"));
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
  co_return status.ok() && *topics_.open();
}

boost::asio::awaitable<void> KafkaClients::Run(ports::Clock& clock) {
  while (!stopping_) {
    co_await clock.Sleep(kLookInterval);
    co_await Look();
    co_await LookAtTopics();
  }
}

boost::asio::awaitable<void> KafkaClients::LookAtTopics() {
  if (topics_.settled() || BootClock::now() < look_at_topics_after_) co_return;
  const absl::Status looked = co_await CheckTopics(BootClock::now() + kTopicsLimit);
  look_at_topics_after_ = BootClock::now() + kTopicsInterval;
  if (looked.ok() || looked.message() == topics_refused_) co_return;
  topics_refused_ = std::string(looked.message());
  telemetry::Log(telemetry::Severity::kError, "kafka_topics_refused",
                 {{"reason", topics_refused_}});
}

boost::asio::awaitable<void> KafkaClients::Look() {
  const FileStamp stamp = StampOf(Files());
  if (stamp.text != seen_) {
    // Whoever exchanges them may not be done; what stands for a second is taken for whole.
    seen_ = stamp.text;
    try_after_ = {};
    refused_.clear();
    co_return;
  }
  const bool all_new =
      std::ranges::all_of(entries_, [&](const Entry& entry) { return entry.made_from == seen_; });
  if (all_new || BootClock::now() < try_after_) co_return;
  const absl::Status renewed =
      stamp.blocking.empty()
          ? co_await TryToRenew()
          : absl::InvalidArgumentError(absl::StrCat(stamp.blocking, ": is no file"));
  if (renewed.ok()) {
    telemetry::Log(telemetry::Severity::kInfo, "kafka_clients_renewed", {});
  } else {
    try_after_ = BootClock::now() + kRetry;
    if (stopping_) co_return;
    NoteSecretFileFailure(SecretKind::kKafka);
    std::string reason(renewed.message());
    if (reason == refused_) co_return;
    refused_ = std::move(reason);
    telemetry::Log(telemetry::Severity::kWarning, "kafka_clients_not_renewed",
                   {{"reason", refused_}, {"kept", "what was there before"}});
  }
}

AsyncStatus KafkaClients::TryToRenew() {
  try {
    co_return co_await RenewAll();
  } catch (const std::exception& failure) {
    // As when no descriptor is left for a client's queue.
    co_return absl::UnavailableError(failure.what());
  }
}

AsyncStatus KafkaClients::RenewAll() {
  TB_CO_RETURN_IF_ERROR(ReadSettings());
  const std::string made_from = seen_;
  for (Entry& entry : entries_) {
    if (entry.made_from == made_from) continue;
    if (stopping_) co_return absl::CancelledError("the process stops");
    // Those before it have shown that the brokers take these files, and no others.
    if (StampOf(Files()).text != made_from) {
      co_return absl::UnavailableError("the files changed once more");
    }
    settled_at_ = BootClock::now() + config_.kafka.session_timeout;
    const absl::Status renewed = co_await entry.renew(settings_);
    if (!renewed.ok()) {
      co_return absl::Status(renewed.code(), absl::StrCat(entry.name, ": ", renewed.message()));
    }
    entry.made_from = made_from;
  }
  co_return absl::OkStatus();
}

AsyncStatus KafkaClients::RenewAdmin(kafka::ClientSettings settings) {
  TB_CO_ASSIGN_OR_RETURN(std::unique_ptr<kafka::TopicAdmin> admin,
                         kafka::TopicAdmin::Create(settings, executor_));
  TB_CO_RETURN_IF_ERROR(co_await admin->Ping(BootClock::now() + kAcceptLimit));
  admin_ = std::move(admin);  // Whoever awaits the old one's answer still gets it.
  co_return absl::OkStatus();
}

}  // namespace tollbridge::gateway
