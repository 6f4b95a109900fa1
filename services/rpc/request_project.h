#ifndef TOLLBRIDGE_SERVICES_RPC_REQUEST_PROJECT_H_
#define TOLLBRIDGE_SERVICES_RPC_REQUEST_PROJECT_H_

#include "services/domain/project.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace tollbridge::rpc {

/// The configured project that a request is about, by its field `project`; empty is the only
/// configured one. nullptr when it names none of them, or has no such field.
const domain::Project* ProjectOf(const domain::Projects& projects,
                                 const google::protobuf::Message& request);

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_REQUEST_PROJECT_H_
