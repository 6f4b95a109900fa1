// The example consumers book the same out of the same events, and what docs/guides/consumers.md
// says of them: sequences that the gateway does not tell on a usual day.

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "services/domain/event_id.h"
#include "tests/e2e/ledger_run.h"
#include "tests/support/ledger_programs.h"
#include "tests/support/produce.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

using events::v1::EventKind;
using events::v1::EventWhat;
using events::v1::PaymentEvent;

constexpr auto kPayment = events::v1::EVENT_KIND_PAYMENT;
constexpr auto kAuthorization = events::v1::EVENT_KIND_AUTHORIZATION;
constexpr auto kRefund = events::v1::EVENT_KIND_REFUND;
constexpr auto kCapture = events::v1::EVENT_KIND_CAPTURE;
constexpr auto kVoid = events::v1::EVENT_KIND_VOID;
constexpr auto kFunding = events::v1::EVENT_KIND_ACCOUNT_FUNDING;
constexpr auto kOfTomorrow = static_cast<EventKind>(99);
constexpr auto kCompleted = events::v1::EVENT_WHAT_COMPLETED;
constexpr auto kFailed = events::v1::EVENT_WHAT_FAILED;
constexpr auto kReview = events::v1::EVENT_WHAT_NEEDS_REVIEW;
constexpr auto kOrderCompleted = common::v1::ORDER_STATUS_COMPLETED;
constexpr auto kOrderError = common::v1::ORDER_STATUS_ERROR;
/// What is told again, or after lost memory, is told in another stream.
constexpr char kSecond[] = "second";
constexpr std::int64_t kWidest = std::numeric_limits<std::int64_t>::max();
const std::string kJson = "application/json";

/// What an event of a case says; the rest follows from its place.
struct Step {
  /// Of the case's family: "root", or a member.
  std::string order;
  EventKind kind = kPayment;
  EventWhat what = kCompleted;
  std::optional<std::int64_t> amount = 700;
  std::string currency = "EUR";
  std::string stream = "first";
  common::v1::OrderStatus status = common::v1::ORDER_STATUS_UNSPECIFIED;
};

struct Case {
  std::string name;
  std::vector<Step> steps;
  /// By order, where it is not 0.
  std::map<std::string, std::int64_t> booked;
  std::set<std::string> review;
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"absent is not 0", {{.order = "root", .amount = std::nullopt}}, {}, {"root"}},
      {"no currency", {{.order = "root", .currency = ""}}, {}, {"root"}},
      {"negative", {{.order = "root", .amount = -5}}, {}, {"root"}},
      {"negative refund",
       {{.order = "root"}, {.order = "part", .kind = kRefund, .amount = -5}},
       {{"root", 700}},
       {"part"}},
      {"0 is an amount", {{.order = "root", .amount = 0}}, {}, {}},
      {"nothing is moved",
       {{.order = "root", .kind = kAuthorization, .amount = std::nullopt}},
       {},
       {}},
      {"wide", {{.order = "root", .amount = kWidest, .currency = "JPY"}}, {{"root", kWidest}}, {}},
      {"wide too",
       {{.order = "root", .amount = kWidest, .currency = "JPY"}},
       {{"root", kWidest}},
       {}},

      // The kind of an order is that of its first outcome, of a needs_review too.
      {"capture, then payment",
       {{.order = "part", .kind = kCapture}, {.order = "root"}},
       {{"part", 700}},
       {"root"}},
      {"review of a capture, then payment",
       {{.order = "part", .kind = kCapture, .what = kReview}, {.order = "root"}},
       {},
       {"part", "root"}},
      {"review of a void, then funding",
       {{.order = "part", .kind = kVoid, .what = kReview}, {.order = "root", .kind = kFunding}},
       {},
       {"part", "root"}},
      {"review of a payment, then capture",
       {{.order = "root", .what = kReview}, {.order = "part", .kind = kCapture}},
       {},
       {"part", "root"}},
      {"refund that shows as a capture, then payment",
       {{.order = "part", .kind = kRefund}, {.order = "part", .kind = kCapture}, {.order = "root"}},
       {{"root", 700}, {"part", -700}},
       {"part"}},
      {"kind of tomorrow, then payment",
       {{.order = "root", .kind = kOfTomorrow}, {.order = "root"}},
       {},
       {"root"}},
      {"payment, then kind of tomorrow",
       {{.order = "root"}, {.order = "root", .kind = kOfTomorrow}},
       {{"root", 700}},
       {"root"}},

      {"failed, then completed",
       {{.order = "root", .what = kFailed, .status = kOrderError},
        {.order = "root", .status = kOrderCompleted}},
       {{"root", 700}},
       {}},
      {"lost failed, told again with what followed",
       {{.order = "root", .status = kOrderCompleted},
        {.order = "root", .what = kFailed, .stream = kSecond, .status = kOrderCompleted},
        {.order = "root", .stream = kSecond, .status = kOrderCompleted}},
       {{"root", 700}},
       {}},
      {"lost failed, told again alone",
       {{.order = "root", .status = kOrderCompleted},
        {.order = "root", .what = kFailed, .stream = kSecond, .status = kOrderCompleted}},
       {{"root", 700}},
       {}},
      {"completed, and failed after lost memory",
       {{.order = "root", .status = kOrderCompleted},
        {.order = "root", .what = kFailed, .stream = kSecond, .status = kOrderError}},
       {{"root", 700}},
       {"root"}},
      {"failed as another kind",
       {{.order = "root", .status = kOrderCompleted},
        {.order = "root",
         .kind = kAuthorization,
         .what = kFailed,
         .stream = kSecond,
         .status = kOrderCompleted}},
       {{"root", 700}},
       {"root"}},
  };
  return cases;
}

PaymentEvent EventOf(const std::string& family, const Step& step) {
  PaymentEvent event;
  event.set_order_id(family + "/" + step.order);
  event.set_root_order_id(family + "/root");
  event.set_kind(step.kind);
  event.set_what(step.what);
  event.set_type(step.kind == kOfTomorrow ? "tollbridge.instalment.completed.v1"
                                          : domain::EventType(step.kind, step.what));
  event.set_id(event.order_id() + " " + event.type());
  event.set_is_outcome(true);
  event.set_test(true);
  event.set_stream(step.stream);
  if (step.status != common::v1::ORDER_STATUS_UNSPECIFIED) event.set_status(step.status);
  if (step.amount) event.set_amount(*step.amount);
  if (!step.currency.empty()) event.set_currency(step.currency);
  return event;
}

TopicRecord RecordOf(const PaymentEvent& event, const std::string& content_type) {
  TopicRecord record;
  record.key = event.root_order_id();
  record.headers = {{"content-type", content_type}, {"ce_type", event.type()}};
  record.value = event.SerializeAsString();
  if (content_type == kJson) {
    record.value.clear();
    EXPECT_TRUE(google::protobuf::util::MessageToJsonString(event, &record.value).ok());
    // As a later version would send it.
    const std::size_t kind = record.value.find("\"kind\":99");
    if (kind != std::string::npos)
      record.value.replace(kind, 9, R"("kind":"EVENT_KIND_INSTALMENT")");
  }
  return record;
}

std::vector<TopicRecord> RecordsOf(const Case& each, const std::string& content_type) {
  std::vector<TopicRecord> records;
  std::map<std::string, std::uint64_t> sequences;
  for (const Step& step : each.steps) {
    PaymentEvent event = EventOf(each.name, step);
    event.set_sequence(++sequences[step.stream]);
    records.push_back(RecordOf(event, content_type));
  }
  return records;
}

/// By content-type.
class LedgersAgreeTest : public testing::TestWithParam<std::string> {};

TEST_P(LedgersAgreeTest, OnWhatTheGuideSays) {
  Stack stack;
  std::map<std::string, std::int64_t> booked;
  std::set<std::string> review;
  for (const Case& each : Cases()) {
    ProduceAll(stack.brokers(), stack.TopicName("events"), RecordsOf(each, GetParam()));
    for (const auto& [order, amount] : each.booked) booked[each.name + "/" + order] = amount;
    for (const std::string& order : each.review) review.insert(each.name + "/" + order);
  }
  std::set<std::string> balances;
  for (const LedgerProgram& program : LedgerPrograms()) {
    SCOPED_TRACE(program.language);
    const LedgerRun ledger(program, stack);
    ASSERT_NO_FATAL_FAILURE(ledger.ToEnd());
    const boost::json::object report = ledger.Report();
    std::map<std::string, std::int64_t> moved;
    for (const auto& [order, entry] : report.at("orders").as_object()) {
      const auto amount = entry.at("booked").to_number<std::int64_t>();
      if (amount != 0) moved.emplace(order, amount);
    }
    EXPECT_EQ(moved, booked);
    std::set<std::string> left;
    for (const auto& order : report.at("review").as_array()) left.emplace(order.as_string());
    EXPECT_EQ(left, review);
    EXPECT_THAT(report.at("gaps").as_array(), testing::IsEmpty());
    EXPECT_EQ(report.at("balances").at("JPY").to_number<std::uint64_t>(),
              2 * static_cast<std::uint64_t>(kWidest));
    balances.insert(boost::json::serialize(report.at("balances").at("EUR")));
  }
  EXPECT_EQ(balances.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Encoding, LedgersAgreeTest, testing::Values("application/protobuf", kJson),
                         [](const auto& info) { return info.param.substr(12); });

}  // namespace
}  // namespace tollbridge::test
