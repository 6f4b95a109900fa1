#include "gateway/wiring/process_gauges.h"

#include <absl/strings/str_join.h>

#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "adapters/redis/server_info.h"
#include "base/core/boot_clock.h"
#include "base/core/must_go_on.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/metric_labels.h"
#include "base/version/version.h"
#include "gateway/config/secret_file.h"

namespace tollbridge::gateway {
namespace {

/// One question to a shard at a time.
class ShardLag {
 public:
  explicit ShardLag(Shard& shard) : shard_(shard) {}

  /// The lag as it is known now, in seconds; asks anew when the shard has answered. One thread.
  double Ask() {
    const BootTime now = BootClock::now();
    const std::chrono::duration<double> last = answer_->load();
    if (!asked_ || last.count() >= 0) {
      asked_ = now;
      answer_->store(kNone);
      boost::asio::post(shard_.executor(),
                        [answer = answer_, now] { answer->store(BootClock::now() - now); });
      return last.count() >= 0 ? last.count() : 0;
    }
    return std::chrono::duration<double>(now - *asked_).count();
  }

 private:
  static constexpr std::chrono::nanoseconds kNone{-1};

  Shard& shard_;
  std::optional<BootTime> asked_;
  std::shared_ptr<std::atomic<std::chrono::nanoseconds>> answer_ =
      std::make_shared<std::atomic<std::chrono::nanoseconds>>(kNone);
};

/// A store that does not answer, and one without a bound, has none. `under_way`: on the stores'
/// shard; one question at a time, however often somebody scrapes.
boost::asio::awaitable<void> MeasureMemory(const ShardStores& stores, telemetry::Metrics& metrics,
                                           std::shared_ptr<bool> under_way) {
  if (std::exchange(*under_way, true)) co_return;
  for (const auto& store : stores.all()) {
    const telemetry::Gauge ratio = metrics.Get(telemetry::kStoreMemory, {store->name()});
    const absl::StatusOr<redis::MemoryUse> memory = co_await redis::ReadMemoryUse(
        store->connection(), BootClock::now() + std::chrono::seconds(1));
    if (memory.ok() && memory->max_bytes > 0) {
      ratio.Set(static_cast<double>(memory->used_bytes) / static_cast<double>(memory->max_bytes));
    } else {
      ratio.Clear();
    }
  }
  *under_way = false;
}

}  // namespace

void ReportShardLag(telemetry::Metrics& metrics, ShardPool& shards) {
  for (std::size_t i = 0; i < shards.size(); ++i) {
    metrics.OnCollect([lag = ShardLag(shards.at(i)),
                       shard = std::to_string(i)](telemetry::Metrics& collected) mutable {
      collected.Get(telemetry::kShardLag, {shard}).Set(lag.Ask());
    });
  }
}

void ReportStoreMemory(telemetry::Metrics& metrics, Shard& shard, const ShardStores& stores) {
  metrics.OnCollect(
      [&shard, &stores, under_way = std::make_shared<bool>(false)](telemetry::Metrics& collected) {
        boost::asio::co_spawn(shard.executor(), MeasureMemory(stores, collected, under_way),
                              MustGoOn{});
      });
}

void ReportCertificates(telemetry::Metrics& metrics, std::vector<CertificateFile> files) {
  metrics.OnCollect([files = std::move(files)](telemetry::Metrics& collected) {
    for (const CertificateFile& each : files) {
      const auto end = CertificateEnd(each);
      if (!end) continue;  // What was shown is that of the one in force.
      collected.Get(telemetry::kCertificateNotAfter, {each.use})
          .Set(std::chrono::duration<double>(end->time_since_epoch()).count());
    }
  });
}

void ReportBuild(telemetry::Metrics& metrics, const std::vector<std::string>& roles) {
  metrics.Get(telemetry::kBuildInfo, {Version(), Revision(), absl::StrJoin(roles, ",")}).Set(1);
  for (const std::string& role : roles) metrics.Get(telemetry::kRole, {role}).Set(1);
}

void ReportSecretFiles(telemetry::Metrics& metrics) {
  std::array<std::uint64_t, telemetry::kSecretKinds.size()> counted{};
  for (std::size_t i = 0; i < counted.size(); ++i) {
    counted.at(i) = SecretFileFailures(static_cast<SecretKind>(i));
  }
  metrics.OnCollect([counted](telemetry::Metrics& collected) mutable {
    for (std::size_t i = 0; i < counted.size(); ++i) {
      const std::uint64_t now = SecretFileFailures(static_cast<SecretKind>(i));
      collected.Get(telemetry::kSecretFileFailures, {telemetry::kSecretKinds.at(i)})
          .Increment(static_cast<double>(now - counted.at(i)));
      counted.at(i) = now;
    }
  });
}

}  // namespace tollbridge::gateway
