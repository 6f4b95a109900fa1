// Orders that nobody tells Tollbridge of: no webhook comes, or the order is made elsewhere. The
// poller, the search sweep and the report find them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/core/encoding.h"
#include "services/domain/timestamps.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tollbridge/events/v1/hint.pb.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using WallTime = std::chrono::sys_time<milliseconds>;

constexpr std::string_view kChargebackCompleted = "tollbridge.chargeback.completed.v1";
constexpr seconds kReadInterval{2};

WallTime Now() { return std::chrono::floor<milliseconds>(std::chrono::system_clock::now()); }

std::string TimeText(WallTime time) { return domain::ToRfc3339(time); }

/// No order has a webhook_url, and the sweep comes twice a second.
StackOptions WithoutWebhooks() {
  return {
      .settings = {{"webhooks", {{"public_url", "\"\""}}},
                   {"operations", {{"search_index_lag", "200ms"}}},
                   {"kafka", {{"session_timeout", "5s"}}},
                   {"events", {{"shortest_read_interval", "2s"}, {"longest_read_interval", "2s"}}},
                   {"reconcile",
                    {{"sweep_interval", "500ms"},
                     {"sweep_pages_per_second", "100"},
                     {"sweep_lease", "2s"}}}}};
}

/// A stack and what is done with it. Those that stop a part of it have one of their own.
class ReconcileWorld {
 public:
  explicit ReconcileWorld(const StackOptions& options = WithoutWebhooks()) : stack_(options) {}

  Stack& stack() { return stack_; }
  Topic& events() { return *events_; }
  Topic& hints() { return *hints_; }

  /// An order that is made at the payment service, past Tollbridge.
  std::string MakeAtTheService() {
    const http::Response answer =
        stack_.Http("POST", stack_.sandbox_url() + "/v1/orders/",
                    R"({"currency":"EUR","amount":700,"description":"by the portal"})",
                    {{"Authorization", "Basic " + Base64Encode("sandbox-demo-key:")}});
    if (answer.status != 201 && answer.status != 200) throw std::runtime_error(answer.body);
    return std::string(boost::json::parse(answer.body).as_object().at("id").as_string());
  }
  /// "approve", "chargeback", ... as a bank or the merchant's portal does.
  void DoAtTheService(const std::string& order_id, const std::string& outcome) {
    const http::Response answer =
        stack_.Http("POST", stack_.sandbox_url() + "/_sandbox/orders/" + order_id + "/pay",
                    "{\"outcome\":\"" + outcome + "\"}");
    ASSERT_EQ(answer.status, 200) << answer.body;
  }
  /// Types of the events of the order's family.
  std::vector<std::string> TypesOf(const std::string& order_id) {
    std::vector<std::string> types;
    for (const TopicRecord& event : events_->ReadAll()) {
      if (event.key == order_id) types.push_back(event.header("ce_type"));
    }
    return types;
  }
  /// `tollbridge reconcile report` about the last hours and the next one.
  Finished Report(std::vector<std::string> further = {}) {
    std::vector<std::string> arguments = {
        "reconcile", "report", "--config", stack_.config_path(),
        "--from",    "4h",     "--to",     TimeText(Now() + std::chrono::hours(1))};
    arguments.insert(arguments.end(), further.begin(), further.end());
    return stack_.Tollbridge(arguments);
  }
  /// The group gives the partitions of a gateway that was killed to another only after a while.
  bool AwaitEventAfterAKill(const std::string& order_id, std::string_view type) {
    const auto is_there = [&](const std::vector<TopicRecord>& records) {
      return !EventsOf(records, order_id, type).empty();
    };
    return events_->ReadUntil(is_there, seconds(90));
  }
  std::size_t HintsOfTheSweep() {
    std::size_t count = 0;
    for (const TopicRecord& record : hints_->ReadAll()) {
      events::v1::Hint hint;
      count += hint.ParseFromString(record.value) && hint.source() == events::v1::HINT_SOURCE_SWEEP;
    }
    return count;
  }
  std::size_t HintsBy(events::v1::HintSource source, const std::string& order_id) {
    std::size_t count = 0;
    for (const TopicRecord& record : hints_->ReadAll()) {
      events::v1::Hint hint;
      if (hint.ParseFromString(record.value) && hint.source() == source &&
          hint.order_id() == order_id) {
        ++count;
      }
    }
    return count;
  }

 private:
  Stack stack_;
  std::unique_ptr<Topic> events_ = stack_.OpenTopic("events");
  std::unique_ptr<Topic> hints_ = stack_.OpenTopic("hints");
};

/// One world for all tests of this suite, which look at orders of their own.
class ReconcileTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { world_ = std::make_unique<ReconcileWorld>(); }
  static void TearDownTestSuite() { world_.reset(); }
  static ReconcileWorld& world() { return *world_; }

 private:
  static inline std::unique_ptr<ReconcileWorld> world_;
};

/// A world for each test.
class OwnReconcileTest : public testing::Test {
 protected:
  explicit OwnReconcileTest(const StackOptions& options = WithoutWebhooks()) : world_(options) {}
  ReconcileWorld& world() { return world_; }

 private:
  ReconcileWorld world_;
};

TEST_F(ReconcileTest, WithoutAnyWebhookAnOutcomeIsPublishedWithinTwoPollIntervals) {
  int number = 0;
  const auto longest_of_three = [&] {
    milliseconds longest{0};
    for (int i = 0; i < 3; ++i) {
      const std::string key = "polled-" + std::to_string(++number);
      const auto order = OrderOf(CreateOrder(world().stack(), OrderRequest(key)));
      EXPECT_TRUE(AwaitEvent(world().events(), order.id(), kPaymentCreated));
      PayOnHostedPage(world().stack(), order);
      const WallTime paid = Now();
      EXPECT_TRUE(AwaitEvent(world().events(), order.id(), kPaymentCompleted));
      longest = std::max<milliseconds>(longest, Now() - paid);
    }
    std::cout << "longest from payment to event: " << longest.count() << " ms\n";
    return longest;
  };
  // A busy machine may add to it, but not each time.
  EXPECT_TRUE(Eventually([&] { return longest_of_three() <= 2 * kReadInterval; }, seconds(60)));
  EXPECT_THAT(world().stack().SandboxDeliveries(), IsEmpty()) << "no webhook went out";
}

TEST_F(ReconcileTest, OrdersMadePastTollbridgeAreFoundByTheSweep) {
  const std::string paid = world().MakeAtTheService();
  world().DoAtTheService(paid, "approve");
  const std::string open = world().MakeAtTheService();
  EXPECT_TRUE(AwaitEvent(world().events(), paid, kPaymentCompleted));
  EXPECT_TRUE(AwaitEvent(world().events(), open, kPaymentCreated));
  world().DoAtTheService(open, "decline");
  EXPECT_GE(world().HintsBy(events::v1::HINT_SOURCE_SWEEP, paid), 1U);
  EXPECT_GE(world().stack().Metric("tollbridge_sweep_orders_total{result=\"hinted\"}"), 2);
  EXPECT_GE(world().stack().Metric("tollbridge_sweep_ended_timestamp_seconds{project=\"demo\"}"),
            1);
}

TEST_F(ReconcileTest, ASweepOfKnownOrdersWritesNoHints) {
  const std::string order = world().MakeAtTheService();
  world().DoAtTheService(order, "approve");
  ASSERT_TRUE(AwaitEvent(world().events(), order, kPaymentCompleted));
  const std::string known = "tollbridge_sweep_orders_total{result=\"known\"}";
  const double before = world().stack().Metric(known);
  ASSERT_TRUE(Eventually([&] { return world().stack().Metric(known) > before; }));
  const std::size_t hints = world().HintsBy(events::v1::HINT_SOURCE_SWEEP, order);
  const double later = world().stack().Metric(known);
  Eventually([&] { return world().stack().Metric(known) > later; }, seconds(2));
  EXPECT_EQ(world().HintsBy(events::v1::HINT_SOURCE_SWEEP, order), hints);
}

TEST_F(ReconcileTest, TheOrderOfAPaymentLinkIsFoundByTheSweep) {
  payments::v1::CreatePaymentLinkRequest request;
  request.set_idempotency_key("link");
  request.set_merchant_order_id("invoice 7");
  request.set_amount(800);
  request.set_currency("EUR");
  const RpcReply reply =
      world().stack().grpc().Call("tollbridge.payments.v1.Payments.CreatePaymentLink", request);
  ASSERT_TRUE(reply.status.ok()) << reply.status.message;
  const auto link = reply.As<payments::v1::CreatePaymentLinkResponse>().payment_link();
  PayOnCardPage(world().stack(),
                SubmitForm(world().stack(), link.payment_url(), "method=credit-card"));
  const std::string order(world().stack().SandboxOrders().back().at("id").as_string());
  ASSERT_TRUE(AwaitEvent(world().events(), order, kPaymentCompleted));
  events::v1::PaymentEvent event;
  ASSERT_TRUE(event.ParseFromString(
      EventsOf(world().events().records(), order, kPaymentCompleted).front().value));
  EXPECT_EQ(event.payment_link_id(), link.id());
}

TEST_F(OwnReconcileTest, AProcessThatDiesAfterAHintOfTheSweepLosesNoOrderAndRepeatsNoEvent) {
  world().stack().gateway().Kill();
  std::vector<std::string> orders;
  for (int i = 0; i < 3; ++i) {
    orders.push_back(world().MakeAtTheService());
    world().DoAtTheService(orders.back(), "approve");
  }
  try {
    world().stack().StartGateway({{"TOLLBRIDGE_CRASH_AT", "reconcile.after_sweep_hint"}});
    EXPECT_TRUE(world().stack().gateway().WaitForExit().has_value());
  } catch (const std::runtime_error&) {
    // It was dead before it served.
  }
  // Those beside it may have been under way.
  EXPECT_GE(world().HintsOfTheSweep(), 1U);
  world().stack().StartGateway();
  for (const std::string& order : orders) {
    ASSERT_TRUE(world().AwaitEventAfterAKill(order, kPaymentCompleted)) << order;
    std::set<std::string> ids;
    for (const TopicRecord& event : EventsOf(world().events().ReadAll(), order)) {
      ids.insert(event.header("ce_id"));
    }
    EXPECT_THAT(ids, SizeIs(2));
  }
}

TEST_F(OwnReconcileTest, TheReportFindsWhatWasMissedAndHasItLookedAt) {
  const std::string seen = world().MakeAtTheService();
  world().DoAtTheService(seen, "approve");
  ASSERT_TRUE(AwaitEvent(world().events(), seen, kPaymentCompleted));
  const Finished nothing = world().Report();
  EXPECT_EQ(nothing.code, 0) << nothing.output << nothing.error;
  EXPECT_THAT(nothing.output, HasSubstr("demo: 1 orders: 1 the same"));

  world().stack().gateway().Kill();
  const std::string missed = world().MakeAtTheService();
  world().DoAtTheService(missed, "approve");
  const Finished young = world().Report();
  EXPECT_EQ(young.code, 0) << young.output << young.error;
  EXPECT_THAT(young.output, HasSubstr("1 changing"));

  Finished found;
  ASSERT_TRUE(Eventually([&] { return (found = world().Report({"--json"})).code == 1; }))
      << found.error;
  const std::string line = found.output.substr(0, found.output.find('\n'));
  const boost::json::object difference = boost::json::parse(line).as_object();
  EXPECT_EQ(difference.at("order_id").as_string(), missed);
  EXPECT_EQ(difference.at("difference").as_string(), "missing");
  EXPECT_EQ(difference.at("report_status").as_string(), "completed");
  EXPECT_EQ(world().HintsBy(events::v1::HINT_SOURCE_OPERATOR, missed), 0U);

  std::string untold = ReadFile(world().stack().config_path());
  const std::string operations = world().stack().TopicName("operations");
  untold.replace(untold.find(operations), operations.size(), "nowhere");
  const TempFolder folder;
  const Finished refused =
      world().stack().Tollbridge({"reconcile", "report", "--from", "4h", "--hint", "--config",
                                  folder.Write("untold.yaml", untold)});
  EXPECT_EQ(refused.code, 2) << refused.output;
  EXPECT_THAT(refused.error, HasSubstr("reconcile report --hint cannot be told on nowhere"));
  EXPECT_EQ(world().HintsBy(events::v1::HINT_SOURCE_OPERATOR, missed), 0U);

  const Finished hinted = world().Report({"--hint", "--project", "demo"});
  EXPECT_EQ(hinted.code, 1) << hinted.error;
  EXPECT_THAT(hinted.output,
              AllOf(HasSubstr("demo " + missed + " missing: the report shows completed"),
                    HasSubstr("1 different; hints written for 1")));
  EXPECT_EQ(world().HintsBy(events::v1::HINT_SOURCE_OPERATOR, missed), 1U);
  const auto records = world().stack().OpenTopic("operations");
  EXPECT_TRUE(std::ranges::any_of(records->ReadAll(), [](const TopicRecord& record) {
    operations::v1::OperationRecord told;
    return told.ParseFromString(record.value) &&
           told.privileged().command().name() == "reconcile report --hint" &&
           told.privileged().command().projects().at(0) == "demo";
  }));
  world().stack().StartGateway();
  ASSERT_TRUE(world().AwaitEventAfterAKill(missed, kPaymentCompleted));
  const Finished after = world().Report();
  EXPECT_EQ(after.code, 0) << after.output << after.error;
}

TEST_F(OwnReconcileTest, TheReportRefusesBadInputByNameAndSaysWhenItCannotCompare) {
  const auto refused = [&](std::vector<std::string> arguments, const std::string& why) {
    arguments.insert(arguments.begin(),
                     {"reconcile", "report", "--config", world().stack().config_path()});
    const Finished finished = world().stack().Tollbridge(arguments);
    EXPECT_EQ(finished.code, 2) << finished.output;
    EXPECT_THAT(finished.error, HasSubstr(why));
  };
  const std::string time = "2026-11-21T00:00:00Z";
  refused({"--from", "yesterday", "--to", time}, "--from: must be a time of RFC 3339");
  refused({"--from", time, "--to", "2026-11-22"}, "--to: must be a time of RFC 3339");
  refused({"--from", time, "--to", time}, "--from: must be before --to");
  refused({"--from", time, "--to", "2026-11-22T00:00:00Z", "--project", "nobody"},
          "--project: must be one that is configured: demo");
  world().stack().sandbox().Kill();
  EXPECT_EQ(world().Report().code, 2);
}

/// The payment service's clock stands some time ago, and is put on.
class LateTest : public OwnReconcileTest {
 protected:
  LateTest() : OwnReconcileTest(StandingSince(Now() - std::chrono::hours(3))) {}

  static StackOptions StandingSince(WallTime time) {
    StackOptions options = WithoutWebhooks();
    options.sandbox_arguments = {"--start-time", TimeText(std::chrono::floor<seconds>(time))};
    start_ = std::chrono::floor<seconds>(time);
    return options;
  }
  /// The service's clock stands at what ours will show in a moment, so that no pass of the sweep
  /// can have gone by what happens there now.
  void CatchUp() {
    const auto behind = std::chrono::ceil<seconds>(Now() - start_) + seconds(2);
    start_ += behind;
    const http::Response answer =
        world().stack().Http("POST", world().stack().sandbox_url() + "/_sandbox/clock",
                             "{\"advance\":\"PT" + std::to_string(behind.count()) + "S\"}");
    ASSERT_EQ(answer.status, 200) << answer.body;
  }

  static inline WallTime start_;
};

TEST_F(LateTest, AChargebackLongAfterTheEndIsFoundByTheSweep) {
  const auto order = OrderOf(CreateOrder(world().stack(), OrderRequest("charged-back")));
  PayOnHostedPage(world().stack(), order);
  ASSERT_TRUE(AwaitEvent(world().events(), order.id(), kPaymentCompleted));
  // Final for three hours: nobody reads it again for most of a day.
  CatchUp();
  world().DoAtTheService(order.id(), "chargeback");
  const auto charged_back = [&](const std::vector<TopicRecord>& records) {
    return std::ranges::any_of(records, [&](const TopicRecord& record) {
      return record.key == order.id() && record.header("ce_type") == kChargebackCompleted;
    });
  };
  EXPECT_TRUE(world().events().ReadUntil(charged_back))
      << testing::PrintToString(world().TypesOf(order.id()));
  Finished report;
  EXPECT_TRUE(Eventually([&] {
    report = world().Report();
    return report.output.find("2 orders: 2 the same") != std::string::npos;
  })) << report.output
      << report.error << "the chargeback is known as a member of the order's family";
  EXPECT_EQ(report.code, 0);
}

}  // namespace
}  // namespace tollbridge::test
