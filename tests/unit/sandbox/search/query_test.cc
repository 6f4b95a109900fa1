#include "sandbox/search/query.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tollbridge::sandbox {
namespace {

constexpr std::string_view kId = "0a000000-0000-4000-8000-000000000001";
constexpr std::string_view kOther = "0a000000-0000-4000-8000-000000000002";
constexpr std::string_view kTransaction = "0b000000-0000-4000-8000-000000000001";
constexpr std::string_view kProject = "0c000000-0000-4000-8000-000000000001";
constexpr std::string_view kLink = "0d000000-0000-4000-8000-000000000001";

Uuid Id(std::string_view text) { return *Uuid::Parse(text); }
Time At(std::string_view text) { return *ParseTime(text); }

Order PaidOrder() {
  Order order;
  order.id = Id(kId);
  order.project_id = Id(kProject);
  order.test = true;
  order.status = OrderStatus::kCompleted;
  order.created = At("2026-11-21T08:00:00.500Z");
  order.modified = At("2026-11-22T00:00:00Z");
  order.completed = At("2026-11-21T23:59:59.999Z");
  order.amount = 1050;
  order.currency = "EUR";
  order.reason = "late approval";
  order.merchant_order_id = "A-17*\"x\"";
  order.description = "two mugs (blue)";
  order.customer =
      R"({"merchant_customer_id":"c-9","email_address":"ann@shop.test","last_name":"M\u00fcller","first_name":"Ann","phone_numbers":["1"]})";
  order.extra = R"({"basket":"b"})";
  order.payment_link = Id(kLink);
  Transaction declined;
  declined.id = Id(kOther);
  declined.amount = 1050;
  declined.status = TransactionStatus::kDeclined;
  declined.payment_method = "wallet-b-pay";
  Transaction paid;
  paid.id = Id(kTransaction);
  paid.amount = 1000;
  paid.debit = true;
  paid.status = TransactionStatus::kCompleted;
  paid.payment_method = "credit-card";
  paid.payment_method_brand = "brand-v";
  paid.transaction_type = "aft";
  order.transactions = {declined, paid};
  return order;
}

bool Matches(std::string_view text, const Order& order) {
  const auto query = Query::Parse(text);
  if (!query.ok()) {
    ADD_FAILURE() << text << ": " << query.error().value;
    return false;
  }
  return query->Matches(order);
}

class QueryMatches : public testing::TestWithParam<std::string_view> {};
TEST_P(QueryMatches, ThePaidOrder) { EXPECT_TRUE(Matches(GetParam(), PaidOrder())); }

class QueryMisses : public testing::TestWithParam<std::string_view> {};
TEST_P(QueryMisses, ThePaidOrder) { EXPECT_FALSE(Matches(GetParam(), PaidOrder())); }

INSTANTIATE_TEST_SUITE_P(
    OrderFields, QueryMatches,
    testing::Values("*", "id:0a000000-0000-4000-8000-000000000001",
                    "id:\"0A000000-0000-4000-8000-000000000001\"", "status:completed",
                    "currency:EUR", "currency:E*", "amount:1050", "amount:\"1050\"",
                    R"(merchant_order_id:"A-17*\"x\"")", "merchant_order_id:A-1*",
                    "merchant_order_id:*", "description:\"two mugs (blue)\"", "description:tw*",
                    "reason:\"late approval\"", "reason:late*", "flags:is-test",
                    "project_id:0c000000-0000-4000-8000-000000000001",
                    "related_payment_link_id:0d000000-0000-4000-8000-000000000001"));
INSTANTIATE_TEST_SUITE_P(
    OrderFields, QueryMisses,
    testing::Values("NOT *", "id:0a000000-0000-4000-8000-000000000002", "status:new",
                    "currency:eur", "currency:EU", "amount:1051", "merchant_order_id:A-1",
                    "merchant_order_id:\"A-1*\"", "merchant_order_id:a-1*", "description:mugs*",
                    "reason:late", "flags:is-refund",
                    "project_id:0c000000-0000-4000-8000-000000000002",
                    "related_payment_link_id:0d000000-0000-4000-8000-000000000002",
                    "refund_of_order_id:0a000000-0000-4000-8000-000000000002",
                    "related_order_id:0a000000-0000-4000-8000-000000000002"));

INSTANTIATE_TEST_SUITE_P(
    AnyTransaction, QueryMatches,
    testing::Values("transaction.id:0b000000-0000-4000-8000-000000000001",
                    "transaction.id:0a000000-0000-4000-8000-000000000002",
                    "transaction.status:completed", "transaction.status:declined",
                    "transaction.status:completed AND transaction.status:declined",
                    "transaction.payment_method:credit-card", "transaction.payment_method:wallet-*",
                    "transaction.payment_method_brand:brand-v", "transaction.amount:1000",
                    "transaction.amount:[1001 TO *]", "transaction.credit_debit:debit",
                    "transaction.credit_debit:credit", "transaction.transaction_type:aft"));
INSTANTIATE_TEST_SUITE_P(AnyTransaction, QueryMisses,
                         testing::Values("transaction.id:0a000000-0000-4000-8000-000000000001",
                                         "transaction.status:new",
                                         "transaction.payment_method:credit",
                                         "transaction.payment_method_brand:brand-m",
                                         "transaction.amount:999", "transaction.amount:[1051 TO *]",
                                         "transaction.transaction_type:oct"));

INSTANTIATE_TEST_SUITE_P(CustomerFields, QueryMatches,
                         testing::Values("customer.merchant_customer_id:c-9",
                                         "customer.email_address:ann@shop.test",
                                         "customer.email_address:ann@*",
                                         "customer.last_name:M\xc3\xbcller"));
INSTANTIATE_TEST_SUITE_P(CustomerFields, QueryMisses,
                         testing::Values("customer.merchant_customer_id:c",
                                         "customer.email_address:bob@shop.test",
                                         "customer.last_name:Muller", "customer.last_name:\xff"));

INSTANTIATE_TEST_SUITE_P(NumberRanges, QueryMatches,
                         testing::Values("amount:[1050 TO 1050]", "amount:[1000 TO 1100]",
                                         "amount:[1050 TO 1051}", "amount:{1049 TO 1050]",
                                         "amount:{1049 TO 1051}", "amount:[* TO 1050]",
                                         "amount:[1050 TO *]", "amount:{* TO *}",
                                         "amount:[-5 TO 9223372036854775807]"));
INSTANTIATE_TEST_SUITE_P(NumberRanges, QueryMisses,
                         testing::Values("amount:{1050 TO 1050}", "amount:[1051 TO 1100]",
                                         "amount:[1000 TO 1050}", "amount:{1050 TO 1100]",
                                         "amount:{1050 TO *]", "amount:[* TO 1050}",
                                         "amount:[1100 TO 1000]",
                                         "amount:{9223372036854775807 TO *}",
                                         "amount:{* TO -9223372036854775808}"));

INSTANTIATE_TEST_SUITE_P(
    ADateStandsForItsWholeDay, QueryMatches,
    testing::Values("created:2026-11-21", "completed:2026-11-21", "modified:2026-11-22",
                    "created:[2026-11-21 TO 2026-11-21]", "completed:[2026-11-21 TO 2026-11-21]",
                    "created:{2026-11-20 TO 2026-11-22}", "completed:{2026-11-20 TO 2026-11-22}",
                    "modified:{2026-11-21 TO 2026-11-23}", "created:[2026-11-21 TO *]",
                    "completed:[* TO 2026-11-21]", "modified:[2026-11-22 TO 2026-11-23}"));
INSTANTIATE_TEST_SUITE_P(ADateStandsForItsWholeDay, QueryMisses,
                         testing::Values("created:2026-11-20", "modified:2026-11-21",
                                         "completed:2026-11-22", "created:{2026-11-21 TO *]",
                                         "completed:{2026-11-21 TO *]", "created:[* TO 2026-11-21}",
                                         "modified:[* TO 2026-11-22}", "modified:{2026-11-22 TO *]",
                                         "modified:[* TO 2026-11-21]",
                                         "created:{2026-11-20 TO 2026-11-21}",
                                         "created:{2026-11-21 TO 2026-11-22}"));

INSTANTIATE_TEST_SUITE_P(
    DateTimesAreMilliseconds, QueryMatches,
    testing::Values("created:2026-11-21T08:00:00.500Z", "created:\"2026-11-21T09:00:00.5+01:00\"",
                    "created:[2026-11-21T08:00:00.500Z TO 2026-11-21T08:00:00.500Z]",
                    "created:{2026-11-21T08:00:00.499Z TO 2026-11-21T08:00:00.501Z}",
                    "created:[2026-11-21T08:00:00Z TO 2026-11-21]"));
INSTANTIATE_TEST_SUITE_P(DateTimesAreMilliseconds, QueryMisses,
                         testing::Values("created:2026-11-21T08:00:00Z",
                                         "created:{2026-11-21T08:00:00.500Z TO *]",
                                         "created:[* TO 2026-11-21T08:00:00.500Z}",
                                         "created:[2026-11-21T08:00:01Z TO 2026-11-21]"));

INSTANTIATE_TEST_SUITE_P(RangesOfTextAndIds, QueryMatches,
                         testing::Values("merchant_order_id:[A TO B]", "merchant_order_id:{A TO *]",
                                         "merchant_order_id:[\"A-17*\\\"x\\\"\" TO B]",
                                         "currency:[EUR TO EUR]",
                                         "id:[0a000000-0000-4000-8000-000000000001 TO *]",
                                         "id:[* TO 0a000000-0000-4000-8000-000000000002}"));
INSTANTIATE_TEST_SUITE_P(RangesOfTextAndIds, QueryMisses,
                         testing::Values("merchant_order_id:[B TO C]", "currency:{EUR TO *]",
                                         "currency:[* TO EUR}",
                                         "id:{0a000000-0000-4000-8000-000000000001 TO *]",
                                         "id:[* TO 0a000000-0000-4000-8000-000000000001}"));

INSTANTIATE_TEST_SUITE_P(Operators, QueryMatches,
                         testing::Values("status:completed AND amount:1050",
                                         "status:new OR amount:1050", "NOT status:new",
                                         "NOT (status:new OR status:error)",
                                         "amount:1050 OR status:new AND status:error",
                                         "NOT NOT amount:1050"));
INSTANTIATE_TEST_SUITE_P(Operators, QueryMisses,
                         testing::Values("status:completed AND amount:1", "status:new OR amount:1",
                                         "NOT status:completed",
                                         "(amount:1050 OR status:new) AND status:error",
                                         "NOT status:new AND status:error"));

TEST(QueryTest, AnOrderThatHasNothingMatchesNoTermsButTheirNots) {
  Order order;
  order.status = OrderStatus::kNew;
  for (const std::string_view term :
       {"merchant_order_id:*", "description:*", "reason:*", "completed:[* TO *]", "flags:*",
        "related_payment_link_id:[* TO *]", "related_order_id:[* TO *]",
        "refund_of_order_id:[* TO *]", "transaction.id:[* TO *]", "transaction.amount:[* TO *]",
        "transaction.payment_method:*", "transaction.credit_debit:credit",
        "customer.last_name:*"}) {
    EXPECT_FALSE(Matches(term, order)) << term;
    EXPECT_TRUE(Matches("NOT " + std::string(term), order)) << term;
  }
}

TEST(QueryTest, ACustomerThatIsNoObjectOfTextsHasNoFields) {
  for (const std::string_view customer :
       {"", "[]", "null", "{", "{\"last_name\":7}", "{\"last_name\":null}",
        "{\"last_name\":{\"a\":\"b\"}}"}) {
    Order order;
    order.customer = customer;
    EXPECT_FALSE(Matches("customer.last_name:*", order)) << customer;
  }
}

TEST(QueryTest, WhatAnOrderWasMadeFromIsFoundByItsRelationOnly) {
  const struct {
    Relation relation;
    std::string_view field;
  } kRelations[] = {{Relation::kRefund, "refund_of_order_id"},
                    {Relation::kCapture, "capture_of_order_id"},
                    {Relation::kVoid, "void_of_order_id"},
                    {Relation::kChargeback, "chargeback_of_order_id"},
                    {Relation::kReversal, "reversal_of_order_id"}};
  for (const auto& made : kRelations) {
    Order order;
    order.relation = made.relation;
    order.related_order = Id(kOther);
    EXPECT_TRUE(Matches("related_order_id:" + std::string(kOther), order));
    EXPECT_FALSE(Matches("related_order_id:" + std::string(kId), order));
    for (const auto& asked : kRelations) {
      EXPECT_EQ(Matches(std::string(asked.field) + ":" + std::string(kOther), order),
                asked.relation == made.relation)
          << asked.field;
    }
  }
}

TEST(QueryTest, KnowsWhenWhatCanMatchWasCreated) {
  const auto created = [](const std::string& text) { return Query::Parse(text)->created(); };
  const std::string day = "created:[2026-01-01T00:00:00Z TO 2026-01-02T00:00:00Z}";
  const std::optional<Bounds<Time>> bounds = created("status:new AND " + day);
  ASSERT_TRUE(bounds.has_value());
  EXPECT_EQ(*bounds->to - *bounds->from, std::chrono::hours(24));
  EXPECT_FALSE(bounds->with_to);
  EXPECT_EQ(created("status:new OR " + day), std::nullopt);
  EXPECT_EQ(created("NOT " + day), std::nullopt);
  EXPECT_EQ(created("modified:[* TO *]"), std::nullopt);
  EXPECT_EQ(created("*"), std::nullopt);
}

TEST(QueryTest, KnowsTheOnlyReferenceThatCanMatch) {
  const auto reference = [](const std::string& text) {
    return Query::Parse(text)->only_reference();
  };
  EXPECT_EQ(reference("merchant_order_id:a-1 AND status:new"), "a-1");
  EXPECT_EQ(reference("merchant_order_id:a-1 OR status:new"), std::nullopt);
  EXPECT_EQ(reference("NOT merchant_order_id:a-1"), std::nullopt);
  EXPECT_EQ(reference("merchant_order_id:a-*"), std::nullopt);
  EXPECT_EQ(reference("merchant_order_id:[a TO b]"), std::nullopt);
  EXPECT_EQ(reference("description:a-1"), std::nullopt);
}

TEST(QueryTest, KnowsWhenOnlyOneOrderCanMatch) {
  const auto only_id = [](const std::string& text) { return Query::Parse(text)->only_id(); };
  const std::string id_term = "id:" + std::string(kId);
  EXPECT_EQ(only_id(id_term), Id(kId));
  EXPECT_EQ(only_id("status:new AND " + id_term), Id(kId));
  EXPECT_EQ(only_id("status:new OR " + id_term), std::nullopt);
  EXPECT_EQ(only_id("NOT " + id_term), std::nullopt);
  EXPECT_EQ(only_id("id:[* TO *]"), std::nullopt);
  EXPECT_EQ(only_id("*"), std::nullopt);
}

}  // namespace
}  // namespace tollbridge::sandbox
