#ifndef TOLLBRIDGE_SANDBOX_WEBHOOKS_RECEIVERS_H_
#define TOLLBRIDGE_SANDBOX_WEBHOOKS_RECEIVERS_H_

#include <absl/status/statusor.h>

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/uuid.h"
#include "base/http/client.h"
#include "base/http/url.h"
#include "base/net/tls.h"
#include "sandbox/core/clock.h"

namespace tollbridge::sandbox {

/// A webhook on its way, with all its attempts.
struct Delivery {
  /// What it is about; lives as long as the program.
  std::string_view event;
  Uuid order_id;
  Uuid project_id;
  http::Url url;
  /// Path and query as they were given: a slash at the end counts.
  std::string target;
  /// In order of notification.
  std::uint64_t number = 0;
  /// Begun so far.
  int attempts = 0;
  /// Counts the webhooks that are not done with: a copy lives in each.
  std::shared_ptr<const bool> pending;
};

/// Where webhooks of one origin go.
struct Receiver {
  std::shared_ptr<http::Client> client;
  std::size_t in_flight = 0;
  /// Due, and waiting for one in flight to end.
  std::deque<std::shared_ptr<Delivery>> waiting;
  std::uint64_t last_used = 0;

  bool idle() const { return in_flight == 0 && waiting.empty(); }
};

/// A pooled client an origin. At most 64 are kept: past that, the one that was idle longest goes.
class Receivers {
 public:
  /// Attempts at one receiver at a time.
  static constexpr std::size_t kMaxConnections = 32;

  /// `longest_timeout`: of any attempt, so that no limit of the client's own comes before it.
  Receivers(boost::asio::any_io_executor executor, Millis longest_timeout)
      : executor_(std::move(executor)), longest_timeout_(longest_timeout) {}

  /// The receiver of the URL, made where there is none yet. An error when TLS cannot be set up. The
  /// pointer lives until the next Get or Clear.
  absl::StatusOr<Receiver*> Get(const http::Url& url);
  /// nullptr when there is none.
  Receiver* Find(const http::Url& url);
  std::size_t size() const { return receivers_.size(); }
  /// Forgets what waits.
  void ForgetWaiting();

 private:
  void MakeRoom();

  boost::asio::any_io_executor executor_;
  Millis longest_timeout_;
  std::shared_ptr<const net::TlsContext> tls_;
  std::uint64_t uses_ = 0;
  /// By origin.
  std::map<std::string, Receiver> receivers_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_WEBHOOKS_RECEIVERS_H_
