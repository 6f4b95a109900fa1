#ifndef TOLLBRIDGE_TESTS_UNIT_ADAPTERS_PAYMENT_SERVICE_PIPE_SUPPORT_H_
#define TOLLBRIDGE_TESTS_UNIT_ADAPTERS_PAYMENT_SERVICE_PIPE_SUPPORT_H_

#include <absl/status/status.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/payment_service/transport.h"
#include "base/telemetry/metrics.h"

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

/// The end of a pipe that answers each exchange when the test says so.
class HoldingTransport : public Transport {
 public:
  /// The exchanges under way and ended, in the order in which they came. Outlives the transport.
  struct Held {
    struct One {
      Exchange exchange;
      std::optional<ExchangeResult> result;
      std::weak_ptr<boost::asio::steady_timer> gate;
    };
    std::vector<One> all;

    void Answer(std::size_t index, ExchangeResult result);
  };

  explicit HoldingTransport(Held* held) : held_(held) {}
  boost::asio::awaitable<ExchangeResult> Send(Exchange exchange) override;

 private:
  Held* held_;
};

/// A link under test before an end that holds; exchanges are started and answered one by one.
class HeldPipe {
 public:
  explicit HeldPipe(std::unique_ptr<Transport> link);

  /// Starts an exchange; its index.
  std::size_t Start(Exchange exchange);
  /// Answers the exchange that came to the end of the pipe as number `index`.
  void Answer(std::size_t index, ExchangeResult result);
  /// Starts an exchange and answers it if it comes to the end; what became of it.
  ExchangeResult Pass(Exchange exchange, ExchangeResult result);
  /// How many came to the end.
  std::size_t arrived() const { return held_.all.size(); }
  const std::optional<ExchangeResult>& result(std::size_t index) const { return results_[index]; }

 private:
  void Run();

  // Goes last, as in the process: what is still under way then is cut off without its links.
  boost::asio::io_context context_{1};
  HoldingTransport::Held held_;
  TransportChain chain_;
  std::deque<std::optional<ExchangeResult>> results_;
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

/// Value of a counter or gauge, or count of a histogram; 0 when there is no such series.
double CountOf(const telemetry::Metrics& metrics, std::string_view name, const Labels& labels);
/// Sum of a histogram.
double SumOf(const telemetry::Metrics& metrics, std::string_view name, const Labels& labels);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_TESTS_UNIT_ADAPTERS_PAYMENT_SERVICE_PIPE_SUPPORT_H_
