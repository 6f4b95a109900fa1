#ifndef TOLLBRIDGE_SERVICES_WEBHOOKS_INGRESS_H_
#define TOLLBRIDGE_SERVICES_WEBHOOKS_INGRESS_H_

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/core/token_bucket.h"
#include "base/http/message.h"
#include "base/http/server.h"
#include "base/telemetry/metrics.h"
#include "base/telemetry/sampler.h"
#include "base/telemetry/span.h"
#include "services/domain/project.h"
#include "services/ports/clock.h"
#include "services/ports/hint_log.h"
#include "services/webhooks/path_tokens.h"
#include "services/webhooks/settings.h"

namespace tollbridge::webhooks {

/// Bounds of what is read from a sender: body 4 KiB in 3 s, header 8 KiB in 5 s.
/// `max_connections`: see http::ServerLimits.
http::ServerLimits IngressLimits(std::size_t max_connections);

/// Takes webhooks: POST /webhooks/{path token} (docs/interface.md#webhooks). 200 when the hint log
/// has acknowledged the hint, 503 when it has not in time, so that the sender comes again. Asks
/// nobody about the order: known and unknown ones look the same. One shard: the server that calls
/// it has that shard's executor only.
class Ingress {
 public:
  struct Ports {
    ports::HintLog& hint_log;
    ports::Clock& clock;
    telemetry::Metrics& metrics;
  };

  Ingress(const Ports& ports, PathTokens tokens, const Settings& settings);

  /// The handler of the HTTP server.
  boost::asio::awaitable<http::Response> Handle(const http::Request& request,
                                                const http::ConnectionInfo& connection);
  /// ServerOptions::error_response: answers and counts what never reaches Handle.
  http::Response Refuse(int status, std::string_view reason) const;
  /// ServerOptions::on_shed: counts connections that were closed so that others could come.
  void CountShed(std::size_t count) const;
  /// The tokens have changed (rotation). On the ingress's shard.
  void ReplaceTokens(PathTokens tokens) { tokens_ = std::move(tokens); }

 private:
  /// What a request is answered, and one of telemetry::kWebhookResults.
  struct Answered {
    http::Response response;
    std::string_view result;
  };
  boost::asio::awaitable<Answered> Take(const http::Request& request);
  boost::asio::awaitable<Answered> Accept(const domain::Project& project,
                                          const http::Request& request);
  /// Notes in `span` what it learns; Accept notes how it ended.
  boost::asio::awaitable<Answered> TakeDown(const domain::Project& project,
                                            const http::Request& request, telemetry::Span& span);
  /// Of no project that is known: of "other".
  Answered Answer(int status, std::string_view result,
                  std::string_view project = telemetry::kOtherLabelValue) const;
  bool WithinRate(const domain::Project& project);
  // What senders can cause often is logged now and then only, with how many there were.
  void SampleMalformed(const domain::Project& project, const http::Request& request);
  void SampleNotTaken(const domain::Project& project, std::string_view cause);

  Ports ports_;
  /// Every good webhook counts in these.
  telemetry::Counter hints_;
  telemetry::Histogram accepted_seconds_;
  PathTokens tokens_;
  Settings settings_;
  std::map<std::string, TokenBucket> buckets_;
  std::int64_t waiting_ = 0;
  telemetry::Sampler malformed_;
  telemetry::Sampler not_taken_;
};

}  // namespace tollbridge::webhooks

#endif  // TOLLBRIDGE_SERVICES_WEBHOOKS_INGRESS_H_
