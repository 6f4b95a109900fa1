#include "services/domain/kind.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tollbridge::domain {
namespace {

common::v1::Order ParseOrder(const std::string& text) {
  common::v1::Order order;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &order)) << text;
  return order;
}

TEST(KindTest, FirstMatchingRuleDecides) {
  struct Row {
    std::string order;
    KindFacts facts;
    events::v1::EventKind kind;
  };
  const std::string capturable =
      "transactions { is_capturable: true status: TRANSACTION_STATUS_COMPLETED ";
  for (const Row& row : std::vector<Row>{
           {"", {}, events::v1::EVENT_KIND_PAYMENT},
           {"transactions { transaction_type: 'aft' }", {}, events::v1::EVENT_KIND_ACCOUNT_FUNDING},
           {"transactions { transaction_type: 'oct' }", {}, events::v1::EVENT_KIND_PAYOUT},
           {"transactions { transaction_type: 'oct' }",
            {.capture_mode_sent = true, .capturable_seen = true},
            events::v1::EVENT_KIND_PAYOUT},
           {"transactions { transaction_type: 'new-one' }", {}, events::v1::EVENT_KIND_PAYMENT},
           {"", {.capture_mode_sent = true}, events::v1::EVENT_KIND_AUTHORIZATION},
           {"", {.capturable_seen = true}, events::v1::EVENT_KIND_AUTHORIZATION},
           {"transactions { transaction_type: 'aft' }",
            {.capture_mode_sent = true},
            events::v1::EVENT_KIND_AUTHORIZATION},
           {"", {.captured_or_voided = true}, events::v1::EVENT_KIND_AUTHORIZATION},
           {"transactions { transaction_type: 'oct' }",
            {.captured_or_voided = true},
            events::v1::EVENT_KIND_PAYOUT},
           {"flags: 'is-test' flags: 'has-captures'", {}, events::v1::EVENT_KIND_AUTHORIZATION},
           {"flags: 'has-voids'", {}, events::v1::EVENT_KIND_AUTHORIZATION},
           {"flags: 'has-refunds'", {}, events::v1::EVENT_KIND_PAYMENT},
           {"related_order_id: 'x'", {}, events::v1::EVENT_KIND_PAYMENT},
           {"transactions { capture_mode: 'manual' }", {}, events::v1::EVENT_KIND_AUTHORIZATION},
           {capturable + "}", {}, events::v1::EVENT_KIND_AUTHORIZATION},
           {"transactions { is_capturable: true status: TRANSACTION_STATUS_NEW }",
            {},
            events::v1::EVENT_KIND_PAYMENT},
           {"capture_of_order_id: 'x'", {}, events::v1::EVENT_KIND_CAPTURE},
           {"void_of_order_id: 'x'", {}, events::v1::EVENT_KIND_VOID},
           {"refund_of_order_id: 'x' " + capturable + "}", {}, events::v1::EVENT_KIND_REFUND},
           {"chargeback_of_order_id: 'x'", {}, events::v1::EVENT_KIND_CHARGEBACK},
           {"reversal_of_order_id: 'x'", {}, events::v1::EVENT_KIND_REVERSAL},
           {"flags: 'is-refund'", {}, events::v1::EVENT_KIND_REFUND},
           {"flags: 'is-refund' capture_of_order_id: 'x'", {}, events::v1::EVENT_KIND_REFUND},
           {"transactions { refund_of_transaction_id: 't' }", {}, events::v1::EVENT_KIND_REFUND},
           {"transactions { capture_of_transaction_id: 't' }", {}, events::v1::EVENT_KIND_CAPTURE},
           {"transactions { void_of_transaction_id: 't' }", {}, events::v1::EVENT_KIND_VOID},
           {"transactions { transaction_type: 'authorization' }",
            {},
            events::v1::EVENT_KIND_AUTHORIZATION},
           {"capture_mode: 'delayed'", {}, events::v1::EVENT_KIND_AUTHORIZATION},
       }) {
    SCOPED_TRACE(row.order);
    EXPECT_EQ(KindOf(ParseOrder(row.order), row.facts), row.kind);
  }
}

TEST(KindTest, SignsThatContradictEachOtherDisagree) {
  const auto disagree = [](const std::string& text) {
    const common::v1::Order order = ParseOrder(text);
    return SignsDisagree(order, KindOf(order, {}));
  };
  for (const std::string text :
       {"", "transactions { credit_debit: 'credit' }",
        "flags: 'is-refund' transactions { credit_debit: 'debit' }",
        "refund_of_order_id: 'x' flags: 'is-refund' "
        "transactions { credit_debit: 'debit' refund_of_transaction_id: 't' }",
        "capture_of_order_id: 'x' transactions { credit_debit: 'credit' }",
        "void_of_order_id: 'x' transactions { credit_debit: 'debit' }",
        "chargeback_of_order_id: 'x' transactions { credit_debit: 'debit' }",
        "transactions { transaction_type: 'oct' credit_debit: 'debit' }",
        "unreadable_fields: 'transactions[0].amount'"}) {
    EXPECT_FALSE(disagree(text)) << text;
  }
  for (const std::string text :
       {"transactions { credit_debit: 'debit' }",
        "flags: 'is-refund' transactions { credit_debit: 'credit' }",
        "flags: 'is-refund' capture_of_order_id: 'x'",
        "refund_of_order_id: 'x' chargeback_of_order_id: 'y'",
        "refund_of_order_id: 'x' transactions { capture_of_transaction_id: 't' }",
        "transactions { transaction_type: 'oct' credit_debit: 'credit' }",
        "transactions { transaction_type: 'oct' } transactions { transaction_type: 'aft' }",
        "unreadable_fields: 'transactions[0].credit_debit'", "unreadable_fields: 'transactions'",
        "unreadable_fields: 'refund_of_order_id'"}) {
    EXPECT_TRUE(disagree(text)) << text;
  }
}

TEST(KindTest, AnAmountThatIsNotShownOrCannotBeIsNotSure) {
  using events::v1::EVENT_KIND_AUTHORIZATION;
  using events::v1::EVENT_KIND_PAYMENT;
  using events::v1::EVENT_KIND_REFUND;
  using events::v1::EVENT_KIND_VOID;
  const auto unsure = [](const std::string& text, events::v1::EventKind kind) {
    return AmountIsUnsure(ParseOrder(text), kind);
  };
  const std::string whole = "currency: 'EUR' amount: 1250 ";
  for (const auto kind :
       {EVENT_KIND_PAYMENT, EVENT_KIND_REFUND, EVENT_KIND_AUTHORIZATION, EVENT_KIND_VOID}) {
    EXPECT_FALSE(unsure(whole, kind));
    EXPECT_FALSE(unsure("currency: 'EUR' amount: 0", kind)) << "a card that is only verified";
    EXPECT_FALSE(unsure("currency: 'JPY' amount: 9223372036854775807", kind));
    EXPECT_FALSE(unsure(whole + "unreadable_fields: 'transactions[0].amount'", kind));
    EXPECT_TRUE(unsure("currency: 'EUR' amount: -5", kind));
    EXPECT_TRUE(unsure("currency: 'EUR' unreadable_fields: 'amount'", kind));
    EXPECT_TRUE(unsure("amount: 1250 unreadable_fields: 'currency'", kind));
  }
  for (const std::string text :
       {"", "currency: 'EUR'", "amount: 1250", "amount: 1250 currency: ''"}) {
    EXPECT_TRUE(unsure(text, EVENT_KIND_PAYMENT)) << text;
    EXPECT_TRUE(unsure(text, EVENT_KIND_REFUND)) << text;
    EXPECT_FALSE(unsure(text, EVENT_KIND_AUTHORIZATION)) << text;
    EXPECT_FALSE(unsure(text, EVENT_KIND_VOID)) << text;
  }
}

TEST(KindTest, WhatIsNotShownAnyMoreIsNoOtherKind) {
  using events::v1::EVENT_KIND_ACCOUNT_FUNDING;
  using events::v1::EVENT_KIND_AUTHORIZATION;
  using events::v1::EVENT_KIND_PAYMENT;
  using events::v1::EVENT_KIND_PAYOUT;
  using events::v1::EVENT_KIND_REFUND;
  EXPECT_TRUE(IsAnotherKind(EVENT_KIND_PAYMENT, EVENT_KIND_AUTHORIZATION));
  EXPECT_TRUE(IsAnotherKind(EVENT_KIND_ACCOUNT_FUNDING, EVENT_KIND_AUTHORIZATION));
  EXPECT_TRUE(IsAnotherKind(EVENT_KIND_PAYMENT, EVENT_KIND_REFUND));
  EXPECT_TRUE(IsAnotherKind(EVENT_KIND_PAYOUT, EVENT_KIND_REFUND));
  for (const auto told : {EVENT_KIND_AUTHORIZATION, EVENT_KIND_PAYOUT, EVENT_KIND_REFUND}) {
    EXPECT_FALSE(IsAnotherKind(told, EVENT_KIND_PAYMENT));
    EXPECT_FALSE(IsAnotherKind(told, told));
  }
  EXPECT_FALSE(IsAnotherKind(EVENT_KIND_AUTHORIZATION, EVENT_KIND_ACCOUNT_FUNDING));
}

TEST(ParentTest, TheFirstLinkTellsWhatAnOrderWasMadeFrom) {
  struct Row {
    std::string order;
    std::string parent;
  };
  for (const Row& row : std::vector<Row>{
           {"", ""},
           {"related_payment_link_id: 'l'", ""},
           {"related_order_id: 'o'", "o"},
           {"related_order_id: 'o' reversal_of_order_id: 'x'", "x"},
           {"reversal_of_order_id: 'o' chargeback_of_order_id: 'x'", "x"},
           {"chargeback_of_order_id: 'o' refund_of_order_id: 'x'", "x"},
           {"refund_of_order_id: 'o' void_of_order_id: 'x'", "x"},
           {"void_of_order_id: 'o' capture_of_order_id: 'x'", "x"},
           {"capture_of_order_id: '' related_order_id: 'x'", "x"},
       }) {
    SCOPED_TRACE(row.order);
    EXPECT_EQ(ParentOf(ParseOrder(row.order)), row.parent);
  }
}

}  // namespace
}  // namespace tollbridge::domain
