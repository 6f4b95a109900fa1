#include "sandbox/api/customer_request.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "sandbox/core/result.h"
#include "sandbox/wire/body_reader.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::array<std::string_view, 9> kPlainTexts{
    "merchant_customer_id", "email_address", "first_name", "last_name", "address",
    "postal_code",          "city",          "locale",     "ip_address"};
constexpr std::array<std::string_view, 13> kFields{"merchant_customer_id",
                                                   "email_address",
                                                   "first_name",
                                                   "last_name",
                                                   "address_type",
                                                   "address",
                                                   "postal_code",
                                                   "city",
                                                   "country",
                                                   "state",
                                                   "locale",
                                                   "phone_numbers",
                                                   "ip_address"};
constexpr std::array<std::string_view, 1> kAddressTypes{"billing"};
/// What docs/interface.md#account-funding asks for; a state too where the country has them.
constexpr std::array<std::string_view, 7> kForAccountFunding{
    "first_name", "last_name", "address_type", "address", "postal_code", "city", "country"};

constexpr std::array<std::string_view, 13> kStatesOfCa{"AB", "BC", "MB", "NB", "NL", "NS", "NT",
                                                       "NU", "ON", "PE", "QC", "SK", "YT"};
constexpr std::array<std::string_view, 54> kStatesOfUs{
    "AA", "AE", "AK", "AL", "AP", "AR", "AZ", "CA", "CO", "CT", "DC", "DE", "FL", "GA",
    "HI", "IA", "ID", "IL", "IN", "KS", "KY", "LA", "MA", "MD", "ME", "MI", "MN", "MO",
    "MS", "MT", "NC", "ND", "NE", "NH", "NJ", "NM", "NV", "NY", "OH", "OK", "OR", "PA",
    "RI", "SC", "SD", "TN", "TX", "UT", "VA", "VT", "WA", "WI", "WV", "WY"};

bool IsTwoUpperCaseLetters(std::string_view text) {
  return text.size() == 2 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

/// Of a country whose states the interface lists; empty for others.
std::span<const std::string_view> StatesOf(std::string_view country) {
  if (country == "US") return kStatesOfUs;
  if (country == "CA") return kStatesOfCa;
  return {};
}

std::string MissingForAccountFunding(FieldReader& fields, const CustomerFacts& facts) {
  for (const std::string_view name : kForAccountFunding) {
    if (fields.String(name).value_or("").empty()) return fields.PathOf(name);
  }
  const bool needs_state = !StatesOf(facts.country).empty();
  return needs_state && !facts.has_state ? fields.PathOf("state") : "";
}

}  // namespace

Result<void> ReadCustomer(const boost::json::object& customer, CustomerFacts* facts) {
  FieldReader fields(customer, "customer", kFields);
  for (const std::string_view name : kPlainTexts) fields.String(name);
  fields.OneOf("address_type", kAddressTypes);
  fields.Strings("phone_numbers");

  const std::optional<std::string> country = fields.String("country");
  if (country && !IsTwoUpperCaseLetters(*country)) {
    fields.Refuse("country", "must be two upper-case letters");
  }
  const std::optional<std::string> state = fields.String("state");
  if (state && !IsTwoUpperCaseLetters(*state)) {
    fields.Refuse("state", "must be two upper-case letters");
  }
  facts->country = country.value_or("");
  facts->has_state = state.has_value();
  const std::span<const std::string_view> states = StatesOf(facts->country);
  if (state && !states.empty() && std::ranges::find(states, *state) == states.end()) {
    fields.Refuse("state", "is not a state of " + facts->country);
  }
  if (fields.ok()) facts->missing_for_account_funding = MissingForAccountFunding(fields, *facts);
  return fields.Done();
}

}  // namespace tollbridge::sandbox
