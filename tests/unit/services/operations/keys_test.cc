#include "services/operations/keys.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/encoding.h"

namespace tollbridge::operations {
namespace {

std::string Secret(char c) { return std::string(32, c); }
std::string Line(const std::string& id, const std::string& secret) {
  return id + " " + Base64Encode(secret) + "\n";
}

TEST(ParseKeyRing, TakesTheFirstKeyAsCurrent) {
  const auto ring =
      ParseKeyRing(Line("2026-11", Secret('b')) + "\n" + Line("2026-05", Secret('a')));
  ASSERT_TRUE(ring.ok()) << ring.status();
  EXPECT_EQ(ring->current().id, "2026-11");
  ASSERT_NE(ring->Find("2026-05"), nullptr);
  EXPECT_EQ(ring->Find("2026-05")->secret, Secret('a'));
  EXPECT_EQ(ring->Find("2025"), nullptr);
}

TEST(ParseKeyRing, NamesTheLineAndNeverItsContent) {
  const std::string good = Line("k1", Secret('a'));
  const std::string bad[] = {
      good + "k2\n",
      good + "k2 !!notbase64!!\n",
      good + "k2 " + Base64Encode("notbase64-short") + "\n",
      good + Line("notbase64/id", Secret('b')),
      good + Line(std::string(33, 'i'), Secret('b')),
      good + good,
      good + "k2 " + Base64Encode(Secret('b')) + " more\n",
  };
  for (const std::string& content : bad) {
    const auto ring = ParseKeyRing(content);
    EXPECT_EQ(ring.status().code(), absl::StatusCode::kInvalidArgument) << content;
    const std::string message(ring.status().message());
    EXPECT_THAT(message, ::testing::HasSubstr("line 2"));
    EXPECT_THAT(message, ::testing::Not(::testing::HasSubstr("notbase64")));
  }
}

TEST(CheckSuccessor, RefusesAnotherSecretUnderAnIdThatRecordsName) {
  const KeyRing ring{{{"k1", Secret('a')}}};
  EXPECT_TRUE(CheckSuccessor(ring, {{{"k2", Secret('b')}, {"k1", Secret('a')}}}).ok());
  EXPECT_TRUE(CheckSuccessor(ring, {{{"k2", Secret('a')}}}).ok()) << "k1 is gone";
  const absl::Status status = CheckSuccessor(ring, {{{"k2", Secret('a')}, {"k1", Secret('b')}}});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("k1"));
}

TEST(CheckApart, RefusesOneSecretInBoth) {
  const KeyRing ring{{{"k1", Secret('a')}, {"k2", Secret('b')}}};
  EXPECT_TRUE(CheckApart(ring, {{{"k1", Secret('c')}}}).ok()) << "ids may be the same";
  EXPECT_FALSE(CheckApart(ring, {{{"o1", Secret('c')}, {"o2", Secret('b')}}}).ok());
}

TEST(ParseKeyRing, RefusesAFileWithoutKeys) {
  EXPECT_FALSE(ParseKeyRing("").ok());
  EXPECT_FALSE(ParseKeyRing("\n \n").ok());
}

}  // namespace
}  // namespace tollbridge::operations
