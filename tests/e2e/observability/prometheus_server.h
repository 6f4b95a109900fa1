#ifndef TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_PROMETHEUS_SERVER_H_
#define TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_PROMETHEUS_SERVER_H_

#include <boost/json/array.hpp>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {

/// A real Prometheus on a free loopback port, which scrapes and evaluates three times a second. It
/// dies with the thread that started it. Members throw std::runtime_error when it does not answer.
class PrometheusServer {
 public:
  /// `rules`: the text of a rule file. `metrics_urls`: pages of gateways. `alertmanager`: whom it
  /// tells of alerts, "host:port"; empty: nobody.
  PrometheusServer(const std::string& rules, const std::vector<std::string>& metrics_urls,
                   const std::string& alertmanager = "");

  /// From now on it scrapes these pages; of others nothing is left.
  void Scrape(const std::vector<std::string>& metrics_urls);

  /// The series that an expression has now. Throws when it is refused, or answered with a warning.
  boost::json::array Query(const std::string& expression) const;
  /// The series that it had, a value every `step` seconds, from and to in Unix time.
  boost::json::array QueryRange(const std::string& expression, double from, double to,
                                double step) const;
  /// All rules that it has, with their `health`, `state` and `lastError`.
  boost::json::array Rules() const;
  /// The names of the alerts that fire, or of those of one severity.
  std::set<std::string> Firing(const std::string& severity = "") const;
  /// And of those whose expression holds, though not for long enough yet.
  std::set<std::string> Pending(const std::string& severity = "") const;

  Process& process() { return *process_; }
  /// Without a slash at its end.
  const std::string& url() const { return url_; }

 private:
  boost::json::value Get(const std::string& path) const;
  std::set<std::string> AlertsIn(std::string_view state, const std::string& severity) const;

  TempFolder folder_;
  std::unique_ptr<Process> process_;
  std::string url_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_PROMETHEUS_SERVER_H_
