#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_CALL_REQUEST_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_CALL_REQUEST_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <iosfwd>
#include <string>

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace tollbridge::gateway {

/// The request as JSON that an argument of the command line stands for: `-` what `in` holds,
/// `@FILE` what the file holds, anything else itself. NOT_FOUND when the file cannot be read.
absl::StatusOr<std::string> ReadRequest(const std::string& argument, std::istream& in);

/// Reads JSON with the names of the .proto into `request`. INVALID_ARGUMENT says where it does not
/// fit, by line and column or by field, and what should be there; never what is there, which may be
/// a card.
absl::Status ParseRequest(const std::string& json, google::protobuf::Message* request);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_CALL_REQUEST_H_
