// The example consumers keep docs/guides/consumers.md: their ledgers agree with what the payment
// service did, through repeats, kills, new streams and a replay from the beginning.

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tests/e2e/ledger_run.h"
#include "tests/e2e/support/mutations.h"
#include "tests/e2e/support/payments.h"
#include "tests/e2e/wrong_address.h"
#include "tests/support/http_call.h"
#include "tests/support/ledger_programs.h"
#include "tests/support/produce.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using events::v1::PaymentEvent;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr std::chrono::seconds kLimit{120};
constexpr char kOtherStream[] = "0b7e3c9a-51d2-4f0e-9c34-7a1d52e8f604";
constexpr auto kOfTomorrow = static_cast<events::v1::EventWhat>(99);
/// Of every event, so that a ledger cannot be done before it is killed.
constexpr int kCopies = 200;

/// Reads the payload of either encoding.
PaymentEvent Read(const TopicRecord& record) {
  PaymentEvent event;
  const bool read = record.header("content-type") == "application/json"
                        ? google::protobuf::util::JsonStringToMessage(record.value, &event).ok()
                        : event.ParseFromString(record.value);
  EXPECT_TRUE(read) << record.value;
  return event;
}

/// The record with another event in it.
TopicRecord With(TopicRecord record, const PaymentEvent& event) {
  if (record.header("content-type") == "application/json") {
    record.value.clear();
    EXPECT_TRUE(google::protobuf::util::MessageToJsonString(event, &record.value).ok());
    // As a later version would send it: a field and a value that this one has no name for.
    if (event.what() == kOfTomorrow) {
      const std::size_t what = record.value.find("\"what\":99");
      EXPECT_NE(what, std::string::npos) << record.value;
      record.value.replace(what, 9, R"("what":"EVENT_WHAT_SETTLED")");
    }
    record.value.insert(1, R"("fieldOfTomorrow": {"a": [1]}, )");
  } else {
    record.value = event.SerializeAsString() + "\xa2\x3f\x01x";
  }
  return record;
}

/// By program and encoding.
class ConsumerTest : public testing::TestWithParam<std::tuple<LedgerProgram, std::string>> {
 protected:
  ConsumerTest()
      : stack_({.settings = {{"events",
                              {{"encoding", std::get<1>(GetParam())},
                               {"heartbeat_interval", "1s"},
                               {"heartbeat_margin", "100ms"}}}},
                .sandbox_arguments = ImmediateSandbox()}),
        events_(stack_.OpenTopic("events")) {}

  /// One payment, and waits until it is told.
  void PayOne(const std::string& reference) {
    const auto order = OrderOf(CreateOrder(stack_, OrderRequest(reference)));
    paid_ = order.id();
    PayOnHostedPage(stack_, order);
    ASSERT_TRUE(AwaitEvent(*events_, paid_, kPaymentCompleted));
  }
  /// Payments, a chargeback, a refund, a capture and a payout, and waits for what is told of them.
  void MoveMoney() {
    const auto paid = OrderOf(CreateOrder(stack_, OrderRequest("paid")));
    PayOnHostedPage(stack_, paid);
    paid_ = paid.id();
    OrderOf(CreateOrder(stack_, OrderRequest("never-paid")));
    const auto disputed = OrderOf(CreateOrder(stack_, OrderRequest("disputed")));
    PayOnHostedPage(stack_, disputed);
    ASSERT_TRUE(AwaitEvent(*events_, disputed.id(), kPaymentCompleted));
    const http::Response taken =
        HttpCall("POST", stack_.sandbox_url() + "/_sandbox/orders/" + disputed.id() + "/pay",
                 R"({"outcome": "chargeback", "amount": 450})");
    ASSERT_EQ(taken.status / 100, 2) << taken.body;
    for (const Kind kind : {Kind::kRefund, Kind::kCapture, Kind::kPayoutByCard}) {
      const Told told = CallUntilDefinite(stack_.grpc(), Prepare(stack_, kind, "consumers"));
      ASSERT_TRUE(told.result) << told.text();
    }
    // The payout goes out a little after it was taken.
    ASSERT_TRUE(Eventually([&] { return MovedByOrder(stack_).size() == 7; }))
        << boost::json::serialize(stack_.SandboxLedger());
    const auto moved = MovedByOrder(stack_);
    ASSERT_TRUE(events_->ReadUntil(
        [&](const std::vector<TopicRecord>& records) {
          return std::ranges::all_of(moved, [&](const auto& entry) {
            return std::ranges::any_of(EventsOf(records, entry.first),
                                       [](const TopicRecord& record) {
                                         return record.header("ce_type").ends_with(".completed.v1");
                                       });
          });
        },
        kLimit));
    for (const TopicRecord& record : events_->records()) {
      if (!record.header("ce_type").starts_with("tollbridge.chargeback.")) continue;
      EXPECT_EQ(record.key, disputed.id()) << "a member's event belongs to its root";
    }
  }

  /// Exact copies of everything, as the gateway may send them, many times over.
  void RepeatEverything() {
    const std::vector<TopicRecord> once = events_->ReadAll();
    std::vector<TopicRecord> copies;
    for (int i = 0; i < kCopies; ++i) copies.insert(copies.end(), once.begin(), once.end());
    Produce(copies);
  }
  void Produce(const std::vector<TopicRecord>& records) {
    ProduceAll(stack_.brokers(), stack_.TopicName("events"), records);
  }
  /// The last event of the paid order, as it lies in the topic.
  TopicRecord LastOfPaid() {
    const auto events = EventsOf(events_->ReadAll(), paid_, kPaymentCompleted);
    EXPECT_THAT(events, Not(IsEmpty()));
    return events.front();
  }

  std::vector<std::string> Command(const std::vector<std::string>& arguments) const {
    return ledger_.Command(arguments);
  }
  void RunToEnd(const std::string& group = "ledger") const { ledger_.ToEnd(group); }
  boost::json::object Report() const { return ledger_.Report(); }
  void ExpectTheLedgerOfThePaymentService() const { ledger_.ExpectThatOfThePaymentService(); }
  std::vector<std::string> Listed(const char* what) const {
    std::vector<std::string> listed;
    const boost::json::object report = Report();
    for (const auto& entry : report.at(what).as_array()) listed.emplace_back(entry.as_string());
    return listed;
  }
  std::int64_t BookedForPaid() const {
    return Report().at("orders").at(paid_).at("booked").to_number<std::int64_t>();
  }

  Stack stack_;
  LedgerRun ledger_{std::get<0>(GetParam()), stack_};
  std::unique_ptr<Topic> events_;
  std::string paid_;
};

TEST_P(ConsumerTest, AgreesWithThePaymentServiceThroughKillsRepeatsAndReplays) {
  ASSERT_NO_FATAL_FAILURE(MoveMoney());
  RepeatEverything();
  for (int i = 0; i < 3; ++i) {
    Process consumer(Command({}));
    ASSERT_TRUE(consumer.WaitForLine("booked ", kLimit)) << consumer.standard_error();
    consumer.Kill();
  }
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  ExpectTheLedgerOfThePaymentService();
  const auto booked = [&] {
    boost::json::object report = Report();
    report.erase("partitions");
    return report;
  };
  const auto before = booked();
  // The whole topic again, over the same ledger.
  ASSERT_NO_FATAL_FAILURE(RunToEnd("from-the-beginning"));
  EXPECT_EQ(booked(), before);
}

TEST_P(ConsumerTest, KnowsHowFarItIsCompleteAndWhetherAQuietTopicIsBroken) {
  ASSERT_NO_FATAL_FAILURE(PayOne("complete"));
  const TopicRecord last = LastOfPaid();
  const auto noticed = Read(last).noticed_at().seconds() * 1'000;
  const std::string partition = stack_.TopicName("events") + "-" + std::to_string(last.partition);
  const auto complete = [&] {
    RunToEnd();
    const boost::json::object report = Report();
    const boost::json::object& partitions = report.at("partitions").as_object();
    const boost::json::value* own = partitions.if_contains(partition);
    return own != nullptr && own->at("complete_before").to_number<std::int64_t>() > noticed + 1'000;
  };
  ASSERT_TRUE(Eventually(complete, kLimit));
  const auto late = [&] {
    const boost::json::object report = Report();
    return report.at("partitions").at(partition).at("late").as_bool();
  };
  const auto in_time = [&] {
    RunToEnd();
    return !late();
  };
  EXPECT_TRUE(Eventually(in_time, kLimit)) << "nothing happens, and all is well";
  stack_.gateway().Signal(SIGTERM);
  stack_.gateway().WaitForExit();
  EXPECT_TRUE(Eventually(late, kLimit)) << "nothing happens, and nobody would tell";
}

TEST_P(ConsumerTest, TakesWhatOnlyHappensRarely) {
  ASSERT_NO_FATAL_FAILURE(MoveMoney());
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  ExpectTheLedgerOfThePaymentService();

  // The gateway lost its memory: the same event once more, in a new stream.
  const TopicRecord last = LastOfPaid();
  PaymentEvent again = Read(last);
  const std::uint64_t sequence = again.sequence();
  again.set_stream(kOtherStream);
  again.set_sequence(1);
  Produce({With(last, again)});
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  ExpectTheLedgerOfThePaymentService();

  // The order shows something else than was told: nothing is booked until a person has looked.
  PaymentEvent review = again;
  review.set_id("5a0f6e0c-3b7d-5e1a-8c52-4d9b1f20a763");
  review.set_type("tollbridge.payment.needs_review.v1");
  review.set_what(events::v1::EVENT_WHAT_NEEDS_REVIEW);
  review.set_published_what(events::v1::EVENT_WHAT_COMPLETED);
  review.set_observed_what(events::v1::EVENT_WHAT_CANCELLED);
  review.set_sequence(2);
  // What a later version may tell of the way, which this one knows nothing of.
  PaymentEvent tomorrow = review;
  tomorrow.set_is_outcome(false);
  tomorrow.set_id("7c1b8d4e-9f20-5a36-b1e7-20d4c8a95f13");
  tomorrow.set_type("tollbridge.payment.settled.v1");
  tomorrow.set_what(kOfTomorrow);
  tomorrow.set_sequence(3);
  Produce({With(last, review), With(last, tomorrow)});
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  EXPECT_THAT(Listed("review"), ElementsAre(paid_));
  EXPECT_EQ(BookedForPaid(), 1250);
  EXPECT_THAT(Listed("gaps"), IsEmpty());

  // Two numbers of the first stream never came.
  PaymentEvent later = Read(last);
  later.set_id("e2d7a9b4-6c15-5f83-a40d-93b7c6f1e852");
  later.set_sequence(sequence + 3);
  Produce({With(last, later)});
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  EXPECT_THAT(Listed("gaps"), ElementsAre(later.root_order_id()));
  EXPECT_EQ(BookedForPaid(), 1250);
}

/// Of a later version: neither is it taken for progress, nor does it move money.
TEST_P(ConsumerTest, LeavesAnOutcomeThatItDoesNotKnowToAPerson) {
  ASSERT_NO_FATAL_FAILURE(PayOne("of-tomorrow"));
  const TopicRecord last = LastOfPaid();
  PaymentEvent event = Read(last);
  EXPECT_TRUE(event.is_outcome());
  const auto produce = [&](const char* id, const char* about) {
    event.set_id(id);
    event.set_order_id(about);
    event.set_sequence(event.sequence() + 1);
    Produce({With(last, event)});
  };
  constexpr char kWay[] = "1d9c1f70-4b2e-4a68-9f05-c7e1a2d8b364";
  constexpr char kWhat[] = "2d9c1f70-4b2e-4a68-9f05-c7e1a2d8b364";
  constexpr char kKind[] = "3d9c1f70-4b2e-4a68-9f05-c7e1a2d8b364";
  event.set_what(kOfTomorrow);
  event.set_type("tollbridge.payment.settled.v1");
  event.set_is_outcome(false);
  produce("5a0f6e0c-3b7d-5e1a-8c52-4d9b1f20a763", kWay);
  event.set_is_outcome(true);
  produce("7c1b8d4e-9f20-5a36-b1e7-20d4c8a95f13", kWhat);
  event.set_what(events::v1::EVENT_WHAT_COMPLETED);
  event.set_type("tollbridge.instalment.completed.v1");
  event.set_kind(events::v1::EVENT_KIND_UNSPECIFIED);
  produce("e2d7a9b4-6c15-5f83-a40d-93b7c6f1e852", kKind);
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  EXPECT_THAT(Listed("review"), ElementsAre(kWhat, kKind));
  EXPECT_EQ(Report().at("orders").at(kKind).at("booked").to_number<std::int64_t>(), 0);
  EXPECT_EQ(BookedForPaid(), 1250);
}

/// What must never be, and once was after a failover of Redis: money must not be lost by it.
TEST_P(ConsumerTest, SoundsAnAlarmAtANumberWithTwoContentsAndBooksBoth) {
  ASSERT_NO_FATAL_FAILURE(PayOne("twice"));
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  EXPECT_THAT(Listed("alarms"), IsEmpty());
  const TopicRecord last = LastOfPaid();
  // The number of what was told of the order, with what was told of its refund.
  PaymentEvent other = Read(last);
  other.set_id("5a0f6e0c-3b7d-5e1a-8c52-4d9b1f20a763");
  other.set_order_id("3d9c1f70-4b2e-4a68-9f05-c7e1a2d8b364");
  other.set_kind(events::v1::EVENT_KIND_REFUND);
  other.set_type("tollbridge.refund.completed.v1");
  Produce({With(last, other), With(last, other)});
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  EXPECT_THAT(Listed("alarms"), ElementsAre(paid_));
  EXPECT_EQ(Report().at("orders").at(other.order_id()).at("booked").to_number<std::int64_t>(),
            -1250);
  EXPECT_EQ(BookedForPaid(), 1250);
}

TEST_P(ConsumerTest, LeavesAnotherKindThanWasToldToAPerson) {
  ASSERT_NO_FATAL_FAILURE(PayOne("another-kind"));
  const TopicRecord last = LastOfPaid();
  PaymentEvent other = Read(last);
  other.set_id("5a0f6e0c-3b7d-5e1a-8c52-4d9b1f20a763");
  other.set_kind(events::v1::EVENT_KIND_AUTHORIZATION);
  other.set_type("tollbridge.authorization.completed.v1");
  other.set_stream(kOtherStream);
  other.set_sequence(1);
  Produce({With(last, other)});
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  EXPECT_THAT(Listed("review"), ElementsAre(paid_));
  EXPECT_EQ(BookedForPaid(), 1250);
}

/// The gateway lost its memory, and took for an authorization then what it had told as paid.
TEST_P(ConsumerTest, LeavesTheCaptureOfWhatWasToldAsPaidToAPerson) {
  ASSERT_NO_FATAL_FAILURE(PayOne("captured-too"));
  const TopicRecord last = LastOfPaid();
  constexpr char kCapture[] = "1d9c1f70-4b2e-4a68-9f05-c7e1a2d8b364";
  PaymentEvent other = Read(last);
  other.set_id("5a0f6e0c-3b7d-5e1a-8c52-4d9b1f20a763");
  other.set_kind(events::v1::EVENT_KIND_CAPTURE);
  other.set_type("tollbridge.capture.completed.v1");
  other.set_order_id(kCapture);
  other.set_stream(kOtherStream);
  other.set_sequence(1);
  Produce({With(last, other)});
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  EXPECT_THAT(Listed("review"), ElementsAre(kCapture));
  EXPECT_EQ(Report().at("orders").at(kCapture).at("booked").to_number<std::int64_t>(), 0);
  // Nor that of a refund whose kind a needs_review had told otherwise.
  constexpr char kRefund[] = "2d9c1f70-4b2e-4a68-9f05-c7e1a2d8b364";
  other.set_order_id(kRefund);
  const auto produce = [&](const char* id, events::v1::EventKind kind, const char* type,
                           events::v1::EventWhat what) {
    other.set_id(id);
    other.set_kind(kind);
    other.set_type(type);
    other.set_what(what);
    other.set_sequence(other.sequence() + 1);
    Produce({With(last, other)});
  };
  produce("7c1b8d4e-9f20-5a36-b1e7-20d4c8a95f13", events::v1::EVENT_KIND_PAYMENT,
          "tollbridge.payment.needs_review.v1", events::v1::EVENT_WHAT_NEEDS_REVIEW);
  produce("e2d7a9b4-6c15-5f83-a40d-93b7c6f1e852", events::v1::EVENT_KIND_REFUND,
          "tollbridge.refund.completed.v1", events::v1::EVENT_WHAT_COMPLETED);
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  EXPECT_THAT(Listed("review"), ElementsAre(kCapture, kRefund));
  EXPECT_EQ(Report().at("orders").at(kRefund).at("booked").to_number<std::int64_t>(), 0);
  EXPECT_EQ(BookedForPaid(), 1250);
}

TEST_P(ConsumerTest, BooksAnOrderThatFailedAndThenCompletedAndAsksAPersonAboutAnyOtherChange) {
  ASSERT_NO_FATAL_FAILURE(PayOne("failed-first"));
  // The same order as another one, which failed first.
  constexpr char kOther[] = "3d9c1f70-4b2e-4a68-9f05-c7e1a2d8b364";
  TopicRecord last = LastOfPaid();
  last.key = kOther;
  PaymentEvent event = Read(last);
  event.set_order_id(kOther);
  event.set_root_order_id(kOther);
  event.set_stream(kOtherStream);
  const auto produce = [&](const char* id, const char* what, events::v1::EventWhat value) {
    event.set_id(id);
    event.set_type(std::string("tollbridge.payment.") + what + ".v1");
    event.set_what(value);
    event.set_sequence(event.sequence() + 1);
    Produce({With(last, event)});
  };
  const auto booked = [&] {
    return Report().at("orders").at(kOther).at("booked").to_number<std::int64_t>();
  };
  event.set_sequence(0);
  produce("5a0f6e0c-3b7d-5e1a-8c52-4d9b1f20a763", "failed", events::v1::EVENT_WHAT_FAILED);
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  EXPECT_EQ(booked(), 0);
  produce("7c1b8d4e-9f20-5a36-b1e7-20d4c8a95f13", "completed", events::v1::EVENT_WHAT_COMPLETED);
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  EXPECT_EQ(booked(), 1250);
  EXPECT_THAT(Listed("review"), IsEmpty());
  produce("e2d7a9b4-6c15-5f83-a40d-93b7c6f1e852", "cancelled", events::v1::EVENT_WHAT_CANCELLED);
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  EXPECT_EQ(booked(), 1250);
  EXPECT_THAT(Listed("review"), ElementsAre(kOther));
  EXPECT_EQ(BookedForPaid(), 1250);
}

/// Redis comes back without what it wrote while cards were declined, and orders were made and paid,
/// and the ledger booked that; then the declined orders are paid after all.
TEST_P(ConsumerTest, AgreesWithThePaymentServiceAfterRedisWentBackInTime) {
  constexpr int kOrders = 8;
  std::vector<std::string> declined;
  for (int i = 0; i < kOrders; ++i) {
    declined.push_back(OrderOf(CreateOrder(stack_, OrderRequest("d" + std::to_string(i)))).id());
  }
  for (const std::string& order : declined)
    ASSERT_TRUE(AwaitEvent(*events_, order, kPaymentCreated));

  stack_.RedisCommand({"CONFIG", "SET", "appendonly", "no"});
  const auto pay = [&](const std::string& order, const std::string& outcome) {
    const http::Response answer =
        HttpCall("POST", stack_.sandbox_url() + "/_sandbox/orders/" + order + "/pay",
                 R"({"outcome": ")" + outcome + "\"}");
    EXPECT_EQ(answer.status, 200) << answer.body;
  };
  for (const std::string& order : declined) pay(order, "decline");
  for (const std::string& order : declined) {
    ASSERT_TRUE(AwaitEvent(*events_, order, "tollbridge.payment.processing.v1"));
  }
  std::vector<std::string> made;
  for (int i = 0; i < kOrders; ++i) {
    made.push_back(OrderOf(CreateOrder(stack_, OrderRequest("m" + std::to_string(i)))).id());
    pay(made.back(), "approve");
  }
  for (const std::string& order : made) {
    ASSERT_TRUE(AwaitEvent(*events_, order, kPaymentCompleted));
  }
  ASSERT_NO_FATAL_FAILURE(RunToEnd());

  stack_.redis().Restart();
  for (const std::string& order : declined) pay(order, "approve");
  for (const std::string& order : declined) {
    ASSERT_TRUE(AwaitEvent(*events_, order, kPaymentCompleted));
  }
  ASSERT_NO_FATAL_FAILURE(RunToEnd());
  ExpectTheLedgerOfThePaymentService();
  EXPECT_EQ(MovedByOrder(stack_).size(), 2U * kOrders);
}

TEST_P(ConsumerTest, LeavesTestOrdersOutUnlessItIsTold) {
  const auto order = OrderOf(CreateOrder(stack_, OrderRequest("of-a-test-project")));
  ASSERT_TRUE(AwaitEvent(*events_, order.id(), kPaymentCreated));
  std::vector<std::string> command = Command({"--until-end"});
  std::erase(command, "--test-orders");
  const Finished finished = test::Run(command, {}, kLimit);
  ASSERT_EQ(finished.code, 0) << finished.error;
  EXPECT_TRUE(Report().at("orders").as_object().empty());
}

std::string NameOf(const testing::TestParamInfo<ConsumerTest::ParamType>& info) {
  return std::get<0>(info.param).language + "_" + std::get<1>(info.param);
}
INSTANTIATE_TEST_SUITE_P(Example, ConsumerTest,
                         testing::Combine(testing::ValuesIn(LedgerPrograms()),
                                          testing::Values("protobuf", "json")),
                         NameOf);

/// By kind of WrongAddress.
class NoBrokerTest : public testing::TestWithParam<const char*> {};

TEST_P(NoBrokerTest, TheLedgersSayThatThereIsNoBroker) {
  const WrongAddress address(GetParam());
  TempFolder folder;
  for (const LedgerProgram& program : LedgerPrograms()) {
    std::vector<std::string> command = program.command;
    command.insert(command.end(),
                   {"--brokers", address.text(), "--database", folder.PathOf(program.language)});
    ExpectSaysThatItCannotReach(address, command);
  }
}

INSTANTIATE_TEST_SUITE_P(Kind, NoBrokerTest, testing::ValuesIn(kWrongAddresses),
                         [](const auto& kind) { return kind.param; });

TEST(ConsumersTest, TheProgramsAreThere) {
  ASSERT_NE(std::getenv("TOLLBRIDGE_PYTHON"), nullptr) << "./dev test sets it";
  ASSERT_NE(std::getenv("TOLLBRIDGE_GO_LEDGER"), nullptr)
      << "./dev test sets it, to nothing where Go is missing";
}

}  // namespace
}  // namespace tollbridge::test
