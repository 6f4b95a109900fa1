#include "sandbox/search/csv_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/sandbox/search/csv_reader.h"

namespace tollbridge::sandbox {
namespace {

using Fields = std::map<std::string, std::string>;

/// Rows of the report by their columns' names.
std::vector<Fields> Report(const Order& order) {
  std::string text;
  AppendCsvHeader(&text);
  AppendCsvRows(order, &text);
  const auto rows = ReadCsv(text);
  if (!rows) {
    ADD_FAILURE() << "not RFC 4180: " << text;
    return {};
  }
  std::vector<Fields> report;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    EXPECT_EQ((*rows)[i].size(), rows->front().size());
    Fields& fields = report.emplace_back();
    for (std::size_t j = 0; j < (*rows)[i].size(); ++j) fields[rows->front()[j]] = (*rows)[i][j];
  }
  return report;
}

std::string Field(std::string_view value) {
  std::string out;
  AppendCsvField(value, &out);
  return out;
}

Uuid Id(int number) {
  Uuid id;
  id.bytes[15] = static_cast<std::uint8_t>(number);
  return id;
}

TEST(CsvReportTest, FieldsAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(Field(""), "");
  EXPECT_EQ(Field("plain text; with 'this' \xc3\xbc"), "plain text; with 'this' \xc3\xbc");
  EXPECT_EQ(Field("a,b"), "\"a,b\"");
  EXPECT_EQ(Field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(Field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(Field("a\rb"), "\"a\rb\"");
  EXPECT_EQ(Field(" a"), "\" a\"");
  EXPECT_EQ(Field("a "), "\"a \"");
  EXPECT_EQ(Field("\ta"), "\"\ta\"");
  EXPECT_EQ(Field("\""), "\"\"\"\"");
}

TEST(CsvReportTest, WhatASpreadsheetMayTakeForAFormulaStaysAsItIs) {
  for (const std::string_view value : {"=1+1", "+1", "-1", "@x"}) EXPECT_EQ(Field(value), value);
}

TEST(CsvReportTest, HostileTextsComeBackAsTheyWere) {
  Order order;
  for (const std::string_view text : {"\"", "\"\"", "\r\n", ",,,", "a\"\r\n,\"b", " ", "\n",
                                      "=\"a\"", "\xff\xfe", "\"a\",\"b\""}) {
    order.description = text;
    order.merchant_order_id = text;
    const std::vector<Fields> report = Report(order);
    ASSERT_EQ(report.size(), 1u);
    EXPECT_EQ(report[0].at("description"), text);
    EXPECT_EQ(report[0].at("merchant_order_id"), text);
  }
}

TEST(CsvReportTest, TheDocumentedColumnsComeFirstAndInTheirOrder) {
  std::string text;
  AppendCsvHeader(&text);
  EXPECT_TRUE(text.starts_with(
      "id,merchant_order_id,created,completed,currency,amount,status,transaction.id,"
      "transaction.status,transaction.payment_method,transaction.payment_method_brand,"
      "transaction.amount_with_decimals,transaction.credit_debit,"
      "transaction.refund_of_transaction_id,transaction.payment_method_details.truncated_pan,"
      "transaction.settlement_currency,transaction.settlement_amount,transaction.fee_currency,"
      "transaction.fee_amount,customer.merchant_customer_id,merchant_id,project_id,"))
      << text;
  const auto rows = ReadCsv(text);
  ASSERT_TRUE(rows && rows->size() == 1);
  CsvRow names = rows->front();
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << "a column occurs twice";
}

TEST(CsvReportTest, OneRowForEachTransactionWithItsOrdersFields) {
  Order order;
  order.id = Id(1);
  order.project_id = Id(2);
  order.merchant_id = Id(3);
  order.test = true;
  order.status = OrderStatus::kSeeTransactions;
  order.created = *ParseTime("2026-11-21T08:00:00Z");
  order.modified = *ParseTime("2026-11-21T08:00:02Z");
  order.completed = ParseTime("2026-11-21T08:00:01.5Z");
  order.currency = "KWD";
  order.amount = 10'000;
  order.reason = "why, oh why";
  order.merchant_order_id = "ref";
  order.description = "two\nlines";
  order.refunded_amount = 500;
  order.customer = R"({"merchant_customer_id":"c,9"})";
  order.relation = Relation::kRefund;
  order.related_order = Id(4);
  order.payment_link = Id(5);
  order.children = {{Relation::kVoid, Id(6)}};
  Transaction declined;
  declined.id = Id(7);
  declined.amount = 10'000;
  declined.status = TransactionStatus::kDeclined;
  declined.payment_method = "wallet-b-pay";
  Transaction paid;
  paid.id = Id(8);
  paid.amount = 10'000;
  paid.debit = true;
  paid.status = TransactionStatus::kCompleted;
  paid.payment_method = "credit-card";
  paid.payment_method_brand = "brand-v";
  paid.transaction_type = "oct";
  paid.refund_of = Id(9);
  paid.capture_of = Id(10);
  paid.void_of = Id(11);
  paid.details = {
      {"truncated_pan", "411111******1111"}, {"card_expiry", "122030"}, {"liability_shift", true}};
  order.transactions = {declined, paid};

  const std::vector<Fields> report = Report(order);
  ASSERT_EQ(report.size(), 2u);
  const std::map<std::string, std::string> of_order = {
      {"id", Id(1).ToString()},
      {"merchant_order_id", "ref"},
      {"created", "2026-11-21T08:00:00.000Z"},
      {"completed", "2026-11-21T08:00:01.500Z"},
      {"modified", "2026-11-21T08:00:02.000Z"},
      {"currency", "KWD"},
      {"amount", "10000"},
      {"status", "see-transactions"},
      {"customer.merchant_customer_id", "c,9"},
      {"merchant_id", Id(3).ToString()},
      {"project_id", Id(2).ToString()},
      {"description", "two\nlines"},
      {"reason", "why, oh why"},
      {"flags", "is-test is-refund has-voids"},
      {"refunded_amount", "500"},
      {"refund_of_order_id", Id(4).ToString()},
      {"capture_of_order_id", ""},
      {"related_payment_link_id", Id(5).ToString()},
  };
  for (const Fields& row : report) {
    for (const auto& [name, value] : of_order) EXPECT_EQ(row.at(name), value) << name;
    EXPECT_EQ(row.at("transaction.amount_with_decimals"), "10.000");
    EXPECT_EQ(row.at("transaction.amount"), "10000");
  }
  const std::map<std::string, std::string> of_paid = {
      {"id", Id(8).ToString()},
      {"status", "completed"},
      {"payment_method", "credit-card"},
      {"payment_method_brand", "brand-v"},
      {"credit_debit", "debit"},
      {"refund_of_transaction_id", Id(9).ToString()},
      {"capture_of_transaction_id", Id(10).ToString()},
      {"void_of_transaction_id", Id(11).ToString()},
      {"payment_method_details.truncated_pan", "411111******1111"},
      {"payment_method_details.card_expiry", "122030"},
      {"transaction_type", "oct"},
      {"settlement_currency", "KWD"},
      {"settlement_amount", "10000"},
      {"fee_currency", "KWD"},
      {"fee_amount", "390"},
  };
  for (const auto& [name, value] : of_paid) {
    EXPECT_EQ(report[1].at("transaction." + name), value) << name;
  }
  EXPECT_EQ(report[0].at("transaction.id"), Id(7).ToString());
  EXPECT_EQ(report[0].at("transaction.credit_debit"), "credit");
  for (const std::string_view name :
       {"settlement_currency", "settlement_amount", "fee_currency", "fee_amount",
        "refund_of_transaction_id", "payment_method_details.truncated_pan"}) {
    EXPECT_EQ(report[0].at("transaction." + std::string(name)), "") << name;
  }
}

TEST(CsvReportTest, AnOrderWithoutTransactionsHasOneRowWithoutTheirColumns) {
  Order order;
  order.id = Id(1);
  order.currency = "EUR";
  order.amount = 5;
  const std::vector<Fields> report = Report(order);
  ASSERT_EQ(report.size(), 1u);
  EXPECT_EQ(report[0].at("id"), Id(1).ToString());
  EXPECT_EQ(report[0].at("amount"), "5");
  EXPECT_EQ(report[0].at("completed"), "");
  for (const auto& [name, value] : report[0]) {
    if (name.starts_with("transaction.")) {
      EXPECT_EQ(value, "") << name;
    }
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
