#include "adapters/payment_service/refusal_body.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tollbridge::payment_service {
namespace {

domain::Refusal Read(std::string body, std::string_view retry_after = "",
                     const std::vector<std::string>& confidential = {}) {
  http::Response response;
  response.status = 422;
  response.body = std::move(body);
  if (!retry_after.empty()) response.headers.Set("Retry-After", retry_after);
  return ReadRefusal(response, confidential);
}

std::string WithValue(const std::string& value) {
  return R"({"error": {"status": 422, "type": "ValidationError", "value": ")" + value + "\"}}";
}

TEST(RefusalBodyTest, ReadsTheErrorObject) {
  const domain::Refusal refusal = Read(WithValue("amount is missing"));
  EXPECT_EQ(refusal.http_status, 422);
  EXPECT_EQ(refusal.type, "ValidationError");
  EXPECT_EQ(refusal.value, "amount is missing");
  EXPECT_TRUE(refusal.has_error_object());
  EXPECT_FALSE(refusal.retry_after);
}

TEST(RefusalBodyTest, WhatIsNoErrorObjectIsNone) {
  for (const std::string body :
       {"", "{", "null", "[]", "\"error\"", "{}", "<html></html>", R"({"error": null})",
        R"({"error": "text"})", R"({"error": []})", R"({"error": {"type": "X"}} trailing)",
        "{\"error\": {\"type\": \"\xff\xfe\"}}"}) {
    const domain::Refusal refusal = Read(body);
    EXPECT_FALSE(refusal.has_error_object()) << body;
    EXPECT_EQ(refusal.http_status, 422);
  }
}

TEST(RefusalBodyTest, AnErrorObjectIsOneWithoutATypeToo) {
  for (const std::string body : {R"({"error": {}})", R"({"error": {"type": 7, "value": "x"}})",
                                 R"({"error": {"type": null}})", R"({"error": {"value": "x"}})"}) {
    const domain::Refusal refusal = Read(body);
    EXPECT_TRUE(refusal.has_error_object()) << body;
    EXPECT_EQ(refusal.type, "") << body;
  }
}

TEST(RefusalBodyTest, ValueOfAnotherShapeIsEmpty) {
  const domain::Refusal refusal = Read(R"({"error": {"type": "X", "value": {"a": 1}}})");
  EXPECT_EQ(refusal.type, "X");
  EXPECT_EQ(refusal.value, "");
}

TEST(RefusalBodyTest, MasksCardNumbers) {
  const domain::Refusal refusal = Read(WithValue("4111 1111 1111 1111 is declined"));
  EXPECT_EQ(refusal.value.find("1111 1111"), std::string::npos) << refusal.value;
  EXPECT_NE(refusal.value.find("is declined"), std::string::npos) << refusal.value;
  EXPECT_EQ(Read(R"({"error": {"type": "4111111111111111"}})").type.find("4111111111111111"),
            std::string::npos);
}

TEST(RefusalBodyTest, ATextThatRepeatsWhatIsConfidentialIsLeftOut) {
  const std::string token = "0b8f3a52-5a0e-4a5c-9d66-0d6f7d1a9c11";
  for (const std::string& value : {std::string("cvc 9417 is wrong"), "no card has " + token,
                                   token.substr(5, 24) + " is cut"}) {
    const domain::Refusal refusal = Read(WithValue(value), "", {"9417", token});
    EXPECT_EQ(refusal.type, "ValidationError");
    EXPECT_EQ(refusal.value, "(left out: repeats confidential data)") << value;
  }
  const domain::Refusal refusal = Read(R"({"error": {"type": "9417"}})", "", {"9417"});
  EXPECT_TRUE(refusal.has_error_object());
  EXPECT_EQ(refusal.type.find("9417"), std::string::npos);
}

TEST(RefusalBodyTest, WhatOnlyLooksLikeItIsKept) {
  for (const std::string value :
       {"amount 94170 is too large", "card 9416", "0b8f3a52-5a0e is ours"}) {
    EXPECT_EQ(
        Read(WithValue(value), "", {"9417", "0b8f3a52-5a0e-4a5c-9d66-0d6f7d1a9c11", ""}).value,
        value);
  }
}

TEST(RefusalBodyTest, MasksACardNumberThatTheLengthLimitWouldCut) {
  for (std::size_t before = 490; before <= 512; ++before) {
    const std::string text = std::string(before - 1, 'x') + " 4111111111111111";
    const domain::Refusal refusal = Read(WithValue(text));
    EXPECT_EQ(refusal.value.find("41111111"), std::string::npos) << before << ": " << refusal.value;
  }
}

TEST(RefusalBodyTest, CutsLongTextsBetweenCharacters) {
  // Of two bytes each, so that 512 bytes end within one when a single byte goes before.
  std::string text = "x";
  while (text.size() < 2000) text += "\xC3\xA9";
  const domain::Refusal refusal = Read(WithValue(text));
  EXPECT_EQ(refusal.value, text.substr(0, 511));
}

TEST(RefusalBodyTest, DoesNotReadAnEndlessOrEndlesslyDeepBody) {
  EXPECT_FALSE(Read(WithValue(std::string(65 * 1024, 'x'))).has_error_object());
  std::string deep;
  for (int i = 0; i < 20000; ++i) deep += "[";
  EXPECT_FALSE(Read(deep).has_error_object());
  EXPECT_FALSE(Read(R"({"error": {"type": "X", "deep": )" + std::string(30, '[') +
                    std::string(30, ']') + "}}")
                   .has_error_object());
}

TEST(RefusalBodyTest, ReadsRetryAfterInSeconds) {
  EXPECT_EQ(Read("", "3").retry_after, std::chrono::seconds(3));
  EXPECT_EQ(Read("", "0").retry_after, std::chrono::seconds(0));
  EXPECT_EQ(Read("", "3600").retry_after, std::chrono::hours(1));
}

TEST(RefusalBodyTest, PassesOverARetryAfterThatItCannotUse) {
  for (const std::string_view text : {"-1", "+1", "1.5", "3601", "99999999999999999999", "soon",
                                      "3 s", "Fri, 31 Dec 2027 23:59:59 GMT"}) {
    EXPECT_FALSE(Read("", text).retry_after) << text;
  }
}

}  // namespace
}  // namespace tollbridge::payment_service
