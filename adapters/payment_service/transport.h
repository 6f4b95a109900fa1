#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_TRANSPORT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_TRANSPORT_H_

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/boot_clock.h"
#include "base/core/wall_time.h"
#include "base/http/client.h"
#include "base/telemetry/span.h"
#include "services/ports/waited.h"

namespace tollbridge::payment_service {

/// Whether an exchange changes something at the payment service. Decides what may be repeated.
enum class Effect { kRead, kMutation };

/// The hosts that the payment service consists of (docs/interface.md#endpoints). Each has its own
/// connections and its own health.
enum class Origin {
  kService,       ///< {base_url}
  kVault,         ///< {vault_url}
  kWalletTokens,  ///< {wallet_token_url}
};
inline constexpr std::size_t kOrigins = 3;

/// For logs: "service", "vault", "wallet_tokens".
std::string_view OriginName(Origin origin);

/// Gives the place of an origin in an array with an element for each.
constexpr std::size_t IndexOf(Origin origin) { return static_cast<std::size_t>(origin); }

/// One HTTP exchange with the payment service, on its way through the outbound pipe.
struct Exchange {
  /// Name of the client function, e.g. "create_order": label and span name, from a closed set.
  std::string_view operation;
  Effect effect = Effect::kRead;
  Origin origin = Origin::kService;
  /// Name of the project it is for: rate limits are per project.
  std::string project;
  http::Request request;
  /// What `request` holds of CARD_DATA and credentials, the API key included: no text of an answer
  /// that repeats any of it goes further than the adapter.
  std::vector<std::string> confidential;
  /// No answer is waited for longer than this.
  BootTime deadline;
  /// End of the send window of a mutation (docs/design/operations.md#rule-2).
  std::optional<BootTime> write_before;
  /// The same by civil time.
  std::optional<WallTime> write_before_civil;
  /// Takes the body of a 2xx answer as it comes; none: the answer is read whole. A read only, and
  /// as long as its body takes: no bound but `deadline`.
  http::BodySink on_body;
  /// How often it was tried before.
  int resends = 0;
  /// The span the exchange is a child of; links put their own span here on the way down.
  telemetry::TraceContext trace;
  /// Is told how long the exchange takes; nullptr: nobody asks.
  std::shared_ptr<ports::Waited> waited;
};

/// Why a link of the pipe turned an exchange away.
enum class HeldBackBy {
  kBreaker,    ///< the service was failing, and it is too early to try again
  kRateLimit,  ///< the service asked to wait
  kInFlight,   ///< too many exchanges are under way
};

/// An exchange that one of our own links turned away.
struct HeldBack {
  HeldBackBy by;
  /// How long until it may pass; a guess when it depends on others.
  std::chrono::milliseconds retry_after;
};

/// What came of an exchange, as seen by one link.
struct ExchangeResult : http::SendResult {
  ExchangeResult() = default;
  explicit ExchangeResult(http::SendResult sent) : http::SendResult(std::move(sent)) {}

  /// Set only when kNotSent: nothing was tried, and trying again at once is pointless.
  std::optional<HeldBack> held_back;
  /// It is that of the exchange (Exchange::confidential) when that was answered.
  std::vector<std::string> confidential;
};

/// The result of an exchange that is held back.
ExchangeResult HoldBack(HeldBackBy by, std::chrono::nanoseconds retry_after);

/// A link of the outbound pipe. Per shard. Concerns that cut across all calls are one small link
/// each, and never show in the client functions.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Never fails: the fate of the exchange is in the result.
  virtual boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) = 0;

 protected:
  Transport& next() { return *next_; }

 private:
  friend class TransportChain;
  Transport* next_ = nullptr;
};

/// The pipe: links in the order in which an exchange passes them, the last one being the wire.
class TransportChain {
 public:
  /// `links` is not empty; none but the last forwards to nothing.
  explicit TransportChain(std::vector<std::unique_ptr<Transport>> links);

  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange);

 private:
  std::vector<std::unique_ptr<Transport>> links_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_TRANSPORT_H_
