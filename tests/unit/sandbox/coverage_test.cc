// docs/sandbox-coverage.md says which test shows each part of docs/interface.md. Here it is held to
// that: no empty cell, nothing of the interface left out. tests/architecture looks for the tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/app.h"
#include "sandbox/core/transitions.h"

namespace tollbridge::sandbox {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = TOLLBRIDGE_SOURCE_DIR;

struct Row {
  int line = 0;
  /// Section of docs/interface.md, what of it, the tests.
  std::vector<std::string> cells;
};

std::string Trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) out.push_back(Trimmed(part));
  return out;
}

/// The rows of all tables, without their heads.
std::vector<Row> Rows() {
  std::vector<Row> rows;
  std::ifstream file(kSource / "docs/sandbox-coverage.md");
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (!line.starts_with('|') || line.starts_with("|---") || line.starts_with("| section ")) {
      continue;
    }
    std::vector<std::string> cells = Split(line.substr(1), '|');
    rows.push_back({.line = number, .cells = std::move(cells)});
  }
  return rows;
}

/// What the rows are about, as one text.
std::string Subjects() {
  std::string all;
  for (const Row& row : Rows()) {
    if (row.cells.size() >= 2) all += row.cells[1] + "\n";
  }
  return all;
}

TEST(CoverageTest, NoCellIsEmpty) {
  const std::vector<Row> rows = Rows();
  EXPECT_GT(rows.size(), 80U);
  for (const Row& row : rows) {
    ASSERT_EQ(row.cells.size(), 3U) << "line " << row.line;
    for (const std::string& cell : row.cells) EXPECT_FALSE(cell.empty()) << "line " << row.line;
  }
}

TEST(CoverageTest, EachEndpointHasARow) {
  boost::asio::io_context context;
  const App app(context.get_executor(), {});
  const std::string subjects = Subjects();
  for (const Route& route : app.routes()) {
    if (route.access == Access::kOperator) continue;
    const std::string endpoint = "`" + std::string(route.method) + " " + std::string(route.pattern);
    EXPECT_NE(subjects.find(endpoint), std::string::npos) << endpoint;
  }
}

TEST(CoverageTest, EachStatusAndEachTransitionHasARow) {
  const std::string subjects = Subjects();
  const auto expect = [&](std::string_view kind, std::string_view from, Trigger trigger,
                          std::string_view to) {
    const std::string line = std::string(kind) + " " + std::string(from) + " -> " +
                             std::string(to) + " (" + std::string(Text(trigger)) + ")";
    EXPECT_NE(subjects.find(line), std::string::npos) << line;
  };
  for (const auto& t : OrderTransitions()) expect("order", Text(t.from), t.trigger, Text(t.to));
  for (const auto& t : TransactionTransitions()) {
    expect("transaction", Text(t.from), t.trigger, Text(t.to));
  }
  for (const auto& t : LinkTransitions()) expect("link", Text(t.from), t.trigger, Text(t.to));
}

/// Names of docs/interface.md that must occur in a row, `as code`.
constexpr std::string_view kNames[] = {
    // docs/interface.md#order.
    "id", "project_id", "merchant_id", "merchant_order_id", "merchant_name", "description",
    "currency", "amount", "status", "flags", "created", "modified", "completed",
    "expiration_period", "payment_methods", "transactions", "order_url", "return_url",
    "failure_url", "webhook_url", "customer", "client", "extra", "refunded_amount",
    "refund_of_order_id", "refund_orders", "capture_of_order_id", "void_of_order_id",
    "chargeback_of_order_id", "chargeback_orders", "reversal_of_order_id", "reversal_orders",
    "related_order_id", "related_orders", "related_payment_link_id",
    // docs/interface.md#transaction.
    "order_id", "credit_debit", "is_capturable", "capture_mode", "payment_method",
    "payment_method_brand", "payment_method_details", "payment_url", "transaction_type", "events",
    "outcomes", "capture_of_transaction_id", "void_of_transaction_id", "refund_of_transaction_id",
    "settlement_currency", "settlement_amount", "fee_currency", "fee_amount", "setup_token",
    "vault_token", "truncated_pan", "card_expiry", "cardholder_name", "liability_shift",
    "one_click_type", "cvc", "first_transaction_id", "recurring_type", "schedule_type",
    "first_network_transaction_id", "network_transaction_id", "approval_code",
    "authorization_iso_response_code", "receiver_account_number", "receiver_account_number_type",
    "consumer_country", "ani_results", "external_authentication_details",
    // docs/interface.md#customer.
    "merchant_customer_id", "email_address", "first_name", "last_name", "address_type", "address",
    "postal_code", "city", "country", "state", "locale", "phone_numbers", "ip_address",
    // Payment link, vault, wallets, search, webhook.
    "completed_order_id", "orders", "reason", "brand", "brands", "event", "validationUrl",
    "merchantIdentifier", "displayName", "initiativeContext", "sessionData", "query", "size",
    "start", "sort", "search_after", "format=csv", "pan", "expiry", "name", "cavv", "3ds_version",
    "3ds_method_used", "ds_transaction_id", "redirect_url", "walletPayMessage", "setupToken",
    "transactionId", "vaultToken", "cryptogram", "eciIndicator", "browser_info_screen_width",
    "is_successful",
    // Error types.
    "ValidationError", "MissingInformationToCreateTransaction", "TransactionAlreadyStarted",
    "CanNotCancelTransaction", "RefundError", "FailedToFetchTransactionInformation", "ServerError"};

TEST(CoverageTest, EachNameOfTheInterfaceHasARow) {
  const std::string subjects = Subjects();
  for (const std::string_view name : kNames) {
    EXPECT_NE(subjects.find("`" + std::string(name) + "`"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
