// What the service may send without making a read fail (docs/interface.md#open-points).

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/payment_service/codec.h"
#include "tests/unit/adapters/payment_service/codec_support.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/payment_link.pb.h"

namespace tollbridge::payment_service {
namespace {

struct Case {
  std::string name;
  std::string json;
  std::string want;  // Order as text.
  std::size_t unknown_fields = 0;
  std::size_t unknown_enum_values = 0;
  std::size_t unreadable_values = 0;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class CodecGenerosity : public ::testing::TestWithParam<Case> {};

TEST_P(CodecGenerosity, ReadsAsExpected) {
  const Case& c = GetParam();
  common::v1::Order want;
  ParseText(c.want, &want);
  common::v1::Order got;
  DecodeReport report;
  const absl::Status status = FromWire(c.json, &got, &report);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(SameMessage(got, want));
  EXPECT_EQ(report.unknown_fields, c.unknown_fields);
  EXPECT_EQ(report.unknown_enum_values, c.unknown_enum_values);
  EXPECT_EQ(report.unreadable_values, c.unreadable_values);
}

std::vector<Case> Cases() {
  const std::string time = R"(created { seconds: 1767323045 })";  // 2026-01-02T03:04:05Z
  return {
      {"Empty", "{}", ""},
      {"FlagsInAnyLetters", R"({"transactions":[{"is_capturable":"True"}]})",
       "transactions { is_capturable: true }"},
      {"UnknownField", R"({"id":"x","new_thing":{"deep":[1]}})", R"(id: "x")", 1},
      {"UnknownFieldsBelow", R"({"customer":{"a":1},"transactions":[{"b":1}]})",
       "customer {} transactions {}", 2},
      {"NullIsAbsent",
       R"({"id":null,"amount":null,"status":null,"created":null,"customer":null,)"
       R"("transactions":null,"extra":null,"flags":null})",
       ""},
      {"NullElementIsSkipped", R"({"flags":["a",null,"b"]})", R"(flags: "a" flags: "b")"},
      {"NullAmongMessagesIsUnreadable", R"({"transactions":[null,{"is_capturable":true}]})",
       "transactions { is_capturable: true }", 0, 0, 1},
      {"ZeroFalseAndEmptyArePresent",
       R"({"amount":0,"description":"","transactions":[{"is_capturable":false}]})",
       R"(amount: 0 description: "" transactions { is_capturable: false })"},

      {"KnownStatus", R"({"status":"see-transactions"})", "status: ORDER_STATUS_SEE_TRANSACTIONS"},
      {"UnknownStatusKeepsItsText", R"({"status":"on-hold"})",
       R"(status: ORDER_STATUS_UNSPECIFIED status_text: "on-hold")", 0, 1},
      {"StatusAsNumber", R"({"status":3})", R"(status: ORDER_STATUS_UNSPECIFIED status_text: "3")",
       0, 1},
      {"StatusOfImpossibleShape", R"({"status":{"name":"new"}})", "", 0, 0, 1},
      {"TheTextBesideAStatusIsNotAFieldOfTheWire", R"({"status":"new","status_text":"x"})",
       "status: ORDER_STATUS_NEW", 1},
      {"UnknownTransactionStatus", R"({"transactions":[{"status":"parked"}]})",
       R"(transactions { status: TRANSACTION_STATUS_UNSPECIFIED status_text: "parked" })", 0, 1},
      {"TransactionStatusOfTheFamily", R"({"transactions":[{"status":"captured"}]})",
       "transactions { status: TRANSACTION_STATUS_CAPTURED }"},

      {"IntegerAsString", R"({"amount":"1500"})", "amount: 1500"},
      {"IntegerAsWholeDouble", R"({"amount":1500.0})", "amount: 1500"},
      {"IntegerWithExponent", R"({"amount":15e2})", "amount: 1500"},
      {"LargestInteger", R"({"amount":9223372036854775807})", "amount: 9223372036854775807"},
      {"SmallestInteger", R"({"amount":-9223372036854775808})", "amount: -9223372036854775808"},
      {"OddIntegerBeyondDouble", R"({"amount":9007199254740993})", "amount: 9007199254740993"},
      {"OddIntegerBeyondDoubleAsString", R"({"amount":"9007199254740993"})",
       "amount: 9007199254740993"},
      {"FractionIsNoAmount", R"({"amount":15.5})", "", 0, 0, 1},
      {"TextIsNoAmount", R"({"amount":"15 EUR"})", "", 0, 0, 1},
      {"EmptyTextIsNoAmount", R"({"amount":""})", "", 0, 0, 1},
      {"DoubleBeyondExactnessIsNoAmount", R"({"amount":9007199254740994.0})", "", 0, 0, 1},
      {"TooLargeForAnAmount", R"({"amount":9223372036854775808})", "", 0, 0, 1},
      {"FarTooLargeForAnAmount", R"({"amount":1e300,"refunded_amount":"99999999999999999999"})", "",
       0, 0, 2},
      {"ObjectIsNoAmount", R"({"amount":{"value":5},"id":"x"})", R"(id: "x")", 0, 0, 1},

      {"StringAsNumber", R"({"id":12,"reason":-1.5,"merchant_order_id":18446744073709551615})",
       R"(id: "12" reason: "-1.5" merchant_order_id: "18446744073709551615")"},
      {"StringOfImpossibleShape", R"({"id":["x"],"reason":{},"description":true})", "", 0, 0, 3},
      {"OutcomeCodesAsNumbers",
       R"({"transactions":[{"outcomes":{"processing":{"status":200,"response_code":5}}}]})",
       R"(transactions { outcomes { key: "processing"
            value { status: "200" response_code: "5" } } })"},
      {"OutcomesOfImpossibleShape",
       R"({"transactions":[{"outcomes":{"a":"no","b":{"status":"ok"},"c":null}},{"outcomes":[]}]})",
       R"(transactions { outcomes { key: "b" value { status: "ok" } } } transactions {})", 0, 0, 2},

      {"FlagAsText", R"({"transactions":[{"is_capturable":"true"},{"is_capturable":0}]})",
       "transactions { is_capturable: true } transactions { is_capturable: false }"},
      {"FlagOfImpossibleShape", R"({"transactions":[{"is_capturable":"maybe"}]})",
       "transactions {}", 0, 0, 1},

      {"TimeInUtc", R"({"created":"2026-01-02T03:04:05Z"})", time},
      {"TimeWithOffset", R"({"created":"2026-01-02T04:34:05+01:30"})", time},
      {"TimeWithShortOffsets",
       R"({"created":"2026-01-02T04:34:05+0130","modified":"2026-01-01T22:04:05-05"})",
       time + " modified { seconds: 1767323045 }"},
      {"TimeWithoutZone", R"({"created":"2026-01-02T03:04:05"})", time},
      {"TimeWithSpaceAndSmallLetters",
       R"({"created":"2026-01-02 03:04:05z","modified":"2026-01-02t03:04:05z"})",
       time + " modified { seconds: 1767323045 }"},
      {"TimeWithoutSeconds", R"({"created":"2026-01-02T03:04Z"})",
       "created { seconds: 1767323040 }"},
      {"TimeWithFraction", R"({"created":"2026-01-02T03:04:05.25Z"})",
       "created { seconds: 1767323045 nanos: 250000000 }"},
      {"TimeWithTwelveDigitsOfFraction", R"({"created":"2026-01-02T03:04:05,123456789999+00:00"})",
       "created { seconds: 1767323045 nanos: 123456789 }"},
      {"LeapSecond", R"({"created":"2016-12-31T23:59:60Z"})", "created { seconds: 1483228800 }"},
      {"TimesThatAreNone",
       R"({"created":"2026-02-30T00:00:00Z","modified":"yesterday","completed":1767323045})", "", 0,
       0, 3},

      {"ListOfImpossibleShape", R"({"flags":"is-test","transactions":{"id":"x"}})", "", 0, 0, 2},
      {"ElementsOfImpossibleShape", R"({"payment_methods":["a",{"b":1},"c"],"transactions":[7]})",
       R"(payment_methods: "a" payment_methods: "c")", 0, 0, 2},
      {"MessageOfImpossibleShape", R"({"customer":[],"client":"x","extra":[]})", "", 0, 0, 3},

      {"FreeDataOfAllKinds",
       R"({"extra":{"n":null,"b":true,"i":-3,"d":0.5,"s":"x","l":[1,[]],"o":{}}})",
       R"(extra {
            fields { key: "n" value { null_value: NULL_VALUE } }
            fields { key: "b" value { bool_value: true } }
            fields { key: "i" value { number_value: -3 } }
            fields { key: "d" value { number_value: 0.5 } }
            fields { key: "s" value { string_value: "x" } }
            fields { key: "l" value { list_value {
              values { number_value: 1 } values { list_value {} } } } }
            fields { key: "o" value { struct_value {} } } })"},
      {"IntegersThatADoubleCannotHoldStayExactAsText",
       R"({"extra":{"a":9007199254740992,"b":9007199254740993,"c":18446744073709551615}})",
       R"(extra {
            fields { key: "a" value { number_value: 9007199254740992 } }
            fields { key: "b" value { string_value: "9007199254740993" } }
            fields { key: "c" value { string_value: "18446744073709551615" } } })"},
      {"TheLastOfRepeatedNamesCounts", R"({"amount":1,"status":"new","amount":2,"status":"error"})",
       "amount: 2 status: ORDER_STATUS_ERROR"},
      {"OnlyTheLastOfRepeatedNamesIsLookedAt",
       R"({"amount":[],"status":"odd","customer":{"a":1},"amount":2,"status":"new","customer":null})",
       "amount: 2 status: ORDER_STATUS_NEW"},
      {"RepeatedNamesOfMapsAndFreeDataAreNotMixed",
       R"({"extra":{"a":{"x":1},"b":2,"a":{"y":3}},)"
       R"("transactions":[{"outcomes":{"k":5,"k":{"status":"a"},"k":{"response_code":"b"}}}]})",
       R"(extra { fields { key: "a" value { struct_value {
                    fields { key: "y" value { number_value: 3 } } } } }
                  fields { key: "b" value { number_value: 2 } } }
          transactions { outcomes { key: "k" value { response_code: "b" } } })"},
      {"EscapesAndMultiByteCharacters", R"({"description":"\u20ac \ud83d\udcb3 é \u0000 \/"})",
       R"(description: "€ 💳 é \000 /")"},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, CodecGenerosity, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

TEST(CodecReport, NamesPlacesAndNeverValues) {
  common::v1::Order order;
  DecodeReport report;
  ASSERT_TRUE(FromWire(R"({"4111111111111111":1,"new field!":2,"odd":"4111111111111111",
                           "amount":"4111111111111111x","transactions":[{},{"status":"4111",
                           "outcomes":{"4111":5}}]})",
                       &order, &report)
                  .ok());
  std::vector<std::string> paths;
  for (const auto& finding : report.findings) paths.push_back(finding.path);
  EXPECT_THAT(paths, ::testing::ElementsAre("*", "*", "odd", "amount", "transactions[1].status",
                                            "transactions[1].outcomes.*"));
}

TEST(CodecReport, TellsOfAnErrorObjectAmongAnyNumberOfUnknownFields) {
  const auto tells = [](const std::string& json) {
    common::v1::Order order;
    DecodeReport report;
    EXPECT_TRUE(FromWire(json, &order, &report).ok());
    return report.error_object;
  };
  std::string many;
  for (int i = 0; i < 100; ++i) many += "\"odd" + std::to_string(i) + "\":0,";
  EXPECT_TRUE(tells("{" + many + R"("error":{}})"));
  EXPECT_TRUE(tells(R"({"error":null,"id":"x","error":{}})"));
  EXPECT_FALSE(tells("{" + many + R"("error":null})"));
  EXPECT_FALSE(tells(R"({"error":{},"error":"x"})"));
  EXPECT_FALSE(tells(R"({"customer":{"error":{}},"extra":{"error":{}}})"));
}

TEST(CodecReport, CountsOnWhenItsListIsFull) {
  std::string json = "{";
  for (int i = 0; i < 100; ++i) json += "\"odd" + std::to_string(i) + "\":0,";
  json.back() = '}';
  common::v1::Order order;
  DecodeReport report;
  ASSERT_TRUE(FromWire(json, &order, &report).ok());
  EXPECT_EQ(report.unknown_fields, 100U);
  EXPECT_EQ(report.findings.size(), DecodeReport::kMaxFindings);
}

TEST(CodecGenerosityOfLinks, OrdersByStatusKeepUnknownStatuses) {
  common::v1::PaymentLink got;
  DecodeReport report;
  ASSERT_TRUE(FromWire(R"({"status":"paused","orders":{"error":["a","b"],"odd":[],"bad":"x"}})",
                       &got, &report)
                  .ok());
  common::v1::PaymentLink want;
  ParseText(R"pb(status: PAYMENT_LINK_STATUS_UNSPECIFIED
                 status_text: "paused"
                 orders {
                   key: "error"
                   value { ids: "a" ids: "b" }
                 }
                 orders {
                   key: "odd"
                   value {}
                 })pb",
            &want);
  EXPECT_TRUE(SameMessage(got, want));
  EXPECT_EQ(report.unknown_enum_values, 1U);
  EXPECT_EQ(report.unreadable_values, 1U);
}

}  // namespace
}  // namespace tollbridge::payment_service
