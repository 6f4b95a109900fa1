#include "adapters/kafka/client.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include "adapters/kafka/handles.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"

namespace tollbridge::kafka {
namespace {

/// What the adapter's promises rest on (order, no loss, the partition of a key, when an offset is
/// finished), what has a setting of its own, and what would switch the check of the broker's
/// certificate off or load code.
constexpr auto kRefusedProperties = std::to_array<std::string_view>({
    "acks",
    "allow.auto.create.topics",
    "auto.offset.reset",
    "bootstrap.servers",
    "client.id",
    "delivery.report.only.error",
    "delivery.timeout.ms",
    "enable.auto.commit",
    "enable.auto.offset.store",
    "enable.gapless.guarantee",
    "enable.idempotence",
    "enable.partition.eof",
    "enable.ssl.certificate.verification",
    "enabled_events",
    "group.id",
    "group.instance.id",
    "group.protocol",
    "group.remote.assignor",
    "heartbeat.interval.ms",
    "isolation.level",
    "linger.ms",
    "log.queue",
    "max.in.flight",
    "max.in.flight.requests.per.connection",
    "max.poll.interval.ms",
    "message.max.bytes",
    "message.send.max.retries",
    "message.timeout.ms",
    "metadata.broker.list",
    "partition.assignment.strategy",
    "partitioner",
    "plugin.library.paths",
    "queue.buffering.max.ms",
    "request.required.acks",
    "retries",
    "session.timeout.ms",
    "socket.nagle.disable",
    "ssl.endpoint.identification.algorithm",
    "ssl.engine.id",
    "ssl.engine.location",
    "ssl.providers",
    "transactional.id",
    "transaction.timeout.ms",
});

telemetry::Severity SeverityOf(int syslog_level) {
  if (syslog_level <= 3) return telemetry::Severity::kError;
  if (syslog_level == 4) return telemetry::Severity::kWarning;
  if (syslog_level <= 6) return telemetry::Severity::kInfo;
  return telemetry::Severity::kDebug;
}

void WriteLog(const rd_kafka_t*, int level, const char* facility, const char* text) {
  telemetry::Log(SeverityOf(level), "library_log",
                 {{"library", "librdkafka"}, {"facility", facility}, {"text", text}});
}

using ConfPtr = std::unique_ptr<rd_kafka_conf_t, Deleter<rd_kafka_conf_destroy>>;

/// What is wrong with a property, without its value; nullopt when it was set.
std::string SetProperty(rd_kafka_conf_t* conf, const std::string& name, const std::string& value) {
  // librdkafka repeats the value in its own text, so that is not passed on.
  std::array<char, 1> unused{};
  switch (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), unused.data(), unused.size())) {
    case RD_KAFKA_CONF_OK:
      return {};
    case RD_KAFKA_CONF_UNKNOWN:
      return absl::StrCat(name, ": librdkafka has no such property");
    case RD_KAFKA_CONF_INVALID:
      break;
  }
  return absl::StrCat(name, ": librdkafka does not take the value");
}

absl::StatusOr<ConfPtr> MakeConf(const ClientSettings& settings) {
  ConfPtr conf(rd_kafka_conf_new());
  std::vector<std::string> problems;
  const auto set = [&](const std::string& name, const std::string& value) {
    std::string problem = SetProperty(conf.get(), name, value);
    if (!problem.empty()) problems.push_back(std::move(problem));
  };
  if (settings.bootstrap_servers.empty()) problems.emplace_back("bootstrap_servers: is empty");
  set("bootstrap.servers", settings.bootstrap_servers);
  set("client.id", "tollbridge");
  set("socket.nagle.disable", "true");
  // A broker that is back is found again within a second, not ten.
  set("reconnect.backoff.max.ms", "1000");
  // Brokers close idle connections; that is no news.
  set("log.connection.close", "false");
  for (const auto& [name, value] : settings.librdkafka) {
    if (std::ranges::find(kRefusedProperties, name) != kRefusedProperties.end()) {
      problems.push_back(absl::StrCat(name, ": may not be set, the gateway relies on its own"));
    } else {
      set(name, value);
    }
  }
  if (!problems.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("kafka: ", absl::StrJoin(problems, "; ")));
  }
  return conf;
}

/// Counts what helper threads are doing.
class HelperThreads {
 public:
  void Run(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      ++count_;
    }
    std::thread([this, work = std::move(work)]() mutable {
      work();
      // What it holds goes before it counts as done: it may be the last owner of a handle.
      work = nullptr;
      const std::lock_guard lock(mutex_);
      --count_;
      none_.notify_all();
    }).detach();
  }

  /// How many are left at the limit.
  std::size_t Await(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    none_.wait_for(lock, limit, [this] { return count_ == 0; });
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  std::size_t count_ = 0;
};

/// Never destroyed, since a helper thread may outlive main.
HelperThreads& Helpers() {
  static auto* const helpers = new HelperThreads;
  return *helpers;
}

}  // namespace

std::vector<std::string> FilesOf(const ClientSettings& settings) {
  std::vector<std::string> files;
  for (const std::string_view name :
       {"ssl.ca.location", "ssl.certificate.location", "ssl.crl.location", "ssl.key.location",
        "ssl.keystore.location"}) {
    const auto property = settings.librdkafka.find(std::string(name));
    if (property != settings.librdkafka.end()) files.push_back(property->second);
  }
  return files;
}

bool IsProperty(const std::string& name) {
  const ConfPtr conf(rd_kafka_conf_new());
  std::array<char, 1> unused{};
  // Whether it takes an empty value is of no interest here.
  return rd_kafka_conf_set(conf.get(), name.c_str(), "", unused.data(), unused.size()) !=
         RD_KAFKA_CONF_UNKNOWN;
}

absl::Status CheckSettings(const ClientSettings& settings) {
  TB_ASSIGN_OR_RETURN(const auto client, Client::Create(Client::Kind::kProducer, settings, {}, 0));
  return absl::OkStatus();
}

absl::Status CheckLibraryVersion() {
  if (rd_kafka_version() == RD_KAFKA_VERSION) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("librdkafka ", rd_kafka_version_str(),
                                                    " was loaded, built with ",
                                                    absl::Hex(RD_KAFKA_VERSION)));
}

std::size_t AwaitHandlesClosed(std::chrono::milliseconds limit) { return Helpers().Await(limit); }

void RunOnHelperThread(std::function<void()> work) { Helpers().Run(std::move(work)); }

void LogErrorEvent(std::string_view name, rd_kafka_op_s* event) {
  const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
  if (error == RD_KAFKA_RESP_ERR__TRANSPORT) return;
  telemetry::Log(
      telemetry::Severity::kWarning, name,
      {{"error", rd_kafka_err2name(error)}, {"text", rd_kafka_event_error_string(event)}});
}

absl::StatusOr<std::unique_ptr<Client>> Client::Create(Kind kind, const ClientSettings& settings,
                                                       const Properties& own, int events) {
  TB_ASSIGN_OR_RETURN(ConfPtr conf, MakeConf(settings));
  for (const auto& [name, value] : own) {
    const std::string problem = SetProperty(conf.get(), std::string(name), value);
    if (!problem.empty()) return absl::InternalError(absl::StrCat("kafka: ", problem));
  }
  rd_kafka_conf_set_log_cb(conf.get(), WriteLog);
  rd_kafka_conf_set_events(conf.get(), events);
  std::array<char, 512> error{};
  rd_kafka_t* const handle =
      rd_kafka_new(kind == Kind::kProducer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER, conf.get(),
                   error.data(), error.size());
  if (handle == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("kafka: ", error.data()));
  }
  // The handle owns it now.
  [[maybe_unused]] rd_kafka_conf_t* const given = conf.release();
  return std::unique_ptr<Client>(new Client(handle));
}

Client::~Client() {
  RunOnHelperThread(
      [handle = handle_] { rd_kafka_destroy_flags(handle, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE); });
}

}  // namespace tollbridge::kafka
