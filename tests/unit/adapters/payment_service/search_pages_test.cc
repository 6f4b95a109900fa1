// Pages of a search with orders that cannot be read, and pages that are too large.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/payment_service/client.h"
#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/unreadable_orders.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "services/domain/mark.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/full_order.h"
#include "tests/support/page_difference.h"
#include "tests/support/series.h"
#include "tests/unit/adapters/payment_service/pipe_support.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::payment_service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string OrderId(int n) { return "00000000-0000-4000-8000-" + std::to_string(100000000000 + n); }

/// An order with this as its extra's one member.
std::string OrderWith(int n, const std::string& value) {
  return R"({"id":")" + OrderId(n) + R"(","extra":{"a":)" + value + "}}";
}
std::string Nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }
std::string PageOf(const std::vector<std::string>& orders) {
  std::string page = R"({"hits":9,"orders":[)";
  for (const std::string& order : orders) {
    if (page.back() != '[') page += ',';
    page += order;
  }
  return page + R"(],"search_after":"next"})";
}

class SearchPagesTest : public testing::Test {
 protected:
  SearchPagesTest() {
    client_ = std::make_unique<Client>(MakeClient(ReportUnreadable(&metrics_, &clock_)));
  }

  absl::StatusOr<common::v1::OrderSearchResult> Search(std::int64_t size = 100) {
    common::v1::OrderSearch search;
    search.set_size(size);
    ExpectTheSameForCallers(search);
    return test::Await(context_, client_->SearchOrders(project_, search, call_));
  }
  /// The list for callers says what the search says.
  void ExpectTheSameForCallers(const common::v1::OrderSearch& search) {
    Client client = MakeClient({});
    ports::PaymentService& port = client;
    const auto listed = test::Await(context_, port.ListOrders(project_, search, call_));
    const auto found =
        test::Await(context_, client.ports::PaymentService::ListOrders(project_, search, call_));
    EXPECT_EQ(test::DifferenceOf(listed, found), "");
    seen_ = {};
  }
  Client MakeClient(OnUnreadable on_unreadable) {
    std::vector<std::unique_ptr<Transport>> links;
    links.push_back(std::make_unique<ScriptedTransport>(
        &seen_, [this](const Exchange& exchange) { return script_(exchange); }));
    return {TransportChain(std::move(links)), [](const domain::Project&) { return "key"; },
            WalletNames{.wallet_a = "a-service", .wallet_b = "b-service"},
            std::move(on_unreadable)};
  }
  absl::StatusOr<common::v1::OrderSearchResult> SearchIn(std::string body) {
    script_ = [body = std::move(body)](const Exchange&) { return Answered(200, body); };
    return Search();
  }
  static std::int64_t SizeAsked(const Exchange& exchange) {
    return boost::json::parse(exchange.request.body).at("size").as_int64();
  }
  static ExchangeResult TooLarge() {
    ExchangeResult result;
    result.fate = http::Fate::kUnknown;
    result.error = absl::ResourceExhaustedError("the answer is too large: 11300000 bytes");
    return result;
  }
  std::optional<double> Counted(const std::string& cause) {
    return test::SeriesOf(metrics_, telemetry::kUnreadableOrders, {cause});
  }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  telemetry::Metrics metrics_;
  Seen seen_;
  std::function<ExchangeResult(const Exchange&)> script_;
  std::unique_ptr<Client> client_;
  const domain::Project project_{.name = "shop", .id = Uuid::V4({1})};
  const ports::Context call_;
};

TEST_F(SearchPagesTest, CallersGetAnOrderAsTheyMaySeeIt) {
  common::v1::OrderSearchResult found;
  found.set_hits(3);
  found.set_search_after("next");
  common::v1::Order& full = *found.add_orders() = test::FullOrder(OrderId(1));
  full.add_payment_methods("a-service");
  full.add_payment_methods("wallet-b-pay");
  full.mutable_transactions(0)->set_payment_method("b-service");
  (*full.mutable_extra()->mutable_fields())[std::string(domain::kMarkField)].set_string_value("m");
  common::v1::Order& marked = *found.add_orders();
  marked.set_id(OrderId(2));
  (*marked.mutable_extra()->mutable_fields())[std::string(domain::kMarkField)].set_bool_value(true);
  common::v1::Order& bare = *found.add_orders();
  bare.set_id(OrderId(3));
  bare.mutable_extra();
  const auto body = ToWire(found);
  ASSERT_TRUE(body.ok()) << body.status();
  ASSERT_TRUE(SearchIn(*body).ok());

  const auto page = test::Await(context_, client_->ListOrders(project_, {}, call_));
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->orders.size(), 3U);
  common::v1::Order shown;
  ASSERT_TRUE(shown.ParseFromString(page->orders[0]));
  EXPECT_EQ(shown.webhook_url(), "https://hooks.example/***");
  EXPECT_FALSE(shown.transactions(0).payment_method_details().has_cvc());
  EXPECT_EQ(shown.transactions(0).payment_method(), "wallet-b-pay");
  EXPECT_THAT(shown.payment_methods(), testing::IsSupersetOf({"wallet-a-pay", "wallet-b-pay"}));
  EXPECT_FALSE(shown.extra().fields().contains(std::string(domain::kMarkField)));
  EXPECT_FALSE(shown.extra().fields().empty());
  ASSERT_TRUE(shown.ParseFromString(page->orders[1]));
  EXPECT_FALSE(shown.has_extra());
  ASSERT_TRUE(shown.ParseFromString(page->orders[2]));
  EXPECT_TRUE(shown.has_extra());
}

TEST_F(SearchPagesTest, WhatCanBeReadAloneCanBeReadInAList) {
  const auto page = SearchIn(PageOf({OrderWith(1, Nested(27)), OrderWith(2, Nested(28))}));
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->orders_size(), 2);
  EXPECT_EQ(page->unreadable_size(), 0);
}

TEST_F(SearchPagesTest, AnUnreadableOrderIsNamedAndItsPageGoesOn) {
  const telemetry::LogCapture log;
  const auto page =
      SearchIn(PageOf({OrderWith(1, "1"), OrderWith(2, Nested(29)), OrderWith(3, R"("\ud800")"),
                       OrderWith(4, "NaN"), "{}", "7", OrderWith(5, "2")}));
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->hits(), 9);
  EXPECT_EQ(page->search_after(), "next");
  ASSERT_EQ(page->orders_size(), 2);
  EXPECT_EQ(page->orders(0).id(), OrderId(1));
  EXPECT_EQ(page->orders(1).id(), OrderId(5));
  std::vector<std::pair<std::string, std::string>> named;
  for (const auto& order : page->unreadable()) named.emplace_back(order.id(), order.cause());
  EXPECT_THAT(named,
              ElementsAre(std::pair(OrderId(2), "too_deep"), std::pair(OrderId(3), "bad_text"),
                          std::pair(OrderId(4), "bad_json"), std::pair("", "no_id"),
                          std::pair("", "not_an_order")));
  for (const char* cause : {"too_deep", "bad_text", "bad_json", "no_id", "not_an_order"}) {
    EXPECT_EQ(Counted(cause), 1) << cause;
  }
  ASSERT_EQ(log.lines().size(), 1U) << "one in ten seconds";
  EXPECT_THAT(log.lines()[0], HasSubstr("unreadable_order"));
  EXPECT_THAT(log.lines()[0], HasSubstr(OrderId(2)));
}

TEST_F(SearchPagesTest, TheCursorIsFoundBehindAnUnreadableOrder) {
  const auto page = SearchIn(R"({"hits":9,"orders":[{"id":")" + OrderId(1) +
                             R"(","sort":"b","extra":{"a":NaN}}]})");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->search_after(), "b");
}

TEST_F(SearchPagesTest, WhatCallersDoNotSeeCountsForTheSizeOfAnOrder) {
  const std::string heavy = '"' + std::string(std::size_t{3} << 20, 'x') + '"';
  const std::string mark(domain::kMarkField);
  for (const std::string& member :
       {R"("extra":{")" + mark + "\":" + heavy + "}", R"("webhook_url":)" + heavy,
        R"("transactions":[{"payment_method_details":{"cvc":)" + heavy + "}}]"}) {
    const auto page =
        SearchIn(PageOf({OrderWith(1, "1"), R"({"id":")" + OrderId(2) + R"(",)" + member + "}",
                         OrderWith(3, "1")}));
    ASSERT_TRUE(page.ok()) << page.status();
    ASSERT_EQ(page->unreadable_size(), 1);
    EXPECT_EQ(page->unreadable(0).cause(), "too_large");
  }
}

TEST_F(SearchPagesTest, AnEmptyCursorIsNoneToLookFor) {
  const auto page = SearchIn(R"({"hits":9,"orders":[{"id":")" + OrderId(1) +
                             R"(","sort":"b"}],"search_after":""})");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->search_after(), "");
}

TEST_F(SearchPagesTest, AnOrderTooLargeForAnAnswerIsNamed) {
  const std::string heavy = OrderWith(2, '"' + std::string(std::size_t{3} << 20, 'x') + '"');
  const auto page = SearchIn(PageOf({OrderWith(1, "1"), heavy}));
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->orders_size(), 1);
  ASSERT_EQ(page->unreadable_size(), 1);
  EXPECT_EQ(page->unreadable(0).id(), OrderId(2));
  EXPECT_EQ(page->unreadable(0).cause(), "too_large");
}

TEST_F(SearchPagesTest, AValueThatCannotBeReadIsNamedInItsOrder) {
  const auto page = SearchIn(PageOf(
      {OrderWith(1, "1"), R"({"id":")" + OrderId(2) + R"(","amount":"12.50","transactions":{}})"}));
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->orders_size(), 2);
  EXPECT_EQ(page->orders(0).unreadable_fields_size(), 0);
  EXPECT_THAT(page->orders(1).unreadable_fields(), ElementsAre("amount", "transactions"));
}

TEST_F(SearchPagesTest, APageTooLargeIsAskedForAgainInHalves) {
  script_ = [](const Exchange& exchange) {
    return SizeAsked(exchange) > 30 ? TooLarge() : Answered(200, PageOf({OrderWith(1, "1")}));
  };
  const auto page = Search(100);
  ASSERT_TRUE(page.ok()) << page.status();
  std::vector<std::int64_t> sizes;
  for (const Exchange& exchange : seen_) sizes.push_back(SizeAsked(exchange));
  EXPECT_THAT(sizes, ElementsAre(100, 50, 25));
  EXPECT_EQ(page->asked_size(), 25);
}

TEST_F(SearchPagesTest, WhatIsTooLargeAloneIsAnErrorThatNamesTheSize) {
  script_ = [](const Exchange&) { return TooLarge(); };
  const absl::Status error = Search(2).status();
  EXPECT_EQ(domain::ReasonOf(error), domain::reason::kUpstreamUnreadable);
  EXPECT_THAT(std::string(error.message()), HasSubstr("11300000 bytes"));
  EXPECT_EQ(seen_.size(), 2U);
}

}  // namespace
}  // namespace tollbridge::payment_service
