#ifndef TOLLBRIDGE_TESTS_UNIT_ADAPTERS_PAYMENT_SERVICE_PIPE_SUPPORT_H_
#define TOLLBRIDGE_TESTS_UNIT_ADAPTERS_PAYMENT_SERVICE_PIPE_SUPPORT_H_

#include <absl/status/status.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/payment_service/transport.h"
#include "services/telemetry/metrics.h"

namespace tollbridge::payment_service {

/// What passed through the pipe to its end.
using Seen = std::vector<Exchange>;

/// The end of a pipe: keeps what came, and answers by a function.
class ScriptedTransport : public Transport {
 public:
  using Script = std::function<ExchangeResult(const Exchange&)>;

  /// `seen` outlives this.
  ScriptedTransport(Seen* seen, Script script) : seen_(seen), script_(std::move(script)) {}
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  Seen* seen_;
  Script script_;
};

/// A script that gives the results in order, and the last one again and again.
ScriptedTransport::Script InOrder(std::vector<ExchangeResult> results);

/// A pipe of one link and the scripted end.
TransportChain ChainOf(std::unique_ptr<Transport> link, Seen* seen,
                       ScriptedTransport::Script script);

ExchangeResult Answered(int status, std::string body = "{}");
ExchangeResult NotSent(absl::Status why = absl::UnavailableError("connection refused"));
ExchangeResult Unknown(absl::Status why = absl::UnavailableError("connection reset"));

using Labels = std::map<std::string, std::string>;

/// Value of a counter, or count of a histogram; 0 when there is no such series.
double CountOf(const telemetry::Metrics& metrics, std::string_view name, const Labels& labels);
/// Sum of a histogram.
double SumOf(const telemetry::Metrics& metrics, std::string_view name, const Labels& labels);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_TESTS_UNIT_ADAPTERS_PAYMENT_SERVICE_PIPE_SUPPORT_H_
