#ifndef TOLLBRIDGE_SERVICES_DOMAIN_SENSITIVITY_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_SENSITIVITY_H_

#include <google/protobuf/message.h>

#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::domain {

/// Whether a field declared with this sensitivity has a value anywhere in the message. An empty
/// string is none. A declaration on a message field covers everything below it.
bool HoldsSensitive(const google::protobuf::Message& message, options::v1::Sensitivity sensitivity);

/// Clears every field declared with this sensitivity, at any depth.
void ClearSensitive(google::protobuf::Message& message, options::v1::Sensitivity sensitivity);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_SENSITIVITY_H_
