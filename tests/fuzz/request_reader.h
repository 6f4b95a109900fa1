#ifndef TOLLBRIDGE_TESTS_FUZZ_REQUEST_READER_H_
#define TOLLBRIDGE_TESTS_FUZZ_REQUEST_READER_H_

#include <string_view>

#include <google/protobuf/message.h>

namespace tollbridge::fuzz {

/// Fills a request by its descriptor, each choice taken from the bytes: which fields there are, and
/// for each a value of the form that it must have, one that nearly has it, or any. So that most
/// inputs come past the first rule. When the bytes end, what is required gets a value that will do.
void ReadRequest(std::string_view bytes, google::protobuf::Message* request);

}  // namespace tollbridge::fuzz

#endif  // TOLLBRIDGE_TESTS_FUZZ_REQUEST_READER_H_
