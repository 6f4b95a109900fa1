#include "sandbox/search/query_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace tollbridge::sandbox {
namespace {

/// The shape of a query: `(and (or T T) (not T))`, where T is a term.
std::string Shape(const QueryNode& node) {
  std::string inner;
  for (const QueryNode& child : node.children) inner += " " + Shape(child);
  switch (node.kind) {
    case QueryNode::Kind::kEverything:
      return "*";
    case QueryNode::Kind::kTerm:
      return "T";
    case QueryNode::Kind::kNot:
      return "(not" + inner + ")";
    case QueryNode::Kind::kAnd:
      return "(and" + inner + ")";
    case QueryNode::Kind::kOr:
      return "(or" + inner + ")";
  }
  return "?";
}

std::string Parsed(std::string_view text) {
  const auto result = ParseQuery(text);
  if (!result.ok()) return result.error().value;
  return Shape(*result);
}

/// What is said about a bad query; empty when it is a good one.
std::string Refusal(std::string_view text) {
  const auto result = ParseQuery(text);
  if (result.ok()) return "";
  const ApiError* error = &result.error();
  EXPECT_EQ(error->status, 422);
  EXPECT_EQ(error->type, "ValidationError");
  EXPECT_TRUE(error->value.starts_with("query")) << error->value;
  return error->value;
}

std::string Repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

struct Good {
  std::string_view query;
  std::string_view shape;
};

class QueryParserTakes : public testing::TestWithParam<Good> {};

TEST_P(QueryParserTakes, TheQueryApart) { EXPECT_EQ(Parsed(GetParam().query), GetParam().shape); }

INSTANTIATE_TEST_SUITE_P(
    Queries, QueryParserTakes,
    testing::Values(Good{"*", "*"}, Good{"  *\t\r\n", "*"}, Good{"status:new", "T"},
                    Good{"status:\"see-transactions\"", "T"}, Good{"merchant_order_id:A:1", "T"},
                    Good{R"(description:"a \"b\" \\ c")", "T"}, Good{"description:\"\"", "T"},
                    Good{"created:2026-11-21T10:00:00+02:00", "T"}, Good{"created:[* TO *]", "T"},
                    Good{"created:[ 2026-11-20\tTO  2026-11-21 ]", "T"},
                    Good{"amount:{1 TO 5]", "T"}, Good{"amount:[-1 TO \"5\"}", "T"},
                    Good{"merchant_order_id:[TO TO TO]", "T"}, Good{"merchant_order_id:A*", "T"},
                    Good{"merchant_order_id:*", "T"}, Good{"(status:new)", "T"}, Good{"((*))", "*"},
                    Good{"NOT status:new", "(not T)"}, Good{"NOT NOT *", "(not (not *))"},
                    Good{"NOT(status:new)", "(not T)"},
                    Good{"status:new AND amount:1", "(and T T)"},
                    Good{"status:new OR status:error OR amount:1", "(or T T T)"},
                    Good{"amount:1 OR amount:2 AND amount:3", "(or T (and T T))"},
                    Good{"NOT amount:1 AND amount:2", "(and (not T) T)"},
                    Good{"(amount:1 OR amount:2) AND NOT (amount:3 AND amount:4)",
                         "(and (or T T) (not (and T T)))"},
                    Good{"(amount:1)AND(amount:2)", "(and T T)"}));

struct Bad {
  std::string_view query;
  std::string_view part;  ///< of what is said about it
};

class QueryParserRefuses : public testing::TestWithParam<Bad> {};

TEST_P(QueryParserRefuses, TheQueryAndNamesRuleAndPlace) {
  EXPECT_NE(Refusal(GetParam().query).find(GetParam().part), std::string::npos)
      << GetParam().query << ": " << Refusal(GetParam().query);
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, QueryParserRefuses,
    testing::Values(
        Bad{"", "must not be empty"}, Bad{" \t ", "must not be empty"},
        Bad{"status:new amount:1", "at byte 12: AND or OR is missing"},
        Bad{"(status:new amount:1)", "at byte 13: AND or OR is missing"},
        Bad{"status:new and amount:1", "at byte 12: AND or OR is missing"},
        Bad{"* *", "at byte 3: AND or OR is missing"}, Bad{"**", "at byte 2: AND or OR"},
        Bad{"status:\"new\"amount:1", "at byte 13: AND or OR"},
        Bad{"status:new AND", "at byte 15: the query ends where a term is expected"},
        Bad{"NOT", "at byte 4: the query ends"}, Bad{"AND status:new", "at byte 1: field:value"},
        Bad{"status:new OR OR amount:1", "at byte 15: field:value"},
        Bad{"word", "at byte 1: field"}, Bad{":new", "at byte 1: field:value"},
        Bad{"()", "at byte 2: field:value"}, Bad{"(status:new", "at byte 1: a ( without its )"},
        Bad{"status:new)", "at byte 11: a ) without its ("}, Bad{")", "at byte 1: field:value"},
        Bad{"status:", "at byte 8: status needs a value right after its colon"},
        Bad{"status: new", "at byte 8: status needs a value"},
        Bad{"description:\"abc", "at byte 13: description: a quote that is not closed"},
        Bad{"description:\"abc\\\"", "at byte 13: description: a quote that is not closed"},
        Bad{"description:\"abc\\", "at byte 17: description: \\ must stand before"},
        Bad{"description:\"a\\n\"", "at byte 15: description: \\ must stand before"},
        Bad{"description:a\"b\"", "at byte 14: description: a value with such"},
        Bad{"description:(",
            "at byte 13: description: a value with such a character must be quoted"},
        Bad{"description:a[b", "at byte 14: description: a value with such"},
        Bad{"description:a\\b", "at byte 14: description: a value with such"},
        Bad{"description:a*b", "at byte 14: description: * counts at a value's end only"},
        Bad{"description:**", "at byte 13: description: * counts"},
        Bad{"amount:[1 5]", "at byte 11: amount: a range is [from TO to]"},
        Bad{"amount:[1 to 5]", "at byte 11: amount: a range is"},
        Bad{"amount:[1 TO 5", "at byte 8: amount: a range without its ] or }"},
        Bad{"amount:[1 TO 5)", "at byte 8: amount: a range without its"},
        Bad{"amount:[TO 5]", "amount: a range is [from TO to]"},
        Bad{"amount:[1 TO ]", "at byte 14: amount needs a value"}, Bad{"amount:[", "amount needs"},
        Bad{"merchant_order_id:[A* TO B]", "at byte 20: merchant_order_id: a range knows no"}));

INSTANTIATE_TEST_SUITE_P(
    FieldsAndValues, QueryParserRefuses,
    testing::Values(
        Bad{"colour:red", "at byte 1: not a searchable field"},
        Bad{"* AND transaction:1", "at byte 7: not a searchable field"},
        Bad{"Status:new", "not a searchable field"},
        Bad{"extra:x", "at byte 1: extra is not searchable"},
        Bad{"extra.basket:x", "extra is not searchable"},
        Bad{"status:paid", "at byte 8: status must be an order status"},
        Bad{"status:New", "status must be an order status"},
        Bad{"status:declined", "status must be an order status"},
        Bad{"status:n*", "at byte 8: status cannot be searched by prefix"},
        Bad{"status:[new TO processing]", "at byte 8: status cannot be searched by range"},
        Bad{"transaction.status:paid", "transaction.status must be a transaction status"},
        Bad{"transaction.status:see-transactions", "must be a transaction status"},
        Bad{"transaction.status:[new TO new]", "cannot be searched by range"},
        Bad{"transaction.credit_debit:both", "must be credit or debit"},
        Bad{"amount:ten", "at byte 8: amount must be a whole number"},
        Bad{"amount:10.50", "amount must be a whole number"},
        Bad{"amount:\"\"", "amount must be a whole number"},
        Bad{"amount:99999999999999999999", "amount must be a whole number"},
        Bad{"amount:[1 TO many]", "at byte 14: amount must be a whole number"},
        Bad{"amount:1*", "at byte 8: amount cannot be searched by prefix"},
        Bad{"transaction.amount:x", "transaction.amount must be a whole number"},
        Bad{"created:yesterday", "at byte 9: created must be an ISO 8601 date"},
        Bad{"created:2026-02-30", "created must be an ISO 8601 date"},
        Bad{"created:2026-11-21T08:00", "created must be an ISO 8601 date"},
        Bad{"modified:[2026-11-21 TO soon]", "at byte 25: modified must be an ISO 8601 date"},
        Bad{"completed:2026*", "completed cannot be searched by prefix"},
        Bad{"id:123", "at byte 4: id must be a uuid"},
        Bad{"id:*", "id cannot be searched by prefix"},
        Bad{"transaction.id:x", "transaction.id must be a uuid"},
        Bad{"refund_of_order_id:x", "refund_of_order_id must be a uuid"}));

TEST(QueryParser, ParenthesesGoAsDeepAsTheBoundAndNoDeeper) {
  EXPECT_EQ(Parsed(Repeated("(", kMaxQueryDepth) + "*" + Repeated(")", kMaxQueryDepth)), "*");
  EXPECT_EQ(Refusal(Repeated("(", kMaxQueryDepth + 1) + "*" + Repeated(")", kMaxQueryDepth + 1)),
            "query, at byte 17: nested deeper than 16");
}

TEST(QueryParser, NotCountsAsNesting) {
  EXPECT_TRUE(Refusal(Repeated("NOT ", kMaxQueryDepth) + "*").empty());
  EXPECT_EQ(Refusal(Repeated("NOT ", kMaxQueryDepth + 1) + "*"),
            "query, at byte 65: nested deeper than 16");
}

TEST(QueryParser, FourKibibytesOfParenthesesAreRefusedEarly) {
  EXPECT_EQ(Refusal(std::string(kMaxQueryBytes, '(')), "query, at byte 17: nested deeper than 16");
  EXPECT_EQ(Refusal(std::string(kMaxQueryBytes, ')')), "query, at byte 1: field:value is expected");
}

TEST(QueryParser, TermsUpToTheBound) {
  EXPECT_TRUE(Refusal("*" + Repeated(" OR *", kMaxQueryTerms - 1)).empty());
  EXPECT_NE(Refusal("*" + Repeated(" OR *", kMaxQueryTerms)).find("more than 64 terms"),
            std::string::npos);
}

TEST(QueryParser, BytesUpToTheBound) {
  const std::string head = "description:";
  EXPECT_TRUE(Refusal(head + std::string(kMaxQueryBytes - head.size(), 'a')).empty());
  EXPECT_EQ(Refusal(head + std::string(kMaxQueryBytes - head.size() + 1, 'a')),
            "query must have at most 4096 bytes");
}

TEST(QueryParser, BytesThatAreNotUtf8AreValuesLikeAnyOther) {
  EXPECT_EQ(Parsed("description:\xff\xc3"), "T");
  EXPECT_EQ(Parsed("description:\"\xc3\""), "T");
  EXPECT_EQ(Refusal("\xff:1"), "query, at byte 1: field:value is expected");
  EXPECT_EQ(Parsed(std::string_view("description:a\0b", 15)), "T");
}

TEST(QueryParser, NoBeginningOfAQueryBreaksIt) {
  const std::string query =
      R"((status:new OR NOT description:"a \"b\"") AND created:{2026-11-20 TO *] AND currency:E*)";
  ASSERT_EQ(Parsed(query), "(and (or T (not T)) T T)");
  for (std::size_t size = 0; size < query.size(); ++size) {
    const std::string shape = Parsed(query.substr(0, size));
    EXPECT_FALSE(shape.empty());
    // Whatever is left out of it is missed, but for the last term's end.
    if (size < query.size() - 2) {
      EXPECT_NE(shape, "(and (or T (not T)) T T)") << size;
    }
  }
}

TEST(QueryParser, ErrorsDoNotRepeatValues) {
  for (const std::string_view query :
       {"status:secret", "amount:secret", "created:secret", "id:secret", "secret:1", "secret",
        "description:\"secret", "description:secret\"", "amount:[secret TO 1]"}) {
    const std::string refusal = Refusal(query);
    EXPECT_FALSE(refusal.empty()) << query;
    EXPECT_EQ(refusal.find("secret"), std::string::npos) << refusal;
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
