#ifndef TOLLBRIDGE_SERVICES_RPC_PARSE_H_
#define TOLLBRIDGE_SERVICES_RPC_PARSE_H_

#include <string>
#include <string_view>

#include "base/telemetry/metrics.h"
#include "services/rpc/middleware.h"

namespace google::protobuf {
class Descriptor;
}  // namespace google::protobuf

namespace tollbridge::rpc {

/// Link: turns the request's bytes into the method's message. Bytes that are none are counted
/// (grpc_server_unparsable_total) and answered INVALID_ARGUMENT UNPARSABLE_REQUEST with the path of
/// the first bad field where it can be found. Stands before every link that looks at the request,
/// the first of which is Authorize: it asks for the project.
class Parse : public Middleware {
 public:
  explicit Parse(telemetry::Metrics& metrics) : metrics_(metrics) {}
  AsyncStatus Handle(Call& call, Next next) override;

 private:
  telemetry::Metrics& metrics_;
};

/// Where bytes stop being a message of a type.
struct BadField {
  std::string path;  ///< as in google.rpc.BadRequest; empty when it is no field of the type
  std::string rule;  ///< what is wrong there; never holds bytes of the request
};

/// Walks the wire format to the first field that a parser refuses: a broken tag, length or group, a
/// string that is not UTF-8, nesting deeper than protobuf's limit. `bytes` are known not to parse.
BadField FindBadField(std::string_view bytes, const google::protobuf::Descriptor& type);

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_PARSE_H_
