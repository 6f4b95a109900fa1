#include "services/operations/outcome_packing.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/core/encoding.h"
#include "base/core/uuid.h"

namespace tollbridge::operations {
namespace {

constexpr std::size_t kMost = 1 << 20;

std::string RoundTrip(const std::string& plain) {
  const std::optional<std::string> packed = PackOutcome(plain);
  EXPECT_TRUE(packed.has_value());
  return UnpackOutcome(packed.value_or(""), kMost).value_or("lost");
}

TEST(OutcomePacking, GivesBackWhatItTook) {
  const std::string uuid = "3b241101-e2bb-4255-8caf-4136c566a962";
  const std::vector<std::string> all = {
      "",
      "x",
      "\xff",
      std::string("\xff\xff\0\xff\x01", 5),
      std::string(5000, '\xff'),
      uuid,
      uuid + uuid,
      "id=" + uuid + " again " + uuid + "\xff",
      uuid.substr(1),
      uuid.substr(0, 35),
      "3B241101-E2BB-4255-8CAF-4136C566A962" + uuid,
      "3b241101-e2bb-4255-8caf-4136c566a96-",
      "3b2411-1-e2bb-4255-8caf-4136c566a962",
      "https://shop.example.com/checkout/return?order_id=" + uuid};
  for (const std::string& plain : all) {
    EXPECT_EQ(RoundTrip(plain), plain);
  }
}

TEST(OutcomePacking, GivesBackWhateverItIs) {
  std::mt19937 random(7);
  const auto upto = [&random](int end) {
    return std::uniform_int_distribution<int>(0, end - 1)(random);
  };
  for (int i = 0; i < 3'000; ++i) {
    std::string plain;
    for (int parts = upto(12); parts > 0; --parts) {
      switch (upto(4)) {
        case 0:
          plain += Uuid::V4({static_cast<std::uint8_t>(upto(5))}).ToString();
          break;
        case 1:
          plain += std::string(static_cast<std::size_t>(upto(3)), '\xff');
          break;
        case 2:
          plain += std::string(static_cast<std::size_t>(upto(200)), 'a');
          break;
        default:
          for (int bytes = upto(60); bytes > 0; --bytes) {
            plain.push_back(static_cast<char>(upto(256)));
          }
      }
    }
    ASSERT_EQ(RoundTrip(plain), plain) << HexEncode(plain);
  }
}

TEST(OutcomePacking, KeepsMoreUuidsThanItCanNumber) {
  std::string plain;
  for (int i = 0; i < 300; ++i) {
    plain += Uuid::V4({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8)}).ToString();
  }
  EXPECT_EQ(RoundTrip(plain), plain);
}

TEST(OutcomePacking, MakesAnOrdinaryAnswerAboutHalfAsLong) {
  std::string plain;
  for (int i = 0; i < 6; ++i) {
    plain += "\x0a\x24" + Uuid::V5(Uuid{}, std::to_string(i)).ToString();
  }
  plain +=
      "\x2a\x0e"
      "Example Travel2?Two nights in a double room, breakfast included [booking 1234]:\x03"
      "EURhttps://pay.example.com/orders/?token=https://shop.example.com/checkout/done?booking=1234"
      "https://shop.example.com/checkout/failed?booking=1234https://hooks.example.com/***card";
  EXPECT_LT(PackOutcome(plain)->size(), plain.size() * 11 / 20);
}

TEST(OutcomePacking, RefusesWhatItDidNotMake) {
  const std::string packed = *PackOutcome("id 3b241101-e2bb-4255-8caf-4136c566a962, and more");
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_EQ(UnpackOutcome(packed.substr(0, size), kMost), std::nullopt) << size;
  }
  EXPECT_EQ(UnpackOutcome(packed + "x", kMost), std::nullopt);
  EXPECT_EQ(UnpackOutcome(packed, 10), std::nullopt) << "longer than allowed";
  EXPECT_EQ(UnpackOutcome("\x7f\xff\xff\xff" + packed.substr(4), kMost), std::nullopt);
  EXPECT_EQ(UnpackOutcome(std::string("\0\0\0\x01\x00", 5) + packed.substr(21), kMost),
            std::nullopt);
  std::mt19937 random(7);
  for (int i = 0; i < 2'000; ++i) {
    std::string changed = packed;
    changed[random() % changed.size()] = static_cast<char>(random());
    UnpackOutcome(changed, kMost);  // whatever it says, it ends
  }
}

/// Records outlive a release. Another form or dictionary wants another flag, and this text stays.
TEST(OutcomePacking, ReadsWhatAnEarlierReleaseMade) {
  const std::string plain =
      "\x0a\x24"
      "3b241101-e2bb-4255-8caf-4136c566a962 EUR card https://pay.example.com/orders/?token=\xff";
  const std::string kMade = "AAAAVwE7JBEB4rtCVYyvQTbFZqli41L5z6gA9IUCKKgVcCmEegbq2P8MAA==";
  EXPECT_EQ(UnpackOutcome(Base64Decode(kMade).value_or(""), kMost), plain);
}

}  // namespace
}  // namespace tollbridge::operations
