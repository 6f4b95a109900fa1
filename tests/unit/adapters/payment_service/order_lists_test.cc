#include "adapters/payment_service/order_lists.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace tollbridge::payment_service {
namespace {

TEST(OrderListsTest, TakesTheSortOfTheLastOrder) {
  EXPECT_EQ(SortOfLastOrder(R"({"orders": [{"sort": "a"}, {"sort": "b"}]})"), "b");
  EXPECT_EQ(SortOfLastOrder(R"({"orders": [{"sort": ["b"]}]})"), "b");
  EXPECT_EQ(SortOfLastOrder(R"({"orders": [{"sort": 1795000000000}]})"), "1795000000000");
  EXPECT_EQ(SortOfLastOrder(R"({"orders": [{"sort": 18446744073709551615}]})"),
            "18446744073709551615");
}

TEST(OrderListsTest, FindsNoneInAnythingElse) {
  for (const std::string body :
       {R"({"orders": [{"sort": "a"}, {}]})", R"({"orders": []})", R"({"orders": {"sort": "a"}})",
        R"({})", R"([])", R"([{"sort": "a"}])", R"({"orders": ["a"]})", "", "no JSON",
        R"({"orders": [{"sort": null}]})", R"({"orders": [{"sort": 1.5}]})",
        R"({"orders": [{"sort": []}]})", R"({"orders": [{"sort": ["a", "b"]}]})",
        R"({"orders": [{"sort": [["a"]]}]})"}) {
    EXPECT_EQ(SortOfLastOrder(body), std::nullopt) << body;
  }
}

TEST(OrderListsTest, CountsWhatAnAnswerLists) {
  EXPECT_TRUE(ListsOrders("[]", 0));
  EXPECT_TRUE(ListsOrders("[{}, 5]", 2));
  EXPECT_FALSE(ListsOrders("[{}, 5]", 1));
  EXPECT_TRUE(ListsOrders(R"({"orders": [{}]})", 1));
  EXPECT_TRUE(ListsOrders(R"({"orders": null})", 0));
  EXPECT_TRUE(ListsOrders("{}", 0));
  EXPECT_FALSE(ListsOrders(R"({"orders": {}})", 0)) << "no list at all";
  EXPECT_FALSE(ListsOrders(R"({"orders": "none"})", 0));
}

}  // namespace
}  // namespace tollbridge::payment_service
