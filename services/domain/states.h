#ifndef TOLLBRIDGE_SERVICES_DOMAIN_STATES_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_STATES_H_

#include <string_view>

namespace tollbridge::domain {

/// Whether the interface lists the states of this country (docs/interface.md#states-of-countries):
/// "US" and "CA".
bool HasListedStates(std::string_view country);

/// Whether `state` is one of the listed values of `country`. False for a country without a list.
bool IsListedState(std::string_view country, std::string_view state);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_STATES_H_
