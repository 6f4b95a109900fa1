#include "services/domain/sensitivity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::domain {
namespace {

using options::v1::SENSITIVITY_CARD_DATA;
using options::v1::SENSITIVITY_CREDENTIAL;
using options::v1::SENSITIVITY_CUSTOMER_DATA;

TEST(HoldsSensitive, FindsValuesAtAnyDepth) {
  common::v1::Order order;
  EXPECT_FALSE(HoldsSensitive(order, SENSITIVITY_CARD_DATA));
  order.add_transactions();
  auto* details = order.add_transactions()->mutable_payment_method_details();
  details->set_truncated_pan("411111******1111");
  EXPECT_FALSE(HoldsSensitive(order, SENSITIVITY_CARD_DATA));
  details->mutable_external_authentication_details()->set_authentication_value("value");
  EXPECT_TRUE(HoldsSensitive(order, SENSITIVITY_CARD_DATA));
}

TEST(HoldsSensitive, TakesAnEmptyTextForNoValue) {
  common::v1::Order order;
  order.add_transactions()->mutable_payment_method_details()->set_cvc("");
  EXPECT_FALSE(HoldsSensitive(order, SENSITIVITY_CARD_DATA));
}

TEST(HoldsSensitive, CoversWhatIsBelowADeclaredMessage) {
  common::v1::Order order;
  order.mutable_customer()->set_city("city");
  EXPECT_TRUE(HoldsSensitive(order, SENSITIVITY_CUSTOMER_DATA));
}

TEST(ClearSensitive, ClearsOneKindAndLeavesTheOthers) {
  common::v1::Order order;
  order.set_id("id");
  order.set_webhook_url("https://example.com/token");
  order.mutable_customer()->set_city("city");
  auto* details = order.add_transactions()->mutable_payment_method_details();
  details->set_cvc("123");
  details->set_vault_token("token");
  (*order.mutable_transactions(0)->mutable_outcomes())["processing"].set_status("ok");
  ClearSensitive(order, SENSITIVITY_CARD_DATA);
  EXPECT_FALSE(details->has_cvc());
  EXPECT_TRUE(details->has_vault_token());
  EXPECT_TRUE(order.has_webhook_url());
  ClearSensitive(order, SENSITIVITY_CREDENTIAL);
  EXPECT_FALSE(details->has_vault_token());
  EXPECT_FALSE(order.has_webhook_url());
  ClearSensitive(order, SENSITIVITY_CUSTOMER_DATA);
  EXPECT_FALSE(order.has_customer());
  EXPECT_EQ(order.id(), "id");
  EXPECT_EQ(order.transactions(0).outcomes().at("processing").status(), "ok");
}

TEST(AddSensitiveTexts, TakesThoseOfOneKindAtAnyDepth) {
  common::v1::Order order;
  order.set_id("id");
  order.set_webhook_url("https://shop.test/token");
  order.add_transactions()->mutable_payment_method_details()->set_cvc("123");
  auto* details = order.add_transactions()->mutable_payment_method_details();
  details->mutable_external_authentication_details()->set_authentication_value("value");
  details->set_vault_token("token");
  std::vector<std::string> texts;
  AddSensitiveTexts(order, SENSITIVITY_CARD_DATA, &texts);
  EXPECT_THAT(texts, ::testing::ElementsAre("123", "value"));
  AddSensitiveTexts(order, SENSITIVITY_CREDENTIAL, &texts);
  EXPECT_THAT(texts, ::testing::ElementsAre("123", "value", "https://shop.test/token", "token"));
}

}  // namespace
}  // namespace tollbridge::domain
