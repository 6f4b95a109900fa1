#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_STRUCT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_STRUCT_H_

#include <string>

#include <absl/status/status.h>

#include "adapters/payment_service/json_document.h"
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

/// Reads the object into `*out`, which is empty. Integers beyond 2^53 become their decimal text.
void ReadStruct(const JsonNode& object, google::protobuf::Struct* out);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_STRUCT_H_
