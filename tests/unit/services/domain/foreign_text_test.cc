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

TEST(ForeignTextTest, LeavesIdentifiersAlone) {
  common::v1::Order order;
  order.set_merchant_order_id(kCard);
  order.add_transactions()->mutable_payment_method_details()->set_network_transaction_id(kCard);
  const common::v1::Order before = order;
  MaskForeignText(order);
  EXPECT_EQ(order.SerializeAsString(), before.SerializeAsString());
}

}  // namespace
}  // namespace tollbridge::domain
