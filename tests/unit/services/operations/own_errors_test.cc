// The errors of mutations that are no refusals, written out by hand and compared with the table in
// answers.cc: a row that is only there fails.

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "services/operations/answers.h"

#include "tests/support/fails_with.h"

namespace tollbridge::operations {
namespace {

using absl::StatusCode;
using domain::Retry;

struct Told {
  StatusCode code;
  std::string reason;
  Retry retry;
};

const std::map<OwnError, Told> kExpected = {
    {OwnError::kInProgress, {StatusCode::kAborted, "OPERATION_IN_PROGRESS", Retry::kSafeSameKey}},
    {OwnError::kKeyReused,
     {StatusCode::kFailedPrecondition, "IDEMPOTENCY_KEY_REUSED", Retry::kAfterChange}},
    {OwnError::kOrderBusy, {StatusCode::kAborted, "ORDER_BUSY", Retry::kSafeSameKey}},
    {OwnError::kResultNotKept, {StatusCode::kFailedPrecondition, "RESULT_NOT_KEPT", Retry::kNever}},
    {OwnError::kClosedLongAgo, {StatusCode::kFailedPrecondition, "RESULT_NOT_KEPT", Retry::kNever}},
    {OwnError::kOutboxFull, {StatusCode::kUnavailable, "OUTBOX_FULL", Retry::kSafeSameKey}},
    {OwnError::kSecretUnknown,
     {StatusCode::kUnavailable, "SECRET_KEY_UNKNOWN", Retry::kSafeSameKey}},
    {OwnError::kUnreadable, {StatusCode::kInternal, "INTERNAL", Retry::kSafeSameKey}},
    {OwnError::kStore, {StatusCode::kUnavailable, "STORE_UNAVAILABLE", Retry::kSafeSameKey}},
    {OwnError::kStoreDoubtful, {StatusCode::kUnavailable, "STORE_DOUBTFUL", Retry::kSafeSameKey}},
    {OwnError::kNotSent, {StatusCode::kUnavailable, "NOT_SENT", Retry::kSafeSameKey}},
    {OwnError::kNotVisibleYet,
     {StatusCode::kUnavailable, "UPSTREAM_UNAVAILABLE", Retry::kSafeSameKey}},
    {OwnError::kAnswerLost,
     {StatusCode::kUnavailable, "UPSTREAM_UNAVAILABLE", Retry::kSafeSameKey}},
    {OwnError::kSetupTokenSpent,
     {StatusCode::kFailedPrecondition, "SETUP_TOKEN_SPENT", Retry::kAfterChange}},
};

class OwnErrorTableTest : public ::testing::TestWithParam<OwnErrorRow> {};

TEST_P(OwnErrorTableTest, RowIsAsWrittenHere) {
  const OwnErrorRow& row = GetParam();
  const auto expected = kExpected.find(row.error);
  ASSERT_NE(expected, kExpected.end()) << row.message << ": has no row here";
  EXPECT_EQ(row.code, expected->second.code);
  EXPECT_EQ(std::string(row.reason), expected->second.reason);
  EXPECT_EQ(row.retry, expected->second.retry);
  const absl::Status error = MakeOwnError(row.error, "");
  EXPECT_THAT(error, FailsWith(row.code, expected->second.reason));
}

INSTANTIATE_TEST_SUITE_P(Rows, OwnErrorTableTest, ::testing::ValuesIn(OwnErrors()),
                         [](const auto& info) {
                           return std::to_string(static_cast<int>(info.param.error));
                         });

TEST(OwnErrorTable, WhatWasClosedLongAgoSaysWhatBecameOfIt) {
  const absl::Status error = ClosedLongAgo("7d444840-9dc0-11d1-b245-5ffdce74fad2",
                                           v1::OPERATION_STATE_NOT_EXECUTED, "order");
  EXPECT_THAT(error, FailsWith(StatusCode::kFailedPrecondition, "RESULT_NOT_KEPT"));
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(
      info.ParseFromString(std::string(*error.GetPayload(std::string(domain::kErrorInfoUrl)))));
  EXPECT_EQ(info.metadata().at("state"), "OPERATION_STATE_NOT_EXECUTED");
  EXPECT_EQ(info.metadata().at("order_id"), "order");
  EXPECT_EQ(info.metadata().at("operation_id"), "7d444840-9dc0-11d1-b245-5ffdce74fad2");
  EXPECT_EQ(info.metadata().at("retry"), "NEVER");
}

TEST(OwnErrorTable, HasAllRowsThatAreWrittenHere) {
  EXPECT_EQ(OwnErrors().size(), kExpected.size());
}

}  // namespace
}  // namespace tollbridge::operations
