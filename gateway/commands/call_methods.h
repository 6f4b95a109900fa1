#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_CALL_METHODS_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_CALL_METHODS_H_

#include <absl/status/statusor.h>

#include <string>

namespace google::protobuf {
class MethodDescriptor;
}  // namespace google::protobuf

/// The methods that `tollbridge call` knows: those of the published services.
namespace tollbridge::gateway {

/// By any of its names: `Payments.CreateOrder`, or the full `tollbridge.payments.v1.Payments`
/// before it, with a dot or a slash before the method. NOT_FOUND says what is meant, and what there
/// is; it shows the name only where it looks like one, since a request that has slipped here may
/// hold a card.
absl::StatusOr<const google::protobuf::MethodDescriptor*> FindMethod(const std::string& name);

/// A line for each method, `Payments.CreateOrder`.
std::string MethodList();

/// The method with its full name, the fields of its request and of its answer, and of all messages
/// and enums in them: type and what must be sent, a line each.
std::string MethodDescription(const google::protobuf::MethodDescriptor& method);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_CALL_METHODS_H_
