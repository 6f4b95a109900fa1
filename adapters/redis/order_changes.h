#ifndef TOLLBRIDGE_ADAPTERS_REDIS_ORDER_CHANGES_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_ORDER_CHANGES_H_

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string_view>

#include "adapters/redis/connection.h"
#include "adapters/redis/keyspace.h"
#include "services/ports/order_changes.h"

namespace tollbridge::redis {

/// Changes as save_snapshot.lua announces them on the channels of the projects: one subscription,
/// over a connection of its own, for all watches of the shard. Whenever it is there again, all
/// watches are told that something may have changed. Messages cost a hash look-up each, whether
/// anybody watches the order or not.
class RedisOrderChanges : public ports::OrderChanges {
 public:
  /// `options` as of the stores' connection, `keyspace` theirs; `metrics` as for Connection.
  RedisOrderChanges(boost::asio::any_io_executor executor, ConnectionOptions options,
                    const Keyspace& keyspace, telemetry::Metrics& metrics);
  ~RedisOrderChanges() override;

  /// Starts to listen, and to reconnect from then on. Stop ends it for good.
  void Start();
  void Stop();
  /// As that of Connection; what is told twice meanwhile is looked at twice.
  void Renew();
  /// Whether messages come now.
  bool ready() const;

  [[nodiscard]] std::unique_ptr<ports::OrderWatch> Watch(
      const ports::FamilyKey& key, std::function<void(ports::ChangeHint)> on_hint) override;

 private:
  class Watches;
  class WatchOfOne;

  Keyspace keyspace_;
  std::shared_ptr<Watches> watches_;
  Connection connection_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_ORDER_CHANGES_H_
