// The whole way of a search: gRPC, use case, client, the sandbox's index.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/core/encoding.h"
#include "base/core/sha256.h"
#include "tests/integration/sandbox/sandbox_process.h"
#include "tests/integration/search/search_server.h"
#include "tests/support/grpc_client.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::test {
namespace {

namespace v1 = search::v1;
using ::testing::HasSubstr;

constexpr const char* kSearch = "tollbridge.search.v1.Search.SearchOrders";
constexpr const char* kStream = "tollbridge.search.v1.Search.StreamOrders";
constexpr const char* kExport = "tollbridge.search.v1.Search.ExportOrders";
constexpr int kOrders = 25'000;
constexpr int kPage = 100;

/// One sandbox for all tests, since its orders take a while to make. They only read.
class SearchServiceTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sandbox_ = new SandboxProcess({"--start-time", "2026-11-21T08:00:00Z"});
    // The first are spread over 90 days; all others are made at one moment: ties in `created`.
    sandbox_->Operate("seed", R"({"orders": 5000})");
    sandbox_->Operate("seed", R"({"orders": 20000})");
  }
  static void TearDownTestSuite() {
    delete sandbox_;
    sandbox_ = nullptr;
  }
  ~SearchServiceTest() override { sandbox_->Operate("faults", "{}"); }

  struct Pages {
    std::vector<std::string> ids;
    RpcStatus end;
  };

  /// Pages to the end, or to the first refusal.
  Pages SearchAll(v1::SearchOrdersRequest request) {
    Pages pages;
    while (true) {
      const RpcReply reply = client_.Call(kSearch, request);
      pages.end = reply.status;
      if (!reply.status.ok()) return pages;
      const auto response = reply.As<v1::SearchOrdersResponse>();
      for (const common::v1::Order& order : response.orders()) pages.ids.push_back(order.id());
      if (!response.has_next_page_token()) return pages;
      request.set_page_token(response.next_page_token());
    }
  }

  /// Ids of the stream's rest; its end must be fine.
  static std::vector<std::string> ReadIds(RpcStream& stream) {
    std::vector<std::string> ids;
    while (const auto bytes = stream.Read()) {
      v1::StreamOrdersResponse response;
      EXPECT_TRUE(response.ParseFromString(*bytes));
      ids.push_back(response.order().id());
    }
    const RpcStatus end = stream.Finish();
    EXPECT_TRUE(end.ok()) << end.message;
    return ids;
  }

  static std::size_t Distinct(const std::vector<std::string>& ids) {
    return std::set<std::string>(ids.begin(), ids.end()).size();
  }

  static SandboxProcess* sandbox_;
  SearchServer server_{sandbox_->url()};
  GrpcClient client_{server_.address()};
  RpcOptions patient_{.deadline = std::chrono::minutes(2), .metadata = {}};
};

SandboxProcess* SearchServiceTest::sandbox_ = nullptr;

TEST_F(SearchServiceTest, StreamGivesEachOfManyOrdersOnceAlthoughTheirTimesTie) {
  const auto stream = client_.OpenStream(kStream, "", patient_);
  const std::vector<std::string> ids = ReadIds(*stream);
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(kOrders));
  EXPECT_EQ(Distinct(ids), static_cast<std::size_t>(kOrders));
}

TEST_F(SearchServiceTest, PagesReachEveryOrderById) {
  v1::SearchOrdersRequest request;
  request.set_page_size(1000);
  const Pages pages = SearchAll(request);
  EXPECT_TRUE(pages.end.ok()) << pages.end.message;
  EXPECT_EQ(pages.ids.size(), static_cast<std::size_t>(kOrders));
  EXPECT_EQ(Distinct(pages.ids), static_cast<std::size_t>(kOrders));
  EXPECT_EQ(server_.service().searches, kOrders / 1000) << "no empty page at the end";
}

TEST_F(SearchServiceTest, PagesByATimeThatTiesEndAtTenThousandByName) {
  v1::SearchOrdersRequest request;
  request.set_page_size(1000);
  request.set_sort("created asc");
  const Pages pages = SearchAll(request);
  EXPECT_EQ(Distinct(pages.ids), 10'000U);
  EXPECT_EQ(pages.end.code_name(), "OUT_OF_RANGE");
  EXPECT_EQ(pages.end.reason, "TOO_MANY_RESULTS");
  EXPECT_THAT(pages.end.message, HasSubstr("id asc"));
}

TEST_F(SearchServiceTest, TypedFiltersFindWhatTheyName) {
  v1::SearchOrdersRequest request;
  request.set_page_size(1);
  auto& filter = *request.mutable_query()->mutable_filter();
  filter.set_status(common::v1::ORDER_STATUS_COMPLETED);
  filter.mutable_created_to()->set_seconds(1'795'248'000);  // 2026-11-21T08:00:00Z
  const RpcReply found = client_.Call(kSearch, request);
  ASSERT_TRUE(found.status.ok()) << found.status.message;
  const auto some = found.As<v1::SearchOrdersResponse>();
  ASSERT_EQ(some.orders_size(), 1);
  EXPECT_EQ(some.orders(0).status(), common::v1::ORDER_STATUS_COMPLETED);
  EXPECT_GT(some.total_hits(), 1);
  EXPECT_LT(some.total_hits(), kOrders);

  filter.set_id(some.orders(0).id());
  filter.set_merchant_order_id(some.orders(0).merchant_order_id());
  EXPECT_EQ(client_.Call(kSearch, request).As<v1::SearchOrdersResponse>().total_hits(), 1);
  filter.set_merchant_order_id("no\" OR id:* \\such");
  const RpcReply none = client_.Call(kSearch, request);
  ASSERT_TRUE(none.status.ok()) << none.status.message;
  EXPECT_EQ(none.As<v1::SearchOrdersResponse>().total_hits(), 0);
}

TEST_F(SearchServiceTest, ARawQueryIsTheServicesToRefuse) {
  v1::SearchOrdersRequest request;
  request.mutable_query()->set_raw("no_such_field:1");
  EXPECT_EQ(client_.Call(kSearch, request).status.reason, "UPSTREAM_REFUSED");
  request.mutable_query()->set_raw("status:completed OR status:new");
  EXPECT_TRUE(client_.Call(kSearch, request).status.ok());
}

TEST_F(SearchServiceTest, ASlowReaderSlowsTheReadingFromTheService) {
  const auto stream = client_.OpenStream(kStream, "", patient_);
  ASSERT_TRUE(stream->Read().has_value());
  // The server has time for other calls, while the windows are full and the stream stands still.
  v1::SearchOrdersRequest other;
  other.set_page_size(1);
  constexpr int kOthers = 200;
  for (int i = 0; i < kOthers; ++i) ASSERT_TRUE(client_.Call(kSearch, other).status.ok());
  EXPECT_LT(server_.service().searches - kOthers, kOrders / kPage / 2);

  EXPECT_EQ(ReadIds(*stream).size(), static_cast<std::size_t>(kOrders - 1));
  EXPECT_LE(server_.service().searches - kOthers, kOrders / kPage + 1);
}

TEST_F(SearchServiceTest, APageThatBreaksOffIsAskedForAgain) {
  sandbox_->Operate("faults", R"({"rules": [
    {"on": {"operation": "search_orders", "nth": 3}, "fault": {"kind": "drop_before"}},
    {"on": {"operation": "search_orders", "nth": 7}, "fault": {"kind": "status", "status": 503}}
  ]})");
  const auto stream = client_.OpenStream(kStream, "", patient_);
  EXPECT_EQ(Distinct(ReadIds(*stream)), static_cast<std::size_t>(kOrders));
  EXPECT_EQ(server_.service().searches, kOrders / kPage) << "the pipe repeats, nothing above it";
  const boost::json::value faults = boost::json::parse(sandbox_->Look("faults"));
  for (const boost::json::value& rule : faults.at("hits").as_array()) {
    EXPECT_EQ(rule.at("hits").as_int64(), 1);
  }
}

TEST_F(SearchServiceTest, ExportsTheReportByteByByte) {
  const auto stream = client_.OpenStream(kExport, "", patient_);
  std::string report;
  v1::ExportSummary summary;
  while (const auto bytes = stream->Read()) {
    v1::ExportOrdersResponse response;
    ASSERT_TRUE(response.ParseFromString(*bytes));
    report += response.chunk();
    if (response.has_summary()) summary = response.summary();
  }
  const RpcStatus end = stream->Finish();
  ASSERT_TRUE(end.ok()) << end.message;

  const http::Response direct =
      sandbox_->Ask("POST", "/v1/search/orders/?format=csv", R"({"query": "*", "sort": "id asc"})");
  ASSERT_EQ(direct.status, 200);
  EXPECT_TRUE(report == direct.body) << report.size() << " and " << direct.body.size() << " bytes";
  Sha256 sum;
  sum.Update(direct.body);
  EXPECT_EQ(summary.sha256(), HexEncode(sum.Finish()));
  EXPECT_EQ(summary.bytes(), static_cast<std::int64_t>(direct.body.size()));
  EXPECT_EQ(summary.orders(), kOrders);
  EXPECT_GE(summary.rows(), kOrders);
}

TEST_F(SearchServiceTest, AReportThatBreaksOffHasNoSummary) {
  sandbox_->Operate("faults", R"({"rules": [{"on": {"operation": "search_orders", "nth": 2},
    "fault": {"kind": "reset", "after_bytes": 300000}}]})");
  const auto stream = client_.OpenStream(kExport, "", patient_);
  while (const auto bytes = stream->Read()) {
    v1::ExportOrdersResponse response;
    ASSERT_TRUE(response.ParseFromString(*bytes));
    EXPECT_FALSE(response.has_summary());
  }
  EXPECT_EQ(stream->Finish().code_name(), "DATA_LOSS");
}

}  // namespace
}  // namespace tollbridge::test
