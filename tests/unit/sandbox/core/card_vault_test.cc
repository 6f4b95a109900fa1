#include "sandbox/core/card_vault.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>

#include "base/core/card_numbers.h"
#include "tests/unit/sandbox/core/world_test.h"

namespace tollbridge::sandbox {
namespace {

class CardVaultTest : public WorldTest {
 protected:
  Uuid NewToken() { return world_.vault.IssueSetupToken(demo().id, Uuid(), Uuid()); }
  std::optional<ApiError> TryToStore(const Uuid& token, const CardEntry& card) {
    return ErrorOf(world_.vault.Store(demo().id, token, card));
  }
};

TEST_F(CardVaultTest, SetupTokenIsGoodOnce) {
  const Uuid token = NewToken();
  EXPECT_FALSE(TryToStore(token, Card(kApprovedPan)));
  ExpectError(TryToStore(token, Card(kApprovedPan)), 422, "ValidationError");
}

TEST_F(CardVaultTest, SetupTokenIsGoodForExactlyThreeHundredSeconds) {
  const Uuid in_time = NewToken();
  const Uuid too_late = NewToken();
  Advance(std::chrono::seconds(300));
  EXPECT_FALSE(TryToStore(in_time, Card(kApprovedPan)));
  Advance(Millis{1});
  ExpectError(TryToStore(too_late, Card(kApprovedPan)), 422, "ValidationError");
}

TEST_F(CardVaultTest, RefusedCardSpendsNoToken) {
  const Uuid token = NewToken();
  ExpectError(TryToStore(token, Card("4111111111111112")), 422, "ValidationError");
  EXPECT_FALSE(TryToStore(token, Card(kApprovedPan)));
}

TEST_F(CardVaultTest, TokenOfAnotherProjectIsUnknown) {
  const Uuid token = NewToken();
  ExpectError(ErrorOf(world_.vault.Store(shop().id, token, Card(kApprovedPan))), 422,
              "ValidationError");
}

TEST_F(CardVaultTest, RefusesWhatIsNoTestCardWithoutRepeatingIt) {
  // The last one passes Luhn, but is not ours: no real card may end up here.
  for (const std::string_view pan : {"", "4", "4111 1111 1111 1111", "4111111111111112",
                                     "41111111111111111111", "4000000000000010"}) {
    const auto error = TryToStore(NewToken(), Card(pan));
    ExpectError(error, 422, "ValidationError");
    if (!pan.empty() && pan.size() > 1) {
      EXPECT_EQ(error->value.find(pan), std::string::npos) << error->value;
    }
  }
}

TEST_F(CardVaultTest, ExpiryMustBeMonthAndYearAndNotPast) {
  for (const std::string_view expiry : {"", "1230", "132030", "002030", "12/2030", "102026"}) {
    CardEntry card = Card(kApprovedPan);
    card.expiry = expiry;
    ExpectError(TryToStore(NewToken(), card), 422, "ValidationError");
  }
  CardEntry this_month = Card(kApprovedPan);
  this_month.expiry = "112026";
  EXPECT_FALSE(TryToStore(NewToken(), this_month));
}

TEST(TestCardsTest, NumbersPassLuhnAndDiffer) {
  std::set<std::string_view> seen;
  for (const TestCard& card : TestCards()) {
    EXPECT_TRUE(PassesLuhn(card.pan)) << card.pan;
    EXPECT_TRUE(seen.insert(card.pan).second);
    EXPECT_FALSE(card.purpose.empty());
  }
}

TEST(TestCardsTest, EachOutcomeHasACard) {
  std::set<CardOutcome> seen;
  for (const TestCard& card : TestCards()) seen.insert(card.outcome);
  EXPECT_EQ(seen.size(), 7U);
}

}  // namespace
}  // namespace tollbridge::sandbox
