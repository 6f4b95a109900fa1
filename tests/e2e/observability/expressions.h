#ifndef TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_EXPRESSIONS_H_
#define TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_EXPRESSIONS_H_

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// What is shipped in deploy/observability, and the PromQL in it.
namespace tollbridge::test {

/// The folder deploy/observability of the checkout, and docs/runbooks.
std::filesystem::path ObservabilityFolder();
std::filesystem::path RunbookFolder();

/// An alert as the rules have it.
struct Alert {
  std::string name;
  std::string severity;
  std::string summary;
  std::string description;
  std::string runbook_url;
};
std::vector<Alert> ShippedAlerts();

/// A PromQL expression and where it stands.
struct Expression {
  std::string where;
  std::string text;
};
/// Of all recordings and alerts.
std::vector<Expression> RuleExpressions();
/// Of all panels and variables of the dashboards, for all processes and for windows of `window`.
std::vector<Expression> DashboardExpressions(std::string_view window);

/// The names of the recordings.
std::set<std::string> RecordedNames();

/// One selector of an expression: its metric, and all of it without a range.
struct Selector {
  std::string metric;
  std::string text;
};
std::vector<Selector> SelectorsOf(std::string_view expression);

/// The metric that a series belongs to: without what histograms append.
std::string MetricOf(std::string_view series, const std::set<std::string>& metrics);

/// The shipped rules as they fire within seconds: windows are `window`, what must hold for a while
/// must not, and a threshold that is 300 or more, which are seconds, is a 300th.
std::string ShortenedRules(std::string_view window);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_EXPRESSIONS_H_
