#include "services/search/export_orders.h"

#include <gmock/gmock.h>

#include "base/core/encoding.h"
#include "base/core/sha256.h"
#include "services/domain/errors.h"
#include "services/search/report_counter.h"
#include "services/search/rules.h"
#include "tests/support/decoded.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/search/search_fixture.h"

namespace tollbridge::search {
namespace {

using ::testing::IsEmpty;

class ExportOrdersTest : public SearchTest {
 protected:
  /// Exports into `messages_`; the sink fails at that message, counted from 1.
  absl::Status Export(std::size_t gone_at = 0) {
    const StreamSink<v1::ExportOrdersResponse> sink =
        [this, gone_at](const domain::Encoded<v1::ExportOrdersResponse>& response) {
          return Take(test::Decoded(response), gone_at);
        };
    return Await(ExportOrders(service_, shop_, request_, port_context_, sink));
  }

  AsyncStatus Take(v1::ExportOrdersResponse response, std::size_t gone_at) {
    messages_.push_back(response);
    if (messages_.size() == gone_at) co_return absl::CancelledError("gone");
    co_return absl::OkStatus();
  }

  /// A report about the orders of the service, in pieces of that size.
  std::string FillReport(std::size_t piece) {
    std::string report = "id,note\r\n";
    for (const common::v1::Order& order : service_.orders) {
      report += order.id() + ",\"a \"\"note\"\", and\nmore\"\r\n";
    }
    for (std::size_t at = 0; at < report.size(); at += piece) {
      service_.report.push_back(report.substr(at, piece));
    }
    return report;
  }

  std::string Chunks() const {
    std::string bytes;
    for (const v1::ExportOrdersResponse& message : messages_) bytes += message.chunk();
    return bytes;
  }

  bool HasSummary() const { return !messages_.empty() && messages_.back().has_summary(); }

  static std::string HexOf(const std::string& bytes) {
    Sha256 sum;
    sum.Update(bytes);
    return HexEncode(sum.Finish());
  }

  v1::ExportOrdersRequest request_;
  std::vector<v1::ExportOrdersResponse> messages_;
};

TEST_F(ExportOrdersTest, PassesTheReportThroughAndSumsItUp) {
  service_.AddOrders(3000);
  const std::string report = FillReport(10'000);
  ASSERT_TRUE(Export().ok());
  EXPECT_EQ(Chunks(), report);
  ASSERT_TRUE(HasSummary());
  const v1::ExportSummary& summary = messages_.back().summary();
  EXPECT_EQ(summary.rows(), 3000);
  EXPECT_EQ(summary.orders(), 3000);
  EXPECT_EQ(summary.bytes(), static_cast<std::int64_t>(report.size()));
  EXPECT_EQ(summary.sha256(), HexOf(report));
}

TEST_F(ExportOrdersTest, CutsTheReportIntoMessagesOfABoundedSize) {
  service_.AddOrders(5000);
  const std::string report = FillReport(1'000'000);
  ASSERT_TRUE(Export().ok());
  EXPECT_EQ(messages_.size(), (report.size() + kMaxChunkBytes - 1) / kMaxChunkBytes + 1);
  for (const auto& message : messages_) EXPECT_LE(message.chunk().size(), kMaxChunkBytes);
  EXPECT_EQ(Chunks(), report);
}

TEST_F(ExportOrdersTest, AsksForTheWholeReportOfTheQuery) {
  service_.AddOrders(1);
  FillReport(100);
  request_.mutable_query()->mutable_filter()->set_id(OrderId(1));
  ASSERT_TRUE(Export().ok());
  ASSERT_EQ(service_.report_searches.size(), 1U);
  EXPECT_EQ(service_.report_searches[0].query(), "id:" + OrderId(1));
  EXPECT_FALSE(service_.report_searches[0].has_start());
  EXPECT_FALSE(service_.report_searches[0].has_search_after());
  ASSERT_EQ(service_.searches.size(), 1U);
  EXPECT_EQ(service_.searches[0].query(), "id:" + OrderId(1));
  EXPECT_EQ(service_.searches[0].size(), 1);
}

TEST_F(ExportOrdersTest, AReportAboutFewerOrdersThanWereCountedIsIncomplete) {
  service_.AddOrders(10);
  FillReport(100);
  service_.AddOrders(1);
  const absl::Status end = Export();
  EXPECT_THAT(end, FailsWith(StatusCode::kDataLoss, domain::reason::kReportIncomplete));
  EXPECT_FALSE(HasSummary());
}

TEST_F(ExportOrdersTest, OrdersMadeMeanwhileAreNoFault) {
  service_.AddOrders(11);
  FillReport(100);
  service_.orders.pop_back();
  ASSERT_TRUE(Export().ok());
  EXPECT_EQ(messages_.back().summary().orders(), 11);
}

TEST_F(ExportOrdersTest, OfNothingHasASummary) {
  ASSERT_TRUE(Export().ok());
  ASSERT_EQ(messages_.size(), 1U);
  EXPECT_EQ(messages_[0].summary().rows(), 0);
  EXPECT_EQ(messages_[0].summary().sha256(), HexOf(""));
}

TEST_F(ExportOrdersTest, StopsReadingWhenTheCallerHasGone) {
  service_.AddOrders(10'000);
  FillReport(kMaxChunkBytes);
  EXPECT_EQ(Export(2).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(service_.pieces_taken, 1U);
  EXPECT_EQ(messages_.size(), 2U);
}

TEST_F(ExportOrdersTest, EndsWithoutASummaryWhenTheReportBreaksOff) {
  service_.AddOrders(10);
  FillReport(100);
  service_.report_end = absl::DataLossError("broken off");
  EXPECT_EQ(Export().code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(HasSummary());
}

TEST_F(ExportOrdersTest, WhatIsNoReportIsNotPassedOn) {
  service_.report = {"<html>\n", "<body>\n"};
  EXPECT_EQ(domain::ReasonOf(Export()), domain::reason::kUpstreamUnreadable);
  EXPECT_THAT(messages_, IsEmpty());
}

TEST_F(ExportOrdersTest, RefusesMoreOrdersThanItCanCheckBeforeItAsks) {
  service_.change = [](common::v1::OrderSearchResult& result) {
    result.set_hits(kMaxReportOrders + 1);
  };
  const absl::Status end = Export();
  EXPECT_THAT(end, FailsWith(StatusCode::kOutOfRange, domain::reason::kTooManyResults));
  EXPECT_THAT(service_.report_searches, IsEmpty());
}

TEST_F(ExportOrdersTest, AServiceThatDoesNotCountCannotBeChecked) {
  service_.tells_hits = false;
  EXPECT_EQ(domain::ReasonOf(Export()), domain::reason::kUpstreamUnreadable);
  EXPECT_THAT(service_.report_searches, IsEmpty());
}

TEST_F(ExportOrdersTest, RefusesWhatItsRulesSay) {
  request_.mutable_query()->set_raw("");
  EXPECT_EQ(ExportOrdersViolations(request_, &shop_).size(), 1U);
}

}  // namespace
}  // namespace tollbridge::search
