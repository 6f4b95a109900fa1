// Results that the store does not take: told, tried again, bounded, and told loudly.

#include "base/telemetry/metric_definitions.h"
#include "tests/support/fails_with.h"
#include "tests/support/series.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using test::SeriesOf;

class UnrecordedTest : public EngineTest {
 protected:
  double Waiting() { return SeriesOf(metrics_, telemetry::kResultsUnrecorded, {}).value_or(-1); }
  double Refused() { return SeriesOf(metrics_, telemetry::kResultsRefused, {}).value_or(0); }
  void TryAgain() {
    clock_.Advance(settings_.record_longest_backoff);
    context_.restart();
    context_.poll();
  }
};

TEST_F(UnrecordedTest, WhatTheStoreRefusesIsCountedAndTriedAgain) {
  store_.finish_error = absl::InternalError("a script's error");
  EXPECT_TRUE(Response(Call("key")).has_order());
  EXPECT_EQ(Refused(), 1);
  EXPECT_EQ(Waiting(), 1);
  TryAgain();
  EXPECT_EQ(Refused(), 2);
  store_.finish_error.reset();
  TryAgain();
  EXPECT_EQ(Waiting(), 0);
  EXPECT_EQ(engine_->Pending(), 0U);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE) << "the answer was lost";
}

TEST_F(UnrecordedTest, AStoreThatIsAwayRefusesNothing) {
  store_.fail_finishes = 1;
  Call("key");
  EXPECT_EQ(Refused(), 0);
  EXPECT_EQ(Waiting(), 1);
}

TEST_F(UnrecordedTest, NothingMoreIsSentWhileTooManyWait) {
  constexpr int kMost = 1000;
  store_.finish_error = absl::InternalError("a script's error");
  for (int call = 0; call < kMost; ++call) {
    ASSERT_TRUE(Call("key " + std::to_string(call)).status.ok()) << call;
  }
  const Reply reply = Call("one more");
  EXPECT_THAT(reply.status, FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
  EXPECT_EQ(Metadata(reply.status, "retry"), "SAFE_SAME_KEY");
  EXPECT_EQ(service_.created().size(), std::size_t{kMost});
  EXPECT_EQ(State("one more"), v1::OPERATION_STATE_UNSPECIFIED) << "nothing is claimed either";

  store_.finish_error.reset();
  TryAgain();
  EXPECT_EQ(Waiting(), 0);
  EXPECT_EQ(State("key 0"), v1::OPERATION_STATE_DONE);
  EXPECT_TRUE(Response(Call("one more")).has_order());
}

}  // namespace
}  // namespace tollbridge::operations
