#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_STRUCT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_STRUCT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "adapters/payment_service/json_document.h"
#include "adapters/payment_service/proto_bytes.h"
#include "adapters/payment_service/wire_path.h"

namespace google::protobuf {
class Struct;
}  // namespace google::protobuf

namespace tollbridge::payment_service {

// Free JSON objects (`extra`, `client`) both ways. For the codec only.

/// Writes the object, keys sorted. `depth` is how many objects and arrays are open around it.
/// INVALID_ARGUMENT with the path of a number that is not finite, or of what is nested too deep.
absl::Status AppendStruct(const google::protobuf::Struct& object, int depth, const WirePath& at,
                          std::string* out);

/// Writes the object's members as those of a Struct, but for the one that is named `without`:
/// returns how many bytes that has; 0: there is none. Integers beyond 2^53 become their decimal
/// text.
std::size_t ReadStruct(const JsonNode& object, std::optional<std::string_view> without,
                       ProtoBytes* out);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_STRUCT_H_
