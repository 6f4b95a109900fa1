#include "services/domain/foreign_text.h"

#include <gtest/gtest.h>

#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::domain {
namespace {

constexpr char kCard[] = "4111111111111111";

TEST(ForeignTextTest, MasksWhatPeopleAndOtherSystemsWorded) {
  common::v1::Order order;
  order.set_reason(std::string("card ") + kCard + " declined");
  order.set_description(kCard);
  order.set_status_text(kCard);
  auto* transaction = order.add_transactions();
  transaction->set_status_text(kCard);
  transaction->set_reason(kCard);
  transaction->set_customer_message(kCard);
  (*transaction->mutable_outcomes())["processing"].set_response_code_description(kCard);
  MaskForeignText(order);
  EXPECT_EQ(order.SerializeAsString().find(kCard), std::string::npos) << order.DebugString();
  EXPECT_EQ(order.reason(), "card 411111******1111 declined");
}

TEST(ForeignTextTest, MasksNamesAndWhatMerchantsFillAsTheyLike) {
  const std::string beside = std::string("4111 1111 1111 1111") + " 123";
  common::v1::Order order;
  order.set_merchant_name(beside);
  common::v1::Customer& customer = *order.mutable_customer();
  customer.set_first_name(beside);
  customer.set_email_address(beside);
  customer.add_phone_numbers(kCard);
  for (auto* data : {order.mutable_client(), order.mutable_extra()}) {
    auto& fields = *data->mutable_fields();
    fields["text"].set_string_value(beside);
    fields["number"].set_number_value(4111111111111111);
    fields[beside].set_bool_value(true);
    auto& list = *fields["list"].mutable_list_value();
    (*list.add_values()->mutable_struct_value()->mutable_fields())["x"].set_string_value(kCard);
  }
  MaskForeignText(order);
  EXPECT_EQ(order.DebugString().find("1111 1111"), std::string::npos) << order.DebugString();
  EXPECT_EQ(order.DebugString().find(kCard), std::string::npos) << order.DebugString();
  EXPECT_EQ(order.merchant_name(), "4111 11** **** 1111 123");
  EXPECT_EQ(order.extra().fields().at("number").string_value(), "411111******1111");
  EXPECT_TRUE(order.extra().fields().at("4111 11** **** 1111 123").bool_value());
}

TEST(ForeignTextTest, MasksAddressesThatCustomersGoBackTo) {
  common::v1::Order order;
  order.set_return_url("https://shop.example/back?pan=4111111111111111");
  order.set_failure_url("https://shop.example/4111%201111%201111%201111%20123");
  MaskForeignText(order);
  EXPECT_EQ(order.return_url(), "https://shop.example/back?pan=411111******1111");
  EXPECT_EQ(order.failure_url(), "https://shop.example/4111%2011**%20****%201111%20123");
}

TEST(ForeignTextTest, LeavesOtherDataAsItWas) {
  common::v1::Order order;
  // 13 and 16 digits that pass Luhn and begin like no card.
  order.set_return_url("https://shop.example/back?at=1795319099826&order=1234567890123452");
  order.set_merchant_name("Shop 24");
  // 13 digits that pass Luhn, as one number in ten does, and begin like no card.
  order.mutable_customer()->add_phone_numbers("+49 1512 3456787");
  auto& fields = *order.mutable_extra()->mutable_fields();
  fields["amount"].set_number_value(12.5);
  fields["big"].set_number_value(1795319099828);
  fields["none"].set_null_value({});
  fields["deep"].mutable_struct_value();
  const std::string before = order.DebugString();
  MaskForeignText(order);
  EXPECT_EQ(order.DebugString(), before);
}

TEST(ForeignTextTest, LeavesIdentifiersAlone) {
  common::v1::Order order;
  order.mutable_customer()->set_merchant_customer_id(kCard);
  order.set_merchant_order_id(kCard);
  order.add_transactions()->mutable_payment_method_details()->set_network_transaction_id(kCard);
  const common::v1::Order before = order;
  MaskForeignText(order);
  EXPECT_EQ(order.SerializeAsString(), before.SerializeAsString());
}

}  // namespace
}  // namespace tollbridge::domain
