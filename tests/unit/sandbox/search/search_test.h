#ifndef TOLLBRIDGE_TESTS_UNIT_SANDBOX_SEARCH_SEARCH_TEST_H_
#define TOLLBRIDGE_TESTS_UNIT_SANDBOX_SEARCH_SEARCH_TEST_H_

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/search/search_routes.h"
#include "tests/unit/sandbox/routes_test.h"

namespace tollbridge::sandbox {

/// Orders straight into the world, and searches for them.
class SearchTest : public RoutesTest {
 protected:
  explicit SearchTest(Settings settings = {}) : RoutesTest(SearchRoutes, std::move(settings)) {}

  const Project& shop() const { return world_.simulation.settings.projects[1]; }

  /// An order of `demo`.
  Order Plain(std::int64_t amount = 1000) const {
    Order order;
    order.project_id = demo().id;
    order.merchant_id = demo().merchant_id;
    order.currency = "EUR";
    order.amount = amount;
    return order;
  }

  std::string Add(Order order) { return world_.orders.Add(std::move(order)).id.ToString(); }

  /// As many plain orders, `each` after the one before; their ids, oldest first.
  std::vector<std::string> AddMany(int count, Millis each = Millis{0}) {
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i) {
      ids.push_back(Add(Plain(i)));
      Advance(each);
    }
    return ids;
  }

  http::Response Post(std::string_view body, std::string_view key = kDemoKey,
                      std::string_view query = "") {
    return Ask("POST", "/v1/search/orders/" + std::string(query), key, body);
  }

  boost::json::object Search(std::string_view body, std::string_view key = kDemoKey) {
    const http::Response response = Post(body, key);
    EXPECT_EQ(response.status, 200) << response.body;
    return Object(response);
  }

  static std::vector<std::string> Ids(const boost::json::object& result) {
    std::vector<std::string> ids;
    for (const auto& order : result.at("orders").as_array()) {
      ids.emplace_back(order.at("id").as_string());
    }
    return ids;
  }

  /// The sort value of the last order; fails when there is none.
  static std::string After(const boost::json::object& result) {
    return std::string(result.at("search_after").as_string());
  }

  /// Ids of all pages, from search_after '-1' to the empty page.
  std::vector<std::string> AllPages(std::string_view sort, int size) {
    std::vector<std::string> ids;
    std::string after = "-1";
    for (int page = 0; page < 1000; ++page) {
      const boost::json::object result =
          Search(R"({"sort":")" + std::string(sort) + R"(","size":)" + std::to_string(size) +
                 R"(,"search_after":")" + after + "\"}");
      const std::vector<std::string> found = Ids(result);
      EXPECT_EQ(result.contains("search_after"), !found.empty());
      if (found.empty()) return ids;
      ids.insert(ids.end(), found.begin(), found.end());
      after = After(result);
    }
    ADD_FAILURE() << "the pages do not end";
    return ids;
  }
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SANDBOX_SEARCH_SEARCH_TEST_H_
