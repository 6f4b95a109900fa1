#ifndef TOLLBRIDGE_TESTS_UNIT_SANDBOX_ADMIN_ADMIN_TEST_H_
#define TOLLBRIDGE_TESTS_UNIT_SANDBOX_ADMIN_ADMIN_TEST_H_

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/admin/admin_routes.h"
#include "sandbox/core/result.h"
#include "tests/support/async_test.h"
#include "tests/unit/sandbox/routes_test.h"

namespace tollbridge::sandbox {

/// The admin calls over a world whose clock stands. What lies in other rooms is played here.
class AdminTest : public RoutesTest {
 protected:
  explicit AdminTest(Settings settings = {})
      : RoutesTest([](World*, const Addresses*) { return std::vector<Route>{}; },
                   std::move(settings)) {
    router_ = Router(AdminRoutes(Parts()));
  }

  http::Response Get(std::string_view target) { return Ask("GET", target, ""); }

  http::Response Post(std::string_view target, std::string_view body) {
    return Ask("POST", target, "", body);
  }

  /// POST /_sandbox/clock, whose answer takes time.
  http::Response MoveClock(std::string_view body) {
    http::Request request;
    request.method = "POST";
    request.body = body;
    const Match match = router_.Find("POST", {"_sandbox", "clock"});
    const Call call{.request = &request};
    boost::asio::io_context context(1);
    return test::Await(context, match.route->handle_later(call));
  }

  static boost::json::array Array(const http::Response& response) {
    EXPECT_EQ(response.status, 200) << response.body;
    boost::system::error_code problem;
    const boost::json::value value = boost::json::parse(response.body, problem);
    EXPECT_TRUE(!problem && value.is_array()) << response.body;
    return value.is_array() ? value.as_array() : boost::json::array{};
  }

  static std::string TextOf(const boost::json::value& value) {
    return std::string(value.as_string());
  }

  /// An order with one open card transaction.
  Uuid AddOrder(std::int64_t amount = 1'250) {
    Order order;
    order.project_id = demo().id;
    order.amount = amount;
    order.currency = "EUR";
    Transaction transaction;
    transaction.payment_method = "credit-card";
    order.transactions.push_back(std::move(transaction));
    return world_.orders.Add(std::move(order)).id;
  }

  http::Response Pay(const Uuid& order, std::string_view body) {
    return Post("/_sandbox/orders/" + order.ToString() + "/pay", body);
  }

  std::vector<Millis> advanced_;
  std::vector<std::pair<std::string, std::size_t>> seeded_;
  boost::json::object plan_;
  bool rest_was_cleared_ = false;

 private:
  boost::asio::awaitable<void> Move(Millis by) {
    advanced_.push_back(by);
    Advance(by);
    co_return;
  }

  AdminBackend Parts() {
    return {
        .world = &world_,
        .addresses = &addresses_,
        .advance = [this](Millis by) { return Move(by); },
        .seed =
            [this](const Project& project, std::size_t count) {
              seeded_.emplace_back(project.name, count);
              return count;
            },
        .deliveries = [] { return boost::json::array{{{"attempt", 1}}}; },
        .fault_plan = [this] { return boost::json::value(plan_); },
        .set_fault_plan = [this](const boost::json::object& plan) -> Result<void> {
          if (plan.contains("refused")) return Invalid("refused is not a fault");
          plan_ = plan;
          return {};
        },
        .clear_rest = [this] { rest_was_cleared_ = true; },
        .wallet_b_message =
            [](const WalletBEntry& card) {
              return card.pan.substr(0, 6) + "/" + std::to_string(card.expiration_month) + "/" +
                     std::to_string(card.expiration_year) +
                     (card.bound_to_device ? "/device" : "/account");
            },
        .operations = [] { return std::vector<std::string_view>{"create_order", "admin_ledger"}; },
    };
  }
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SANDBOX_ADMIN_ADMIN_TEST_H_
