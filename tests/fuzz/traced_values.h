#ifndef TOLLBRIDGE_TESTS_FUZZ_TRACED_VALUES_H_
#define TOLLBRIDGE_TESTS_FUZZ_TRACED_VALUES_H_

#include <string>

#include <google/protobuf/message.h>
#include <boost/json/value.hpp>

namespace tollbridge::fuzz {

/// Why a message does not say what the body says that it was read from: every text and number in it
/// must stand in the body, and every whole number and text of the body that has a place must be in
/// it. Empty when it does. A second reading of the interface, by nothing but the names in the
/// .proto.
std::string Untraced(const google::protobuf::Message& message, const boost::json::value& body);

}  // namespace tollbridge::fuzz

#endif  // TOLLBRIDGE_TESTS_FUZZ_TRACED_VALUES_H_
