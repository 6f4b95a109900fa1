#include "services/domain/field_rules.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::domain {

bool operator==(const FieldViolation& a, const FieldViolation& b) {
  return a.field == b.field && a.rule == b.rule;
}
void PrintTo(const FieldViolation& v, std::ostream* out) { *out << v.field << ": " << v.rule; }

namespace {

using payments::v1::CreateOrderRequest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tollbridge::testing::v1::EchoRequest;

template <typename Message>
Message FromJson(const std::string& json) {
  Message message;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &message);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return message;
}

std::vector<FieldViolation> Check(const google::protobuf::Message& request,
                                  FieldLimits limits = {}) {
  const FieldRulesChecker checker({CreateOrderRequest::descriptor(), EchoRequest::descriptor()},
                                  limits);
  return checker.Check(request);
}

std::vector<FieldViolation> CheckEcho(const std::string& json) {
  return Check(FromJson<EchoRequest>(json));
}

TEST(FieldRules, AcceptARequestThatFulfilsThem) {
  EXPECT_THAT(Check(FromJson<CreateOrderRequest>(R"({
      "idempotencyKey": "k-1", "currency": "EUR", "amount": "0", "expirationPeriod": "PT1H",
      "returnUrl": "https://shop.test/back", "transactions": [{"paymentMethod": "credit-card"}],
      "customer": {"country": "NL"}, "extra": {"cart": {"items": [1, "two", null, true]}}})")),
              IsEmpty());
}

TEST(FieldRules, FindEveryViolationAtOnceInTheOrderOfTheFields) {
  EXPECT_THAT(
      Check(FromJson<CreateOrderRequest>(R"({"currency": "euro", "amount": "-1",
          "returnUrl": "back", "transactions": [{"captureMode": "never"}]})")),
      ElementsAre(
          FieldViolation{"idempotency_key", "is required"},
          FieldViolation{"currency", "must be an ISO 4217 code: three upper-case letters"},
          FieldViolation{"amount", "must be at least 0"},
          FieldViolation{"transactions[0].payment_method", "is required"},
          FieldViolation{"transactions[0].capture_mode", "must be one of: manual delayed"},
          FieldViolation{"return_url", "must be an absolute http or https URI with a host"}));
}

struct Case {
  std::string json;
  std::string field;
  std::string rule;
};

TEST(FieldRules, NameTheFieldAndTheRule) {
  const std::vector<Case> cases = {
      {R"({})", "text", "is required"},
      {R"({"text": ""})", "text", "must not be empty"},
      {R"({"text": "t", "numbers": {"small": 0}})", "numbers.small", "must be at least 1"},
      {R"({"text": "t", "numbers": {"small": 11}})", "numbers.small", "must be at most 10"},
      {R"({"text": "t", "numbers": {"count": "18446744073709551615"}})", "numbers.count",
       "must be at most 100"},
      {R"({"text": "t", "numbers": {"digits": [1, 10]}})", "numbers.digits[1]",
       "must be at most 9"},
      {R"({"text": "t", "numbers": {"digits": [1, 2, 3, 10]}})", "numbers.digits",
       "must have at most 3 elements"},
      {R"({"text": "t", "formats": [{}, {"uuid": "x"}]})", "formats[1].uuid",
       "must be a UUID: 8-4-4-4-12 hexadecimal digits"},
      {R"({"text": "t", "formats": [{"duration": "1 h"}]})", "formats[0].duration",
       "must be an ISO 8601 duration, for example PT1H or P20D"},
      {R"({"text": "t", "formats": [{"country": "nl"}]})", "formats[0].country",
       "must be an ISO 3166-1 alpha-2 code: two upper-case letters"},
      {R"({"text": "t", "formats": [{"state": "ca"}]})", "formats[0].state",
       "must be a state or province: two upper-case letters"},
      {R"({"text": "t", "formats": [{"expiry": "1330"}]})", "formats[0].expiry",
       "must be MMYYYY with a month of 01 to 12"},
      {R"({"text": "t", "formats": [{"choice": "blue"}]})", "formats[0].choice",
       "must be one of: red green"},
      {R"({"text": "t", "formats": [{"short": "12345"}]})", "formats[0].short",
       "must not be longer than 4 bytes"},
      {R"({"text": "t", "numbersByName": {"first": {"small": 99}}})", "numbers_by_name.first.small",
       "must be at most 10"},
      {R"({"text": "t", "numbersByName": {"4111111111111111": {"small": 99}}})",
       "numbers_by_name[*].small", "must be at most 10"},
      {R"({"text": "t", "color": 7})", "color", "must be a value of tollbridge.testing.v1.Color"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(CheckEcho(c.json), ElementsAre(FieldViolation{c.field, c.rule})) << c.json;
  }
}

TEST(FieldRules, AnOptionalFieldThatIsAbsentBreaksNothing) {
  EXPECT_THAT(CheckEcho(R"({"text": "t", "numbers": {}, "formats": [{}]})"), IsEmpty());
}

TEST(FieldRules, BoundEveryStringListAndKeyEvenWithoutARule) {
  EchoRequest request;
  request.set_text(std::string(4097, 'x'));
  request.set_blob(std::string(4097, 'x'));
  (*request.mutable_labels())["name"] = std::string(4097, 'x');
  for (int i = 0; i < 1001; ++i) request.add_formats();
  EXPECT_THAT(Check(request),
              ElementsAre(FieldViolation{"text", "must not be longer than 4096 bytes"},
                          FieldViolation{"formats", "must have at most 1000 elements"},
                          FieldViolation{"labels.name", "must not be longer than 4096 bytes"},
                          FieldViolation{"blob", "must not be longer than 4096 bytes"}));
}

TEST(FieldRules, RefuseStructNumbersThatADoubleCannotHold) {
  EchoRequest request;
  request.set_text("t");
  auto& extra = *request.mutable_extra()->mutable_fields();
  extra["fine"].set_number_value(9007199254740991.0);
  extra["large"].set_number_value(9007199254740993.0);
  extra["negative"].set_number_value(-9007199254740994.0);
  extra["list"].mutable_list_value()->add_values()->set_number_value(1e300);
  (*extra["nested"].mutable_struct_value()->mutable_fields())["nan"].set_number_value(
      std::numeric_limits<double>::quiet_NaN());
  extra["nothing"];

  std::vector<std::string> fields;
  for (const FieldViolation& violation : Check(request)) fields.push_back(violation.field);
  EXPECT_THAT(fields, ElementsAre("extra.large", "extra.list[0]", "extra.negative",
                                  "extra.nested.nan", "extra.nothing"));
}

TEST(FieldRules, BoundTheSizeAndTheDepthOfAStruct) {
  EchoRequest request;
  request.set_text("t");
  for (int i = 0; i < 20; ++i) {
    (*request.mutable_extra()->mutable_fields())["k" + std::to_string(i)].set_string_value(
        std::string(4000, 'x'));
  }
  EXPECT_THAT(Check(request),
              ElementsAre(FieldViolation{"extra", "must not be larger than 65536 bytes"}));

  request.clear_extra();
  google::protobuf::Struct* inner = request.mutable_extra();
  for (int i = 0; i < 25; ++i) inner = (*inner->mutable_fields())["a"].mutable_struct_value();
  const auto found = Check(request);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "must not be nested deeper than 20 levels");
}

TEST(FieldRules, BoundTheDepthOfMessages) {
  EchoRequest request;
  request.set_text("t");
  auto* inner = request.mutable_numbers();
  for (int i = 0; i < 30; ++i) inner = inner->mutable_inner();
  const auto found = Check(request);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "must not be nested deeper than 20 levels");
}

TEST(FieldRules, RefuseUnknownFieldsAnywhere) {
  EchoRequest request;
  request.set_text("t");
  request.GetReflection()->MutableUnknownFields(&request)->AddVarint(99, 1);
  auto* formats = request.add_formats();
  formats->GetReflection()->MutableUnknownFields(formats)->AddLengthDelimited(77, "secret");
  auto* extra = request.mutable_extra();
  extra->GetReflection()->MutableUnknownFields(extra)->AddVarint(5, 1);

  EXPECT_THAT(
      Check(request),
      ElementsAre(
          FieldViolation{
              "#99",
              "is not a field of tollbridge.testing.v1.EchoRequest as this gateway knows it"},
          FieldViolation{"extra.#5",
                         "is not a field of google.protobuf.Struct as this gateway knows it"},
          FieldViolation{
              "formats[0].#77",
              "is not a field of tollbridge.testing.v1.Formats as this gateway knows it"}));
}

CreateOrderRequest WithCardNumbers() {
  return FromJson<CreateOrderRequest>(
      R"({"idempotencyKey": "4111111111111111", "currency": "EUR", "amount": "0",
          "merchantOrderId": "4111111111111111", "description": "card 4111111111111111 123",
          "returnUrl": "https://shop.example/?pan=4111111111111111",
          "failureUrl": "https://shop.example/4111%201111%201111%201111",
          "webhookUrl": "https://shop.example/4111-1111-1111-1111",
          "customer": {"firstName": "4111111111111111", "phoneNumbers": ["+4915123456789",
                       "4111 1111 1111 1111"]},
          "client": {"user_agent": "4111.1111.1111.1111"},
          "extra": {"4111111111111111": true, "list": [4111111111111111, -4111111111111111, 4e15],
                    "nested": {"text": "4111111111111111", "other": "4111111111111112"}}})");
}

TEST(FieldRules, RefuseCardNumbersInFreeTextAndData) {
  std::vector<std::string> fields;
  for (const FieldViolation& violation : Check(WithCardNumbers())) {
    fields.push_back(violation.field);
    EXPECT_EQ(violation.rule, "must not hold what reads as a card number") << violation.field;
  }
  EXPECT_THAT(fields, ElementsAre("merchant_order_id", "description", "return_url", "failure_url",
                                  "webhook_url", "customer.first_name", "customer.phone_numbers[1]",
                                  "client.user_agent", "extra[*]", "extra.list[0]", "extra.list[1]",
                                  "extra.nested.text"));
}

TEST(FieldRules, TakeThemWhereThatIsConfigured) {
  EXPECT_THAT(Check(WithCardNumbers(), {.take_card_numbers = true}), IsEmpty());
}

TEST(FieldRules, NeverRepeatWhatWasSent) {
  const std::string sent = "4111111111111111";
  EchoRequest request;
  request.set_order_id(sent);
  auto* formats = request.add_formats();
  formats->set_currency(sent);
  formats->set_uri(sent);
  formats->set_choice(sent);
  formats->set_short_(sent);
  (*request.mutable_labels())[sent] = std::string(5000, '4');
  (*request.mutable_extra()->mutable_fields())[sent].set_number_value(4111111111111111e10);
  const auto found = Check(request);
  EXPECT_GE(found.size(), 7u);
  for (const FieldViolation& violation : found) {
    EXPECT_EQ(violation.field.find(sent), std::string::npos) << violation.field;
    EXPECT_EQ(violation.rule.find(sent), std::string::npos) << violation.rule;
  }
}

TEST(FieldRules, StopAtTheMostViolationsThatAnAnswerMayHold) {
  EchoRequest request;
  for (int i = 0; i < 500; ++i) request.add_formats()->set_currency("x");
  EXPECT_EQ(Check(request).size(), 100u);
}

}  // namespace
}  // namespace tollbridge::domain
