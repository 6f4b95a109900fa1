#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_TABLE_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_TABLE_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <absl/status/statusor.h>

#include "tollbridge/options/v1/options.pb.h"

namespace google::protobuf {
class Descriptor;
class EnumDescriptor;
class FieldDescriptor;
}  // namespace google::protobuf

namespace tollbridge::payment_service {

// What the codec knows of a message type, worked out once from descriptors and options. For the
// codec only.

/// How one value is read and written.
enum class WireKind { kText, kInteger, kFlag, kEnum, kTimestamp, kStruct, kMessage };

/// How many of them a field has.
enum class WireCount { kOne, kMany, kByKey };

/// Texts of an enum's values. The zero value has none.
struct WireEnum {
  std::unordered_map<std::string_view, int> number_of;  // Views of descriptor options.
  std::unordered_map<int, std::string_view> text_of;
};

struct WireTable;

/// One field that goes on the wire.
struct WireField {
  std::string name;
  const google::protobuf::FieldDescriptor* field = nullptr;
  int number = 0;
  options::v1::Sensitivity sensitivity{};
  WireKind kind = WireKind::kText;
  WireCount count = WireCount::kOne;
  /// kEnum only: its texts, and the string beside it that keeps unknown ones.
  const WireEnum* texts = nullptr;
  const google::protobuf::FieldDescriptor* raw_text = nullptr;
  /// kMessage only: the type of the value, or of each element.
  const WireTable* message = nullptr;
};

/// A message type.
struct WireTable {
  const google::protobuf::Descriptor* type = nullptr;
  /// The message is written as the bare array of its only field.
  bool bare_array = false;
  /// They stand in the order of the .proto.
  std::vector<WireField> fields;
  std::unordered_map<std::string_view, const WireField*> by_name;  // Views of fields[i].name.
};

/// The table of a compiled-in message type, built at first use with those of all types below it.
/// Valid for the life of the process; any thread. INTERNAL when the type, or one below it, is not
/// declared as `wire` or has a field that the wire cannot carry: a mistake in a .proto.
absl::StatusOr<const WireTable*> WireTableOf(const google::protobuf::Descriptor* type);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_TABLE_H_
