#include <string>

#include "tests/unit/services/vault/vault_fixture.h"

namespace tollbridge::vault {
namespace {

class ResultsTest : public VaultTest {
 protected:
  absl::StatusOr<operations::PlanResult> Read(const std::string& method,
                                              const google::protobuf::Message& last) {
    return Registration(method).result(Shop(), last, operations::v1::KNOWLEDGE_ANSWERED);
  }
};

TEST_F(ResultsTest, StoreCardAnswersTheRecordAndEntersNoOrder) {
  v1::StoredCard card;
  card.set_vault_token(NewId(2));
  card.set_truncated_pan("411111******1111");
  card.add_brands("one");
  const auto result = Read("StoreCard", card);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto& response = dynamic_cast<const v1::StoreCardResponse&>(*result->response);
  EXPECT_EQ(response.card().SerializeAsString(), card.SerializeAsString());
  EXPECT_EQ(response.knowledge(), operations::v1::KNOWLEDGE_ANSWERED);
  EXPECT_FALSE(result->order.has_value());
  EXPECT_FALSE(result->created_order);
}

TEST_F(ResultsTest, ExchangeAnswersTheTokenWithItsCryptogram) {
  v1::WalletBToken token;
  token.set_vault_token(NewId(2));
  token.set_cryptogram("cryptogram");
  token.set_eci_indicator("05");
  const auto result = Read("ExchangeWalletBToken", token);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto& response = dynamic_cast<const v1::ExchangeWalletBTokenResponse&>(*result->response);
  EXPECT_EQ(response.token().SerializeAsString(), token.SerializeAsString());
  EXPECT_EQ(response.knowledge(), operations::v1::KNOWLEDGE_ANSWERED);
}

TEST_F(ResultsTest, WithoutAVaultTokenThereIsNoAnswer) {
  for (const char* method : {"StoreCard", "ExchangeWalletBToken"}) {
    EXPECT_EQ(Read(method, v1::StoredCard()).status().code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(Read(method, v1::WalletBToken()).status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST_F(ResultsTest, OfTheExchangeNothingIsKeptWhateverItHolds) {
  EXPECT_TRUE(Registration("ExchangeWalletBToken").result_holds_card_data);
  EXPECT_FALSE(Registration("StoreCard").result_holds_card_data);
}

TEST_F(ResultsTest, PendingIsAnAnswerOfBoth) {
  operations::v1::PendingOperation pending;
  pending.set_operation_id(NewId(3));
  EXPECT_EQ(dynamic_cast<const v1::StoreCardResponse&>(*Registration("StoreCard").pending(pending))
                .pending()
                .operation_id(),
            NewId(3));
  EXPECT_EQ(dynamic_cast<const v1::ExchangeWalletBTokenResponse&>(
                *Registration("ExchangeWalletBToken").pending(pending))
                .pending()
                .operation_id(),
            NewId(3));
}

}  // namespace
}  // namespace tollbridge::vault
