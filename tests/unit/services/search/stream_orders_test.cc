#include "services/search/stream_orders.h"

#include <gmock/gmock.h>

#include "services/domain/errors.h"
#include "services/search/paging.h"
#include "services/search/rules.h"
#include "tests/support/decoded.h"
#include "tests/support/fails_with.h"
#include "tests/support/full_order.h"
#include "tests/unit/services/search/search_fixture.h"

namespace tollbridge::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kPage = static_cast<int>(kDefaultPageSize);

class StreamOrdersTest : public SearchTest {
 protected:
  /// Streams into `ids_`; the sink fails at that message, counted from 1.
  absl::Status Stream(std::size_t gone_at = 0) {
    const StreamSink<v1::StreamOrdersResponse> sink =
        [this, gone_at](const domain::Encoded<v1::StreamOrdersResponse>& response) {
          return Take(test::Decoded(response), gone_at);
        };
    return Await(StreamOrders(service_, clock_, shop_, request_, port_context_, sink));
  }

  AsyncStatus Take(v1::StreamOrdersResponse response, std::size_t gone_at) {
    if (response.has_unreadable_order()) {
      unreadable_.push_back(response.unreadable_order().id());
      co_return absl::OkStatus();
    }
    ids_.push_back(response.order().id());
    last_ = response.order();
    urls_.push_back(response.order().webhook_url());
    searches_at_.push_back(service_.searches.size());
    if (ids_.size() == gone_at) co_return absl::CancelledError("gone");
    co_return absl::OkStatus();
  }

  v1::StreamOrdersRequest request_;
  std::vector<std::string> ids_;
  std::vector<std::string> unreadable_;
  std::vector<std::string> urls_;
  common::v1::Order last_;
  /// How many searches there had been when each order was written.
  std::vector<std::size_t> searches_at_;
};

TEST_F(StreamOrdersTest, GivesEachOrderOnceSortedById) {
  service_.AddOrders(2 * kPage + 50);
  ASSERT_TRUE(Stream().ok());
  ASSERT_EQ(ids_.size(), service_.orders.size());
  for (std::size_t i = 0; i < ids_.size(); ++i) EXPECT_EQ(ids_[i], service_.orders[i].id());
  EXPECT_EQ(urls_.front(), "https://hooks.example/***");
  EXPECT_EQ(service_.searches.size(), 3U);
}

TEST_F(StreamOrdersTest, ShowsEachFieldOfAnOrder) {
  service_.orders = {test::FullOrder(OrderId(1))};
  EXPECT_EQ(Stream(), absl::OkStatus());
  EXPECT_TRUE(test::IsSame(last_, test::ShownToCallers(service_.orders[0])));
}

TEST_F(StreamOrdersTest, OfNothingEndsWell) {
  EXPECT_TRUE(Stream().ok());
  EXPECT_THAT(ids_, IsEmpty());
}

TEST_F(StreamOrdersTest, NamesWhatCannotBeReadAndGoesOn) {
  service_.AddOrders(2 * kPage + 50);
  service_.unreadable = {OrderId(3), OrderId(kPage), OrderId(2 * kPage + 50)};
  ASSERT_TRUE(Stream().ok());
  EXPECT_EQ(ids_.size(), service_.orders.size() - 3);
  EXPECT_THAT(unreadable_, ElementsAre(OrderId(3), OrderId(kPage), OrderId(2 * kPage + 50)));
}

TEST_F(StreamOrdersTest, SearchesForTheQuery) {
  service_.AddOrders(3);
  request_.mutable_query()->mutable_filter()->set_id(OrderId(2));
  ASSERT_TRUE(Stream().ok());
  EXPECT_THAT(ids_, ElementsAre(OrderId(2)));
}

TEST_F(StreamOrdersTest, AsksForTheNextPageWhenTheLastIsTaken) {
  service_.AddOrders(3 * kPage);
  ASSERT_TRUE(Stream().ok());
  for (std::size_t i = 0; i < searches_at_.size(); ++i) EXPECT_EQ(searches_at_[i], 1 + i / kPage);
}

TEST_F(StreamOrdersTest, StopsWhenTheCallerHasGone) {
  service_.AddOrders(3 * kPage);
  EXPECT_EQ(Stream(kPage + 5).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(ids_.size(), static_cast<std::size_t>(kPage) + 5);
  EXPECT_EQ(service_.searches.size(), 2U);
}

TEST_F(StreamOrdersTest, EachPageHasItsOwnDeadlineWithinTheCallers) {
  service_.AddOrders(3 * kPage);
  const BootTime start = clock_.BootNow();
  port_context_.deadline = start + std::chrono::seconds(50);
  service_.after_page = [this](SearchableService&) { clock_.Advance(std::chrono::seconds(20)); };
  ASSERT_TRUE(Stream().ok());
  ASSERT_EQ(service_.contexts.size(), 3U);
  EXPECT_EQ(service_.contexts[0].deadline, start + std::chrono::seconds(15));
  EXPECT_EQ(service_.contexts[1].deadline, start + std::chrono::seconds(35));
  EXPECT_EQ(service_.contexts[2].deadline, start + std::chrono::seconds(50));
}

TEST_F(StreamOrdersTest, EndsWithTheErrorOfAPageAndAsksNoSecondTime) {
  service_.AddOrders(3 * kPage);
  service_.failing_search = 2;
  EXPECT_EQ(Stream().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ids_.size(), static_cast<std::size_t>(kPage));
  EXPECT_EQ(service_.searches.size(), 2U);
}

TEST_F(StreamOrdersTest, ACursorThatStandsStillIsDataLoss) {
  service_.AddOrders(3 * kPage);
  service_.change = [](common::v1::OrderSearchResult& result) { result.set_search_after("-1"); };
  const absl::Status end = Stream();
  EXPECT_THAT(end, FailsWith(StatusCode::kDataLoss, domain::reason::kUpstreamUnreadable));
}

TEST_F(StreamOrdersTest, ACursorThatLeadsBackIsDataLoss) {
  service_.AddOrders(3 * kPage);
  service_.change = [this](common::v1::OrderSearchResult& result) {
    // To the first order, then to the second, and so on: it never stands still.
    result.set_search_after(OrderId(static_cast<int>(service_.searches.size())));
  };
  EXPECT_EQ(Stream().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ids_.size(), static_cast<std::size_t>(kPage));
}

TEST_F(StreamOrdersTest, AnOrderWithoutAnIdIsDataLoss) {
  service_.AddOrders(2);
  service_.orders[0].clear_id();
  EXPECT_EQ(Stream().code(), absl::StatusCode::kDataLoss);
}

TEST_F(StreamOrdersTest, RefusesWhatItsRulesSay) {
  request_.mutable_query()->set_raw("");
  EXPECT_EQ(StreamOrdersViolations(request_, &shop_).size(), 1U);
}

}  // namespace
}  // namespace tollbridge::search
