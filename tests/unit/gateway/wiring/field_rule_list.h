#ifndef TOLLBRIDGE_TESTS_UNIT_GATEWAY_WIRING_FIELD_RULE_LIST_H_
#define TOLLBRIDGE_TESTS_UNIT_GATEWAY_WIRING_FIELD_RULE_LIST_H_

#include <string>
#include <vector>

#include "services/domain/field_rules.h"

namespace tollbridge::gateway {

/// What is demanded of one field.
struct ListedField {
  /// As in a violation, but `[]` stands for each element of a list, and `.*` for each value of a
  /// map or a Struct.
  std::string field;
  /// The texts of the violations; empty when any value is fine.
  std::vector<std::string> rules;
};

/// What domain::FieldRulesChecker demands of the fields of a request, in their order, in the words
/// of its violations. A message that may contain itself is listed once. Left out is what holds for
/// every field: the depth, and that the type knows it.
std::vector<ListedField> ListFieldRules(const google::protobuf::Descriptor& request,
                                        const domain::FieldLimits& limits);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_TESTS_UNIT_GATEWAY_WIRING_FIELD_RULE_LIST_H_
