#ifndef TOLLBRIDGE_SERVICES_DOMAIN_FIELD_RULES_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_FIELD_RULES_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "services/domain/errors.h"

namespace google::protobuf {
class Descriptor;
class Message;
}  // namespace google::protobuf

namespace tollbridge::domain {

/// Bounds that hold for every request, whatever its fields declare.
struct FieldLimits {
  /// Longest string or bytes value whose field declares no max_bytes, and longest map key.
  std::size_t max_string_bytes = 4096;
  /// Largest google.protobuf.Struct as serialized, and whatever its field declares above that.
  std::size_t max_struct_bytes = 65536;
  /// Most elements of a list or map that declares no max_items.
  std::size_t max_items = 1000;
  /// Deepest nesting of messages, and of values inside a Struct.
  int max_depth = 20;
  /// Violations reported at once: a hostile request must not make an answer larger than itself.
  std::size_t max_violations = 100;
  /// Takes what reads as a card number in fields that are declared free text.
  bool take_card_numbers = false;
};

/// 2^53: from here on a double, and so a Struct, cannot hold every integer. A caller's 2^53 + 1
/// arrives as 2^53, so that 2^53 itself is refused with those above it.
inline constexpr double kFirstInexactInteger = 9007199254740992.0;

/// Checks requests against the FieldRules of their .proto (tollbridge/options/v1/options.proto).
/// What is checked of each type is worked out once, at construction. Immutable, so any thread may
/// use it.
class FieldRulesChecker {
 public:
  /// `requests`: the request types that will be checked; the types inside them come by themselves.
  FieldRulesChecker(const std::vector<const google::protobuf::Descriptor*>& requests,
                    FieldLimits limits);
  ~FieldRulesChecker();
  FieldRulesChecker(const FieldRulesChecker&) = delete;
  FieldRulesChecker& operator=(const FieldRulesChecker&) = delete;

  /// All violations in the order of the fields, each with its path from the root; never with a
  /// value. A field that the type does not know is a violation too: a caller with a newer .proto
  /// must not believe that it was heeded. `request` is of one of the types given at construction.
  std::vector<FieldViolation> Check(const google::protobuf::Message& request) const;

 private:
  class Tables;
  class Walk;
  std::unique_ptr<const Tables> tables_;
  FieldLimits limits_;
};

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_FIELD_RULES_H_
