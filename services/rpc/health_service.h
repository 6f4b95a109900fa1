#ifndef TOLLBRIDGE_SERVICES_RPC_HEALTH_SERVICE_H_
#define TOLLBRIDGE_SERVICES_RPC_HEALTH_SERVICE_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/wire/server_call.h"

namespace tollbridge::rpc {

/// grpc.health.v1: Check and Watch, outside of the pipe: an orchestrator asks before anybody has a
/// permission. Any thread. Outlives the server's calls by being shared with them.
class HealthService : public std::enable_shared_from_this<HealthService> {
 public:
  /// `max_watchers` are those of one caller at a time; more answer RESOURCE_EXHAUSTED.
  explicit HealthService(std::size_t max_watchers) : max_watchers_(max_watchers) {}

  /// Makes a name known, and tells those who watch it. Nothing is serving any more once ShutDown
  /// was called.
  void SetServing(std::string_view name, bool serving);
  /// All names are not serving, for good.
  void ShutDown();

  /// Adds the two methods.
  void AddTo(wire::Methods& methods);

  /// Streams of Watch that are open.
  std::size_t watchers() const;

 private:
  /// nullopt: there is no such name.
  std::optional<bool> IsServing(std::string_view name) const;
  /// With the mutex.
  void TellWatchers() const;
  void Check(const std::shared_ptr<wire::ServerCall>& call);
  boost::asio::awaitable<void> Watch(std::shared_ptr<wire::ServerCall> call);
  struct Watching {
    boost::asio::any_io_executor shard;
    // Weak until on its shard: it may go nowhere else.
    std::weak_ptr<wire::ServerCall> call;
  };
  using Watchers = std::list<Watching>;
  /// nullopt: the caller has as many as it may.
  std::optional<Watchers::iterator> Enter(const std::shared_ptr<wire::ServerCall>& call,
                                          const std::string& caller);
  void Leave(Watchers::iterator place, const std::string& caller);

  const std::size_t max_watchers_;
  mutable std::mutex mutex_;
  std::map<std::string, bool, std::less<>> serving_;
  bool shut_down_ = false;
  Watchers watching_;
  std::map<std::string, std::size_t> watchers_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_HEALTH_SERVICE_H_
