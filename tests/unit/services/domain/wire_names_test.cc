#include "services/domain/wire_names.h"

#include <gtest/gtest.h>

#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/transaction.pb.h"

namespace tollbridge::domain {
namespace {

using common::v1::OrderStatus;
using common::v1::TransactionStatus;

TEST(WireNamesTest, AreThoseOfTheInterfaceDocument) {
  EXPECT_EQ(WireName(common::v1::ORDER_STATUS_NEW), "new");
  EXPECT_EQ(WireName(common::v1::ORDER_STATUS_SEE_TRANSACTIONS), "see-transactions");
  EXPECT_EQ(WireName(common::v1::TRANSACTION_STATUS_DECLINED), "declined");
}

TEST(WireNamesTest, WhatHasNoneHasAnEmptyOne) {
  EXPECT_EQ(WireName(common::v1::ORDER_STATUS_UNSPECIFIED), "");
  EXPECT_EQ(WireName(static_cast<OrderStatus>(1000)), "");
}

TEST(WireNamesTest, EachNameLeadsBackToItsValue) {
  const google::protobuf::EnumDescriptor& type = *common::v1::TransactionStatus_descriptor();
  for (int i = 0; i < type.value_count(); ++i) {
    const auto status = static_cast<TransactionStatus>(type.value(i)->number());
    if (status == common::v1::TRANSACTION_STATUS_UNSPECIFIED) continue;
    EXPECT_EQ(FromWireName<TransactionStatus>(WireName(status)), status);
  }
}

TEST(WireNamesTest, NothingElseIsAName) {
  for (const char* name : {"", "New", "new ", "see_transactions", "ORDER_STATUS_NEW"}) {
    EXPECT_EQ(FromWireName<OrderStatus>(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace tollbridge::domain
