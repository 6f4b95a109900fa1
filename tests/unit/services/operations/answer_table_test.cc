// Every row of the table in docs/design/operations.md#rule-3, from the answer to what is recorded
// and told.

#include <string>

#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using ports::Answer;
using test::FakePaymentService;

struct Row {
  std::string name;
  Answer answer;
  v1::OperationState state;
  /// What the caller gets: the reason of an error, "order" or "pending".
  std::string told;
  std::string retry;
};

Answer WithoutErrorObject(int status) { return FakePaymentService::Refused(status, ""); }
Answer WithErrorObject(int status) { return FakePaymentService::Refused(status, "SomeError"); }

std::vector<Row> Rows() {
  Answer empty;
  empty.fate = Answer::Fate::kAnswered;
  return {
      {"NoByteLeft", FakePaymentService::NotSent("breaker open"), v1::OPERATION_STATE_NOT_EXECUTED,
       "NOT_SENT", "SAFE_SAME_KEY"},
      {"Status401", WithErrorObject(401), v1::OPERATION_STATE_NOT_EXECUTED, "UPSTREAM_CREDENTIALS",
       "SAFE_SAME_KEY"},
      {"Status403", WithErrorObject(403), v1::OPERATION_STATE_NOT_EXECUTED, "UPSTREAM_CREDENTIALS",
       "SAFE_SAME_KEY"},
      {"Status429", WithErrorObject(429), v1::OPERATION_STATE_NOT_EXECUTED, "UPSTREAM_RATE_LIMITED",
       "SAFE_SAME_KEY"},
      {"Status400", WithErrorObject(400), v1::OPERATION_STATE_DONE, "UPSTREAM_REFUSED",
       "AFTER_CHANGE"},
      {"Status404", WithErrorObject(404), v1::OPERATION_STATE_DONE, "ORDER_NOT_FOUND",
       "AFTER_CHANGE"},
      {"Status409", WithErrorObject(409), v1::OPERATION_STATE_DONE, "UPSTREAM_REFUSED",
       "AFTER_CHANGE"},
      {"Status422", WithErrorObject(422), v1::OPERATION_STATE_DONE, "UPSTREAM_REFUSED",
       "AFTER_CHANGE"},
      {"Status400WithoutErrorObject", WithoutErrorObject(400), v1::OPERATION_STATE_UNKNOWN,
       "pending", ""},
      {"Status401WithoutErrorObject", WithoutErrorObject(401), v1::OPERATION_STATE_NOT_EXECUTED,
       "UPSTREAM_CREDENTIALS", "SAFE_SAME_KEY"},
      {"Status429WithoutErrorObject", WithoutErrorObject(429), v1::OPERATION_STATE_NOT_EXECUTED,
       "UPSTREAM_RATE_LIMITED", "SAFE_SAME_KEY"},
      {"Status302", WithErrorObject(302), v1::OPERATION_STATE_UNKNOWN, "pending", ""},
      {"Status500", WithErrorObject(500), v1::OPERATION_STATE_UNKNOWN, "pending", ""},
      {"Status503", WithErrorObject(503), v1::OPERATION_STATE_UNKNOWN, "pending", ""},
      {"Status200WithErrorObject", WithErrorObject(200), v1::OPERATION_STATE_UNKNOWN, "pending",
       ""},
      {"ServersOwnErrorUnder400", FakePaymentService::Refused(400, "ServerError"),
       v1::OPERATION_STATE_UNKNOWN, "pending", ""},
      {"RefusalUnder500", FakePaymentService::Refused(500, "ValidationError"),
       v1::OPERATION_STATE_UNKNOWN, "pending", ""},
      {"NoAnswer", FakePaymentService::NoAnswer("timeout"), v1::OPERATION_STATE_UNKNOWN, "pending",
       ""},
      {"EmptyAnswer", empty, v1::OPERATION_STATE_UNKNOWN, "pending", ""},
  };
}

class AnswerTableTest : public EngineTest, public ::testing::WithParamInterface<Row> {
 protected:
  static std::string Told(const Reply& reply) {
    if (!reply.status.ok()) return domain::ReasonOf(reply.status);
    return Response(reply).has_pending() ? "pending" : "order";
  }
};

TEST_P(AnswerTableTest, OnTheFirstAttempt) {
  const Row& row = GetParam();
  service_.AnswerNext(row.answer);
  const Reply reply = Call("key");
  EXPECT_EQ(State("key"), row.state);
  EXPECT_EQ(Told(reply), row.told);
  EXPECT_EQ(Metadata(reply.status, "retry"), row.retry);
  // An error that calls the same key safe must be followed by a call that runs or replays.
  const Reply again = Call("key");
  EXPECT_EQ(Told(again), row.state == v1::OPERATION_STATE_NOT_EXECUTED ? "order" : row.told);
  EXPECT_EQ(service_.created().size(), row.state == v1::OPERATION_STATE_NOT_EXECUTED ? 2U : 1U);
}

TEST_P(AnswerTableTest, AfterAnAttemptThatIsProvenToHaveDoneNothing) {
  const Row& row = GetParam();
  service_.AnswerNext(FakePaymentService::NotSent("connection refused"));
  Call("key");
  service_.AnswerNext(row.answer);
  const Reply reply = Call("key");
  EXPECT_EQ(State("key"), row.state);
  EXPECT_EQ(Told(reply), row.told);
  EXPECT_EQ(looks_.size(), row.told == "pending" ? 1U : 0U) << "as on the first attempt";
}

/// The attempt before it ended by absence, which is no proof.
class LaterAttemptTest : public AnswerTableTest {
 protected:
  Reply CallTwice() {
    const Finding shown = finding_;
    ShowNothing();
    service_.AnswerNext(FakePaymentService::NoAnswer("timeout"));
    Call("key");
    LookUntilAbsenceCounts();
    EXPECT_EQ(State("key"), v1::OPERATION_STATE_NOT_EXECUTED);
    finding_ = shown;
    looks_.clear();
    service_.AnswerNext(GetParam().answer);
    return Call("key");
  }
  bool refused() const { return GetParam().state == v1::OPERATION_STATE_DONE; }
};

TEST_P(LaterAttemptTest, ARefusalIsBelievedWhenEvidenceShowsNoEffect) {
  ShowNothing();
  const Reply reply = CallTwice();
  EXPECT_EQ(State("key"), GetParam().state);
  EXPECT_EQ(Told(reply), GetParam().told);
  const bool asks = refused() || GetParam().told == "pending";
  EXPECT_EQ(looks_.size(), asks ? 1U : 0U);
}

TEST_P(LaterAttemptTest, ARefusalIsBelievedWhereWhatItIsAboutIsNotThere) {
  finding_ = {.presence = Presence::kNoTarget};
  const Reply reply = CallTwice();
  EXPECT_EQ(State("key"), GetParam().state);
  EXPECT_EQ(Told(reply), GetParam().told);
}

TEST_P(LaterAttemptTest, ARefusalIsNotBelievedWhenEvidenceCannotBeRead) {
  const Reply reply = CallTwice();
  EXPECT_EQ(State("key"), refused() ? v1::OPERATION_STATE_UNKNOWN : GetParam().state);
  EXPECT_EQ(Told(reply), refused() ? "pending" : GetParam().told);
}

TEST_P(LaterAttemptTest, TheEffectOfAnEarlierAttemptIsTheOutcome) {
  Show(service_.MakeOrder(Request("other", 500)));
  const Reply reply = CallTwice();
  const bool known = GetParam().state == v1::OPERATION_STATE_NOT_EXECUTED;
  EXPECT_EQ(Told(reply), known ? GetParam().told : "order");
  if (!known) EXPECT_EQ(Response(reply).knowledge(), v1::KNOWLEDGE_RECOVERED);
}

INSTANTIATE_TEST_SUITE_P(Rows, LaterAttemptTest, ::testing::ValuesIn(Rows()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Rows, AnswerTableTest, ::testing::ValuesIn(Rows()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tollbridge::operations
