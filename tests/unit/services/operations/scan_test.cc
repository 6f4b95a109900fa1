#include "services/operations/scan.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "base/core/uuid.h"
#include "services/operations/evidence.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/scripted_orders.h"

namespace tollbridge::operations {
namespace {

using ::testing::ElementsAre;

class ScanTest : public ::testing::Test {
 protected:
  static std::string Id(int number) { return Uuid::V5(Uuid{}, std::to_string(number)).ToString(); }

  void Find(int orders) {
    for (int i = 0; i < orders; ++i) {
      common::v1::Order& order = service_.found.emplace_back();
      order.set_id(Id(i));
      order.set_merchant_order_id("reference " + std::to_string(i));
    }
  }

  absl::StatusOr<std::vector<Candidate>> Scan() {
    const WallTime from{std::chrono::milliseconds(1767323045678)};
    return test::Await(
        context_, ScanCreated(service_, project_, from, from + std::chrono::minutes(2), call_));
  }

  absl::Status Search(const PageBounds& bounds) {
    const std::string query = "*";
    const std::function<void(const common::v1::Order&)> visit =
        [this](const common::v1::Order& order) { visited_.push_back(order.id()); };
    return test::Await(context_, SearchAll(service_, project_, query, bounds, visit, call_));
  }

  boost::asio::io_context context_;
  test::ScriptedOrders service_;
  domain::Project project_;
  ports::Context call_;
  std::vector<std::string> visited_;
};

TEST_F(ScanTest, AsksForThePeriodSortedByIdFromTheFirstPageOn) {
  Find(2);
  const auto candidates = Scan();
  ASSERT_TRUE(candidates.ok()) << candidates.status();
  ASSERT_EQ(service_.searches.size(), 1U);
  EXPECT_EQ(service_.searches[0].query(),
            "created:[2026-01-02T03:04:05.678Z TO 2026-01-02T03:06:05.678Z]");
  EXPECT_EQ(service_.searches[0].sort(), "id asc");
  EXPECT_EQ(service_.searches[0].search_after(), "-1");
  ASSERT_EQ(candidates->size(), 2U);
  EXPECT_EQ((*candidates)[1].order_id, Id(1));
  EXPECT_EQ((*candidates)[1].merchant_order_id, "reference 1");
}

TEST_F(ScanTest, GoesOnBehindTheCursorWithTheSameSearch) {
  Find(1200);
  const auto candidates = Scan();
  ASSERT_TRUE(candidates.ok()) << candidates.status();
  EXPECT_EQ(candidates->size(), 1200U);
  ASSERT_EQ(service_.searches.size(), 3U);
  EXPECT_EQ(service_.searches[1].search_after(), "after 0");
  EXPECT_EQ(service_.searches[2].search_after(), "after 1");
  EXPECT_EQ(service_.searches[2].query(), service_.searches[0].query());
  EXPECT_EQ(service_.searches[2].size(), service_.searches[0].size());
  EXPECT_EQ(service_.searches[2].sort(), service_.searches[0].sort());
}

TEST_F(ScanTest, SkipsOrdersWithoutAnIdThatCanBeRead) {
  Find(3);
  service_.found[0].clear_id();
  service_.found[1].set_id("../refunds");
  const auto candidates = Scan();
  ASSERT_TRUE(candidates.ok());
  ASSERT_EQ(candidates->size(), 1U);
  EXPECT_EQ(candidates->front().order_id, Id(2));
}

TEST_F(ScanTest, HalfAScanIsAnError) {
  Find(1200);
  service_.failing_page = 1;
  EXPECT_EQ(Scan().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ScanTest, ServesAServiceThatGivesSmallerPagesThanAskedFor) {
  Find(5);
  service_.largest_page = 2;
  EXPECT_TRUE(Search({.page_size = 100, .max_pages = 10}).ok());
  EXPECT_THAT(visited_, ElementsAre(Id(0), Id(1), Id(2), Id(3), Id(4)));
}

TEST_F(ScanTest, WithoutHitsItReadsUntilAPageIsEmpty) {
  Find(4);
  service_.show_hits = false;
  EXPECT_TRUE(Search({.page_size = 2, .max_pages = 10}).ok());
  EXPECT_EQ(visited_.size(), 4U);
  EXPECT_EQ(service_.searches.size(), 3U);
}

TEST_F(ScanTest, AFullPageWithoutACursorIsAnError) {
  Find(4);
  service_.show_cursor = false;
  EXPECT_EQ(Search({.page_size = 2, .max_pages = 10}).code(), absl::StatusCode::kDataLoss);
}

TEST_F(ScanTest, MoreThanItsBoundsIsAnErrorAndNotAnEnd) {
  Find(5);
  EXPECT_EQ(Search({.page_size = 2, .max_pages = 2}).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(service_.searches.size(), 2U);
}

TEST_F(ScanTest, NothingFoundIsNoError) {
  const auto candidates = Scan();
  ASSERT_TRUE(candidates.ok());
  EXPECT_TRUE(candidates->empty());
}

TEST(QuotedValue, EscapesQuotesAndBackslashes) {
  EXPECT_EQ(QuotedValue("order 7"), "\"order 7\"");
  EXPECT_EQ(QuotedValue(R"(a"b\c)"), R"("a\"b\\c")");
}

}  // namespace
}  // namespace tollbridge::operations
