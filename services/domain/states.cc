#include "services/domain/states.h"

#include <algorithm>
#include <iterator>

namespace tollbridge::domain {
namespace {

constexpr std::string_view kCanada[] = {"AB", "BC", "MB", "NB", "NL", "NS", "NT",
                                        "NU", "ON", "PE", "QC", "SK", "YT"};
constexpr std::string_view kUnitedStates[] = {
    "AA", "AE", "AK", "AL", "AP", "AR", "AZ", "CA", "CO", "CT", "DC", "DE", "FL", "GA",
    "HI", "IA", "ID", "IL", "IN", "KS", "KY", "LA", "MA", "MD", "ME", "MI", "MN", "MO",
    "MS", "MT", "NC", "ND", "NE", "NH", "NJ", "NM", "NV", "NY", "OH", "OK", "OR", "PA",
    "RI", "SC", "SD", "TN", "TX", "UT", "VA", "VT", "WA", "WI", "WV", "WY"};

}  // namespace

bool HasListedStates(std::string_view country) { return country == "US" || country == "CA"; }

bool IsListedState(std::string_view country, std::string_view state) {
  if (country == "US") {
    return std::find(std::begin(kUnitedStates), std::end(kUnitedStates), state) !=
           std::end(kUnitedStates);
  }
  if (country == "CA") {
    return std::find(std::begin(kCanada), std::end(kCanada), state) != std::end(kCanada);
  }
  return false;
}

}  // namespace tollbridge::domain
