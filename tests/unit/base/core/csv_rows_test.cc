#include "base/core/csv_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tollbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Rows of the columns `id` and `status`, each as "id|status"; "-" for a value that is not there.
std::vector<std::string> Read(const std::string& text, std::size_t piece) {
  std::vector<std::string> rows;
  CsvRows csv(
      {"id", "status"}, [](const std::vector<bool>&) { return absl::OkStatus(); },
      [&](const std::vector<CsvRows::Value>& row) {
        rows.push_back((row[0].present ? row[0].text : "-") + "|" +
                       (row[1].present ? row[1].text : "-"));
        return absl::OkStatus();
      });
  for (std::size_t at = 0; at < text.size(); at += piece) {
    EXPECT_TRUE(csv.Take(text.substr(at, piece)).ok());
  }
  EXPECT_TRUE(csv.End().ok());
  return rows;
}

/// The same whatever pieces it comes in.
std::vector<std::string> ReadAll(const std::string& text) {
  const std::vector<std::string> whole = Read(text, text.size() + 1);
  for (std::size_t piece = 1; piece < text.size(); ++piece) {
    EXPECT_EQ(Read(text, piece), whole) << "in pieces of " << piece;
  }
  return whole;
}

TEST(CsvRows, GivesTheWantedColumnsWhereverTheyStand) {
  EXPECT_THAT(ReadAll("status,amount,id\r\nnew,1,a\r\ncompleted,2,b\r\n"),
              ElementsAre("a|new", "b|completed"));
}

TEST(CsvRows, QuotedValuesMayHoldCommasQuotesAndLineEnds) {
  EXPECT_THAT(ReadAll("id,note,status\r\n\"a,\"\"b\",\"x\r\n\"\",y\",new\r\nc,,done"),
              ElementsAre("a,\"b|new", "c|done"));
}

TEST(CsvRows, WhatStandsBehindTheWantedColumnsIsPassedOverWithItsQuotesAndLineEnds) {
  EXPECT_THAT(ReadAll("id,status,note,x\n"
                      "a,new,plain,1\n"
                      "b,new,\"\n,\"\"id\"\",\r\n\",2\r"
                      "c,new,in\"side\",\"\",,\n"
                      "d,new,,\"last\ne,new\"\r\n"
                      "e,new,,\n"
                      "f,new,the end"),
              ElementsAre("a|new", "b|new", "c|new", "d|new", "e|new", "f|new"));
}

TEST(CsvRows, TakesAnyLineEndAndPassesOverEmptyLines) {
  EXPECT_THAT(ReadAll("id,status\n\na,new\r\r\nb,new\n"), ElementsAre("a|new", "b|new"));
}

TEST(CsvRows, AShortRowAndAMissingColumnHaveNoValue) {
  EXPECT_THAT(ReadAll("x,id\r\n1\r\n1,a\r\n1,\r\n"), ElementsAre("-|-", "a|-", "|-"));
}

TEST(CsvRows, TheFirstOfTwoColumnsOfOneNameCountsAndAByteOrderMarkIsNoPartOfAName) {
  EXPECT_THAT(ReadAll("\xEF\xBB\xBFid,status,id\r\na,new,b\r\n"), ElementsAre("a|new"));
}

TEST(CsvRows, ALongValueIsKeptInItsBeginningOnly) {
  const std::vector<std::string> rows =
      ReadAll("id,status\r\n" + std::string(100, 'a') + ",new\r\n\"" + std::string(100, 'b') +
              "\",new\r\n");
  EXPECT_THAT(rows, ElementsAre(std::string(64, 'a') + "|new", std::string(64, 'b') + "|new"));
}

TEST(CsvRows, TellsWhichWantedColumnsTheHeaderHas) {
  std::vector<bool> seen;
  CsvRows csv(
      {"id", "modified"},
      [&](const std::vector<bool>& found) {
        seen = found;
        return absl::NotFoundError("no");
      },
      [](const std::vector<CsvRows::Value>&) { return absl::OkStatus(); });
  EXPECT_TRUE(absl::IsNotFound(csv.Take("id,status\r\na,b\r\n")));
  EXPECT_THAT(seen, ElementsAre(true, false));
}

TEST(CsvRows, AnErrorOfARowEndsTheReading) {
  int rows = 0;
  CsvRows csv(
      {"id"}, [](const std::vector<bool>&) { return absl::OkStatus(); },
      [&](const std::vector<CsvRows::Value>&) {
        ++rows;
        return absl::DataLossError("no");
      });
  EXPECT_TRUE(absl::IsDataLoss(csv.Take("id\na\nb\n")));
  EXPECT_EQ(rows, 1);
}

TEST(CsvRows, KnowsThatItEndsInsideAValue) {
  std::vector<std::string> rows;
  CsvRows csv(
      {"id"}, [](const std::vector<bool>&) { return absl::OkStatus(); },
      [&](const std::vector<CsvRows::Value>& row) {
        rows.push_back(row[0].text);
        return absl::OkStatus();
      });
  ASSERT_TRUE(csv.Take("id\n\"a").ok());
  EXPECT_TRUE(csv.inside_value());
  ASSERT_TRUE(csv.Take("\"").ok());
  EXPECT_FALSE(csv.inside_value());
  EXPECT_THAT(rows, IsEmpty());
  ASSERT_TRUE(csv.End().ok());
  EXPECT_THAT(rows, ElementsAre("a"));
}

}  // namespace
}  // namespace tollbridge
