#include "services/payments/transaction_rules.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/domain/mark.h"
#include "services/payments/create_order_rules.h"

namespace tollbridge::payments {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Fields(const Violations& violations) {
  std::vector<std::string> fields;
  for (const auto& violation : violations) fields.push_back(violation.field);
  return fields;
}

const domain::Project* Project() {
  static const domain::Project project = [] {
    domain::Project made;
    made.name = "shop";
    return made;
  }();
  return &project;
}

TEST(TransactionRules, WhatKeepsThemIsAccepted) {
  EXPECT_THAT(AuthenticateTransactionViolations({}, Project()), IsEmpty());
  EXPECT_THAT(CaptureTransactionViolations({}, Project()), IsEmpty());
  EXPECT_THAT(VoidTransactionViolations({}, Project()), IsEmpty());
  v1::CreateRefundRequest refund;
  refund.set_description("shoes [tb: 1]");
  EXPECT_THAT(CreateRefundViolations(refund, Project()), IsEmpty());
}

TEST(TransactionRules, ExternalThreeDSecureComesWithAllItsValues) {
  v1::AuthenticateTransactionRequest request;
  request.set_three_ds_version("2.2.0");
  request.set_ds_transaction_id("");
  EXPECT_THAT(Fields(AuthenticateTransactionViolations(request, Project())),
              ElementsAre("cavv", "three_ds_method_used", "ds_transaction_id"));
  request.set_cavv("value");
  request.set_three_ds_method_used("challenge");
  request.set_ds_transaction_id("id");
  EXPECT_THAT(AuthenticateTransactionViolations(request, Project()), IsEmpty());
}

TEST(TransactionRules, ADescriptionComesWithAnAmountOnly) {
  v1::CaptureTransactionRequest capture;
  capture.set_description("part");
  EXPECT_THAT(Fields(CaptureTransactionViolations(capture, Project())), ElementsAre("description"));
  capture.set_amount(5);
  EXPECT_THAT(CaptureTransactionViolations(capture, Project()), IsEmpty());
  v1::VoidTransactionRequest release;
  release.set_description("part");
  EXPECT_THAT(Fields(VoidTransactionViolations(release, nullptr)), ElementsAre("description"));
  release.set_amount(5);
  EXPECT_THAT(VoidTransactionViolations(release, Project()), IsEmpty());
}

TEST(TransactionRules, ADescriptionThatWasReadWithItsMarkIsNotSentAgain) {
  const std::string marked = "shoes" + domain::DescriptionMark(Uuid{});
  v1::CreateRefundRequest refund;
  refund.set_description(marked);
  EXPECT_THAT(Fields(CreateRefundViolations(refund, Project())), ElementsAre("description"));
  v1::CaptureTransactionRequest capture;
  capture.set_amount(5);
  capture.set_description(marked);
  EXPECT_THAT(Fields(CaptureTransactionViolations(capture, Project())), ElementsAre("description"));
  v1::CreateOrderRequest create;
  create.set_description(marked);
  EXPECT_THAT(Fields(CreateOrderViolations(create, Project())), ElementsAre("description"));
}

}  // namespace
}  // namespace tollbridge::payments
