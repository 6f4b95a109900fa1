#include "tests/unit/gateway/wiring/field_rule_list.h"

#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::gateway {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tollbridge::testing::v1::EchoRequest;

std::map<std::string, std::vector<std::string>> Listed(domain::FieldLimits limits = {}) {
  std::map<std::string, std::vector<std::string>> listed;
  for (ListedField& field : ListFieldRules(*EchoRequest::descriptor(), limits)) {
    EXPECT_FALSE(listed.contains(field.field)) << field.field;
    listed[field.field] = std::move(field.rules);
  }
  return listed;
}

TEST(FieldRuleList, SaysWhatIsDemandedOfEachField) {
  const auto listed = Listed();
  EXPECT_THAT(listed.at("text"), ElementsAre("is required", "must not be empty",
                                             "must not be longer than 4096 bytes"));
  EXPECT_THAT(listed.at("ratio"), IsEmpty());
  EXPECT_THAT(listed.at("numbers.small"), ElementsAre("must be at least 1", "must be at most 10"));
  EXPECT_THAT(listed.at("numbers.digits"), ElementsAre("must have at most 3 elements"));
  EXPECT_THAT(listed.at("numbers.digits[]"), ElementsAre("must be at most 9"));
  EXPECT_THAT(listed.at("formats[].choice"),
              ElementsAre("must not be longer than 4096 bytes", "must be one of: red green"));
  EXPECT_THAT(listed.at("extra"), ElementsAre("must not be larger than 65536 bytes"));
  EXPECT_THAT(listed.at("numbers_by_name.*.small"), Contains("must be at most 10"));
  EXPECT_THAT(listed.at("color"), ElementsAre("must be a value of tollbridge.testing.v1.Color"));
}

TEST(FieldRuleList, FollowsTheGeneralLimits) {
  const auto listed = Listed({.max_string_bytes = 7, .max_items = 1});
  EXPECT_THAT(listed.at("blob"), ElementsAre("must not be longer than 7 bytes"));
  EXPECT_THAT(listed.at("formats"), ElementsAre("must have at most 1 element"));
  EXPECT_THAT(listed.at("formats[].short"), ElementsAre("must not be longer than 4 bytes"));
}

TEST(FieldRuleList, ListsAMessageThatContainsItselfOnce) {
  const auto listed = Listed();
  EXPECT_TRUE(listed.contains("numbers.small"));
  EXPECT_FALSE(listed.contains("numbers.inner.small"));
}

// Whatever a request can break is in the list, in the same words.
TEST(FieldRuleList, HoldsEachViolationThatTheCheckerFinds) {
  EchoRequest bad;
  const auto parsed = google::protobuf::util::JsonStringToMessage(
      R"({"text": "", "color": 7, "orderId": "x", "extra": {"large": 1e300},
          "numbers": {"small": 0, "amount": "-1", "count": "101", "digits": [1, 10]},
          "formats": [{"currency": "x", "uuid": "x", "duration": "x", "uri": "x", "country": "x",
                       "state": "x", "expiry": "x", "choice": "x", "short": "12345"}],
          "numbersByName": {"first": {"small": 99, "digits": [1, 2, 3, 4]}}})",
      &bad);
  ASSERT_TRUE(parsed.ok()) << parsed.ToString();
  (*bad.mutable_labels())["name"] = std::string(4097, 'x');
  (*bad.mutable_labels())[std::string(4097, 'x')] = "";
  (*bad.mutable_extra()->mutable_fields())["none"];
  bad.set_blob(std::string(4097, 'x'));

  const auto listed = Listed();
  const domain::FieldRulesChecker checker({EchoRequest::descriptor()}, {});
  std::vector<domain::FieldViolation> found = checker.Check(bad);
  for (const domain::FieldViolation& violation : checker.Check(EchoRequest()))
    found.push_back(violation);
  EXPECT_EQ(found.size(), 24U);
  for (const domain::FieldViolation& violation : found) {
    std::string field = std::regex_replace(violation.field, std::regex(R"(\[\d+\])"), "[]");
    field =
        std::regex_replace(field, std::regex(R"(^(extra|labels|numbers_by_name)\.\w+)"), "$1.*");
    if (field == "labels[*]") field = "labels";
    ASSERT_TRUE(listed.contains(field)) << field;
    EXPECT_THAT(listed.at(field), Contains(violation.rule)) << field;
  }
}

}  // namespace
}  // namespace tollbridge::gateway
