// What an error of a read means for its hint.

#include "services/events/read_result.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "services/domain/errors.h"
#include "services/domain/refusal.h"

namespace tollbridge::events {
namespace {

using domain::NoAnswer;
using std::chrono::milliseconds;

TEST(ReadResultTest, AnOpenBreakerSaysNothingOfTheOrder) {
  EXPECT_EQ(OutcomeOfRead(domain::ToError(NoAnswer::kBreaker, milliseconds(1'000))),
            ReadOutcome::kOutage);
}

TEST(ReadResultTest, WhatOurOwnBoundHoldsBackSaysNothingOfTheOrder) {
  EXPECT_EQ(OutcomeOfRead(domain::ToError(NoAnswer::kInFlight, milliseconds(1'000))),
            ReadOutcome::kOutage);
}

TEST(ReadResultTest, WhatMayHaveBeenAskedMayBeTheOrdersFault) {
  EXPECT_EQ(OutcomeOfRead(domain::ToError(NoAnswer::kLate)), ReadOutcome::kNoAnswer);
  EXPECT_EQ(OutcomeOfRead(domain::ToError(NoAnswer::kUnreached)), ReadOutcome::kNoAnswer);
}

TEST(ReadResultTest, AnswersAreJudgedByWhatTheySay) {
  struct Row {
    domain::Refusal refusal;
    ReadOutcome outcome;
  };
  for (const Row& row : std::vector<Row>{
           {{.http_status = 404}, ReadOutcome::kNotFound},
           {{.http_status = 401}, ReadOutcome::kProjectRefused},
           {{.http_status = 403}, ReadOutcome::kProjectRefused},
           {{.http_status = 429}, ReadOutcome::kProjectRefused},
           {{.http_status = 503}, ReadOutcome::kFailed},
           // It says when to come back; an answer all the same.
           {{.http_status = 503, .retry_after = milliseconds(1'000)}, ReadOutcome::kFailed},
       }) {
    SCOPED_TRACE(row.refusal.http_status);
    EXPECT_EQ(OutcomeOfRead(domain::ToError(row.refusal)), row.outcome);
  }
  EXPECT_EQ(OutcomeOfRead(domain::ToError(NoAnswer::kUnreadable)), ReadOutcome::kUnreadable);
}

}  // namespace
}  // namespace tollbridge::events
