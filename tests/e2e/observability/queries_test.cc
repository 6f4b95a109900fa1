// Every expression that is shipped, in a real Prometheus that scrapes the real product.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <filesystem>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/e2e/observability/expressions.h"
#include "tests/e2e/observability/prometheus_server.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/http_call.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

using testing::Contains;
using testing::IsEmpty;

constexpr std::string_view kWindow = "5s";
/// Shown by a product that serves with TLS alone, which this one does not
/// (gateway_wiring_test shows it).
constexpr std::string_view kOfTlsAlone = "tollbridge_certificate_not_after_timestamp_seconds";

/// One product, one order of which was paid, and one Prometheus with the rules as they are.
class ExpressionsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    stack_ = std::make_unique<Stack>();
    // How much is used is known of a store that has a bound.
    stack_->RedisCommand({"CONFIG", "SET", "maxmemory", "1gb"});
    prometheus_ = std::make_unique<PrometheusServer>(
        ReadFile(ObservabilityFolder() / "rules/tollbridge.yaml"),
        std::vector<std::string>{stack_->metrics_url()});
    const auto order = OrderOf(CreateOrder(*stack_, OrderRequest("one")));
    PayOnHostedPage(*stack_, order);
    const auto events = stack_->OpenTopic("events");
    ASSERT_TRUE(AwaitEvent(*events, order.id(), kPaymentCompleted));
    // The sweep's gauges begin with the first sweep that got to its end.
    ASSERT_TRUE(Eventually([] {
      metrics_ = ReadMetrics();
      return metrics_.contains("tollbridge_sweep_ended_timestamp_seconds");
    }));
  }
  static void TearDownTestSuite() {
    prometheus_.reset();
    stack_.reset();
  }
  static Stack& stack() { return *stack_; }
  static PrometheusServer& prometheus() { return *prometheus_; }

  static std::vector<Expression> All() {
    std::vector<Expression> all = RuleExpressions();
    for (Expression& expression : DashboardExpressions(kWindow)) {
      all.push_back(std::move(expression));
    }
    return all;
  }
  /// The names on the product's page.
  static const std::set<std::string>& Metrics() { return metrics_; }

 private:
  static std::set<std::string> ReadMetrics() {
    static const std::regex type("# TYPE ([a-z_]+) ");
    const std::string page = HttpGet(stack().metrics_url());
    std::set<std::string> names;
    for (std::sregex_iterator found(page.begin(), page.end(), type), end; found != end; ++found) {
      names.insert((*found)[1]);
    }
    return names;
  }

  static inline std::unique_ptr<Stack> stack_;
  static inline std::unique_ptr<PrometheusServer> prometheus_;
  static inline std::set<std::string> metrics_;
};

TEST_F(ExpressionsTest, SelectMetricsThatTheProductShows) {
  const std::set<std::string> metrics = Metrics();
  const std::set<std::string> recorded = RecordedNames();
  ASSERT_FALSE(All().empty());
  for (const Expression& expression : All()) {
    const std::vector<Selector> selectors = SelectorsOf(expression.text);
    EXPECT_FALSE(selectors.empty()) << expression.where;
    for (const Selector& selector : selectors) {
      if (selector.metric == kOfTlsAlone) continue;
      EXPECT_TRUE(metrics.contains(MetricOf(selector.metric, metrics)) ||
                  recorded.contains(selector.metric))
          << expression.where << ": " << selector.text;
    }
  }
}

TEST_F(ExpressionsTest, PagesNameMetricsThatTheProductShows) {
  const std::set<std::string> metrics = Metrics();
  static const std::regex pattern("[^.a-z_]((tollbridge|grpc_server)_[a-z_]+[a-z])\\b");
  std::vector<std::filesystem::path> pages{RunbookFolder().parent_path() / "guides/operators.md"};
  for (const auto& entry : std::filesystem::directory_iterator(RunbookFolder())) {
    pages.push_back(entry.path());
  }
  for (const std::filesystem::path& page : pages) {
    const std::string text = ReadFile(page);
    for (std::sregex_iterator found(text.begin(), text.end(), pattern), end; found != end;
         ++found) {
      if ((*found)[1].str() == kOfTlsAlone) continue;
      EXPECT_THAT(metrics, Contains(MetricOf((*found)[1].str(), metrics))) << page.filename();
    }
  }
}

/// A matcher that no series has would never fire, and show an empty panel.
TEST_F(ExpressionsTest, EachSelectorHasSeries) {
  std::set<std::string> selectors;
  for (const Expression& expression : All()) {
    for (const Selector& selector : SelectorsOf(expression.text)) {
      if (selector.metric != kOfTlsAlone) selectors.insert(selector.text);
    }
  }
  for (const std::string& selector : selectors) {
    EXPECT_TRUE(Eventually([&] { return !prometheus().Query(selector).empty(); })) << selector;
  }
}

TEST_F(ExpressionsTest, AreAnsweredWithoutAnError) {
  for (const Expression& expression : All()) {
    EXPECT_NO_THROW(prometheus().Query(expression.text)) << expression.where;
  }
}

TEST_F(ExpressionsTest, RulesAreEvaluatedAndNoneFiresWhenAllIsWell) {
  const auto state = [&](const std::string& wanted_health) {
    std::vector<std::string> unlike;
    for (const boost::json::value& rule : prometheus().Rules()) {
      const boost::json::object& it = rule.as_object();
      const std::string name(it.at("name").as_string());
      if (it.at("health").as_string() != wanted_health) unlike.push_back(name + " is not healthy");
      if (it.at("type").as_string() == "alerting" && it.at("state").as_string() != "inactive") {
        unlike.push_back(name + " fires, or is about to");
      }
    }
    return unlike;
  };
  std::vector<std::string> unlike;
  Eventually([&] { return (unlike = state("ok")).empty(); });
  EXPECT_THAT(unlike, IsEmpty());
  EXPECT_FALSE(prometheus().Rules().empty());
}

}  // namespace
}  // namespace tollbridge::test
