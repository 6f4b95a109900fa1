#ifndef TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_EXPRESSIONS_H_
#define TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_EXPRESSIONS_H_

#include <filesystem>
#include <map>
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

/// The expression with ranges of a 60th, 8 s at least and 60 s at most.
std::string WithShortWindows(const std::string& expression);

/// The shipped rules as they fire within seconds: with such ranges, what must hold for a while does
/// so for a 60th of it and 5 s at most, and a threshold of 100 or more, which are seconds, is a
/// 60th.
std::string ShortenedRules();

/// A row of docs/guides/operators.md, On a bad night.
struct Question {
  std::string asks;
  std::string panel;
  std::string query;
};
/// All of them, by their number.
std::map<int, Question> BadNight();

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_OBSERVABILITY_EXPRESSIONS_H_
