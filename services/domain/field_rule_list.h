#ifndef TOLLBRIDGE_SERVICES_DOMAIN_FIELD_RULE_LIST_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_FIELD_RULE_LIST_H_

#include <string>
#include <vector>

#include "services/domain/field_rules.h"

namespace tollbridge::domain {

/// What is demanded of one field.
struct ListedField {
  /// As in a violation, but `[]` stands for each element of a list, and `.*` for each value of a
  /// map or a Struct.
  std::string field;
  /// The texts of the violations; empty when any value is fine.
  std::vector<std::string> rules;
};

/// What FieldRulesChecker demands of the fields of a request, in their order, in the words of its
/// violations. A message that may contain itself is listed once. Left out is what holds for
/// every field: the depth, and that the type knows it.
std::vector<ListedField> ListFieldRules(const google::protobuf::Descriptor& request,
                                        const FieldLimits& limits);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_FIELD_RULE_LIST_H_
