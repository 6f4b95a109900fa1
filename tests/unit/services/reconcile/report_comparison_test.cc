#include "services/reconcile/report_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/domain/errors.h"
#include "services/domain/timestamps.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/reconcile/sweep_fixture.h"

namespace tollbridge::reconcile {
namespace {

using common::v1::ORDER_STATUS_COMPLETED;
using common::v1::ORDER_STATUS_PROCESSING;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReportComparisonTest : public SweepTest {
 protected:
  static constexpr std::string_view kHeader = "id,status,created,completed,modified\r\n";

  std::string Row(std::uint32_t number, const std::string& status, ports::Millis age) const {
    const std::string time = domain::ToRfc3339(clock_.WallNow() - age);
    return OrderId(number).ToString() + "," + status + "," + time + ",," + time + "\r\n";
  }
  absl::Status Compare(const std::string& report, bool hint = false, std::size_t piece = 50) {
    ReportComparison comparison({.known_orders = store_.known_orders(),
                                 .clock = clock_,
                                 .hint_log = hint ? &hints_ : nullptr},
                                "shop", comparison_settings_,
                                [this](const ReportDifference& difference) {
                                  differences_.push_back(std::string(NameOf(difference.kind)) +
                                                         " " + difference.seen.id.ToString());
                                });
    absl::Status status;
    for (std::size_t at = 0; at < report.size() && status.ok(); at += piece) {
      status = test::Await(context_, comparison.Take(std::string_view(report).substr(at, piece)));
    }
    if (status.ok()) status = test::Await(context_, comparison.End());
    summary_ = comparison.summary();
    return status;
  }
  static std::string Named(const std::string& kind, std::uint32_t number) {
    return kind + " " + OrderId(number).ToString();
  }

  ComparisonSettings comparison_settings_{.found_within = minutes(17),
                                          .first_sweep = std::nullopt,
                                          .baseline_window = hours(72),
                                          .hints_per_second = 1'000'000};
  std::vector<std::string> differences_;
  ReportSummary summary_;
};

TEST_F(ReportComparisonTest, WhatSnapshotsShowIsNoDifference) {
  Record(OrderId(1), ORDER_STATUS_COMPLETED, clock_.WallNow() - hours(1));
  Record(OrderId(2), ORDER_STATUS_COMPLETED, clock_.WallNow() - hours(1));
  ASSERT_TRUE(
      Compare(std::string(kHeader) + Row(1, "completed", hours(1)) + Row(2, "processing", hours(2)))
          .ok());
  EXPECT_THAT(differences_, IsEmpty()) << "the report of the second one is older";
  EXPECT_EQ(summary_.orders, 2);
  EXPECT_EQ(summary_.same, 2);
}

TEST_F(ReportComparisonTest, TellsWhatIsMissingHasAnotherStatusOrWasModified) {
  Record(OrderId(2), ORDER_STATUS_PROCESSING, clock_.WallNow() - hours(2));
  Record(OrderId(3), ORDER_STATUS_COMPLETED, clock_.WallNow() - hours(2));
  ASSERT_TRUE(Compare(std::string(kHeader) + Row(1, "completed", hours(1)) +
                      Row(2, "completed", hours(1)) + Row(3, "completed", hours(1)) +
                      Row(4, "half-way", hours(1)))
                  .ok());
  EXPECT_THAT(differences_, ElementsAre(Named("missing", 1), Named("status", 2),
                                        Named("modified", 3), Named("missing", 4)));
  EXPECT_EQ(summary_.different, 4);
}

TEST_F(ReportComparisonTest, WithoutModifiedTheStatusDecides) {
  const std::string time = domain::ToRfc3339(clock_.WallNow() - hours(1));
  Record(OrderId(1), ORDER_STATUS_COMPLETED, clock_.WallNow() - hours(2));
  Record(OrderId(2), ORDER_STATUS_COMPLETED, clock_.WallNow() - hours(2));
  Record(OrderId(3), ORDER_STATUS_PROCESSING, clock_.WallNow() - hours(2));
  const auto row = [&](std::uint32_t number, const std::string& status) {
    return OrderId(number).ToString() + "," + status + "," + time + "\r\n";
  };
  ASSERT_TRUE(Compare("id,status,created\r\n" + row(1, "completed") + row(2, "processing") +
                      row(3, "completed"))
                  .ok());
  EXPECT_THAT(differences_, ElementsAre(Named("status", 3))) << "no order comes back from its end";
}

TEST_F(ReportComparisonTest, AMemberOfAFamilyIsComparedWithItsState) {
  Record(OrderId(1), ORDER_STATUS_COMPLETED, clock_.WallNow() - hours(1), OrderId(2));
  ASSERT_TRUE(Compare(std::string(kHeader) + Row(2, "error", hours(1)), /*hint=*/true).ok());
  EXPECT_THAT(differences_, ElementsAre(Named("status", 2)));
  ASSERT_THAT(Hints(), SizeIs(1));
  EXPECT_EQ(Hints()[0].order_id(), OrderId(1).ToString());
  EXPECT_EQ(Hints()[0].member(), OrderId(2).ToString());
  EXPECT_EQ(Hints()[0].source(), events::v1::HINT_SOURCE_OPERATOR);
}

TEST_F(ReportComparisonTest, AChangeThatMayBeOnItsWayIsNoDifference) {
  ASSERT_TRUE(Compare(std::string(kHeader) + Row(1, "completed", minutes(16)) +
                      Row(2, "completed", minutes(18)))
                  .ok());
  EXPECT_THAT(differences_, ElementsAre(Named("missing", 2)));
  EXPECT_EQ(summary_.changing, 1);
}

TEST_F(ReportComparisonTest, WhatEndedLongBeforeTheFirstSweepWasNeverRecorded) {
  comparison_settings_.first_sweep = clock_.WallNow() - hours(24 * 7);
  ASSERT_TRUE(Compare(std::string(kHeader) + Row(1, "completed", hours(24 * 11)) +
                      Row(2, "completed", hours(24 * 9)) + Row(3, "new", hours(24 * 11)))
                  .ok());
  EXPECT_THAT(differences_, ElementsAre(Named("missing", 2), Named("missing", 3)));
  EXPECT_EQ(summary_.from_before, 1);
}

TEST_F(ReportComparisonTest, TheRowsOfAnOrderAreOneOrder) {
  ASSERT_TRUE(
      Compare(std::string(kHeader) + Row(1, "completed", hours(1)) + Row(1, "completed", hours(1)))
          .ok());
  EXPECT_EQ(summary_.orders, 1);
  EXPECT_THAT(differences_, SizeIs(1));
}

TEST_F(ReportComparisonTest, HintsAreWrittenOnlyWhenAskedForAndOnlyForDifferences) {
  Record(OrderId(1), ORDER_STATUS_COMPLETED, clock_.WallNow() - hours(1));
  const std::string report =
      std::string(kHeader) + Row(1, "completed", hours(1)) + Row(2, "completed", hours(1));
  ASSERT_TRUE(Compare(report).ok());
  EXPECT_THAT(Hints(), IsEmpty());
  ASSERT_TRUE(Compare(report, /*hint=*/true).ok());
  EXPECT_THAT(HintedOrders(), ElementsAre(OrderId(2).ToString()));
  EXPECT_EQ(summary_.hints, 1);
}

TEST_F(ReportComparisonTest, WhatIsNoReportIsUnreadable) {
  for (const std::string& report :
       {std::string("<html>"), std::string("id,amount\r\n"), std::string(kHeader) + "x,new\r\n",
        std::string(kHeader) + "\"00"}) {
    const absl::Status status = Compare(report);
    EXPECT_THAT(status, FailsWith(StatusCode::kDataLoss, domain::reason::kUpstreamUnreadable))
        << report;
  }
}

TEST_F(ReportComparisonTest, AStoreOrALogThatIsAwayEndsTheComparison) {
  const std::string report = std::string(kHeader) + Row(1, "completed", hours(1));
  store_.SetAvailable(false);
  EXPECT_TRUE(absl::IsUnavailable(Compare(report)));
  store_.SetAvailable(true);
  topic_.SetReachable(false);
  EXPECT_TRUE(absl::IsUnavailable(Compare(report, /*hint=*/true)));
}

TEST_F(ReportComparisonTest, ThousandsOfOrdersAreLookedAtManyAtATime) {
  std::string report(kHeader);
  for (std::uint32_t i = 0; i < 5'000; ++i) report += Row(i, "completed", hours(1));
  const std::size_t before = store_.calls();
  ASSERT_TRUE(Compare(report, /*hint=*/false, 64 * 1024).ok());
  EXPECT_EQ(summary_.different, 5'000);
  EXPECT_LE(store_.calls() - before, 40U);
}

}  // namespace
}  // namespace tollbridge::reconcile
