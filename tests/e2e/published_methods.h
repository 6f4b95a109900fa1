#ifndef TOLLBRIDGE_TESTS_E2E_PUBLISHED_METHODS_H_
#define TOLLBRIDGE_TESTS_E2E_PUBLISHED_METHODS_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>
#include <vector>

namespace tollbridge::test {

/// The methods of all published services, as the .proto files have them: a new one needs no line
/// here.
std::vector<const google::protobuf::MethodDescriptor*> PublishedMethods();

std::unique_ptr<google::protobuf::Message> NewMessage(const google::protobuf::Descriptor& type);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_PUBLISHED_METHODS_H_
