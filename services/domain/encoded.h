#ifndef TOLLBRIDGE_SERVICES_DOMAIN_ENCODED_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_ENCODED_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace tollbridge::domain {

/// A message of that type in protobuf's wire format: for one that takes longer to build than to
/// write.
template <typename Message>
struct Encoded {
  std::string bytes;
};

/// What stands before such a field's bytes has at most so many.
inline constexpr std::size_t kMostEncodedHead = 10;

/// Appends a field that is a message, a text or bytes, given as its bytes.
void AppendEncoded(int field, std::string_view value, std::string* bytes);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_ENCODED_H_
