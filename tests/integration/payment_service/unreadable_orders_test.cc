// A project of a thousand orders at the sandbox, of which some are nested deep, some are large, and
// two cannot be read: its lists go on, over real sockets through the whole pipe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>

#include "services/search/search_orders.h"
#include "services/search/stream_orders.h"
#include "tests/integration/payment_service/pipe.h"
#include "tests/support/decoded.h"
#include "tests/support/unreadable_orders.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::test {
namespace {

using testing::UnorderedElementsAreArray;

constexpr std::size_t kLargest = std::size_t{4} << 20;

class UnreadableOrdersTest : public PipeTest {
 protected:
  UnreadableOrdersTest() {
    Operate("seed", R"({"orders": 1000})");
    const http::Response all = sandbox_.Ask("GET", "/_sandbox/orders/?limit=10000", "");
    const boost::json::value orders = boost::json::parse(all.body);
    for (const boost::json::value& order : orders.as_array()) {
      ids_.insert(std::string(order.at("id").as_string()));
    }
    unreadable_ = test::MakeSomeUnreadable(
        ids_, [this](const std::string& id, const std::string& extra) { SetExtra(id, extra); });
  }

  void Operate(const std::string& what, const std::string& body) {
    const http::Response answer = sandbox_.Ask("POST", "/_sandbox/" + what + "/", body);
    if (answer.status != 200) throw std::runtime_error(what + ": " + answer.body);
  }
  void SetExtra(const std::string& id, const std::string& extra) {
    Operate("orders/" + id + "/extra", extra);
  }
  void ExpectAll() const {
    EXPECT_EQ(ids_.size(), 998U);
    EXPECT_TRUE(found_ == ids_) << found_.size();
    EXPECT_THAT(named_, UnorderedElementsAreArray(unreadable_));
  }

  /// Of orders that can be read, and of those that cannot; and what was shown of both.
  std::set<std::string> ids_;
  std::set<std::string> unreadable_;
  std::set<std::string> found_;
  std::set<std::string> named_;
};

TEST_F(UnreadableOrdersTest, EachPageGoesOnAndNoneIsOver4MiB) {
  search::v1::SearchOrdersRequest request;
  for (bool more = true; more;) {
    const auto page = Decoded(Await(search::SearchOrders(service(), project_, request, Context())));
    ASSERT_TRUE(page.ok()) << page.status();
    EXPECT_LE(page->ByteSizeLong(), kLargest);
    for (const auto& order : page->orders()) EXPECT_TRUE(found_.insert(order.id()).second);
    for (const auto& order : page->unreadable_orders()) named_.insert(order.id());
    more = page->has_next_page_token();
    request.set_page_token(page->next_page_token());
  }
  ExpectAll();
  EXPECT_EQ(opened_, 0) << "pages that are too large are no failures";
}

TEST_F(UnreadableOrdersTest, AStreamGoesOn) {
  const search::StreamSink<search::v1::StreamOrdersResponse> sink =
      [this](domain::Encoded<search::v1::StreamOrdersResponse> encoded) -> AsyncStatus {
    const search::v1::StreamOrdersResponse response = Decoded(encoded);
    EXPECT_LE(response.ByteSizeLong(), kLargest);
    if (response.has_order()) found_.insert(response.order().id());
    if (response.has_unreadable_order()) named_.insert(response.unreadable_order().id());
    co_return absl::OkStatus();
  };
  const search::v1::StreamOrdersRequest request;
  const ports::Context context = Context();
  const absl::Status end =
      Await(search::StreamOrders(service(), clock_, project_, request, context, sink));
  EXPECT_TRUE(end.ok()) << end;
  ExpectAll();
}

}  // namespace
}  // namespace tollbridge::test
