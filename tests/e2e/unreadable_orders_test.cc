// A project of a thousand orders, of which some are nested deep, some are large, and two cannot be
// read: searches, streams and sweeps go on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>

#include "tests/e2e/support/exports.h"
#include "tests/support/stack.h"
#include "tests/support/unreadable_orders.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::test {
namespace {

using testing::UnorderedElementsAreArray;

constexpr std::size_t kOrders = 1000;
constexpr std::size_t kLargest = std::size_t{4} << 20;

StackOptions WithQuickSweeps() {
  return {.settings = {{"operations", {{"search_index_lag", "200ms"}}},
                       {"reconcile",
                        {{"sweep_interval", "500ms"},
                         {"sweep_day_interval", "500ms"},
                         {"sweep_pages_per_second", "100"},
                         {"sweep_lease", "2s"}}}}};
}

class UnreadableOrdersTest : public testing::Test {
 protected:
  UnreadableOrdersTest() {
    Seed(stack_, static_cast<int>(kOrders));
    for (const boost::json::value& order : stack_.SandboxOrders()) {
      ids_.insert(std::string(order.at("id").as_string()));
    }
    unreadable_ = MakeSomeUnreadable(
        ids_, [this](const std::string& id, const std::string& extra) { SetExtra(id, extra); });
  }

  void SetExtra(const std::string& id, const std::string& extra) {
    const http::Response answer =
        stack_.Http("POST", stack_.sandbox_url() + "/_sandbox/orders/" + id + "/extra", extra);
    if (answer.status != 200) throw std::runtime_error(answer.body);
  }

  double Swept(const std::string& result) const {
    return stack_.Metric("tollbridge_sweep_orders_total{result=\"" + result + "\"}");
  }
  /// A pass has come to its end since this was true last.
  bool SweptOnce() {
    const double ended =
        stack_.Metric(R"(tollbridge_sweep_ended_timestamp_seconds{project="demo"})");
    if (ended <= ended_) return false;
    ended_ = ended;
    return true;
  }

  Stack stack_{WithQuickSweeps()};
  /// Of orders that can be read, and of those that cannot.
  std::set<std::string> ids_;
  std::set<std::string> unreadable_;
  double ended_ = 0;
};

TEST_F(UnreadableOrdersTest, AreNamedAndNothingStopsAtThem) {
  std::set<std::string> found;
  std::set<std::string> named;
  search::v1::SearchOrdersRequest request;
  for (bool more = true; more;) {
    const RpcReply reply = stack_.grpc().Call("tollbridge.search.v1.Search.SearchOrders", request);
    ASSERT_TRUE(reply.status.ok()) << reply.status.message;
    EXPECT_LE(reply.bytes.size(), kLargest);
    const auto page = reply.As<search::v1::SearchOrdersResponse>();
    for (const auto& order : page.orders()) EXPECT_TRUE(found.insert(order.id()).second);
    for (const auto& order : page.unreadable_orders()) named.insert(order.id());
    more = page.has_next_page_token();
    request.set_page_token(page.next_page_token());
  }
  EXPECT_THAT(found, UnorderedElementsAreArray(ids_));
  EXPECT_THAT(named, UnorderedElementsAreArray(unreadable_));

  found.clear();
  named.clear();
  const auto stream = stack_.grpc().OpenStream("tollbridge.search.v1.Search.StreamOrders", "");
  while (const auto bytes = stream->Read()) {
    EXPECT_LE(bytes->size(), kLargest);
    search::v1::StreamOrdersResponse response;
    ASSERT_TRUE(response.ParseFromString(*bytes));
    if (response.has_order()) found.insert(response.order().id());
    if (response.has_unreadable_order()) named.insert(response.unreadable_order().id());
  }
  ASSERT_TRUE(stream->Finish().ok());
  EXPECT_THAT(found, UnorderedElementsAreArray(ids_));
  EXPECT_THAT(named, UnorderedElementsAreArray(unreadable_));
  EXPECT_TRUE(ExportAll(stack_).end.ok());

  EXPECT_GE(stack_.Metric(R"(tollbridge_unreadable_orders_total{cause="too_deep"})"), 1);
  EXPECT_GE(stack_.Metric(R"(tollbridge_unreadable_orders_total{cause="bad_text"})"), 1);
}

TEST_F(UnreadableOrdersTest, ASweepGoesOnBehindThem) {
  // The first pass may have gone by before they were this way: another one begins.
  stack_.RedisCommand({"FLUSHALL"});
  ASSERT_TRUE(Eventually([this] { return SweptOnce(); }));
  ASSERT_TRUE(Eventually([this] { return SweptOnce(); }));
  EXPECT_TRUE(Eventually([this] { return Swept("unreadable") >= 2; }));
}

}  // namespace
}  // namespace tollbridge::test
