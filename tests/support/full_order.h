#ifndef TOLLBRIDGE_TESTS_SUPPORT_FULL_ORDER_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FULL_ORDER_H_

#include <string>

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "tests/support/every_field.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::test {

/// An order with every field that the payment service can show.
inline common::v1::Order FullOrder(const std::string& id) {
  common::v1::Order order;
  order.set_id(id);
  order.set_webhook_url("https://hooks.example/webhooks/secret-token");
  FillEveryField(order);
  return order;
}

/// Of it what callers see: all but card data, and of the webhook URL scheme and host.
inline common::v1::Order ShownToCallers(common::v1::Order order) {
  order.set_webhook_url("https://hooks.example/***");
  auto* details = order.mutable_transactions(0)->mutable_payment_method_details();
  details->clear_cvc();
  details->clear_receiver_account_number();
  details->mutable_external_authentication_details()->clear_authentication_value();
  return order;
}

/// Equal field by field; otherwise says where they differ.
inline ::testing::AssertionResult IsSame(const google::protobuf::Message& got,
                                         const google::protobuf::Message& want) {
  std::string differences;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&differences);
  if (differencer.Compare(want, got)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << differences;
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FULL_ORDER_H_
