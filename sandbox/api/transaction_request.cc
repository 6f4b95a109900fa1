#include "sandbox/api/transaction_request.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/card_numbers.h"
#include "sandbox/core/result.h"
#include "sandbox/wire/order_json.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view kCard = "credit-card";
constexpr std::string_view kPayout = "credit-card-oct";

constexpr std::array<std::string_view, 3> kFields{"payment_method", "payment_method_details",
                                                  "capture_mode"};
/// What the interface shows in requests. The card itself goes to the vault, its holder's name too.
constexpr std::array<std::string_view, 9> kDetails{"one_click_type",
                                                   "vault_token",
                                                   "first_transaction_id",
                                                   "cvc",
                                                   "recurring_type",
                                                   "schedule_type",
                                                   "first_network_transaction_id",
                                                   "receiver_account_number",
                                                   "receiver_account_number_type"};

/// As given, but for a card number: of that, no more than the last four digits.
std::string Shown(const std::string& account_number) {
  constexpr std::size_t kShortestPan = 13;
  constexpr std::size_t kLongestPan = 19;
  constexpr std::size_t kKept = 4;
  std::string digits = account_number;
  std::erase_if(digits, [](char c) { return c == ' ' || c == '-'; });
  if (digits.size() < kShortestPan || digits.size() > kLongestPan || !PassesLuhn(digits)) {
    return account_number;
  }
  return std::string(digits.size() - kKept, '*') + digits.substr(digits.size() - kKept);
}

void RequireInformation(JsonReader& fields, std::string_view name, std::string_view for_what) {
  if (fields.Has(name)) return;
  fields.Fail(MissingInformation(fields.PathOf(name) + " is required " + std::string(for_what)));
}

/// What only card payments carry.
void RefuseForOtherMethods(JsonReader& details, std::string_view method) {
  if (method == kCard) return;
  for (const std::string_view name :
       {"one_click_type", "first_transaction_id", "recurring_type", "first_network_transaction_id",
        "receiver_account_number", "receiver_account_number_type"}) {
    if (details.Has(name)) details.Refuse(name, "is for payment_method credit-card");
  }
}

/// Reads docs/interface.md#one-click. The cvc is read for its form and goes no further.
void ReadOneClick(JsonReader& details, json::object* kept) {
  const std::optional<std::string> type = details.OneOf("one_click_type", {"first", "one-click"});
  const std::optional<std::string> cvc = details.Digits("cvc", 3, 4);
  const std::optional<Uuid> vault_token = details.Id("vault_token");
  const std::optional<Uuid> first_transaction = details.Id("first_transaction_id");
  if (type == "one-click") {
    RequireInformation(details, "cvc", "for one-click");
    if (!vault_token && !first_transaction) {
      details.Fail(MissingInformation(details.PathOf("vault_token") +
                                      " or first_transaction_id is required for one-click"));
    }
    if (vault_token && first_transaction) {
      details.Refuse("first_transaction_id", "must not come together with vault_token");
    }
  } else if (first_transaction) {
    details.Refuse("first_transaction_id", "is for one_click_type one-click");
  }
  if (type) (*kept)["one_click_type"] = *type;
  if (vault_token) (*kept)["vault_token"] = vault_token->ToString();
  if (first_transaction) (*kept)["first_transaction_id"] = first_transaction->ToString();
}

/// docs/interface.md#create-order, 3. Without first_network_transaction_id the series starts here.
void ReadRecurring(JsonReader& details, json::object* kept) {
  const std::optional<std::string> type = details.OneOf("recurring_type", {"recurring"});
  const std::optional<std::string> schedule = details.String("schedule_type");
  const std::optional<std::string> first = details.String("first_network_transaction_id");
  if (first && first->empty()) {
    details.Refuse("first_network_transaction_id", "must not be empty");
  }
  if (first) {
    RequireInformation(details, "recurring_type", "with first_network_transaction_id");
  }
  if (type) (*kept)["recurring_type"] = *type;
  if (schedule) (*kept)["schedule_type"] = *schedule;
  if (first) (*kept)["first_network_transaction_id"] = *first;
}

/// Reads the receiver of docs/interface.md#account-funding.
void ReadReceiver(JsonReader& details, const CustomerFacts* customer, Transaction* transaction) {
  const std::optional<std::string> number = details.String("receiver_account_number");
  const std::optional<std::string> type = details.String("receiver_account_number_type");
  if (!number && !type) return;
  RequireInformation(details, "receiver_account_number", "for account funding");
  RequireInformation(details, "receiver_account_number_type", "for account funding");
  if (number && number->empty()) details.Refuse("receiver_account_number", "must not be empty");
  if (type && type->empty()) details.Refuse("receiver_account_number_type", "must not be empty");
  const std::string missing =
      customer == nullptr ? "customer" : customer->missing_for_account_funding;
  if (!missing.empty()) {
    details.Fail(MissingInformation(missing + " is required for account funding"));
  }
  if (!details.ok()) return;
  transaction->details["receiver_account_number"] = Shown(*number);
  transaction->details["receiver_account_number_type"] = *type;
  transaction->transaction_type = "aft";
}

/// Makes it a payout (docs/interface.md#card-payout).
void MakePayout(JsonReader& fields, const CustomerFacts* customer, Transaction* transaction) {
  if (customer == nullptr) {
    return fields.Fail(MissingInformation("customer is required for a payout"));
  }
  const std::string& country = customer->country;
  const bool needs_state = country == "US" || country == "CA" || country == "AU";
  if (needs_state && !customer->has_state) {
    fields.Fail(MissingInformation("customer.state is required for a payout to " + country));
  }
  if (fields.Has("capture_mode")) fields.Refuse("capture_mode", "is not for payouts");
  transaction->transaction_type = "oct";
  transaction->debit = true;
}

}  // namespace

Transaction ReadTransaction(JsonReader& fields, const CustomerFacts* customer) {
  fields.Only(kFields);
  Transaction transaction;
  transaction.payment_method = fields.String("payment_method").value_or("");
  if (transaction.payment_method.empty()) {
    fields.Fail(MissingInformation(fields.PathOf("payment_method") + " is required"));
  }
  transaction.capture_mode = fields.OneOf("capture_mode", {"manual", "delayed"}).value_or("");
  if (std::optional<JsonReader> details = fields.Object("payment_method_details")) {
    details->Only(kDetails);
    transaction.details = details->Kept(kDetails, MembersOfDetails());
    RefuseForOtherMethods(*details, transaction.payment_method);
    ReadOneClick(*details, &transaction.details);
    ReadRecurring(*details, &transaction.details);
    ReadReceiver(*details, customer, &transaction);
  }
  transaction.unknown = fields.Kept(kFields, MembersOfTransactions());
  if (transaction.payment_method == kPayout) MakePayout(fields, customer, &transaction);
  return transaction;
}

}  // namespace tollbridge::sandbox
