#ifndef TOLLBRIDGE_SERVICES_DOMAIN_DETERMINISTIC_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_DETERMINISTIC_H_

#include <string>

#include <google/protobuf/message.h>

namespace tollbridge::domain {

/// The message's bytes with map entries in order: equal messages have equal bytes, also a message
/// that was parsed from its own bytes. What is sent and may have to be sent again byte for byte is
/// serialized by this.
std::string SerializeDeterministically(const google::protobuf::Message& message);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_DETERMINISTIC_H_
