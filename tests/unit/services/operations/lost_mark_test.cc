// What an answer, or a list, says of a description mark that the service did not keep.

#include "base/telemetry/metric_definitions.h"
#include "services/domain/mark.h"
#include "tests/support/series.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using test::FakePaymentService;
using test::SeriesOf;

class LostMarkTest : public EngineTest {
 protected:
  LostMarkTest() {
    kind_.by_search = false;
    kind_.on_absence = OnAbsence::kNeedsReview;
  }
  Plan Marked(const std::string& key) {
    Plan plan = MakePlan(Request(key, 500));
    plan.steps.front().target.marked = true;
    return plan;
  }
  /// The answer shows this description.
  Reply Answered(const std::string& key, const std::string& description) {
    common::v1::Order order = service_.MakeOrder(Request(key, 500));
    order.set_description(description);
    service_.AnswerNext(FakePaymentService::Answered(order));
    return Run(Marked(key));
  }
  double Lost() {
    return SeriesOf(metrics_, telemetry::kDescriptionMarksLost, {"shop"}).value_or(-1);
  }
  static std::string MarkOf(const std::string& key) {
    return domain::DescriptionMark(OperationId(TestProject().id, key));
  }
  /// An order of that amount is there, and shows no mark.
  void ShowUnmarked() {
    finding_ = {.presence = Presence::kAbsent, .reason = "order x", .perhaps_unmarked = true};
  }
};

TEST_F(LostMarkTest, AnAnswerWithoutTheMarkIsCountedAndItsStepIsUnmarked) {
  EXPECT_TRUE(Answered("kept", MarkOf("kept") + " shoes").status.ok());
  EXPECT_EQ(Lost(), 0);
  EXPECT_TRUE(store_.finishes.back().step.marked);
  for (const std::string& cut : {std::string(), std::string("[tb:0123"), MarkOf("kept")}) {
    const double before = Lost();
    EXPECT_TRUE(Answered("key" + cut, cut).status.ok()) << "it was done all the same";
    EXPECT_EQ(Lost(), before + 1) << cut;
    EXPECT_FALSE(store_.finishes.back().step.marked) << cut;
  }
}

TEST_F(LostMarkTest, AStepThatIsNotMarkedLosesNone) {
  Call("key");
  EXPECT_EQ(Lost(), 0);
}

TEST_F(LostMarkTest, InDoubtAnOrderThatMayBeOursIsForAPerson) {
  memory_.LoseMemory();
  ShowUnmarked();
  clock_.Advance(std::chrono::hours(1));
  Run(Marked("first"));  // the doubt begins
  clock_.Advance(Quarantine(settings_, false));
  const Reply reply = Run(Marked("key"));
  EXPECT_TRUE(Response(reply).has_pending());
  EXPECT_EQ(Record("key").review_reason(), ports::review::kAmbiguous);
  EXPECT_TRUE(service_.created().empty()) << "sent a second time";
  ShowNothing();
  EXPECT_TRUE(Response(Run(Marked("other"))).has_order());
}

TEST_F(LostMarkTest, ARefusalIsNotBelievedWhereAnOrderMayBeOurs) {
  ShowUnmarked();
  service_.AnswerNext(FakePaymentService::Refused(422, "RefundError"));
  EXPECT_TRUE(Response(Run(Marked("key"))).has_pending());
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
  LookUntilAbsenceCounts();
  EXPECT_EQ(Record("key").review_reason(), ports::review::kAbsentNotRepeatable);
  EXPECT_THAT(Record("key").transitions().rbegin()->evidence(), ::testing::HasSubstr("order x"));
}

}  // namespace
}  // namespace tollbridge::operations
