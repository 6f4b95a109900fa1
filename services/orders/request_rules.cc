#include "services/orders/request_rules.h"

#include <string>

#include "services/domain/mark.h"
#include "services/domain/states.h"

namespace tollbridge::orders {

void CheckDescription(std::string_view description, Violations& out) {
  if (domain::CarriesAnyMark(description)) {
    out.push_back({"description", "must not carry a mark of the gateway ([tb:...])"});
  }
}

void CheckExtra(const google::protobuf::Struct& extra, Violations& out) {
  const std::string field(domain::kMarkField);
  if (extra.fields().contains(field)) {
    out.push_back({"extra." + field, "is set by the gateway and must be absent"});
  }
}

void CheckState(const common::v1::Customer& customer, Violations& out) {
  if (domain::HasListedStates(customer.country()) && !customer.state().empty() &&
      !domain::IsListedState(customer.country(), customer.state())) {
    out.push_back({"customer.state", "must be a state that the country has"});
  }
}

}  // namespace tollbridge::orders
