#include "sandbox/api/wallet_b_message.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/encoding.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

WalletBCard DeviceCard() {
  return {.pan = "4111111111111111",
          .expiration_month = 3,
          .expiration_year = 2030,
          .method = WalletBMethod::kCryptogram3ds,
          .cryptogram = "AgAAAAAABk4DWZ4C28yUQAAAAAA=",
          .eci_indicator = "05"};
}

/// A message whose signature fits whatever is in it.
std::string SignedMessage(std::string_view content) {
  const std::string encoded = Base64Encode(content);
  json::object outer;
  outer["protocolVersion"] = "sandbox-1";
  outer["signature"] = SignWalletBMessage(encoded);
  outer["signedMessage"] = encoded;
  return json::serialize(outer);
}

void ExpectRefused(std::string_view message, std::string_view part_of_error) {
  const auto read = ReadWalletBMessage(message);
  ASSERT_FALSE(read.ok()) << part_of_error;
  const ApiError& error = read.error();
  EXPECT_EQ(error.status, 422);
  EXPECT_EQ(error.type, "ValidationError");
  EXPECT_TRUE(error.value.starts_with("walletPayMessage")) << error.value;
  EXPECT_NE(error.value.find(part_of_error), std::string::npos) << error.value;
  EXPECT_EQ(error.value.find("4111111111111111"), std::string::npos) << error.value;
}

TEST(WalletBMessageTest, CardBoundToADeviceComesBackWhole) {
  const auto read = ReadWalletBMessage(MakeWalletBMessage(DeviceCard()));
  ASSERT_TRUE(read.ok());
  const WalletBCard& card = *read;
  EXPECT_EQ(card.pan, "4111111111111111");
  EXPECT_EQ(card.Expiry(), "032030");
  EXPECT_EQ(card.method, WalletBMethod::kCryptogram3ds);
  EXPECT_EQ(card.cryptogram, "AgAAAAAABk4DWZ4C28yUQAAAAAA=");
  EXPECT_EQ(card.eci_indicator, "05");
}

TEST(WalletBMessageTest, CardInTheAccountComesWithoutCryptogram) {
  WalletBCard card = DeviceCard();
  card.method = WalletBMethod::kPanOnly;
  card.expiration_month = 12;
  const auto read = ReadWalletBMessage(MakeWalletBMessage(card));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->method, WalletBMethod::kPanOnly);
  EXPECT_EQ(read->Expiry(), "122030");
  EXPECT_EQ(read->cryptogram, "");
  EXPECT_EQ(read->eci_indicator, "");
}

TEST(WalletBMessageTest, CardBoundToADeviceGetsACryptogramWhereItNamesNone) {
  WalletBCard card = DeviceCard();
  card.cryptogram.clear();
  card.eci_indicator.clear();
  const auto read = ReadWalletBMessage(MakeWalletBMessage(card));
  ASSERT_TRUE(read.ok());
  EXPECT_NE(read->cryptogram, "");
  EXPECT_EQ(read->eci_indicator, "05");
}

TEST(WalletBMessageTest, EciIndicatorMayBeAbsent) {
  const auto read = ReadWalletBMessage(SignedMessage(
      R"({"pan": "4", "expirationMonth": 1, "expirationYear": 2030,
          "authMethod": "CRYPTOGRAM_3DS", "cryptogram": "c"})"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->eci_indicator, "");
}

TEST(WalletBMessageTest, MessageHasTheDocumentedForm) {
  const json::object outer = json::parse(MakeWalletBMessage(DeviceCard())).as_object();
  EXPECT_EQ(outer.size(), 3U);
  EXPECT_EQ(outer.at("protocolVersion"), "sandbox-1");
  const std::string_view encoded = outer.at("signedMessage").as_string();
  EXPECT_EQ(outer.at("signature").as_string(), SignWalletBMessage(encoded));
  const json::object inner = json::parse(*Base64Decode(encoded)).as_object();
  EXPECT_EQ(inner.at("pan"), "4111111111111111");
  EXPECT_EQ(inner.at("expirationMonth"), 3);
  EXPECT_EQ(inner.at("expirationYear"), 2030);
  EXPECT_EQ(inner.at("authMethod"), "CRYPTOGRAM_3DS");
}

TEST(WalletBMessageTest, AnyChangedCharacterIsNoticed) {
  const std::string good = MakeWalletBMessage(DeviceCard());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string garbled = good;
    garbled[i] = garbled[i] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(ReadWalletBMessage(garbled).ok()) << i;
  }
}

TEST(WalletBMessageTest, CutMessageIsNoticedWhereverItIsCut) {
  const std::string good = MakeWalletBMessage(DeviceCard());
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_FALSE(ReadWalletBMessage(good.substr(0, i)).ok()) << i;
  }
}

TEST(WalletBMessageTest, WhatIsNoMessageIsRefused) {
  constexpr std::string_view kRule = "is not a message of the sandbox's wallet";
  for (const std::string& text : std::vector<std::string>{
           "", "null", "[]", "\"text\"", "{", "\xff\xfe", std::string(50'000, '['),
           R"({"protocolVersion": "sandbox-1", "more": 1})"}) {
    ExpectRefused(text, kRule);
  }
  ExpectRefused("{}", "protocolVersion must be sandbox-1");
  ExpectRefused(R"({"protocolVersion": "ECv2", "signature": "", "signedMessage": ""})",
                "protocolVersion must be sandbox-1");
  ExpectRefused(R"({"protocolVersion": "sandbox-1"})", "signature does not fit");
  ExpectRefused(R"({"protocolVersion": "sandbox-1", "signature": 1, "signedMessage": []})",
                "signature does not fit");
}

TEST(WalletBMessageTest, SignedContentThatIsNoCardIsRefused) {
  constexpr std::string_view kRule = "signedMessage is not the base64 of a card's JSON object";
  ExpectRefused(SignedMessage(""), kRule);
  ExpectRefused(SignedMessage("4111111111111111"), kRule);
  ExpectRefused(SignedMessage("[]"), kRule);
  ExpectRefused(SignedMessage(R"({"4111111111111111": 1})"), kRule);
  ExpectRefused(SignedMessage(std::string(50'000, '{')), kRule);
  json::object outer;
  outer["protocolVersion"] = "sandbox-1";
  outer["signature"] = SignWalletBMessage("%%%");
  outer["signedMessage"] = "%%%";
  ExpectRefused(json::serialize(outer), kRule);
}

TEST(WalletBMessageTest, FieldsOfTheCardThatBreakARuleAreNamed) {
  const std::vector<std::pair<json::object, std::string_view>> cases{
      {{{"pan", nullptr}}, "pan is required"},
      {{{"pan", ""}}, "pan is required"},
      {{{"pan", std::int64_t{4111111111111111}}}, "pan is required"},
      {{{"expirationMonth", 0}}, "expirationMonth must be from 1 to 12"},
      {{{"expirationMonth", 13}}, "expirationMonth must be from 1 to 12"},
      {{{"expirationMonth", -1}}, "expirationMonth must be from 1 to 12"},
      {{{"expirationMonth", "03"}}, "expirationMonth must be from 1 to 12"},
      {{{"expirationMonth", 3.0}}, "expirationMonth must be from 1 to 12"},
      {{{"expirationYear", 30}}, "expirationYear must have four digits"},
      {{{"expirationYear", 10000}}, "expirationYear must have four digits"},
      {{{"expirationYear", std::int64_t{1} << 40}}, "expirationYear must have four digits"},
      {{{"expirationYear", nullptr}}, "expirationYear must have four digits"},
      {{{"authMethod", "pan_only"}}, "authMethod must be PAN_ONLY or CRYPTOGRAM_3DS"},
      {{{"authMethod", nullptr}}, "authMethod must be PAN_ONLY or CRYPTOGRAM_3DS"},
      {{{"authMethod", "CRYPTOGRAM_3DS"}}, "cryptogram is required with CRYPTOGRAM_3DS"},
      {{{"authMethod", "CRYPTOGRAM_3DS"}, {"cryptogram", 1}}, "cryptogram is required"},
      {{{"cryptogram", "c"}}, "go with CRYPTOGRAM_3DS only"},
      {{{"eciIndicator", "05"}}, "go with CRYPTOGRAM_3DS only"},
  };
  const json::object good{{"pan", "4111111111111111"},
                          {"expirationMonth", 3},
                          {"expirationYear", 2030},
                          {"authMethod", "PAN_ONLY"}};
  ASSERT_TRUE(ReadWalletBMessage(SignedMessage(json::serialize(good))).ok());
  for (const auto& [changes, part_of_error] : cases) {
    json::object card = good;
    for (const auto& [name, value] : changes) card[name] = value;
    ExpectRefused(SignedMessage(json::serialize(card)), part_of_error);
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
