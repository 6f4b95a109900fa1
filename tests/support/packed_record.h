#ifndef TOLLBRIDGE_TESTS_SUPPORT_PACKED_RECORD_H_
#define TOLLBRIDGE_TESTS_SUPPORT_PACKED_RECORD_H_

#include <map>
#include <string>
#include <string_view>

namespace tollbridge::test {

/// What a map in MessagePack has, as text by its path: `s`, `p.1.1`; of a list also how many it
/// has, by the path of the list. Numbers are whole. Throws std::runtime_error for anything else.
using PackedRecord = std::map<std::string, std::string>;
PackedRecord ReadPackedRecord(std::string_view packed);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_PACKED_RECORD_H_
