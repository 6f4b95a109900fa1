// Each alert that is shipped, seen to fire once on the real product. The rules are those of the
// file, shortened (ShortenedRules), so that it takes seconds.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/encoding.h"
#include "tests/e2e/observability/expressions.h"
#include "tests/e2e/observability/prometheus_server.h"
#include "tests/e2e/support/mutations.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

namespace json = boost::json;

/// Long enough for a machine that is busy to be scraped several times in it.
constexpr std::string_view kWindow = "5s";
/// Of files that wear out with time, or that this product does not have: promtool alone shows that
/// they fire.
const std::set<std::string> kByPromtoolAlone = {"TollbridgeCertificateEnds",
                                                "TollbridgeSecretFileUnusable"};

StackOptions Options() {
  StackOptions options{.settings = ShortIntervals(), .sandbox_arguments = ImmediateSandbox()};
  options.settings["process"]["roles"] = "[rpc]";
  options.settings["webhooks"]["public_url"] = "''";
  options.settings["payment_service"]["breaker_open"] = "1s";
  // The sweep alone finds what nobody told of, and soon.
  options.settings["reconcile"]["sweep_interval"] = "1s";
  return options;
}

/// The product in two processes, so that roles can be missing, and a Prometheus over both.
class AlertsTest : public testing::Test {
 protected:
  /// Waits until these alerts fire at the same time, and notes that they were seen.
  void ExpectFiring(const std::set<std::string>& names) {
    EXPECT_TRUE(Eventually([&] {
      firing_ = prometheus_.Firing();
      return std::ranges::includes(firing_, names);
    })) << testing::PrintToString(names)
        << " wanted, firing: " << testing::PrintToString(firing_);
    seen_.insert(names.begin(), names.end());
  }
  /// Creates orders until these fire at the same time, whatever the calls are answered.
  void CallUntilFiring(const std::set<std::string>& names) {
    EXPECT_TRUE(Eventually([&] {
      CreateOrder(stack_, OrderRequest("call-" + std::to_string(++calls_)),
                  {.deadline = std::chrono::seconds(3)});
      return std::ranges::includes(firing_ = prometheus_.Firing(), names);
    })) << testing::PrintToString(names)
        << " wanted, firing: " << testing::PrintToString(firing_);
    seen_.insert(names.begin(), names.end());
  }
  /// Waits until these do not fire any more.
  void ExpectOver(const std::set<std::string>& names) {
    EXPECT_TRUE(Eventually([&] {
      firing_ = prometheus_.Firing();
      return std::ranges::none_of(names, [&](const auto& name) { return firing_.contains(name); });
    })) << testing::PrintToString(names)
        << " to be over, firing: " << testing::PrintToString(firing_);
  }
  void ExpectSilence() {
    EXPECT_TRUE(Eventually([&] { return (firing_ = prometheus_.Firing()).empty(); }))
        << testing::PrintToString(firing_);
  }
  bool HasSeries(const std::string& selector) { return !prometheus_.Query(selector).empty(); }

  common::v1::Order NewOrder(const std::string& key) {
    return OrderOf(CreateOrder(stack_, OrderRequest(key)));
  }

  /// An order that carries the mark of the operation that made `order`, made at the payment service
  /// itself, and paid.
  void PayATwinOf(const common::v1::Order& order) {
    const http::Headers merchant{{"Authorization", "Basic " + Base64Encode("sandbox-demo-key:")},
                                 {"Content-Type", "application/json"}};
    const auto call = [&](const std::string& method, const std::string& path,
                          const std::string& body) {
      const http::Response answer =
          stack_.Http(method, stack_.sandbox_url() + path, body, merchant);
      if (answer.status >= 300) throw std::runtime_error(path + ": " + answer.body);
      return json::parse(answer.body).as_object();
    };
    const json::object original = call("GET", "/v1/orders/" + order.id() + "/", "");
    json::object twin{{"amount", 1250}, {"currency", "EUR"}, {"extra", original.at("extra")}};
    for (const char* field : {"return_url", "failure_url"}) {
      if (const json::value* url = original.if_contains(field)) twin[field] = *url;
    }
    const json::object made = call("POST", "/v1/orders/", json::serialize(twin));
    call("POST", "/_sandbox/orders/" + std::string(made.at("id").as_string()) + "/pay",
         R"({"outcome":"approve"})");
  }

  Stack stack_{Options()};
  std::unique_ptr<GatewayProcess> pipeline_ =
      stack_.OneMoreGateway({}, {"webhooks", "events", "reconcile"});
  PrometheusServer prometheus_{ShortenedRules(kWindow),
                               {stack_.metrics_url(), pipeline_->metrics_url()}};
  std::set<std::string> firing_;
  std::set<std::string> seen_;
  int calls_ = 0;
};

TEST_F(AlertsTest, EachFiresOnTheRealProduct) {
  const common::v1::Order order = NewOrder("before");
  EXPECT_TRUE(Eventually([&] {
    return HasSeries("tollbridge:calls_failed:ratio_rate5m") &&
           HasSeries("tollbridge_sweep_ended_timestamp_seconds");
  }));
  ExpectSilence();

  // Something that is no hint stands on the topic of hints.
  ProduceTo(stack_.brokers(), stack_.TopicName("hints"), "key", "no hint");
  ExpectFiring({"TollbridgeDeadLetters"});

  // An outbox of long ago that nobody publishes: what a reader that died at it leaves in the index.
  stack_.RedisCommand({"ZADD", DemoKey("pending"), "1", "sixteen bytes id"});
  ExpectFiring({"TollbridgeOutboxesPending"});
  stack_.RedisCommand({"ZREM", DemoKey("pending"), "sixteen bytes id"});
  ExpectOver({"TollbridgeOutboxesPending"});

  // A refund is lost on its way.
  const Mutation refund = Prepare(stack_, Kind::kRefund, "lost");
  stack_.SandboxFaults(FirstCallMeets(Kind::kRefund, R"({"kind":"drop_before"})"));
  EXPECT_TRUE(CallUntilDefinite(stack_.grpc(), refund).pending);
  ExpectFiring({"TollbridgeOperationsNeedReview"});

  // Another order of the same operation comes into being, and is paid.
  PayATwinOf(order);
  ExpectFiring({"TollbridgePaidOrphan"});
  ExpectOver({"TollbridgeDeadLetters"});

  // The payment service hangs.
  stack_.sandbox().Pause();
  EXPECT_EQ(PostWebhook(pipeline_->ingress_origin() +
                            stack_.webhook_url().substr(stack_.ingress_origin().size()),
                        order.id()),
            200);
  CallUntilFiring({"TollbridgeOutcomesUnknown", "TollbridgeOutcomesUnknownSlowly"});
  CallUntilFiring({"TollbridgeCallsFail", "TollbridgeCallsFailSlowly", "TollbridgeBreakerOpen"});
  ExpectFiring({"TollbridgeOperationOverdue", "TollbridgeEventsLate", "TollbridgeSweepStale"});
  stack_.sandbox().Signal(SIGCONT);
  ExpectOver({"TollbridgeOutcomesUnknown", "TollbridgeCallsFail", "TollbridgeBreakerOpen",
              "TollbridgeOperationOverdue", "TollbridgeEventsLate", "TollbridgeSweepStale"});

  // Redis is away: what it alone knows is not shown any more.
  EXPECT_TRUE(HasSeries("tollbridge_due_orders_oldest_seconds"));
  stack_.redis().Stop();
  ExpectFiring({"TollbridgeStoreAway", "TollbridgeNobodyResolves"});
  for (const std::string gauge :
       {"tollbridge_oldest_unresolved_operation_seconds", "tollbridge_operations_unresolved",
        "tollbridge_operations_needs_review",
        "tollbridge_oldest_undrained_operation_record_seconds",
        "tollbridge_due_orders_oldest_seconds", "tollbridge_outboxes_oldest_seconds",
        "tollbridge_outboxes_pending", "tollbridge_sweep_ended_timestamp_seconds"}) {
    EXPECT_TRUE(Eventually([&] { return !HasSeries(gauge); })) << gauge;
  }
  stack_.redis().Restart();
  ExpectOver({"TollbridgeStoreAway", "TollbridgeNobodyResolves"});
  // It may have lost its last writes: the next mutation finds that it is another process.
  static_cast<void>(CreateOrder(stack_, OrderRequest("after")));
  ExpectFiring({"TollbridgeStoreDoubtful"});
  for (const std::string gauge :
       {"tollbridge_operations_unresolved", "tollbridge_due_orders_oldest_seconds",
        "tollbridge_sweep_ended_timestamp_seconds"}) {
    EXPECT_TRUE(Eventually([&] { return HasSeries(gauge); })) << gauge;
  }

  // The process with all roles but rpc dies. What happens from now on stays in Redis.
  pipeline_->process().Kill();
  CallUntilFiring({"TollbridgeRoleMissing", "TollbridgeRecordsNotDrained"});

  for (const Alert& alert : ShippedAlerts()) {
    if (kByPromtoolAlone.contains(alert.name)) continue;
    EXPECT_TRUE(seen_.contains(alert.name)) << alert.name << " has not been seen to fire";
  }
}

}  // namespace
}  // namespace tollbridge::test
