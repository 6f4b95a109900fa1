#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_CLIENT_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_CLIENT_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// librdkafka's handle, so that this header does not bring all of its own.
struct rd_kafka_s;
struct rd_kafka_op_s;

namespace tollbridge::kafka {

/// How to reach the brokers; the same for everything that talks to Kafka.
struct ClientSettings {
  /// "host:port,host:port"
  std::string bootstrap_servers;
  /// Further librdkafka properties, for TLS and SASL above all. Not those that a promise of this
  /// adapter rests on: see CheckSettings.
  std::map<std::string, std::string> librdkafka;
};

/// Files and folders that librdkafka reads once, when a client with these settings is made.
std::vector<std::string> FilesOf(const ClientSettings& settings);

/// Whether librdkafka has a property of this name.
bool IsProperty(const std::string& name);

/// INVALID_ARGUMENT names every property that may not be set, is unknown, or has a value that
/// librdkafka refuses. Values are never repeated: they may be passwords. Connects to nothing.
absl::Status CheckSettings(const ClientSettings& settings);

/// FAILED_PRECONDITION when the librdkafka in this process is not the one it was built with. Call
/// at the start: an older one with known bugs has the same SONAME.
absl::Status CheckLibraryVersion();

/// Blocks until every librdkafka handle that was let go has been taken down, 1 s at most usually.
/// Call at the end of main, after the last Producer, HintFeed and Admin is gone and before the log
/// is flushed: a handle still logs, and uses OpenSSL, while it goes. Returns how many are left at
/// the limit, since librdkafka has waited for ever for a thread of its own (docs/dependencies.md).
[[nodiscard]] std::size_t AwaitHandlesClosed(std::chrono::milliseconds limit);

/// Runs what blocks in librdkafka on a thread of its own; AwaitHandlesClosed waits for it too.
void RunOnHelperThread(std::function<void()> work);

/// Writes an error event to the log. Those of single connections are not written: librdkafka logs
/// them itself.
void LogErrorEvent(std::string_view name, rd_kafka_op_s* event);

/// One librdkafka handle, its log routed to ours. Any thread may use get() in so far as librdkafka
/// allows it.
class Client {
 public:
  enum class Kind { kProducer, kConsumer };
  using Properties = std::vector<std::pair<std::string_view, std::string>>;

  /// `own`: what the caller's promises rest on; goes over the settings. `events`: RD_KAFKA_EVENT_*
  /// that come as events. INVALID_ARGUMENT as CheckSettings.
  static absl::StatusOr<std::unique_ptr<Client>> Create(Kind kind, const ClientSettings& settings,
                                                        const Properties& own, int events);
  /// Does not block: librdkafka needs up to a second to take a handle down, so a helper thread does
  /// it. All queues of the handle must have been given back. A consumer that has not been closed is
  /// left to the group's session timeout.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  rd_kafka_s* get() const { return handle_; }

 private:
  explicit Client(rd_kafka_s* handle) : handle_(handle) {}

  rd_kafka_s* handle_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_CLIENT_H_
