#include "sandbox/search/search_routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/sandbox/search/search_test.h"

namespace tollbridge::sandbox {
namespace {

using std::chrono::seconds;
using Strings = std::vector<std::string>;

class SearchRoutesTest : public SearchTest {};

TEST_F(SearchRoutesTest, AnswersTheOrdersAsTheyAreReadAndTheSortValueOfTheLast) {
  Order order = Plain(1050);
  order.merchant_order_id = "A \"1\"";
  order.transactions.resize(1);
  const std::string id = Add(order);
  const boost::json::object result =
      Search(R"({"query":"*","sort":"merchant_order_id asc","size":10})");
  EXPECT_EQ(result.at("hits"), 1);
  EXPECT_EQ(After(result), "A \"1\"");
  ASSERT_EQ(result.at("orders").as_array().size(), 1u);
  http::Response read;
  read.body = OrderToJson(*world_.orders.Find(*Uuid::Parse(id)), addresses_);
  EXPECT_EQ(result.at("orders").as_array()[0], Object(read));
}

TEST_F(SearchRoutesTest, NothingFoundHasNoSearchAfter) {
  const boost::json::object result = Search("{}");
  EXPECT_EQ(result.at("hits"), 0);
  EXPECT_TRUE(result.at("orders").as_array().empty());
  EXPECT_FALSE(result.contains("search_after"));
}

TEST_F(SearchRoutesTest, WithoutAnythingTheFirstHundredById) {
  Strings ids = AddMany(150);
  std::ranges::sort(ids);
  const boost::json::object result = Search("{}");
  EXPECT_EQ(result.at("hits"), 150);
  EXPECT_EQ(Ids(result), Strings(ids.begin(), ids.begin() + 100));
  EXPECT_EQ(After(result), ids[99]);
}

TEST_F(SearchRoutesTest, BadRequestsGetTheErrorObject) {
  ExpectError(Post(""), 400, "ValidationError", "JSON");
  ExpectError(Post("[]"), 422, "ValidationError", "object");
  ExpectError(Post(R"({"query":"status:paid"})"), 422, "ValidationError", "query, at byte 8");
  ExpectError(Post(R"({"start":10000})"), 422, "ValidationError", "search_after");
  ExpectError(Ask("GET", "/v1/search/orders/"), 405, "MethodNotAllowed");
}

TEST_F(SearchRoutesTest, FormatIsJsonOrCsv) {
  EXPECT_EQ(Post("{}", kDemoKey, "?format=json").headers.Find("Content-Type"), "application/json");
  EXPECT_EQ(Post("{}", kDemoKey, "?format=csv").headers.Find("Content-Type"),
            "text/csv; charset=utf-8");
  for (const std::string_view format : {"?format=xml", "?format=", "?format=CSV"}) {
    ExpectError(Post("{}", kDemoKey, format), 422, "ValidationError", "format");
  }
}

TEST_F(SearchRoutesTest, TheRouteOnlyReads) {
  const std::vector<Route> routes = SearchRoutes(&world_, &addresses_);
  ASSERT_EQ(routes.size(), 1u);
  EXPECT_EQ(routes[0].operation, "search_orders");
  EXPECT_EQ(routes[0].access, Access::kMerchant);
  EXPECT_FALSE(routes[0].changes);
}

TEST_F(SearchRoutesTest, FiltersAndCountsWhatMatches) {
  AddMany(10);
  const boost::json::object result =
      Search(R"({"query":"amount:[3 TO 5] OR amount:9","sort":"amount asc","size":2})");
  EXPECT_EQ(result.at("hits"), 4);
  EXPECT_EQ(result.at("orders").as_array().size(), 2u);
  EXPECT_EQ(After(result), "4");
}

TEST_F(SearchRoutesTest, AnotherProjectsOrdersAreNeverShown) {
  Order foreign = Plain();
  foreign.project_id = shop().id;
  foreign.merchant_order_id = "same";
  const std::string foreign_id = Add(foreign);
  Order own = Plain();
  own.merchant_order_id = "same";
  const std::string own_id = Add(own);
  for (const std::string& query :
       {std::string("*"), std::string("merchant_order_id:same"), std::string("NOT status:error"),
        "id:" + foreign_id + " OR id:" + own_id}) {
    for (const std::string_view sort : {"id asc", "created desc", "amount asc"}) {
      const boost::json::object result =
          Search(R"({"query":")" + query + R"(","sort":")" + std::string(sort) + "\"}");
      EXPECT_EQ(Ids(result), Strings{own_id}) << query;
      EXPECT_EQ(result.at("hits"), 1) << query;
    }
  }
  const boost::json::object by_id = Search(R"({"query":"id:)" + foreign_id + "\"}");
  EXPECT_EQ(by_id.at("hits"), 0);
  EXPECT_TRUE(Ids(by_id).empty());
  EXPECT_EQ(Search(R"({"query":"project_id:)" + shop().id.ToString() + "\"}").at("hits"), 0);
  EXPECT_EQ(Ids(Search("{}", kShopKey)), Strings{foreign_id});
}

TEST_F(SearchRoutesTest, AnIdIsFoundWithItsFurtherConditions) {
  const Strings ids = AddMany(3);
  EXPECT_EQ(Ids(Search(R"({"query":"id:)" + ids[1] + "\"}")), Strings{ids[1]});
  EXPECT_EQ(Search(R"({"query":"id:)" + ids[1] + " AND status:error\"}").at("hits"), 0);
}

TEST_F(SearchRoutesTest, WhatWasCreatedInAPeriodIsWhatALookAtAllOrdersFinds) {
  AddMany(20, std::chrono::minutes(1));
  const auto at = [this](int minutes_ago) {
    return FormatTime(world_.simulation.clock.Now() - std::chrono::minutes(minutes_ago));
  };
  for (const std::string& period :
       {"[" + at(15) + " TO " + at(5) + "]", "{" + at(15) + " TO " + at(5) + "}",
        "[* TO " + at(15) + "]", "[" + at(5) + " TO *]", "[" + at(5) + " TO " + at(15) + "]",
        "[" + at(99) + " TO " + at(98) + "]"}) {
    for (const std::string sort :
         {"id asc", "id desc", "created asc", "created desc", "amount desc"}) {
      const auto search = [&](const std::string& query) {
        return Search(R"({"query":")" + query + R"(","size":3,"start":2,"sort":")" + sort + "\"}");
      };
      const boost::json::object all = search("created:" + period + " OR currency:AUD");
      const boost::json::object found = search("created:" + period);
      EXPECT_EQ(Ids(found), Ids(all)) << period << " " << sort;
      EXPECT_EQ(found.at("hits"), all.at("hits")) << period << " " << sort;
    }
  }
}

TEST_F(SearchRoutesTest, OrdersOfOneReferenceAreFoundInEachSort) {
  Strings ids;
  for (int i = 0; i < 4; ++i) {
    Order order = Plain(100 - i);
    order.merchant_order_id = i == 1 ? "another" : "same";
    ids.push_back(Add(order));
    Advance(seconds(1));
  }
  const auto found = [this](const std::string& sort) {
    return Ids(Search(R"({"query":"merchant_order_id:same","sort":")" + sort + "\"}"));
  };
  EXPECT_EQ(found("created asc"), (Strings{ids[0], ids[2], ids[3]}));
  EXPECT_EQ(found("created desc"), (Strings{ids[3], ids[2], ids[0]}));
  EXPECT_EQ(found("amount asc"), (Strings{ids[3], ids[2], ids[0]}));
  Strings by_id{ids[0], ids[2], ids[3]};
  std::ranges::sort(by_id);
  EXPECT_EQ(found("id asc"), by_id);
  EXPECT_EQ(Search(R"({"query":"merchant_order_id:other"})").at("hits"), 0);
}

TEST_F(SearchRoutesTest, HitsFollowNewOrdersAndAReset) {
  AddMany(3);
  EXPECT_EQ(Search("{}").at("hits"), 3);
  AddMany(2);
  EXPECT_EQ(Search("{}").at("hits"), 5);
  world_.Reset();
  EXPECT_EQ(Search("{}").at("hits"), 0);
  AddMany(5);
  EXPECT_EQ(Search("{}").at("hits"), 5);
  // As many again, but not the same: what was counted before must not be taken for them.
  world_.Reset();
  for (int i = 0; i < 5; ++i) {
    Order foreign = Plain();
    foreign.project_id = shop().id;
    Add(foreign);
  }
  AddMany(1);
  EXPECT_EQ(Search("{}").at("hits"), 1);
  EXPECT_EQ(Search("{}", kShopKey).at("hits"), 5);
}

class SearchPagesTest : public SearchTest {
 protected:
  /// Pages by start.
  Strings Simple(std::string_view sort, int count, int size) {
    Strings ids;
    for (int start = 0; start < count; start += size) {
      const Strings page =
          Ids(Search(R"({"sort":")" + std::string(sort) + R"(","size":)" + std::to_string(size) +
                     R"(,"start":)" + std::to_string(start) + "}"));
      ids.insert(ids.end(), page.begin(), page.end());
    }
    return ids;
  }
};

TEST_F(SearchPagesTest, ByStartEveryOrderComesOnceInEverySort) {
  Strings ids = AddMany(23);
  std::ranges::sort(ids);
  // All tie but by id and amount.
  for (const std::string_view sort :
       {"id asc", "id desc", "created asc", "created desc", "modified asc", "completed desc",
        "amount asc", "amount desc", "merchant_order_id asc", "status desc"}) {
    Strings found = Simple(sort, 23, 5);
    std::ranges::sort(found);
    EXPECT_EQ(found, ids) << sort;
  }
}

TEST_F(SearchPagesTest, StartPastTheEndIsAnEmptyPage) {
  AddMany(3);
  for (const std::string_view sort : {"id asc", "created asc", "amount asc"}) {
    const boost::json::object result = Search(R"({"start":3,"sort":")" + std::string(sort) + "\"}");
    EXPECT_EQ(result.at("hits"), 3);
    EXPECT_TRUE(Ids(result).empty());
  }
}

TEST_F(SearchPagesTest, ByCursorEveryOrderComesOnceWhereTheSortIsUnique) {
  const Strings by_age = AddMany(23, seconds(1));
  Strings by_id = by_age;
  std::ranges::sort(by_id);
  EXPECT_EQ(AllPages("id asc", 5), by_id);
  EXPECT_EQ(AllPages("created asc", 5), by_age);
  EXPECT_EQ(AllPages("modified asc", 5), by_age);
  EXPECT_EQ(AllPages("amount asc", 5), by_age);
  const Strings youngest_first(by_age.rbegin(), by_age.rend());
  EXPECT_EQ(AllPages("id desc", 5), Strings(by_id.rbegin(), by_id.rend()));
  EXPECT_EQ(AllPages("created desc", 5), youngest_first);
  EXPECT_EQ(AllPages("amount desc", 5), youngest_first);
}

TEST_F(SearchPagesTest, ByCursorAlsoWithAFilterAndItsHitsStayTheWholeResult) {
  AddMany(20, seconds(1));
  for (const std::string_view sort : {"id asc", "created asc", "amount desc"}) {
    std::string after = "-1";
    std::set<std::string> seen;
    for (int page = 0; page < 3; ++page) {
      const boost::json::object result =
          Search(R"({"query":"amount:[4 TO 12]","size":3,"sort":")" + std::string(sort) +
                 R"(","search_after":")" + after + "\"}");
      EXPECT_EQ(result.at("hits"), 9);
      for (const std::string& id : Ids(result)) seen.insert(id);
      after = After(result);
    }
    EXPECT_EQ(seen.size(), 9u) << sort;
  }
}

TEST_F(SearchPagesTest, OrdersThatTieAtAPagesEndAreSkippedByTheCursor) {
  // Two by two at one instant: a page of three ends between two that tie.
  Strings ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(Add(Plain()));
    ids.push_back(Add(Plain()));
    Advance(seconds(1));
  }
  EXPECT_EQ(AllPages("created asc", 3), (Strings{ids[0], ids[1], ids[2], ids[4], ids[5], ids[6]}));
  EXPECT_EQ(AllPages("created desc", 3), (Strings{ids[7], ids[6], ids[5], ids[3], ids[2], ids[1]}));
  // All have one amount: after the first page there is nothing.
  EXPECT_EQ(AllPages("amount asc", 3).size(), 3u);
  // By start none is lost.
  EXPECT_EQ(Simple("created asc", 8, 3), ids);
}

TEST_F(SearchPagesTest, OrdersWithoutTheSortValueComeLastInBothDirections) {
  const auto add = [&](std::optional<std::string> reference) {
    Order order = Plain();
    order.merchant_order_id = std::move(reference);
    return Add(order);
  };
  const std::string b = add("b");
  const std::string none = add(std::nullopt);
  const std::string a = add("a");
  const boost::json::object up = Search(R"({"sort":"merchant_order_id asc"})");
  EXPECT_EQ(Ids(up), (Strings{a, b, none}));
  EXPECT_EQ(After(up), "");
  EXPECT_EQ(Ids(Search(R"({"sort":"merchant_order_id desc"})")), (Strings{b, a, none}));
  EXPECT_EQ(AllPages("merchant_order_id asc", 1), (Strings{a, b, none}));
  EXPECT_EQ(AllPages("merchant_order_id desc", 2), (Strings{b, a, none}));
}

TEST_F(SearchPagesTest, SortValuesAreIdTimeNumberOrText) {
  Order order = Plain(42);
  order.status = OrderStatus::kCompleted;
  order.completed = ParseTime("2026-11-21T08:00:01.250Z");
  order.merchant_order_id = "ref";
  const std::string id = Add(order);
  const struct {
    std::string_view sort;
    std::string_view value;
  } kCases[] = {{"id asc", id},
                {"created asc", kStart},
                {"modified desc", kStart},
                {"completed asc", "2026-11-21T08:00:01.250Z"},
                {"amount asc", "42"},
                {"merchant_order_id asc", "ref"},
                {"status asc", "completed"}};
  for (const auto& expected : kCases) {
    EXPECT_EQ(After(Search(R"({"sort":")" + std::string(expected.sort) + "\"}")), expected.value);
    EXPECT_EQ(AllPages(expected.sort, 1), Strings{id}) << expected.sort;
  }
}

TEST_F(SearchPagesTest, SortsByStatusTextAndByCompletion) {
  const auto add = [&](OrderStatus status, std::optional<Time> completed) {
    Order order = Plain();
    order.status = status;
    order.completed = completed;
    return Add(order);
  };
  const std::string fresh = add(OrderStatus::kNew, std::nullopt);
  const std::string late = add(OrderStatus::kCompleted, ParseTime("2026-11-21T09:00:00Z"));
  const std::string early = add(OrderStatus::kCompleted, ParseTime("2026-11-21T08:30:00Z"));
  const std::string expired = add(OrderStatus::kExpired, std::nullopt);
  EXPECT_EQ(AllPages("completed asc", 1)[0], early);
  EXPECT_EQ(AllPages("completed desc", 1)[0], late);
  EXPECT_EQ(AllPages("status desc", 1), (Strings{fresh, expired, std::min(late, early)}));
}

TEST_F(SearchPagesTest, ACursorNeedsNoOrderBehindIt) {
  const Strings ids = AddMany(10, seconds(1));
  EXPECT_EQ(Ids(Search(R"({"sort":"created asc","search_after":"2026-11-21T08:00:06.500Z"})")),
            (Strings{ids[7], ids[8], ids[9]}));
  EXPECT_EQ(
      Ids(Search(R"({"sort":"created desc","search_after":"2026-11-21T09:00:01.500+01:00"})")),
      (Strings{ids[1], ids[0]}));
  EXPECT_EQ(Ids(Search(R"({"sort":"amount asc","search_after":"-100"})")), ids);
  EXPECT_TRUE(Ids(Search(R"({"sort":"created asc","search_after":"2030-01-01"})")).empty());
  EXPECT_TRUE(Ids(Search(R"({"sort":"id asc","search_after":""})")).empty());
}

TEST_F(SearchPagesTest, OrdersMadeBetweenPagesNeitherRepeatNorBreakThem) {
  AddMany(10, seconds(1));
  const boost::json::object first =
      Search(R"({"sort":"created asc","size":5,"search_after":"-1"})");
  AddMany(2, seconds(1));
  const boost::json::object rest =
      Search(R"({"sort":"created asc","size":50,"search_after":")" + After(first) + "\"}");
  EXPECT_EQ(Ids(rest).size(), 7u);
  EXPECT_EQ(rest.at("hits"), 12);
}

TEST_F(SearchPagesTest, TheTenThousandthResultIsReachedByStartAndTheRestByCursor) {
  Strings ids = AddMany(10'050);
  std::ranges::sort(ids);
  const boost::json::object last = Search(R"({"start":9000,"size":1000,"sort":"id asc"})");
  EXPECT_EQ(last.at("hits"), 10'050);
  EXPECT_EQ(Ids(last), Strings(ids.begin() + 9000, ids.begin() + 10'000));
  EXPECT_EQ(Ids(Search(R"({"start":9999,"size":1,"sort":"amount asc"})")).size(), 1u);
  ExpectError(Post(R"({"start":9001,"size":1000,"sort":"id asc"})"), 422, "ValidationError",
              "start + size");
  EXPECT_EQ(Ids(Search(R"({"sort":"id asc","search_after":")" + ids[9999] + "\"}")),
            Strings(ids.begin() + 10'000, ids.end()));
}

class SearchLagTest : public SearchTest {
 protected:
  static Settings Lagging() {
    Settings settings;
    settings.index_lag = seconds(10);
    return settings;
  }

  SearchLagTest() : SearchTest(Lagging()) { world_.orders.KeepHistory(seconds(10)); }

  int Hits(std::string_view query) {
    const boost::json::object result =
        Search(R"({"query":")" + std::string(query) + R"(","sort":"created asc"})");
    const auto hits = static_cast<int>(result.at("hits").as_int64());
    EXPECT_EQ(Ids(result).size(), static_cast<std::size_t>(hits));
    return hits;
  }
};

TEST_F(SearchLagTest, AnOrderAppearsOnceTheIndexHasGotThere) {
  const std::string id = Add(Plain());
  EXPECT_EQ(Hits("*"), 0);
  EXPECT_EQ(Hits("id:" + id), 0);
  Advance(Millis{9'999});
  EXPECT_EQ(Hits("*"), 0);
  EXPECT_EQ(Hits("status:new"), 0);
  Advance(Millis{1});
  EXPECT_EQ(Hits("*"), 1);
  EXPECT_EQ(Hits("status:new"), 1);
  EXPECT_EQ(Hits("id:" + id), 1);
}

TEST_F(SearchLagTest, AnOrderShowsItsOlderStateAndIsFoundByIt) {
  const Uuid id = world_.orders.Add(Plain()).id;
  Advance(seconds(60));
  Order& order = world_.orders.Edit(id);
  order.status = OrderStatus::kCompleted;
  order.reason = "changed";
  Advance(seconds(5));
  EXPECT_EQ(Hits("status:completed"), 0);
  EXPECT_EQ(Hits("status:new"), 1);
  EXPECT_EQ(Hits("reason:changed"), 0);
  EXPECT_EQ(Search("{}").at("orders").as_array()[0].at("status"), "new");
  EXPECT_EQ(After(Search(R"({"sort":"modified asc"})")), kStart);
  Advance(seconds(5));
  EXPECT_EQ(Hits("status:completed"), 1);
  EXPECT_EQ(Hits("status:new"), 0);
  EXPECT_EQ(Search("{}").at("orders").as_array()[0].at("status"), "completed");
}

TEST_F(SearchLagTest, OnlyPartOfTheOrdersIsInTheIndex) {
  const Strings ids = AddMany(20, seconds(1));
  EXPECT_EQ(Hits("*"), 11);
  EXPECT_EQ(Ids(Search(R"({"sort":"created asc"})")), Strings(ids.begin(), ids.begin() + 11));
  EXPECT_EQ(Ids(Search(R"({"sort":"amount desc","size":1})")), Strings{ids[10]});
}

TEST_F(SearchRoutesTest, ReadLagOfAFaultCountsAsLagOfTheIndex) {
  world_.orders.KeepHistory(seconds(10));
  Add(Plain());
  http::Request request;
  request.body = "{}";
  const absl::StatusOr<http::Target> target = http::ParseTarget("/v1/search/orders/");
  const Call call{.request = &request,
                  .target = &*target,
                  .parameters = {},
                  .project = &demo(),
                  .read_lag = seconds(5)};
  const std::vector<Route> routes = SearchRoutes(&world_, &addresses_);
  EXPECT_EQ(Object(routes[0].handle(call)).at("hits"), 0);
  Advance(seconds(5));
  EXPECT_EQ(Object(routes[0].handle(call)).at("hits"), 1);
}

}  // namespace
}  // namespace tollbridge::sandbox
