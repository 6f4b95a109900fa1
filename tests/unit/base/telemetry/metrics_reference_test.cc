// docs/metrics.md: what each metric means, and which alert, panel or page uses it. Made from the
// definitions and from what is shipped; the test that compares the two makes it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/telemetry/metric_definitions.h"
#include "tests/support/read_file.h"

namespace tollbridge::telemetry {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TOLLBRIDGE_SOURCE_DIR;

/// Metrics that no alert, panel or page uses, and why they are there all the same.
constexpr std::pair<std::string_view, std::string_view> kExcused[] = {
    {"process_start_time_seconds", "what public dashboards tell restarts by"},
    {"process_virtual_memory_bytes", "one of those that every Prometheus client has"},
};

/// Whether a text names the metric, as itself or as one of a histogram's series.
bool Names(std::string_view text, const MetricListing& listing) {
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  const std::string_view name = listing.def->name;
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    std::string_view rest = text.substr(at + name.size());
    if (at > 0 && is_name(text[at - 1])) continue;
    if (listing.type == "histogram") {
      for (const std::string_view suffix : {"_bucket", "_count", "_sum"}) {
        if (rest.starts_with(suffix)) {
          rest.remove_prefix(suffix.size());
          break;
        }
      }
    }
    if (rest.empty() || !is_name(rest.front())) return true;
  }
  return false;
}

/// Texts with expressions or words, by who they belong to.
using Places = std::vector<std::pair<std::string, std::string>>;

std::vector<fs::path> FilesOf(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string After(const std::string& line, std::string_view key) {
  const std::size_t at = line.find(key);
  return at == std::string::npos ? std::string() : line.substr(at + key.size());
}

/// Alerts and recordings, each with its lines up to the next.
Places Rules() {
  Places places;
  std::istringstream rules(
      test::ReadFile((kRoot / "deploy/observability/rules/tollbridge.yaml").string()));
  for (std::string line; std::getline(rules, line);) {
    if (line.find_first_not_of(' ') != std::string::npos &&
        line[line.find_first_not_of(' ')] == '#') {
      continue;
    }
    const std::string alert = After(line, "- alert: ");
    const std::string record = After(line, "- record: ");
    if (!alert.empty()) places.emplace_back("alert `" + alert + "`", "");
    if (!record.empty()) places.emplace_back("recording `" + record + "`", "");
    if (!places.empty()) places.back().second += line + "\n";
  }
  return places;
}

/// Panels of the dashboards. In what dashboards.py writes a panel's title follows its queries.
Places Panels() {
  Places places;
  for (const fs::path& file : FilesOf("deploy/observability/dashboards", ".json")) {
    std::string dashboard = file.stem();
    dashboard[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(dashboard[0])));
    std::string queries;
    std::istringstream lines(test::ReadFile(file.string()));
    for (std::string line; std::getline(lines, line);) {
      if (line.find("\"expr\": ") != std::string::npos) queries += line + "\n";
      std::string title = After(line, "\"title\": \"");
      if (title.empty() || queries.empty()) continue;
      title.erase(title.find('"'));
      places.emplace_back("panel " + dashboard + ": " + title, std::exchange(queries, {}));
    }
  }
  return places;
}

Places Pages() {
  Places places;
  for (const fs::path& file : FilesOf("docs/runbooks", ".md")) {
    const std::string name = file.filename();
    places.emplace_back("runbook [" + name + "](runbooks/" + name + ")",
                        test::ReadFile(file.string()));
  }
  places.emplace_back("[the guide for operators](guides/operators.md)",
                      test::ReadFile((kRoot / "docs/guides/operators.md").string()));
  return places;
}

std::vector<std::string> UsersOf(const MetricListing& listing, const Places& places) {
  std::vector<std::string> users;
  for (const auto& [user, text] : places) {
    if (Names(text, listing) && std::ranges::count(users, user) == 0) users.push_back(user);
  }
  return users;
}

Places AllPlaces() {
  Places all = Rules();
  for (const Places& more : {Panels(), Pages()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string_view ExcuseOf(std::string_view name) {
  for (const auto& [excused, why] : kExcused) {
    if (excused == name) return why;
  }
  return {};
}

std::string Describe(const MetricListing& listing, const Places& places) {
  std::ostringstream out;
  out << "## " << listing.def->name << "\n\n" << listing.def->help << "\n\n- " << listing.type;
  if (!listing.def->buckets.empty()) {
    out << ", buckets to";
    for (const double bound : listing.def->buckets) out << " " << bound;
  }
  out << "\n";
  for (const LabelDef& label : listing.def->labels()) {
    out << "- label `" << label.name << "`: ";
    if (label.values.empty()) out << "closed by " << label.closed_by;
    for (std::size_t v = 0; v < label.values.size(); ++v) {
      out << (v == 0 ? "" : ", ") << "`" << label.values[v] << "`";
    }
    out << "\n";
  }
  const std::vector<std::string> users = UsersOf(listing, places);
  for (const std::string& user : users) out << "- used by " << user << "\n";
  if (users.empty())
    out << "- used by nothing that is shipped: " << ExcuseOf(listing.def->name) << "\n";
  return out.str() + "\n";
}

TEST(MetricsReferenceTest, IsWhatTheDefinitionsAndTheirUsersSay) {
  std::string all =
      "# Metrics\n\nWhat GET /metrics of a process shows, and what uses it. Made from\n"
      "`base/telemetry/metric_definitions.h` and from what is shipped beside it; a test compares "
      "the two.\nA counter or histogram whose labels have closed sets is there at 0 from the "
      "start. "
      "A gauge whose source\ncannot be read is not there.\n\n";
  const Places places = AllPlaces();
  for (const MetricListing& listing : AllMetrics()) all += Describe(listing, places);
  all.pop_back();
  const std::string actual = ::testing::TempDir() + "metrics.md";
  std::ofstream(actual) << all;
  EXPECT_EQ(test::ReadFile((kRoot / "docs/metrics.md").string()), all)
      << "If the change is meant: cp " << actual << " docs/metrics.md";
}

TEST(MetricsReferenceTest, EachMetricIsUsedOrExcused) {
  const Places places = AllPlaces();
  for (const MetricListing& listing : AllMetrics()) {
    const bool used = !UsersOf(listing, places).empty();
    const bool excused = !ExcuseOf(listing.def->name).empty();
    EXPECT_NE(used, excused) << listing.def->name
                             << ": no alert, panel or runbook uses it and no reason excuses it, or "
                                "it is excused and used";
  }
}

TEST(MetricsReferenceTest, WhatIsExcusedIsThere) {
  for (const auto& [excused, why] : kExcused) {
    EXPECT_TRUE(std::ranges::any_of(AllMetrics(), [&](const MetricListing& each) {
      return each.def->name == excused;
    })) << excused;
  }
}

TEST(MetricsReferenceTest, NamesAreFoundWhole) {
  const MetricListing counter{"counter", &kSweepFailures};
  EXPECT_TRUE(Names("rate(tollbridge_sweep_failures_total[5m])", counter));
  EXPECT_FALSE(Names("my_tollbridge_sweep_failures_total", counter));
  EXPECT_FALSE(Names("tollbridge_sweep_failures_total_bucket", counter));
  const MetricListing histogram{"histogram", &kWebhookToEvent};
  EXPECT_TRUE(Names("tollbridge_webhook_to_event_seconds_bucket{x=\"y\"}", histogram));
  EXPECT_FALSE(Names("tollbridge_webhook_to_event_seconds_ago", histogram));
}

}  // namespace
}  // namespace tollbridge::telemetry
