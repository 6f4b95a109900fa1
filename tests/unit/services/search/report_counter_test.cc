#include "services/search/report_counter.h"

#include <gtest/gtest.h>

#include <string>

#include "services/domain/errors.h"
#include "tests/support/fails_with.h"

namespace tollbridge::search {
namespace {

constexpr std::string_view kFirst = "11111111-1111-4111-8111-111111111111";
constexpr std::string_view kSecond = "22222222-2222-4222-8222-222222222222";

struct Counted {
  absl::Status status;
  std::int64_t rows = 0;
  std::int64_t orders = 0;
};

Counted Count(std::string_view report, std::size_t split_at = 0) {
  ReportCounter counter(0);
  absl::Status status = counter.Take(report.substr(0, split_at));
  if (status.ok()) status = counter.Take(report.substr(split_at));
  if (status.ok()) status = counter.End();
  return {status, counter.rows(), counter.orders()};
}

std::string Row(std::string_view id, std::string_view rest) {
  return std::string(id) + "," + std::string(rest);
}

TEST(ReportCounter, CountsRowsAndDistinctOrders) {
  const std::string report = "id,status\r\n" + Row(kFirst, "completed\r\n") +
                             Row(kSecond, "new\r\n") + Row(kFirst, "completed\r\n");
  const Counted counted = Count(report);
  EXPECT_TRUE(counted.status.ok()) << counted.status;
  EXPECT_EQ(counted.rows, 3);
  EXPECT_EQ(counted.orders, 2);
}

TEST(ReportCounter, CountsTheSameWhereverTheReportIsCut) {
  const std::string report = "\xEF\xBB\xBFmerchant_order_id,\"id\",note\r\n" +
                             std::string("\"a, \"\"b\"\"\r\n\r\nc\",") + std::string(kFirst) +
                             ",\"\"\r\n" + "plain 5\" pipe,\"" + std::string(kSecond) +
                             "\",\"x\n\"\"\"\n" + "\r\n,\"" + std::string(kSecond) + "\",";
  for (std::size_t at = 0; at <= report.size(); ++at) {
    const Counted counted = Count(report, at);
    EXPECT_TRUE(counted.status.ok()) << at << counted.status;
    EXPECT_EQ(counted.rows, 3) << at;
    EXPECT_EQ(counted.orders, 2) << at;
  }
}

TEST(ReportCounter, CountsTheSameByteByByte) {
  const std::string report = "\"id\"\r\n" + std::string(kFirst) + "\r\n\"" + std::string(kSecond) +
                             "\"\r\n" + std::string(kFirst);
  ReportCounter counter(10);
  for (const char c : report) ASSERT_TRUE(counter.Take(std::string_view(&c, 1)).ok());
  ASSERT_TRUE(counter.End().ok());
  EXPECT_EQ(counter.rows(), 3);
  EXPECT_EQ(counter.orders(), 2);
}

TEST(ReportCounter, TakesAnyLineEnd) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const Counted counted =
        Count("id,x" + end + Row(kFirst, "1") + end + end + Row(kSecond, "2") + end);
    EXPECT_TRUE(counted.status.ok()) << counted.status;
    EXPECT_EQ(counted.rows, 2);
    EXPECT_EQ(counted.orders, 2);
  }
}

TEST(ReportCounter, TakesAnIdInEitherCaseForTheSame) {
  EXPECT_EQ(Count("id\nabcdefab-0000-4000-8000-000000000000\n"
                  "ABCDEFAB-0000-4000-8000-000000000000\n")
                .orders,
            1);
}

TEST(ReportCounter, OfAHeaderAloneOrOfNothingIsZero) {
  for (const char* report : {"", "id,status", "id,status\r\n"}) {
    const Counted counted = Count(report);
    EXPECT_TRUE(counted.status.ok()) << report;
    EXPECT_EQ(counted.rows, 0);
    EXPECT_EQ(counted.orders, 0);
  }
}

TEST(ReportCounter, LooksAtTheColumnOfThatNameOnly) {
  const Counted counted =
      Count("transaction.id,project_id,id,id\n" + Row(kFirst, Row(kFirst, Row(kSecond, kFirst))) +
            "\n" + Row(kSecond, Row(kFirst, Row(kSecond, kSecond))) + "\n");
  EXPECT_TRUE(counted.status.ok());
  EXPECT_EQ(counted.orders, 1);
}

TEST(ReportCounter, RefusesWhatIsNoReport) {
  const std::string no_id = "must not be shown";
  for (const std::string& report :
       {std::string("<html>\n<body>"), std::string("order,status\n"), "id\n" + no_id + "\n",
        "status,id\n" + no_id + "\n", "id\n" + std::string(kFirst) + "0\n",
        "id\n" + std::string(100'000, 'x'), std::string("id,x\n,1\n")}) {
    const Counted counted = Count(report);
    EXPECT_THAT(counted.status,
                FailsWith(StatusCode::kDataLoss, domain::reason::kUpstreamUnreadable))
        << report.substr(0, 20);
    EXPECT_EQ(counted.status.message().find(no_id), std::string::npos);
  }
}

TEST(ReportCounter, AnEndInsideAValueIsIncomplete) {
  const Counted counted = Count("id,note\n" + Row(kFirst, "\"cut"));
  EXPECT_THAT(counted.status, FailsWith(StatusCode::kDataLoss, domain::reason::kReportIncomplete));
}

TEST(ReportCounter, RefusesMoreOrdersThanItsMemoryHolds) {
  ReportCounter counter(0);
  ASSERT_TRUE(counter.Take("id\n").ok());
  absl::Status status;
  std::int64_t taken = 0;
  std::string row = "00000000-0000-4000-8000-000000000000\n";
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (; status.ok() && taken <= kMaxReportOrders; ++taken) {
    for (std::size_t digit = 0; digit < 8; ++digit) {
      row[digit] = kDigits[static_cast<std::size_t>(taken >> (4 * digit)) & 15U];
    }
    status = counter.Take(row);
  }
  EXPECT_EQ(taken, kMaxReportOrders + 1);
  EXPECT_EQ(domain::ReasonOf(status), domain::reason::kTooManyResults);
}

}  // namespace
}  // namespace tollbridge::search
