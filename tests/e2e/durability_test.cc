// One key, one effect, and one outcome for ever: also when the process dies in the middle.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/support/stack.h"
#include "tests/support/webhook.h"

namespace tollbridge::test {
namespace {

using std::chrono::steady_clock;
using testing::Each;
using testing::Eq;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t kCallers = 200;
constexpr int kAborted = 10;
constexpr int kFailedPrecondition = 9;

TEST(OneKeyTest, TwoHundredCallsAtOnceCreateOneOrderAndAgreeOnIt) {
  Stack stack;
  const auto request = OrderRequest("two-hundred");
  std::vector<RpcReply> replies(kCallers);
  {
    std::vector<std::jthread> callers;
    for (RpcReply& reply : replies) {
      callers.emplace_back([&] { reply = CreateOrder(stack, request); });
    }
  }

  ASSERT_THAT(stack.SandboxOrders(), SizeIs(1));
  std::set<std::string> answers;
  for (const RpcReply& reply : replies) {
    if (reply.status.ok()) {
      answers.insert(reply.bytes);
      continue;
    }
    EXPECT_EQ(reply.status.code, kAborted) << reply.status.message;
    EXPECT_EQ(reply.status.reason, "OPERATION_IN_PROGRESS");
    EXPECT_TRUE(reply.status.retry_delay.has_value());
  }
  ASSERT_THAT(answers, SizeIs(1));

  const RpcReply again = CreateOrder(stack, request);
  EXPECT_EQ(again.bytes, *answers.begin());
  EXPECT_EQ(OrderOf(again).id(), stack.SandboxOrders()[0].at("id").as_string());
  EXPECT_THAT(stack.SandboxOrders(), SizeIs(1));
}

TEST(OneKeyTest, AnotherAmountUnderTheSameKeyIsRefusedAndMakesNoCall) {
  Stack stack;
  const auto order = OrderOf(CreateOrder(stack, OrderRequest("reused", 1250)));
  const std::string calls =
      "tollbridge_outbound_exchanges_total{operation=\"create_order\",outcome=\"answered\","
      "project=\"demo\"}";
  ASSERT_EQ(stack.Metric(calls), 1);

  const RpcReply other = CreateOrder(stack, OrderRequest("reused", 1251));
  EXPECT_EQ(other.status.code, kFailedPrecondition);
  EXPECT_EQ(other.status.reason, "IDEMPOTENCY_KEY_REUSED");
  EXPECT_EQ(stack.Metric(calls), 1);
  EXPECT_THAT(stack.SandboxOrders(), SizeIs(1));
  EXPECT_EQ(OrderOf(CreateOrder(stack, OrderRequest("reused", 1250))).id(), order.id());
}

struct CrashOfCall {
  std::string hook;
  /// Orders that the payment service has when the process is dead.
  std::size_t orders;
};

void PrintTo(const CrashOfCall& crash, std::ostream* out) { *out << crash.hook; }

class CrashOfCallTest : public testing::TestWithParam<CrashOfCall> {};

TEST_P(CrashOfCallTest, TheKeyIsBusyUntilTheLeaseEndsAndThenPendingAndNothingIsSentAgain) {
  constexpr std::chrono::milliseconds kLease{6100};
  Stack stack(
      {.settings = {
           {"operations",
            {{"send_window", "500ms"}, {"attempt_deadline", "500ms"}, {"lease", "6100ms"}}}}});
  stack.StartGateway({{"TOLLBRIDGE_CRASH_AT", GetParam().hook}});
  const auto request = OrderRequest("crash-" + GetParam().hook);
  const auto began = steady_clock::now();
  EXPECT_FALSE(CreateOrder(stack, request).status.ok());
  const auto exit = stack.gateway().WaitForExit();
  ASSERT_TRUE(exit.has_value());
  ASSERT_EQ(exit->signal, SIGKILL);
  ASSERT_THAT(stack.SandboxOrders(), SizeIs(GetParam().orders));

  stack.StartGateway();
  RpcReply reply = CreateOrder(stack, request);
  if (steady_clock::now() - began < kLease) {
    EXPECT_EQ(reply.status.code, kAborted) << "answered before the lease had ended";
  }
  ASSERT_TRUE(Eventually([&] {
    if (reply.status.code == kAborted) {
      EXPECT_EQ(reply.status.reason, "OPERATION_IN_PROGRESS");
      EXPECT_TRUE(reply.status.retry_delay.has_value());
      reply = CreateOrder(stack, request);
    }
    return reply.status.code != kAborted;
  }));
  EXPECT_GE(steady_clock::now() - began, kLease);
  ASSERT_TRUE(reply.status.ok()) << reply.status.message;
  const auto response = reply.As<payments::v1::CreateOrderResponse>();
  if (response.has_pending()) {
    EXPECT_EQ(response.pending().state(), operations::v1::OPERATION_STATE_UNKNOWN);
  } else {
    // The resolver has found the order before the call came.
    EXPECT_EQ(GetParam().orders, 1U);
    EXPECT_EQ(response.knowledge(), operations::v1::KNOWLEDGE_RECOVERED)
        << response.ShortDebugString();
  }
  EXPECT_THAT(stack.SandboxOrders(), SizeIs(GetParam().orders));
}

INSTANTIATE_TEST_SUITE_P(AtEachPointAfterSent, CrashOfCallTest,
                         testing::Values(CrashOfCall{"operations.after_claim", 0},
                                         CrashOfCall{"operations.before_finish", 1}),
                         [](const auto& info) {
                           return info.param.orders == 0 ? "BeforeTheCall" : "AfterTheCall";
                         });

TEST(RecordedOutcomeTest, AnOutcomeThatWasRecordedIsReplayedByTheNextProcess) {
  Stack stack;
  stack.StartGateway({{"TOLLBRIDGE_CRASH_AT", "operations.after_finish"}});
  const auto request = OrderRequest("crash-after-finish");
  EXPECT_FALSE(CreateOrder(stack, request).status.ok());
  ASSERT_TRUE(stack.gateway().WaitForExit().has_value());
  stack.StartGateway();
  const auto order = OrderOf(CreateOrder(stack, request));
  ASSERT_THAT(stack.SandboxOrders(), SizeIs(1));
  EXPECT_EQ(order.id(), stack.SandboxOrders()[0].at("id").as_string());
}

/// A stack whose gateway dies at a hook of the reader, when it has seen an order paid.
struct CrashOfReader {
  explicit CrashOfReader(const std::string& hook) {
    order = OrderOf(CreateOrder(stack, OrderRequest("paid-at-" + hook)));
    if (!AwaitEvent(*events, order.id(), kPaymentCreated)) ADD_FAILURE() << "no created event";
    stack.gateway().Signal(SIGTERM);
    stack.gateway().WaitForExit();
    stack.StartGateway({{"TOLLBRIDGE_CRASH_AT", hook}});
    PayOnHostedPage(stack, order);
    // An order that was just made is read again soon: the process may be dead before it is told.
    EXPECT_THAT(PostWebhook(stack.webhook_url(), order.id()), testing::AnyOf(200, kNoAnswer));
    const auto exit = stack.gateway().WaitForExit();
    EXPECT_TRUE(exit && exit->signal == SIGKILL) << hook;
    stack.StartGateway();
  }

  /// The completed events, when the hint that the crash has left unfinished is finished.
  std::vector<TopicRecord> Completed() {
    const auto finished = [this] {
      return stack.Metric("tollbridge_reads_total{project=\"demo\",result=\"unchanged\"}") >= 1;
    };
    if (!Eventually(finished)) ADD_FAILURE() << "the hint was lost";
    return EventsOf(events->ReadAll(), order.id(), kPaymentCompleted);
  }

  // Kafka soon gives the dead reader's partitions away.
  Stack stack{{.settings = {{"kafka", {{"session_timeout", "5s"}}}}}};
  std::unique_ptr<Topic> events = stack.OpenTopic("events");
  common::v1::Order order;
};

TEST(CrashOfReaderTest, WhatWasSavedIsPublishedByTheNextProcessAndARepeatIsAnExactCopy) {
  // Side by side, since each waits for Kafka to notice that its reader is dead.
  CrashOfReader before_publishing("events.after_save");
  CrashOfReader after_publishing("events.after_publish");
  CrashOfReader after_clearing("events.after_clear");

  EXPECT_THAT(before_publishing.Completed(), SizeIs(1));
  EXPECT_THAT(after_clearing.Completed(), SizeIs(1));
  const std::vector<TopicRecord> twice = after_publishing.Completed();
  ASSERT_THAT(twice, SizeIs(2));
  EXPECT_EQ(twice[0].partition, twice[1].partition);
  EXPECT_EQ(twice[0].key, twice[1].key);
  EXPECT_EQ(twice[0].value, twice[1].value);
  EXPECT_EQ(twice[0].headers, twice[1].headers);

  for (CrashOfReader* crash : {&before_publishing, &after_publishing, &after_clearing}) {
    std::map<std::string, std::uint64_t> sequences;
    for (const TopicRecord& record : EventsOf(crash->events->records(), crash->order.id())) {
      events::v1::PaymentEvent event;
      ASSERT_TRUE(event.ParseFromString(record.value));
      sequences[event.type()] = event.sequence();
    }
    EXPECT_THAT(sequences, testing::ElementsAre(testing::Pair(kPaymentCompleted, 2),
                                                testing::Pair(kPaymentCreated, 1)));
  }
}

}  // namespace
}  // namespace tollbridge::test
