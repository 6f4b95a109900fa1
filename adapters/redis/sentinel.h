#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SENTINEL_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SENTINEL_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "adapters/redis/open_session.h"
#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/core/live_text.h"
#include "base/net/tls.h"

namespace tollbridge::redis {

struct SentinelOptions {
  /// Empty = none is asked: the primary's address is fixed.
  std::vector<Endpoint> sentinels;
  /// What the Sentinels call the primary.
  std::string master;
  /// At the Sentinels, which know other users than the primary.
  std::string user;
  LiveText password;
  /// nullptr = plain TCP.
  std::shared_ptr<const net::TlsContext> tls;
};

/// Finds the primary by asking Sentinels. What they say may be old, so that whoever connects there
/// still checks ROLE. Per shard; outlives its calls.
class PrimaryFinder {
 public:
  PrimaryFinder(boost::asio::any_io_executor executor, SentinelOptions options);

  /// Asks one Sentinel after the other, the one that answered last first, each for its share of
  /// the time left. UNAVAILABLE with what each of them said when none names a primary.
  Async<Endpoint> Find(BootTime deadline);
  /// What Find named last was no primary: next time the Sentinels after that one go first.
  void Distrust();

 private:
  Async<Endpoint> AskOne(Endpoint sentinel, BootTime deadline);

  boost::asio::any_io_executor executor_;
  SentinelOptions options_;
  std::size_t first_ = 0;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SENTINEL_H_
