#include "sandbox/api/customer_request.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

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

std::string MissingForAccountFunding(JsonReader& fields, const CustomerFacts& facts) {
  for (const std::string_view name : kForAccountFunding) {
    if (fields.String(name).value_or("").empty()) return fields.PathOf(name);
  }
  const bool needs_state = !StatesOf(facts.country).empty();
  return needs_state && !facts.has_state ? fields.PathOf("state") : "";
}

}  // namespace

void ReadCustomer(JsonReader& fields, CustomerFacts* facts) {
  fields.Only(kFields);
  // For its bounds: the customer is given back as a whole.
  fields.Kept(kFields, {});
  for (const std::string_view name : kPlainTexts) fields.String(name);
  fields.OneOf("address_type", {"billing"});
  fields.Strings("phone_numbers");

  constexpr std::string_view kRule = "must be two upper-case letters";
  facts->country = fields.Text("country", &IsTwoUpperCaseLetters, kRule).value_or("");
  const std::optional<std::string> state = fields.Text("state", &IsTwoUpperCaseLetters, kRule);
  facts->has_state = state.has_value();
  const std::span<const std::string_view> states = StatesOf(facts->country);
  if (state && !states.empty() && std::ranges::find(states, *state) == states.end()) {
    fields.Refuse("state", "is not a state of " + facts->country);
  }
  if (fields.ok()) facts->missing_for_account_funding = MissingForAccountFunding(fields, *facts);
}

}  // namespace tollbridge::sandbox
