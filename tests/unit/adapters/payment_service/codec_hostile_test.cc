// What is refused, in both directions, and that a refusal leaves nothing behind.

#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/wire_table.h"
#include "tests/support/read_file.h"
#include "tests/unit/adapters/payment_service/codec_support.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/payment_link.pb.h"
#include "tollbridge/operations/v1/operations.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payment_service {
namespace {

using common::v1::Order;

// Looks like a card number: must not come back in an error.
constexpr std::string_view kMarker = "4111111111111111";

void ExpectRefused(std::string_view json, std::string_view what) {
  SCOPED_TRACE(what);
  Order order;
  order.set_id("from before");
  const absl::Status status = FromWire(json, &order);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_EQ(order.ByteSizeLong(), 0U);
  EXPECT_EQ(std::string(status.message()).find(kMarker), std::string::npos) << status;
}

std::string GoldenOrder() {
  std::string json = test::ReadFile(std::string(TOLLBRIDGE_SOURCE_DIR) +
                                    "/tests/data/codec/order/completed_card.json");
  while (!json.empty() && json.back() == '\n') json.pop_back();
  return json;
}

// `levels` objects within each other in `extra`, which is at level 2.
std::string NestedExtra(int levels) {
  std::string json = R"({"extra":)";
  for (int i = 1; i < levels; ++i) json += R"({"a":)";
  json += "{}";
  for (int i = 1; i < levels; ++i) json += '}';
  return json + "}";
}

TEST(CodecHostile, RefusesWhatIsNotJson) {
  const std::vector<std::string> bodies = {
      "",
      " ",
      "<html>4111111111111111</html>",
      "{\"id\":\"4111111111111111",
      "{id:1}",
      "{'id':1}",
      R"({"id":1,})",
      R"({"id":1} x)",
      R"({"id":1}{"id":2})",
      R"({"amount":01})",
      R"({"amount":+1})",
      R"({"amount":NaN})",
      R"({"amount":Infinity})",
      R"({"id":"a"/* comment */})",
      "{\"id\":\"line\nbreak\"}",
      R"({"id":"\x"})",
      "\xef\xbb\xbf{}",
  };
  for (const std::string& body : bodies) ExpectRefused(body, body);
}

TEST(CodecHostile, RefusesInvalidUtf8) {
  ExpectRefused("{\"id\":\"\xff\"}", "a byte that never occurs");
  ExpectRefused("{\"id\":\"\xc0\xaf\"}", "overlong");
  ExpectRefused("{\"id\":\"\xed\xa0\x80\"}", "a surrogate");
  ExpectRefused("{\"id\":\"\xe2\x82\"}", "cut short");
  ExpectRefused("{\"\xff\":1}", "in a name that is unknown");
  ExpectRefused(R"({"id":"\ud800"})", "half a pair");
  ExpectRefused(R"({"id":"\udc00x"})", "the other half");
}

TEST(CodecHostile, RefusesTheWrongTopLevel) {
  for (const std::string_view body : {"[]", "null", "true", "7", "\"x\"", "[{}]"}) {
    ExpectRefused(body, body);
  }
  common::v1::OrderIds ids;
  EXPECT_EQ(FromWire("{}", &ids).code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(FromWire(R"(["a"])", &ids).ok());
}

TEST(CodecHostile, RefusesEveryTruncation) {
  const std::string whole = GoldenOrder();
  Order order;
  ASSERT_TRUE(FromWire(whole, &order).ok());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_EQ(FromWire(std::string_view(whole).substr(0, size), &order).code(),
              absl::StatusCode::kDataLoss)
        << size;
  }
}

TEST(CodecHostile, RefusesWhatIsTooLongOrTooDeep) {
  ExpectRefused(R"({"id":")" + std::string(kMaxJsonBytes, 'x') + "\"}", "too long");
  ExpectRefused(NestedExtra(kMaxJsonDepth), "one level too deep");
  ExpectRefused(std::string(1'000'000, '['), "very deep");
  ExpectRefused(R"({"odd":)" + std::string(1'000'000, '['), "very deep in an unknown field");
}

TEST(CodecHostile, TheDeepestThatIsReadFitsIntoAResponse) {
  payments::v1::CreateOrderResponse response;
  ASSERT_TRUE(FromWire(NestedExtra(kMaxJsonDepth - 1), response.mutable_order()).ok());
  payments::v1::CreateOrderResponse copy;
  EXPECT_TRUE(copy.ParseFromString(response.SerializeAsString()));
  EXPECT_TRUE(ToWire(response.order()).ok());
}

TEST(CodecHostile, HugeNumbersCostTheirFieldAndNothingElse) {
  const std::vector<std::string> numbers = {
      "1e400",       "-1e400", "1e999999999", std::string(5000, '9'), "0." + std::string(5000, '3'),
      "1e-999999999"};
  for (const std::string& number : numbers) {
    SCOPED_TRACE(number.substr(0, 20));
    Order order;
    DecodeReport report;
    const absl::Status status =
        FromWire(R"({"id":"x","refunded_amount":)" + number + R"(,"extra":{"n":)" + number + "}}",
                 &order, &report);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(order.id(), "x");
    EXPECT_TRUE(order.extra().fields().contains("n"));
    EXPECT_EQ(ToWire(order).ok(), true);
    if (order.has_refunded_amount()) {
      EXPECT_EQ(order.refunded_amount(), 0);  // Only what rounds to zero.
    }
  }
}

TEST(CodecHostile, DamagedBodiesAreReadOrRefusedButNeverHalf) {
  const std::string whole = GoldenOrder();
  std::mt19937_64 random(7);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string body = whole;
    for (int i = 0; i < 1 + round % 4; ++i) {
      body[random() % body.size()] = static_cast<char>(random() % 256);
    }
    Order order;
    const absl::Status status = FromWire(body, &order);
    if (status.ok()) {
      EXPECT_TRUE(ToWire(order).ok());
    } else {
      ++refused;
      EXPECT_EQ(order.ByteSizeLong(), 0U);
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 3000);
}

TEST(CodecRefusals, WhatJsonCannotCarryIsNamedByItsPath) {
  Order order;
  (*order.mutable_extra()->mutable_fields())["limit"]
      .mutable_list_value()
      ->add_values()
      ->set_number_value(std::numeric_limits<double>::infinity());
  const absl::Status number = ToWire(order).status();
  EXPECT_EQ(number.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(number.message(), "extra.limit[0]: not a finite number");

  order.Clear();
  order.add_transactions()->mutable_created()->set_seconds(253'402'300'800);
  const absl::Status time = ToWire(order).status();
  EXPECT_EQ(time.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(time.message(), "transactions[0].created: not a time of the years 1 to 9999");

  order.Clear();
  google::protobuf::Struct* at = order.mutable_extra();
  for (int i = 0; i < kMaxJsonDepth; ++i) {
    at = (*at->mutable_fields())["a"].mutable_struct_value();
  }
  const absl::Status deep = ToWire(order).status();
  EXPECT_EQ(deep.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(deep.message()).find("nested too deep"), std::string::npos) << deep;
}

TEST(CodecRefusals, OnlyWireTypesAreWrittenOrRead) {
  operations::v1::Operation operation;
  operation.set_id("x");
  EXPECT_EQ(ToWire(operation).status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(FromWire("{}", &operation).code(), absl::StatusCode::kInternal);
  payments::v1::CreateOrderResponse response;
  EXPECT_EQ(ToWire(response).status().code(), absl::StatusCode::kInternal);
}

TEST(CodecRefusals, EveryWireTypeHasATable) {
  for (const auto* const type : WireTypes()) {
    EXPECT_TRUE(WireTableOf(type).ok()) << WireTableOf(type).status();
  }
}

TEST(CodecRefusals, LocalFieldsAreNeitherWrittenNorRead) {
  payments::v1::CreateOrderRequest request;
  request.set_project("shop");
  request.set_idempotency_key("key-1");
  EXPECT_EQ(ToWire(request).value(), "{}");
  DecodeReport report;
  ASSERT_TRUE(FromWire(R"({"project":"x","idempotency_key":"y"})", &request, &report).ok());
  EXPECT_FALSE(request.has_project());
  EXPECT_FALSE(request.has_idempotency_key());
  EXPECT_EQ(report.unknown_fields, 2U);
}

}  // namespace
}  // namespace tollbridge::payment_service
