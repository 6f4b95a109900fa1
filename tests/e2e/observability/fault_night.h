#ifndef TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_FAULT_NIGHT_H_
#define TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_FAULT_NIGHT_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/e2e/observability/alertmanager_server.h"
#include "tests/e2e/observability/faults.h"
#include "tests/e2e/observability/prometheus_server.h"
#include "tests/e2e/support/steady_load.h"
#include "tests/support/stack.h"
#include "tests/support/tcp_proxy.h"

namespace tollbridge::test {

/// Does one thing again and again on a thread of its own.
class Paced {
 public:
  Paced(std::chrono::milliseconds pause, std::function<void()> work);
  ~Paced();
  Paced(const Paced&) = delete;
  Paced& operator=(const Paced&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

/// The product in several processes with callers and webhooks, a Prometheus over it and an
/// Alertmanager behind that, in which one fault after the other is made. One thread.
class FaultNight {
 public:
  struct Options {
    StackOptions stack;
    /// The roles of each further process beside the stack's.
    std::vector<std::vector<std::string>> others;
    /// Between the gateways and the sandbox, where the test cuts them off; the configuration names
    /// it.
    TcpProxy* sandbox_proxy = nullptr;
    /// Orders that are created a second.
    int orders_per_second = 4;
    /// Webhooks come.
    bool webhooks = false;
  };
  explicit FaultNight(const Options& options);
  /// Writes what there was to see, where the environment wants that: Record.
  ~FaultNight();
  FaultNight(const FaultNight&) = delete;
  FaultNight& operator=(const FaultNight&) = delete;

  struct Steps {
    std::function<void()> make;
    /// While the alerts fire: what the runbook has people do.
    std::function<void()> look = [] {};
    std::function<void()> end = [] {};
  };
  /// Makes the fault, and expects what its row says: the alerts are told, no other page is, the
  /// questions are answered, and when it has ended all of it is over.
  void Meets(std::string_view fault, const Steps& steps);

  /// Where the sandbox listens.
  std::uint16_t SandboxPort() const;
  Stack& stack() { return stack_; }
  PrometheusServer& prometheus() { return prometheus_; }
  /// The further process of this number; nullptr while it does not run.
  std::unique_ptr<GatewayProcess>& other(std::size_t number) { return others_.at(number); }
  /// Starts it again.
  void StartOther(std::size_t number);
  /// Starts the stack's own process again, and its callers.
  void StartGateway();
  /// Callers stop, and come back.
  void StopCallers() { callers_.reset(); }
  void StartCallers();
  void StopWebhooks() { webhooks_.reset(); }
  void StartWebhooks();
  /// To be scraped beside the processes.
  void ScrapeToo(const std::string& metrics_url);
  /// Scrapes those that run.
  void ScrapeAll();
  /// A command of `tollbridge` that must end with 0; its output.
  std::string Tollbridge(std::vector<std::string> arguments);

  /// Names of all alerts that have fired, without "Tollbridge".
  static const std::set<std::string>& Seen() { return seen_; }
  static const std::map<std::string, FaultTimes>& Figures() { return figures_; }
  /// The questions that were answered, each with the fault that it was asked in.
  static const std::set<std::pair<std::string, int>>& Answered() { return answered_; }
  /// Whether the environment wants one fault alone (TOLLBRIDGE_ONLY_FAULT).
  static bool OnlyOne();

 private:
  struct Span {
    std::string fault;
    double from = 0;
    double to = 0;
  };

  std::set<std::string> Told();
  void Watch();
  void Record() const;

  const Options options_;
  Stack stack_;
  std::vector<std::unique_ptr<GatewayProcess>> others_;
  std::vector<std::string> more_pages_;
  AlertmanagerServer alertmanager_;
  PrometheusServer prometheus_;
  std::optional<SteadyLoad> callers_;
  std::optional<Paced> webhooks_;
  int rounds_ = 0;
  double began_ = 0;
  std::vector<Span> spans_;
  /// Pages that Prometheus had since the fault was made.
  std::set<std::string> pages_;
  static inline std::set<std::string> seen_;
  static inline std::map<std::string, FaultTimes> figures_;
  static inline std::set<std::pair<std::string, int>> answered_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_FAULT_NIGHT_H_
