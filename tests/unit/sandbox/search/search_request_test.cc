#include "sandbox/search/search_request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tollbridge::sandbox {
namespace {

SearchRequest Good(std::string_view body, SearchFormat format = SearchFormat::kJson) {
  const auto parsed = ParseSearchRequest(body, format);
  if (!parsed.ok()) {
    ADD_FAILURE() << body << ": " << parsed.error().value;
    return {};
  }
  return *parsed;
}

ApiError Bad(std::string_view body, SearchFormat format = SearchFormat::kJson) {
  const auto parsed = ParseSearchRequest(body, format);
  if (!parsed.ok()) {
    EXPECT_EQ(parsed.error().type, "ValidationError");
    return parsed.error();
  }
  return {.status = 200, .type = "", .value = "accepted: " + std::string(body)};
}

TEST(SearchRequestTest, AnEmptyObjectAsksForTheFirstHundredOfAllById) {
  for (const std::string_view body :
       {"{}", R"({"query":null,"size":null,"start":null,"sort":null,"search_after":null})"}) {
    const SearchRequest request = Good(body);
    EXPECT_TRUE(request.query.finds_all());
    EXPECT_EQ(request.size, 100u);
    EXPECT_EQ(request.start, 0u);
    EXPECT_EQ(request.sort.field, SortField::kId);
    EXPECT_FALSE(request.sort.descending);
    EXPECT_FALSE(request.after);
  }
}

TEST(SearchRequestTest, ReadsEveryField) {
  const SearchRequest paged =
      Good(R"({"query":"status:new","size":7,"start":14,"sort":"created desc"})");
  EXPECT_FALSE(paged.query.finds_all());
  EXPECT_EQ(paged.size, 7u);
  EXPECT_EQ(paged.start, 14u);
  EXPECT_EQ(paged.sort.field, SortField::kCreated);
  EXPECT_TRUE(paged.sort.descending);
  const SearchRequest cursor = Good(R"({"sort":"amount asc","search_after":"1050"})");
  ASSERT_TRUE(cursor.after);
  EXPECT_EQ(*cursor.after, SortCursor(std::int64_t{1050}));
}

TEST(SearchRequestTest, MinusOneBeginsAtTheBeginningWhateverTheSort) {
  for (const std::string_view sort : {"id asc", "created desc", "modified asc", "completed asc",
                                      "amount asc", "merchant_order_id asc", "status desc"}) {
    EXPECT_FALSE(Good(R"({"search_after":"-1","sort":")" + std::string(sort) + "\"}").after);
  }
}

TEST(SearchRequestTest, StartAndSizeTogetherReachTenThousandAndNoFurther) {
  EXPECT_EQ(Good(R"({"start":9900})").start, 9900u);
  EXPECT_EQ(Good(R"({"start":9000,"size":1000})").start, 9000u);
  EXPECT_EQ(Good(R"({"start":9999,"size":1})").start, 9999u);
  for (const std::string_view body :
       {R"({"start":9901})", R"({"start":9001,"size":1000})", R"({"start":10000,"size":1})",
        R"({"start":9007199254740991})"}) {
    const ApiError error = Bad(body);
    EXPECT_EQ(error.status, 422);
    EXPECT_NE(error.value.find("start + size must be at most 10000"), std::string::npos)
        << error.value;
    EXPECT_NE(error.value.find("search_after"), std::string::npos);
  }
}

constexpr std::string_view kBadSize = "size must be an integer from 1 to 1000";
constexpr std::string_view kBadStart = "start must be an integer from 0 to 9007199254740991";
constexpr std::string_view kBadSort =
    "sort must be 'field asc' or 'field desc', with id, created, modified, completed, amount, "
    "merchant_order_id or status as the field";
constexpr std::string_view kBadCursor =
    "search_after must be '-1' or a value of the field that sort names";

struct Refused {
  std::string_view body;
  int status;
  std::string_view error;
};

class SearchRequestRefuses : public testing::TestWithParam<Refused> {};

TEST_P(SearchRequestRefuses, TheBodyAndNamesFieldAndRule) {
  const ApiError error = Bad(GetParam().body);
  EXPECT_EQ(error.status, GetParam().status) << error.value;
  EXPECT_EQ(error.value, GetParam().error) << GetParam().body;
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, SearchRequestRefuses,
    testing::Values(
        Refused{"", 400, "the body is not JSON"}, Refused{"{", 400, "the body is not JSON"},
        Refused{"{} {}", 400, "the body is not JSON"},
        Refused{"{\"query\":\"\xff\"}", 400, "the body is not JSON"},
        Refused{"[]", 422, "the body must be an object"},
        Refused{"null", 422, "the body must be an object"},
        Refused{"\"*\"", 422, "the body must be an object"},
        Refused{R"({"limit":5})", 422,
                "limit is not a field; known here: query, size, start, sort, search_after"},
        Refused{R"({"query":5})", 422, "query must be a string"},
        Refused{R"({"query":["*"]})", 422, "query must be a string"},
        Refused{R"({"query":""})", 422, "query must not be empty: * finds all orders"},
        Refused{R"({"query":"status:paid"})", 422,
                "query, at byte 8: status must be an order status"},
        Refused{R"({"size":0})", 422, kBadSize}, Refused{R"({"size":1001})", 422, kBadSize},
        Refused{R"({"size":-1})", 422, kBadSize}, Refused{R"({"size":10.0})", 422, kBadSize},
        Refused{R"({"size":"10"})", 422, kBadSize},
        Refused{R"({"size":18446744073709551615})", 422, kBadSize},
        Refused{R"({"size":true})", 422, kBadSize}, Refused{R"({"start":-1})", 422, kBadStart},
        Refused{R"({"start":"0"})", 422, kBadStart},
        Refused{R"({"start":9223372036854775807})", 422, kBadStart},
        Refused{R"({"sort":"id"})", 422, kBadSort}, Refused{R"({"sort":"id up"})", 422, kBadSort},
        Refused{R"({"sort":"id  asc"})", 422, kBadSort},
        Refused{R"({"sort":"id asc "})", 422, kBadSort},
        Refused{R"({"sort":"currency asc"})", 422, kBadSort},
        Refused{R"({"sort":""})", 422, kBadSort},
        Refused{R"({"sort":{"id":"asc"}})", 422, "sort must be a string"},
        Refused{R"({"search_after":"-1"})", 422, "search_after needs sort"},
        Refused{R"({"search_after":-1,"sort":"id asc"})", 422, "search_after must be a string"},
        Refused{R"({"search_after":"-1","sort":"id asc","start":0})", 422,
                "start must not be used together with search_after"},
        Refused{R"({"search_after":"x","sort":"id asc"})", 422, kBadCursor},
        Refused{R"({"search_after":"x","sort":"created asc"})", 422, kBadCursor},
        Refused{R"({"search_after":"1.5","sort":"amount asc"})", 422, kBadCursor},
        Refused{R"({"search_after":"paid","sort":"status asc"})", 422, kBadCursor},
        // Of several mistakes, the one that is told.
        Refused{R"({"size":0,"start":-1,"limit":5,"sorted":1})", 422,
                "limit is not a field; known here: query, size, start, sort, search_after"},
        Refused{R"({"sort":"up","query":"","size":0})", 422,
                "query must not be empty: * finds all orders"},
        Refused{R"({"size":0,"sort":"up"})", 422, kBadSort},
        Refused{R"({"search_after":7,"start":-1,"size":0})", 422, kBadSize},
        Refused{R"({"start":0,"search_after":"-1"})", 422,
                "start must not be used together with search_after"}));

TEST(SearchRequestTest, DeepNestingAndHugeTextsAreRefused) {
  EXPECT_EQ(Bad("{\"query\":" + std::string(100'000, '[')).status, 400);
  EXPECT_EQ(Bad("{\"query\":\"" + std::string(100'000, '(') + "\"}").status, 422);
  EXPECT_EQ(
      Bad(R"({"sort":"merchant_order_id asc","search_after":")" + std::string(5000, 'a') + "\"}")
          .value,
      "search_after must have at most 4096 bytes");
}

TEST(SearchRequestTest, NamesOfUnknownFieldsAreShortAndWithoutCardNumbers) {
  EXPECT_EQ(
      Bad("{\"" + std::string(1000, 'n') + "\":1}").value,
      std::string(64, 'n') + " is not a field; known here: query, size, start, sort, search_after");
  EXPECT_EQ(Bad(R"({"4111111111111111":1})").value.find("4111111111111111"), std::string::npos);
}

TEST(SearchRequestTest, CsvTakesNoPageButChecksItsSize) {
  EXPECT_EQ(Good(R"({"sort":"created desc","size":5})", SearchFormat::kCsv).sort.field,
            SortField::kCreated);
  EXPECT_EQ(Bad(R"({"size":0})", SearchFormat::kCsv).status, 422);
  const ApiError start = Bad(R"({"start":5})", SearchFormat::kCsv);
  EXPECT_EQ(start.status, 422);
  EXPECT_TRUE(start.value.starts_with("start is not for format=csv")) << start.value;
  const ApiError after = Bad(R"({"sort":"id asc","search_after":"-1"})", SearchFormat::kCsv);
  EXPECT_EQ(after.status, 422);
  EXPECT_TRUE(after.value.starts_with("search_after is not for format=csv")) << after.value;
}

}  // namespace
}  // namespace tollbridge::sandbox
