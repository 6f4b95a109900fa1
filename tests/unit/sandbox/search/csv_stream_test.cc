#include "sandbox/search/csv_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/async_test.h"
#include "tests/unit/sandbox/search/csv_reader.h"
#include "tests/unit/sandbox/search/search_test.h"

namespace tollbridge::sandbox {
namespace {

using std::chrono::seconds;
using Strings = std::vector<std::string>;

class CsvStreamTest : public SearchTest {
 protected:
  using SearchTest::SearchTest;

  http::Response Report(std::string_view body = "{}", std::string_view key = kDemoKey) {
    http::Response response = Post(body, key, "?format=csv");
    EXPECT_EQ(response.status, 200) << response.body;
    EXPECT_TRUE(response.body_producer);
    return response;
  }

  std::string NextPiece(const http::Response& response) {
    absl::StatusOr<std::string> piece = test::Await(io_, response.body_producer());
    EXPECT_TRUE(piece.ok());
    return piece.value_or("");
  }

  /// All pieces that are left, checked for their size.
  std::string Rest(const http::Response& response) {
    std::string whole;
    for (;;) {
      const std::string piece = NextPiece(response);
      if (piece.empty()) return whole;
      EXPECT_LT(piece.size(), kCsvChunkBytes + 4096);
      EXPECT_TRUE(piece.ends_with("\r\n")) << "a piece is whole rows";
      whole += piece;
    }
  }

  /// Values of the column `id`, without the header.
  static Strings RowIds(std::string_view text) {
    const auto rows = ReadCsv(text);
    if (!rows || rows->empty() || rows->front().front() != "id") {
      ADD_FAILURE() << "not a report";
      return {};
    }
    Strings ids;
    for (std::size_t i = 1; i < rows->size(); ++i) ids.push_back((*rows)[i].front());
    return ids;
  }

  boost::asio::io_context io_;
};

TEST_F(CsvStreamTest, AnEmptyResultIsTheHeaderAlone) {
  const http::Response response = Report();
  EXPECT_TRUE(RowIds(Rest(response)).empty());
  EXPECT_EQ(NextPiece(response), "") << "the end stays the end";
}

TEST_F(CsvStreamTest, TheWholeResultComesWhateverTheSize) {
  Strings ids = AddMany(150);
  std::ranges::sort(ids);
  EXPECT_EQ(RowIds(Rest(Report(R"({"size":10})"))), ids);
}

TEST_F(CsvStreamTest, KeepsFilterAndSort) {
  const Strings ids = AddMany(10, seconds(1));
  const Strings expected = {ids[5], ids[4], ids[3]};
  for (const std::string_view sort : {"created desc", "amount desc"}) {
    EXPECT_EQ(
        RowIds(Rest(Report(R"({"query":"amount:[3 TO 5]","sort":")" + std::string(sort) + "\"}"))),
        expected);
  }
}

TEST_F(CsvStreamTest, AnotherProjectsOrdersAreNotInIt) {
  const Strings own = AddMany(1);
  Order foreign = Plain();
  foreign.project_id = shop().id;
  const std::string foreign_id = Add(foreign);
  EXPECT_EQ(RowIds(Rest(Report())), own);
  EXPECT_EQ(RowIds(Rest(Report("{}", kShopKey))), Strings{foreign_id});
}

TEST_F(CsvStreamTest, ErrorsAreJson) {
  ExpectError(Post(R"({"start":1})", kDemoKey, "?format=csv"), 422, "ValidationError", "start");
  ExpectError(Post("", kDemoKey, "?format=csv"), 400, "ValidationError");
}

TEST_F(CsvStreamTest, ThreeThousandOrdersStreamWhileMoreAreMade) {
  Strings ids = AddMany(3000);
  std::ranges::sort(ids);
  const http::Response response = Report();
  std::string whole;
  int pieces = 0;
  for (;;) {
    const std::string piece = NextPiece(response);
    if (piece.empty()) break;
    ++pieces;
    whole += piece;
    AddMany(50);
  }
  EXPECT_GT(pieces, 10);
  EXPECT_EQ(RowIds(whole), ids);
}

TEST_F(CsvStreamTest, AResetInTheMiddleEndsItCleanly) {
  Strings ids = AddMany(3000);
  std::ranges::sort(ids);
  const http::Response response = Report();
  const std::string first = NextPiece(response) + NextPiece(response);
  world_.Reset();
  AddMany(100);
  EXPECT_EQ(Rest(response), "");
  const Strings seen = RowIds(first);
  EXPECT_GT(seen.size(), 50u);
  EXPECT_EQ(seen, Strings(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(seen.size())));
}

TEST_F(CsvStreamTest, AnOrderThatChangesInTheMiddleShowsItsNewState) {
  AddMany(1000, Millis{1});
  const http::Response response = Report(R"({"sort":"created asc"})");
  const std::string first = NextPiece(response);
  Advance(seconds(1));
  for (const Uuid& id : {world_.orders.by_creation().front(), world_.orders.by_creation().back()}) {
    world_.orders.Edit(id).reason = "changed meanwhile";
  }
  const std::string rest = Rest(response);
  EXPECT_EQ(first.find("changed meanwhile"), std::string::npos);
  EXPECT_NE(rest.find("changed meanwhile"), std::string::npos);
  EXPECT_EQ(RowIds(first + rest).size(), 1000u);
}

TEST_F(CsvStreamTest, TheStreamOutlivesItsRoutes) {
  AddMany(300);
  http::Response response;
  {
    const std::vector<Route> routes = SearchRoutes(&world_, &addresses_);
    http::Request request;
    request.body = "{}";
    const absl::StatusOr<http::Target> target = http::ParseTarget("/v1/search/orders/?format=csv");
    const Call call{.request = &request, .target = &*target, .parameters = {}, .project = &demo()};
    response = routes[0].handle(call);
  }
  EXPECT_EQ(RowIds(Rest(response)).size(), 300u);
}

class LaggingCsvStreamTest : public CsvStreamTest {
 protected:
  static Settings Lagging() {
    Settings settings;
    settings.index_lag = seconds(10);
    return settings;
  }
  LaggingCsvStreamTest() : CsvStreamTest(Lagging()) { world_.orders.KeepHistory(seconds(10)); }
};

TEST_F(LaggingCsvStreamTest, ShowsOrdersAsTheIndexKnowsThem) {
  const Uuid old = world_.orders.Add(Plain()).id;
  Advance(seconds(20));
  world_.orders.Edit(old).reason = "not yet indexed";
  Add(Plain());
  const std::string text = Rest(Report());
  EXPECT_EQ(RowIds(text), Strings{old.ToString()});
  EXPECT_EQ(text.find("not yet indexed"), std::string::npos);
  Advance(seconds(10));
  const std::string later = Rest(Report());
  EXPECT_EQ(RowIds(later).size(), 2u);
  EXPECT_NE(later.find("not yet indexed"), std::string::npos);
}

}  // namespace
}  // namespace tollbridge::sandbox
