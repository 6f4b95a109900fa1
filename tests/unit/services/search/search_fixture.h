#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_SEARCH_SEARCH_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_SEARCH_SEARCH_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "services/domain/project.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_search.h"
#include "tests/support/fakes/unasked_payment_service.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::search {

/// The id of the n-th order.
inline std::string OrderId(int n) {
  char text[37];
  (void)std::snprintf(text, sizeof(text), "%08x-0000-4000-8000-000000000000", n);
  return text;
}

/// A payment service that has orders to search for, and a report. It answers as
/// docs/interface.md#13-search-response says, and keeps what it was asked.
class SearchableService : public test::UnaskedPaymentService {
 public:
  void AddOrders(int count) {
    for (int i = 0; i < count; ++i) {
      common::v1::Order order;
      order.set_id(OrderId(static_cast<int>(orders.size()) + 1));
      order.set_webhook_url("https://hooks.example/token");
      orders.push_back(order);
    }
  }

  Async<common::v1::OrderSearchResult> SearchOrders(const domain::Project&,
                                                    const common::v1::OrderSearch& search,
                                                    const ports::Context& context) override {
    searches.push_back(search);
    contexts.push_back(context);
    if (searches.size() == failing_search) co_return absl::UnavailableError("down");
    common::v1::OrderSearchResult result;
    std::int64_t hits = 0;
    for (const common::v1::Order& order : orders) {
      if (!test::Matches(order, search.query())) continue;
      ++hits;
      const bool before =
          search.has_start() ? hits <= search.start()
                             : search.search_after() != "-1" && order.id() <= search.search_after();
      const int shown = result.orders_size() + result.unreadable_size();
      if (before || shown == std::min(search.size(), largest_page)) continue;
      if (unreadable.contains(order.id())) {
        result.add_unreadable()->set_id(order.id());
        result.mutable_unreadable()->rbegin()->set_cause("too_deep");
      } else {
        *result.add_orders() = order;
      }
      result.set_search_after(order.id());
    }
    if (tells_hits) result.set_hits(hits);
    if (change) change(result);
    if (after_page) after_page(*this);
    co_return result;
  }

  AsyncStatus ReadReport(const domain::Project&, const common::v1::OrderSearch& search,
                         const ports::ReportSink& sink, const ports::Context&) override {
    report_searches.push_back(search);
    for (const std::string& piece : report) {
      const absl::Status taken = co_await sink(piece);
      if (!taken.ok()) co_return taken;
      ++pieces_taken;
    }
    co_return report_end;
  }

  std::vector<common::v1::Order> orders;
  std::vector<common::v1::OrderSearch> searches;
  std::vector<ports::Context> contexts;
  bool tells_hits = true;
  std::int64_t largest_page = 1000;
  /// Ids of orders that cannot be read.
  std::set<std::string> unreadable;
  /// Which search fails, counted from 1; 0: none.
  std::size_t failing_search = 0;
  /// Changes the answer before it is given; the service, after it was made.
  std::function<void(common::v1::OrderSearchResult&)> change;
  std::function<void(SearchableService&)> after_page;

  std::vector<std::string> report;
  absl::Status report_end;
  std::vector<common::v1::OrderSearch> report_searches;
  std::size_t pieces_taken = 0;
};

class SearchTest : public ::testing::Test {
 protected:
  template <typename T>
  T Await(boost::asio::awaitable<T> awaitable) {
    return test::Await(context_, std::move(awaitable));
  }

  static domain::Project Named(const std::string& name) {
    domain::Project project;
    project.name = name;
    return project;
  }

  boost::asio::io_context context_;
  SearchableService service_;
  test::FakeClock clock_;
  domain::Project shop_ = Named("shop");
  ports::Context port_context_{.deadline = clock_.BootNow() + std::chrono::minutes(2), .trace = {}};
};

}  // namespace tollbridge::search

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_SEARCH_SEARCH_FIXTURE_H_
