// ./dev up --load with a bound: every kind of order and every published method, and the pages that
// fired meanwhile.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "tests/e2e/dev_script.h"
#include "tests/e2e/observability/prometheus_server.h"
#include "tests/e2e/published_methods.h"
#include "tests/support/process.h"
#include "tests/support/read_file.h"

namespace tollbridge::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::chrono::seconds kLimit{600};
/// People close operations and confirm, and there is nothing to close or to confirm.
const std::set<std::string_view> kForPeople{"ResolveOperation", "ConfirmOperation"};

/// The kinds of orders in scripts/load.py, by its table of how many of each there are.
std::set<std::string> KindsOfOrders() {
  const std::string script = ReadFile(TOLLBRIDGE_SOURCE_DIR "/scripts/load.py");
  const std::size_t begin = script.find("KINDS = {");
  const std::string table = script.substr(begin, script.find('}', begin) - begin);
  static const std::regex row("\n    ([a-z_]+): [0-9]+,");
  std::set<std::string> kinds;
  for (std::sregex_iterator found(table.begin(), table.end(), row), end; found != end; ++found) {
    kinds.insert((*found)[1]);
  }
  return kinds;
}

/// Whether a series of this metric whose labels match is above 0.
bool IsCounted(const std::string& page, const std::string& metric, const std::string& labels) {
  return std::regex_search(
      page, std::regex("(^|\n)" + metric + R"(\{[^}\n]*)" + labels + R"([^}\n]*\} [1-9])"));
}

TEST(LoadTest, EachKindOfOrderComesToItsEndAndNobodyIsPaged) {
  DevScript up("up --load --orders 60");
  ASSERT_EQ(up.WaitForExit(kLimit), 0) << up.output();
  EXPECT_THAT(up.output(), HasSubstr(" s 0 pages: none"));

  const fs::path folder = fs::path(TOLLBRIDGE_SOURCE_DIR) / up.folder();
  const std::string reports = ReadFile(folder / "load.log");
  const std::size_t last = reports.rfind("\n{", reports.size() - 2);
  ASSERT_NE(last, std::string::npos) << reports;
  const json::object report = json::parse(reports.substr(last + 1)).as_object();
  EXPECT_EQ(report.at("orders").to_number<int>(), 60);
  EXPECT_THAT(report.at("failed").as_object(), IsEmpty()) << reports;
  std::set<std::string> done;
  for (const auto& [kind, number] : report.at("done").as_object()) done.insert(kind);
  EXPECT_EQ(done, KindsOfOrders());

  const std::string page = ReadFile(folder / "metrics.txt");
  for (const auto* const method : PublishedMethods()) {
    if (kForPeople.contains(method->name())) continue;
    EXPECT_TRUE(IsCounted(page, "grpc_server_handled_total",
                          R"(grpc_code="OK",grpc_method=")" + std::string(method->name()) + "\""))
        << method->full_name();
  }
  EXPECT_TRUE(IsCounted(page, "tollbridge_outbound_exchanges_total",
                        R"(operation="create_order",outcome="unknown")"))
      << "no answer was lost";
  EXPECT_TRUE(IsCounted(page, "tollbridge_events_published_total", R"(what="failed")"))
      << "no payment was declined";
}

/// What pages.py says of a Prometheus with this rule, and its exit code.
Finished Pages(const std::string& rule) {
  const PrometheusServer prometheus("groups: [{name: one, rules: [" + rule + "]}]", {});
  EXPECT_TRUE(Eventually([&] {
    return prometheus.Rules().front().at("health").as_string() == "err" ||
           !prometheus.Query(R"(ALERTS{alertstate="firing"})").empty();
  }));
  return Bash("$TOLLBRIDGE_PYTHON scripts/pages.py --seconds 60 --prometheus " + prometheus.url());
}

TEST(LoadTest, PagesAreNamedWithTheirLabelsAndTicketsDoNotCount) {
  const Finished page =
      Pages("{alert: Wrong, expr: 'vector(1)', labels: {severity: page, role: rpc}}");
  EXPECT_EQ(page.code, 1) << page.error;
  EXPECT_THAT(page.output, HasSubstr("in 60 s 1 pages: Wrong role=rpc\nand 0 tickets: none"));
  const Finished ticket = Pages("{alert: Odd, expr: 'vector(1)', labels: {severity: ticket}}");
  EXPECT_EQ(ticket.code, 0) << ticket.error;
  EXPECT_THAT(ticket.output, HasSubstr("in 60 s 0 pages: none\nand 1 tickets: Odd"));
  // Nobody knows what a rule would have said that cannot be evaluated.
  const Finished unknown =
      Pages("{alert: Broken, expr: 'label_replace(vector(1), \"a b\", \"c\", \"\", \"\")'}");
  EXPECT_EQ(unknown.code, 2) << unknown.output << unknown.error;
  EXPECT_THAT(unknown.output, AllOf(HasSubstr("Broken"), Not(HasSubstr("pages:"))));
}

TEST(LoadTest, WhatIsNoBoundIsRefused) {
  for (const std::string bound :
       {"--minutes 0", "--minutes x", "--orders", "--orders 5 --minutes 5"}) {
    const Finished refused = Bash("./dev up --load " + bound);
    EXPECT_EQ(refused.code, 1) << bound;
    EXPECT_THAT(refused.error, HasSubstr("usage: ./dev up")) << bound;
  }
}

}  // namespace
}  // namespace tollbridge::test
