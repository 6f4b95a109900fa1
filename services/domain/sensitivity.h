#ifndef TOLLBRIDGE_SERVICES_DOMAIN_SENSITIVITY_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_SENSITIVITY_H_

#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::domain {

/// Whether a field declared with this sensitivity has a value anywhere in the message. An empty
/// string is none. A declaration on a message field covers everything below it.
bool HoldsSensitive(const google::protobuf::Message& message, options::v1::Sensitivity sensitivity);

/// Whether a message of this type can hold such a field, at any depth but below `except`, which may
/// be nullptr.
bool DeclaresSensitive(const google::protobuf::Descriptor& type,
                       options::v1::Sensitivity sensitivity,
                       const google::protobuf::Descriptor* except);

/// Clears every field declared with this sensitivity, at any depth.
void ClearSensitive(google::protobuf::Message& message, options::v1::Sensitivity sensitivity);

/// Appends the texts of every field declared with this sensitivity, at any depth.
void AddSensitiveTexts(const google::protobuf::Message& message,
                       options::v1::Sensitivity sensitivity, std::vector<std::string>* texts);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_SENSITIVITY_H_
