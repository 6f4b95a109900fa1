#ifndef TOLLBRIDGE_TESTS_UNIT_SANDBOX_PAGES_PAGES_TEST_H_
#define TOLLBRIDGE_TESTS_UNIT_SANDBOX_PAGES_PAGES_TEST_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/pages/hosted_pages.h"
#include "tests/unit/sandbox/pages/html_check.h"
#include "tests/unit/sandbox/routes_test.h"

namespace tollbridge::sandbox {

inline constexpr std::string_view kCvc = "9713";
inline constexpr std::string_view kShopUrl = "https://shop.example/back?a=1&b=2";
inline constexpr std::string_view kFailureUrl = "https://shop.example/failed";

/// Pages as a browser gets them. Whatever a page answers is looked at: sound HTML, the headers of
/// Render, and nothing of a card that was typed.
class PagesTest : public RoutesTest {
 protected:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  explicit PagesTest(MakeRoutes make = PageRoutes) : RoutesTest(make) {}

  http::Response Get(std::string_view address) { return Looked(Ask("GET", PathOf(address), "")); }

  http::Response Post(std::string_view address, const Fields& fields) {
    std::string body;
    for (const auto& [name, value] : fields) {
      body += (body.empty() ? "" : "&") + name + "=" + http::PercentEncode(value);
    }
    return Looked(Ask("POST", PathOf(address), "", body));
  }

  static Fields Card(std::string_view pan, std::string_view expiry = "12/30",
                     std::string_view cvc = kCvc, std::string_view name = "A Customer") {
    return {{"pan", std::string(pan)},
            {"expiry", std::string(expiry)},
            {"cvc", std::string(cvc)},
            {"name", std::string(name)}};
  }

  /// An order as the merchant's call makes it.
  const Order& Made(Order draft) {
    const auto made = world_.payments.Create(demo(), {.order = std::move(draft)});
    EXPECT_TRUE(made.ok()) << made.error().value;
    return **made;
  }

  static Order Draft(std::int64_t amount = 1250, std::string currency = "EUR") {
    Order draft;
    draft.amount = amount;
    draft.currency = std::move(currency);
    return draft;
  }

  /// Where the customer picks the method.
  const Order& Open() {
    Order draft = Draft();
    draft.customer_picks = true;
    return Made(std::move(draft));
  }

  /// With one transaction of the method.
  static Order DraftWith(std::string method) {
    Order draft = Draft();
    Transaction transaction;
    transaction.payment_method = std::move(method);
    draft.transactions.push_back(std::move(transaction));
    return draft;
  }
  const Order& With(std::string method) { return Made(DraftWith(std::move(method))); }

  std::string OrderPage(const Order& order) const { return addresses_.OrderPage(order.id); }
  std::string ResultPage(const Order& order) const { return addresses_.ResultPage(order.id); }
  /// Of the latest transaction.
  std::string TransactionPage(const Order& order) const {
    return addresses_.TransactionPage(order.id, order.transactions.back().id);
  }
  std::string ChallengePage(const Order& order) const {
    return addresses_.ChallengePage(order.id, order.transactions.back().id);
  }

  std::size_t Effects() const { return world_.simulation.ledger.entries().size(); }

  static void ExpectSeeOther(const http::Response& response, std::string_view location) {
    EXPECT_EQ(response.status, 303) << response.body;
    EXPECT_EQ(response.headers.Find("Location"), location);
    EXPECT_EQ(response.body, "");
  }

  std::string PathOf(std::string_view address) const {
    if (address.starts_with(addresses_.base_url)) {
      address.remove_prefix(addresses_.base_url.size());
    }
    return std::string(address);
  }

  http::Response Looked(http::Response response) const {
    EXPECT_EQ(response.headers.Find("Cache-Control"), "no-store");
    std::string all = response.body;
    for (const http::Headers::Field& field : response.headers) all += "\n" + field.value;
    EXPECT_THAT(all, testing::Not(testing::HasSubstr(kCvc)));
    // The merchant page lists the test cards; no other page has a whole number.
    if (response.body.find("<h2>Test cards</h2>") == std::string::npos) {
      for (const TestCard& card : TestCards()) {
        EXPECT_THAT(all, testing::Not(testing::HasSubstr(card.pan)));
      }
    }
    if (response.status == 303) return response;
    EXPECT_EQ(response.headers.Find("Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(response.headers.Find("X-Frame-Options"), "DENY");
    EXPECT_THAT(std::string(response.headers.Find("Content-Security-Policy").value_or("")),
                testing::HasSubstr("default-src 'none'"));
    EXPECT_TRUE(response.headers.Contains("Referrer-Policy"));
    EXPECT_THAT(FaultsOf(response.body), testing::IsEmpty()) << response.body;
    return response;
  }
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SANDBOX_PAGES_PAGES_TEST_H_
