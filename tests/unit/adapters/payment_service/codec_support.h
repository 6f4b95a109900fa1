#ifndef TOLLBRIDGE_TESTS_UNIT_ADAPTERS_PAYMENT_SERVICE_CODEC_SUPPORT_H_
#define TOLLBRIDGE_TESTS_UNIT_ADAPTERS_PAYMENT_SERVICE_CODEC_SUPPORT_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>
#include <gtest/gtest.h>

namespace tollbridge::payment_service {

/// Every compiled-in message type that is declared as `wire`, from all of proto/.
std::vector<const google::protobuf::Descriptor*> WireTypes();

/// A new, empty message of a compiled-in type.
std::unique_ptr<google::protobuf::Message> NewMessage(const google::protobuf::Descriptor* type);

/// Equal field by field, presence included; otherwise says where they differ.
::testing::AssertionResult SameMessage(const google::protobuf::Message& got,
                                       const google::protobuf::Message& want);

/// Reads the text format into `*message`; fails the test when it does not parse.
void ParseText(std::string_view text, google::protobuf::Message* message);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_TESTS_UNIT_ADAPTERS_PAYMENT_SERVICE_CODEC_SUPPORT_H_
