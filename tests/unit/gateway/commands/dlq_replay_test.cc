#include "gateway/commands/dlq_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tollbridge::gateway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kOrder[] = "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10";
constexpr char kMember[] = "99999999-93b1-4f7a-8a53-1d0f6a4c2b10";
const WallTime kNow{std::chrono::seconds(1'767'225'600)};

PlacedLetter Letter(std::int64_t offset, const std::string& project, const std::string& member) {
  events::v1::Hint hint;
  hint.set_order_id(kOrder);
  hint.set_project(project);
  hint.set_source(events::v1::HINT_SOURCE_WEBHOOK);
  if (!member.empty()) hint.set_member(member);
  PlacedLetter letter;
  letter.place = {.partition = 1, .offset = offset};
  letter.letter.record.value = hint.SerializeAsString();
  return letter;
}

class DlqReplayTest : public testing::Test {
 protected:
  DlqReplay::Write Writer() {
    return [this](const events::v1::Hint& hint, const telemetry::TraceContext&) {
      if (answer_.ok()) written_.push_back(hint);
      return answer_;
    };
  }

  domain::Projects projects_{{domain::Project{.name = "shop"}}};
  std::vector<events::v1::Hint> written_;
  absl::Status answer_;
};

TEST_F(DlqReplayTest, WritesTheHintAsItWasButFromTheOperatorAndNow) {
  DlqReplay replay(projects_, Writer());
  ASSERT_TRUE(replay.Take(Letter(1, "shop", kMember), kNow).ok());
  ASSERT_THAT(written_, SizeIs(1));
  EXPECT_EQ(written_[0].order_id(), kOrder);
  EXPECT_EQ(written_[0].member(), kMember);
  EXPECT_EQ(written_[0].project(), "shop");
  EXPECT_EQ(written_[0].source(), events::v1::HINT_SOURCE_OPERATOR);
  EXPECT_EQ(written_[0].noticed_at().seconds(), 1'767'225'600);
  EXPECT_THAT(replay.Text(), HasSubstr("1 letter: 1 hint written, 0 letters refused\n"));
}

TEST_F(DlqReplayTest, SeveralLettersOfAnOrderAreOneHintAndAMemberIsAnother) {
  DlqReplay replay(projects_, Writer());
  for (const char* member : {"", "", kMember}) {
    ASSERT_TRUE(replay.Take(Letter(1, "shop", member), kNow).ok());
  }
  EXPECT_THAT(written_, SizeIs(2));
  EXPECT_THAT(replay.Text(), HasSubstr("3 letters: 2 hints written"));
}

TEST_F(DlqReplayTest, WhatTheReaderWouldBuryAgainIsRefusedByName) {
  DlqReplay replay(projects_, Writer());
  PlacedLetter junk = Letter(7, "shop", "");
  junk.letter.record.value = "\xff";
  ASSERT_TRUE(replay.Take(junk, kNow).ok());
  ASSERT_TRUE(replay.Take(Letter(8, "closed", ""), kNow).ok());
  EXPECT_THAT(written_, IsEmpty());
  EXPECT_EQ(replay.refused(), 2U);
  EXPECT_THAT(replay.Text(), AllOf(HasSubstr("refused 1:7: it holds no hint\n"),
                                   HasSubstr("refused 1:8: it names no configured project\n")));
}

TEST_F(DlqReplayTest, ALetterThatWasCutIsRefused) {
  DlqReplay replay(projects_, Writer());
  PlacedLetter cut = Letter(7, "shop", "");
  cut.letter.cut_from = {.value_bytes = 1'000'001, .value_sha256 = "ab12"};
  ASSERT_TRUE(replay.Take(cut, kNow).ok());
  EXPECT_THAT(written_, IsEmpty());
  EXPECT_THAT(replay.Text(), HasSubstr("refused 1:7: it was cut\n"));
}

TEST_F(DlqReplayTest, ADryRunCountsAndWritesNothing) {
  DlqReplay replay(projects_, nullptr);
  ASSERT_TRUE(replay.Take(Letter(1, "shop", ""), kNow).ok());
  EXPECT_THAT(replay.Text(), HasSubstr("1 letter: 1 hint would be written"));
  EXPECT_THAT(replay.Json(), AllOf(HasSubstr("\"dry_run\":true"), HasSubstr("\"hints\":1")));
}

TEST_F(DlqReplayTest, AHintThatWasNotAcknowledgedDoesNotCount) {
  DlqReplay replay(projects_, Writer());
  answer_ = absl::UnavailableError("away");
  EXPECT_TRUE(absl::IsUnavailable(replay.Take(Letter(1, "shop", ""), kNow)));
  EXPECT_THAT(replay.Text(), HasSubstr("0 letters: 0 hints written"));
  answer_ = absl::OkStatus();
  EXPECT_TRUE(replay.Take(Letter(1, "shop", ""), kNow).ok());
  EXPECT_THAT(written_, SizeIs(1));
}

}  // namespace
}  // namespace tollbridge::gateway
