#include "tests/e2e/observability/expressions.h"
#include "tests/support/read_file.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cctype>
#include <chrono>
#include <regex>
#include <stdexcept>
#include <utility>

namespace tollbridge::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

/// Words of PromQL that stand where a metric could, besides functions, which have a parenthesis.
constexpr std::array<std::string_view, 5> kOperators = {"and", "or", "unless", "bool", "offset"};
/// Words before a list of labels in parentheses.
constexpr std::array<std::string_view, 6> kBeforeLabels = {"by",       "without",    "on",
                                                           "ignoring", "group_left", "group_right"};
/// How many times as fast as shipped ShortenedRules are.
constexpr int kShorter = 60;
constexpr std::array<std::string_view, 3> kOfHistogram = {"_bucket", "_count", "_sum"};

YAML::Node Rules() {
  return YAML::LoadFile((ObservabilityFolder() / "rules/tollbridge.yaml").string());
}

bool BeginsName(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}
bool InName(char c) { return BeginsName(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// The end of what begins at `from` with an opening mark: behind `close`, which does not count in
/// strings.
std::size_t EndOf(std::string_view text, std::size_t from, char close) {
  char quote = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (quote != 0 && text[i] == '\\') {
      ++i;
    } else if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == close) {
      return i + 1;
    }
  }
  throw std::runtime_error("no end: " + std::string(text));
}

/// Whether the name before `at` is an aggregation that says by what before what: `sum by (a) (b)`.
bool Aggregates(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  return rest.starts_with("by ") || rest.starts_with("without ");
}

std::size_t SkipSpace(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

void ReplaceAll(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

/// What Grafana puts in place of variables when all processes are chosen.
std::string Filled(std::string text, std::string_view window) {
  ReplaceAll(text, "$__rate_interval", window);
  ReplaceAll(text, "$instance", ".+");
  ReplaceAll(text, "$role", ".+");
  if (text.find('$') != std::string::npos) throw std::runtime_error("a variable is left: " + text);
  return text;
}

/// The expression whose series a variable's values come from: label_values(SELECTOR, LABEL).
std::string OfVariable(const std::string& query) {
  static const std::regex pattern(R"(label_values\((.*), (\w+)\))");
  std::smatch found;
  if (!std::regex_match(query, found, pattern)) throw std::runtime_error("a variable: " + query);
  return "count by (" + found[2].str() + ") (" + found[1].str() + ")";
}

/// "5m"
std::chrono::milliseconds DurationOf(const std::string& text) {
  const std::map<char, std::chrono::seconds> units = {{'s', std::chrono::seconds(1)},
                                                      {'m', std::chrono::minutes(1)},
                                                      {'h', std::chrono::hours(1)},
                                                      {'d', std::chrono::days(1)}};
  return std::stoi(text) * units.at(text.back());
}

}  // namespace

fs::path ObservabilityFolder() { return fs::path(TOLLBRIDGE_SOURCE_DIR) / "deploy/observability"; }
fs::path RunbookFolder() { return fs::path(TOLLBRIDGE_SOURCE_DIR) / "docs/runbooks"; }

std::vector<Alert> ShippedAlerts() {
  std::vector<Alert> alerts;
  for (const YAML::Node& group : Rules()["groups"]) {
    for (const YAML::Node& rule : group["rules"]) {
      if (!rule["alert"]) continue;
      const auto annotation = [&](const char* name) {
        return rule["annotations"][name].as<std::string>("");
      };
      alerts.push_back({.name = rule["alert"].as<std::string>(),
                        .severity = rule["labels"]["severity"].as<std::string>(""),
                        .summary = annotation("summary"),
                        .description = annotation("description"),
                        .runbook_url = annotation("runbook_url")});
    }
  }
  return alerts;
}

std::vector<Expression> RuleExpressions() {
  std::vector<Expression> expressions;
  for (const YAML::Node& group : Rules()["groups"]) {
    for (const YAML::Node& rule : group["rules"]) {
      expressions.push_back({(rule["alert"] ? rule["alert"] : rule["record"]).as<std::string>(),
                             rule["expr"].as<std::string>()});
    }
  }
  return expressions;
}

std::set<std::string> RecordedNames() {
  std::set<std::string> names;
  for (const YAML::Node& group : Rules()["groups"]) {
    for (const YAML::Node& rule : group["rules"]) {
      if (rule["record"]) names.insert(rule["record"].as<std::string>());
    }
  }
  return names;
}

std::vector<Expression> DashboardExpressions(std::string_view window) {
  std::vector<Expression> expressions;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(ObservabilityFolder() / "dashboards")) {
    if (entry.path().extension() != ".json") continue;
    const json::value page = json::parse(ReadFile(entry.path()));
    const std::string name = entry.path().filename().string();
    for (const json::value& variable : page.at("templating").at("list").as_array()) {
      if (variable.at("type").as_string() != "query") continue;
      expressions.push_back(
          {name + ", variable " + std::string(variable.at("name").as_string()),
           Filled(OfVariable(std::string(variable.at("query").as_string())), window)});
    }
    for (const json::value& panel : page.at("panels").as_array()) {
      const json::value* targets = panel.as_object().if_contains("targets");
      if (targets == nullptr) continue;
      for (const json::value& target : targets->as_array()) {
        expressions.push_back({name + ", " + std::string(panel.at("title").as_string()),
                               Filled(std::string(target.at("expr").as_string()), window)});
      }
    }
  }
  return expressions;
}

std::vector<Selector> SelectorsOf(std::string_view expression) {
  std::vector<Selector> selectors;
  std::size_t at = 0;
  while (at < expression.size()) {
    const char c = expression[at];
    if (c == '[') {
      at = EndOf(expression, at, ']');
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (at < expression.size() && (InName(expression[at]) || expression[at] == '.')) ++at;
    } else if (!BeginsName(c)) {
      // Not needed so far, and not read.
      if (std::string_view("{\"'").find(c) != std::string_view::npos) {
        throw std::runtime_error("a string, or matchers alone: " + std::string(expression));
      }
      ++at;
    } else {
      const std::size_t begin = at;
      while (at < expression.size() && InName(expression[at])) ++at;
      const std::string name(expression.substr(begin, at - begin));
      const std::size_t next = SkipSpace(expression, at);
      const bool parenthesis = next < expression.size() && expression[next] == '(';
      if (std::ranges::count(kBeforeLabels, name) > 0) {
        if (parenthesis) at = EndOf(expression, next, ')');
      } else if (!parenthesis && !Aggregates(expression, next) &&
                 std::ranges::count(kOperators, name) == 0) {
        if (at < expression.size() && expression[at] == '{') at = EndOf(expression, at, '}');
        selectors.push_back({name, std::string(expression.substr(begin, at - begin))});
      }
    }
  }
  return selectors;
}

std::string MetricOf(std::string_view series, const std::set<std::string>& metrics) {
  for (const std::string_view suffix : kOfHistogram) {
    if (!series.ends_with(suffix)) continue;
    std::string base(series.substr(0, series.size() - suffix.size()));
    if (metrics.contains(base)) return base;
  }
  return std::string(series);
}

std::string WithShortWindows(const std::string& expression) {
  static const std::regex windows(R"(\[([0-9]+[smhd])\])");
  constexpr std::chrono::milliseconds kLeast{8'000};
  constexpr std::chrono::milliseconds kMost{60'000};
  std::string text;
  auto from = expression.cbegin();
  for (std::sregex_iterator found(expression.cbegin(), expression.cend(), windows), end;
       found != end; ++found) {
    text.append(from, (*found)[1].first);
    text += std::to_string(std::clamp(DurationOf((*found)[1]) / kShorter, kLeast, kMost).count());
    text += "ms";
    from = (*found)[1].second;
  }
  return text.append(from, expression.cend());
}

std::string ShortenedRules() {
  static const std::regex seconds(R"(> ([0-9]{3,})(?![0-9.]))");
  constexpr std::chrono::milliseconds kMost{5'000};
  YAML::Node rules = Rules();
  for (YAML::Node group : rules["groups"]) {
    for (YAML::Node rule : group["rules"]) {
      const std::string text = WithShortWindows(rule["expr"].as<std::string>());
      std::string shortened;
      auto from = text.cbegin();
      for (std::sregex_iterator found(text.cbegin(), text.cend(), seconds), end; found != end;
           ++found) {
        shortened.append(from, (*found)[1].first);
        shortened += std::to_string(std::stod((*found)[1].str()) / kShorter);
        from = (*found)[1].second;
      }
      shortened.append(from, text.cend());
      rule["expr"] = shortened;
      for (const char* name : {"for", "keep_firing_for"}) {
        if (!rule[name]) continue;
        const auto time = std::min(kMost, DurationOf(rule[name].as<std::string>()) / kShorter);
        rule[name] = std::to_string(time.count()) + "ms";
      }
    }
  }
  YAML::Emitter out;
  out << rules;
  return out.c_str();
}

std::map<int, Question> BadNight() {
  static const std::regex row(R"(\n\| ([0-9]+)\. ([^|]+) \| ([^|]+) \| `([^`]+)` \|)");
  const std::string text = ReadFile(fs::path(TOLLBRIDGE_SOURCE_DIR) / "docs/guides/operators.md");
  std::map<int, Question> questions;
  for (std::sregex_iterator found(text.begin(), text.end(), row), end; found != end; ++found) {
    std::string query = (*found)[4];
    // What a table cannot hold.
    ReplaceAll(query, "\\|", "|");
    questions[std::stoi((*found)[1])] = {
        .asks = (*found)[2], .panel = (*found)[3], .query = std::move(query)};
  }
  return questions;
}

}  // namespace tollbridge::test
