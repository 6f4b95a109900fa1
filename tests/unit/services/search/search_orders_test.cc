#include "services/search/search_orders.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

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
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

class SearchOrdersTest : public SearchTest {
 protected:
  absl::StatusOr<v1::SearchOrdersResponse> Search() {
    return test::Decoded(Await(SearchOrders(service_, shop_, request_, port_context_)));
  }

  /// All pages, until there is no next or one fails. Each order's id; `pages_` counts.
  std::vector<std::string> SearchAll() {
    std::vector<std::string> ids;
    for (pages_ = 1;; ++pages_) {
      const auto response = Search();
      end_ = response.status();
      if (!response.ok()) return ids;
      largest_ = std::max(largest_, response->ByteSizeLong());
      for (const common::v1::Order& order : response->orders()) ids.push_back(order.id());
      for (const auto& order : response->unreadable_orders()) unreadable_.push_back(order.id());
      if (!response->has_next_page_token()) return ids;
      request_.set_page_token(response->next_page_token());
    }
  }

  std::vector<std::string> FieldsRefused() { return FieldsRefused(shop_); }
  std::vector<std::string> FieldsRefused(const domain::Project& project) {
    std::vector<std::string> fields;
    for (const domain::FieldViolation& violation : SearchOrdersViolations(request_, &project)) {
      fields.push_back(violation.field);
    }
    return fields;
  }

  static std::vector<std::string> Ids(int count) {
    std::vector<std::string> ids;
    for (int i = 1; i <= count; ++i) ids.push_back(OrderId(i));
    return ids;
  }

  v1::SearchOrdersRequest request_;
  int pages_ = 0;
  std::vector<std::string> unreadable_;
  std::size_t largest_ = 0;
  absl::Status end_;
};

TEST_F(SearchOrdersTest, AsksForAHundredOrdersById) {
  service_.AddOrders(1);
  ASSERT_TRUE(Search().ok());
  const common::v1::OrderSearch& search = service_.searches.at(0);
  EXPECT_EQ(search.query(), "*");
  EXPECT_EQ(search.size(), 100);
  EXPECT_EQ(search.sort(), "id asc");
  EXPECT_EQ(search.search_after(), "-1");
  EXPECT_FALSE(search.has_start());
}

TEST_F(SearchOrdersTest, ShowsOrdersAsCallersSeeThemAndHowManyMatch) {
  service_.AddOrders(3);
  request_.set_page_size(2);
  const auto response = Search();
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->orders_size(), 2);
  EXPECT_EQ(response->orders(0).webhook_url(), "https://hooks.example/***");
  EXPECT_EQ(response->total_hits(), 3);
}

TEST_F(SearchOrdersTest, ShowsEachFieldOfAnOrder) {
  service_.orders = {test::FullOrder(OrderId(1))};
  const auto response = Search();
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->orders_size(), 1);
  EXPECT_TRUE(test::IsSame(response->orders(0), test::ShownToCallers(service_.orders[0])));
}

TEST_F(SearchOrdersTest, PagesById) {
  service_.AddOrders(25);
  request_.set_page_size(10);
  EXPECT_EQ(SearchAll(), Ids(25));
  EXPECT_EQ(pages_, 3);
  EXPECT_EQ(service_.searches.back().search_after(), OrderId(20));
}

TEST_F(SearchOrdersTest, NamesWhatCannotBeReadAndGoesOn) {
  service_.AddOrders(25);
  // The last of a page, and a whole page.
  service_.unreadable = {OrderId(5)};
  for (int i = 11; i <= 15; ++i) service_.unreadable.insert(OrderId(i));
  request_.set_page_size(5);
  std::vector<std::string> readable = Ids(25);
  std::erase_if(readable, [this](const auto& id) { return service_.unreadable.contains(id); });
  EXPECT_EQ(SearchAll(), readable);
  EXPECT_TRUE(end_.ok()) << end_;
  EXPECT_EQ(pages_, 5);
  EXPECT_THAT(unreadable_, UnorderedElementsAreArray(service_.unreadable));
}

TEST_F(SearchOrdersTest, NoAnswerIsOver4MiBAndNoOrderIsLeftOut) {
  service_.AddOrders(60);
  for (int i = 10; i < 22; ++i) {
    (*service_.orders[static_cast<std::size_t>(i)].mutable_extra()->mutable_fields())["a"]
        .set_string_value(std::string(900'000, 'x'));
  }
  EXPECT_EQ(SearchAll(), Ids(60));
  EXPECT_TRUE(end_.ok()) << end_;
  EXPECT_GT(largest_, std::size_t{1} << 20);
  EXPECT_LE(largest_, std::size_t{4} << 20);
}

TEST_F(SearchOrdersTest, AHalvedPageThatCountsFewerHitsIsNotTheLast) {
  service_.AddOrders(40);
  request_.set_page_size(20);
  // The client got no page of more than 10, and orders leave the result meanwhile.
  service_.largest_page = 10;
  service_.change = [this](common::v1::OrderSearchResult& result) {
    result.set_asked_size(10);
    if (service_.searches.size() > 1) result.set_hits(20);
  };
  EXPECT_EQ(SearchAll(), Ids(40));
}

TEST_F(SearchOrdersTest, EndsWithoutAnEmptyPageWhenTheLastIsFull) {
  service_.AddOrders(20);
  request_.set_page_size(10);
  EXPECT_EQ(SearchAll(), Ids(20));
  EXPECT_EQ(pages_, 2);
}

TEST_F(SearchOrdersTest, AnEmptyResultIsOnePage) {
  EXPECT_THAT(SearchAll(), IsEmpty());
  EXPECT_EQ(pages_, 1);
}

TEST_F(SearchOrdersTest, ASmallerPageThanAskedForIsNotTheEnd) {
  service_.AddOrders(25);
  service_.largest_page = 7;
  request_.set_page_size(10);
  EXPECT_EQ(SearchAll(), Ids(25));
  EXPECT_EQ(pages_, 4);
}

TEST_F(SearchOrdersTest, AServiceThatTellsNoHitsIsReadToAnEmptyPage) {
  service_.AddOrders(20);
  service_.tells_hits = false;
  request_.set_page_size(10);
  EXPECT_EQ(SearchAll(), Ids(20));
  EXPECT_EQ(pages_, 3);
}

TEST_F(SearchOrdersTest, OrdersThatLeaveTheResultHideNoneBehindThem) {
  service_.AddOrders(30);
  request_.set_page_size(10);
  // When the first page has been shown, all of it leaves the result.
  service_.after_page = [](SearchableService& service) {
    if (service.searches.size() == 1) {
      service.orders.erase(service.orders.begin(), service.orders.begin() + 10);
    }
  };
  EXPECT_EQ(SearchAll(), Ids(30));
}

TEST_F(SearchOrdersTest, PagesByAnOffsetWhereValuesMayTie) {
  service_.AddOrders(25);
  request_.set_page_size(10);
  request_.set_sort("created desc");
  EXPECT_EQ(SearchAll().size(), 25U);
  ASSERT_EQ(service_.searches.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(service_.searches[i].start(), static_cast<std::int64_t>(i) * 10);
    EXPECT_FALSE(service_.searches[i].has_search_after());
    EXPECT_EQ(service_.searches[i].sort(), "created desc");
  }
}

TEST_F(SearchOrdersTest, RefusesToPageBeyondTenThousandByAnythingButTheId) {
  service_.AddOrders(10'001);
  request_.set_page_size(1000);
  request_.set_sort("created asc");
  EXPECT_EQ(SearchAll().size(), 10'000U);
  EXPECT_THAT(end_, FailsWith(StatusCode::kOutOfRange, domain::reason::kTooManyResults));
  EXPECT_THAT(std::string(end_.message()), HasSubstr("id asc"));
  EXPECT_EQ(service_.searches.size(), 10U) << "the refusal costs no call";
}

TEST_F(SearchOrdersTest, PagesBeyondTenThousandById) {
  service_.AddOrders(10'001);
  request_.set_page_size(1000);
  EXPECT_EQ(SearchAll(), Ids(10'001));
}

TEST_F(SearchOrdersTest, ACursorThatStandsStillIsDataLoss) {
  service_.AddOrders(30);
  request_.set_page_size(10);
  for (const char* cursor : {"", "-1"}) {
    service_.change = [cursor](common::v1::OrderSearchResult& result) {
      result.set_search_after(cursor);
    };
    SearchAll();
    EXPECT_THAT(end_, FailsWith(StatusCode::kDataLoss, domain::reason::kUpstreamUnreadable));
    EXPECT_EQ(pages_, 1);
  }
}

TEST_F(SearchOrdersTest, SaysWhatTheServiceSays) {
  service_.failing_search = 1;
  EXPECT_EQ(Search().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(SearchOrdersTest, RefusesTokensOfOtherSearchesByName) {
  service_.AddOrders(30);
  request_.set_page_size(10);
  const auto first = Search();
  ASSERT_TRUE(first.ok());
  request_.set_page_token(first->next_page_token());
  EXPECT_THAT(FieldsRefused(), IsEmpty());
  const v1::SearchOrdersRequest fine = request_;
  const auto refused = [this] { EXPECT_THAT(FieldsRefused(), ElementsAre("page_token")); };
  request_.set_page_size(11);
  refused();
  request_ = fine;
  request_.set_sort("id desc");
  refused();
  request_ = fine;
  EXPECT_THAT(FieldsRefused(Named("travel")), ElementsAre("page_token"));
  request_ = fine;
  request_.mutable_query()->set_raw("status:new");
  refused();
  request_ = fine;
  request_.set_page_token("");
  refused();
}

TEST_F(SearchOrdersTest, RefusesSortsThatAreNone) {
  for (const char* sort : {"", "id", "id ascending", " asc", "id asc ", "Id asc", "id  asc",
                           "id asc,created asc", "id\tasc"}) {
    request_.set_sort(sort);
    EXPECT_THAT(FieldsRefused(), ElementsAre("sort")) << sort;
  }
  for (const char* sort : {"id asc", "id desc", "transaction.created_at asc"}) {
    request_.set_sort(sort);
    EXPECT_THAT(FieldsRefused(), IsEmpty()) << sort;
  }
}

TEST_F(SearchOrdersTest, NamesAllThatIsBrokenAtOnce) {
  request_.mutable_query()->set_raw("");
  request_.set_sort("x");
  EXPECT_THAT(FieldsRefused(), ElementsAre("query.raw", "sort"));
  // Whether a page_token is of this search cannot be said without a project.
  request_.clear_query();
  request_.set_page_token("x");
  EXPECT_EQ(SearchOrdersViolations(request_, nullptr).size(), 1U) << "the sort";
}

}  // namespace
}  // namespace tollbridge::search
