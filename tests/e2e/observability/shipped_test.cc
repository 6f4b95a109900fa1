// What is shipped in deploy/observability, by itself: rules by promtool, runbooks, dashboards.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/e2e/observability/expressions.h"
#include "tests/support/process.h"
#include "tests/support/read_file.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kRunbooks = "https://runbooks.example/tollbridge";

/// Test files below deploy/observability/tests.
std::vector<std::string> TestFiles() {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(ObservabilityFolder() / "tests")) {
    files.push_back(entry.path().string());
  }
  return files;
}

std::vector<std::string> Dashboards() { return {"money.json", "pipeline.json", "traffic.json"}; }

json::value Dashboard(const std::string& name) {
  return json::parse(ReadFile(ObservabilityFolder() / "dashboards" / name));
}

TEST(SelectorsTest, AreFoundInAnyExpression) {
  std::vector<std::string> found;
  for (const Selector& selector : SelectorsOf(
           R"q(histogram_quantile(0.99, sum by (le, rpc) (rate(a_bucket{x=~"(}|\")", y!=''}[5m])))
               / on (z) group_left () b:c unless bool d offset 5m > 1e3 or absent(e{f="g"}))q")) {
    found.push_back(selector.metric + " " + selector.text);
  }
  EXPECT_THAT(found, ElementsAre(R"q(a_bucket a_bucket{x=~"(}|\")", y!=''})q", "b:c b:c", "d d",
                                 R"q(e e{f="g"})q"));
}

TEST(RulesTest, PromtoolFindsNothingWrongWithThem) {
  const Finished checked = test::Run(
      {"promtool", "check", "rules", (ObservabilityFolder() / "rules/tollbridge.yaml").string()});
  EXPECT_EQ(checked.code, 0) << checked.output << checked.error;
  EXPECT_THAT(checked.output, HasSubstr("SUCCESS"));
}

TEST(RulesTest, TheirPromtoolTestsPass) {
  ASSERT_FALSE(TestFiles().empty());
  for (const std::string& file : TestFiles()) {
    // Days of rules: beside other work it can take minutes.
    const Finished tested =
        test::Run({"promtool", "test", "rules", file}, {}, std::chrono::minutes(5));
    EXPECT_EQ(tested.code, 0) << tested.output << tested.error;
  }
}

TEST(RulesTest, EachAlertIsTestedWhereItFiresAndWhereNot) {
  std::map<std::string, std::set<bool>> tested;
  for (const std::string& file : TestFiles()) {
    for (const YAML::Node& test : YAML::LoadFile(file)["tests"]) {
      for (const YAML::Node& one : test["alert_rule_test"]) {
        tested[one["alertname"].as<std::string>()].insert(one["exp_alerts"].size() > 0);
      }
    }
  }
  for (const Alert& alert : ShippedAlerts()) {
    EXPECT_THAT(tested[alert.name], ElementsAre(false, true)) << alert.name;
  }
  EXPECT_EQ(tested.size(), ShippedAlerts().size());
}

TEST(RulesTest, EachAlertHasASeverityTextsAndARunbookThatNamesIt) {
  ASSERT_FALSE(ShippedAlerts().empty());
  for (const Alert& alert : ShippedAlerts()) {
    EXPECT_THAT(alert.name, StartsWith("Tollbridge"));
    EXPECT_THAT(alert.severity, AnyOf("page", "ticket")) << alert.name;
    EXPECT_NE(alert.summary, "") << alert.name;
    EXPECT_NE(alert.description, "") << alert.name;
    ASSERT_THAT(alert.runbook_url, StartsWith(std::string(kRunbooks) + "/")) << alert.name;
    const std::string page = alert.runbook_url.substr(kRunbooks.size() + 1);
    ASSERT_TRUE(fs::exists(RunbookFolder() / page)) << page;
    EXPECT_THAT(ReadFile(RunbookFolder() / page), HasSubstr("`" + alert.name + "`"));
  }
}

/// A page may not speak of an alert, a metric or a subcommand that there is not.
TEST(RunbooksTest, NameAlertsThatThereAre) {
  std::set<std::string> names;
  for (const Alert& alert : ShippedAlerts()) names.insert(alert.name);
  static const std::regex pattern("Tollbridge[A-Z][A-Za-z]+");
  for (const fs::directory_entry& entry : fs::directory_iterator(RunbookFolder())) {
    const std::string text = ReadFile(entry.path());
    for (std::sregex_iterator found(text.begin(), text.end(), pattern), end; found != end;
         ++found) {
      EXPECT_THAT(names, Contains(found->str())) << entry.path().filename();
    }
  }
}

TEST(RunbooksTest, ShowCommandsThatThereAreWithOptionsThatTheyTake) {
  static const std::regex command("(?:^|\n)tollbridge ([a-z-]+)( [a-z][a-z-]*)?([^\n]*)");
  static const std::regex option("(--[a-z-]+)");
  for (const fs::directory_entry& entry : fs::directory_iterator(RunbookFolder())) {
    const std::string text = ReadFile(entry.path());
    for (std::sregex_iterator found(text.begin(), text.end(), command), end; found != end;
         ++found) {
      std::vector<std::string> line{ProgramBeside("tollbridge"), (*found)[1]};
      if ((*found)[2].matched) line.push_back((*found)[2].str().substr(1));
      line.emplace_back("--help");
      const Finished help = test::Run(line);
      EXPECT_EQ(help.code, 0) << entry.path().filename() << ": " << found->str() << help.error;
      const std::string rest = (*found)[3];
      for (std::sregex_iterator one(rest.begin(), rest.end(), option); one != end; ++one) {
        EXPECT_THAT(help.output, HasSubstr(one->str())) << entry.path().filename() << found->str();
      }
    }
  }
}

TEST(DashboardsTest, AreWhatTheirSourceMakes) {
  ASSERT_NE(std::getenv("TOLLBRIDGE_DASHBOARDS_PYTHON"), nullptr) << "./dev test sets it";
  const TempFolder made;
  const fs::path folder = ObservabilityFolder() / "dashboards";
  const Finished finished = test::Run({std::getenv("TOLLBRIDGE_DASHBOARDS_PYTHON"),
                                       (folder / "dashboards.py").string(), made.PathOf("")});
  ASSERT_EQ(finished.code, 0) << finished.error;
  for (const std::string& name : Dashboards()) {
    EXPECT_TRUE(ReadFile(folder / name) == ReadFile(made.PathOf(name)))
        << name << " is not up to date: ./dev dashboards";
  }
}

TEST(DashboardsTest, EachPanelSaysWhatItShowsAndInWhichUnit) {
  for (const std::string& name : Dashboards()) {
    const json::value page = Dashboard(name);
    std::set<std::int64_t> ids;
    for (const json::value& panel : page.at("panels").as_array()) {
      const std::string title(panel.at("title").as_string());
      EXPECT_TRUE(ids.insert(panel.at("id").as_int64()).second) << name << ", " << title;
      if (panel.at("type").as_string() == "row") continue;
      EXPECT_FALSE(panel.at("description").as_string().empty()) << name << ", " << title;
      EXPECT_FALSE(panel.at("fieldConfig").at("defaults").at("unit").as_string().empty()) << title;
      EXPECT_EQ(panel.at("datasource").at("uid").as_string(), "${datasource}") << title;
      const json::value* links = panel.as_object().if_contains("links");
      if (links == nullptr) continue;
      for (const json::value& link : links->as_array()) {
        const std::string url(link.at("url").as_string());
        ASSERT_THAT(url, StartsWith("${runbooks}/"));
        EXPECT_TRUE(fs::exists(RunbookFolder() / url.substr(url.find('/') + 1))) << url;
      }
    }
    std::vector<std::string> variables;
    for (const json::value& variable : page.at("templating").at("list").as_array()) {
      variables.emplace_back(variable.at("name").as_string());
    }
    EXPECT_THAT(variables, ElementsAre("datasource", "role", "instance", "runbooks")) << name;
  }
}

}  // namespace
}  // namespace tollbridge::test
