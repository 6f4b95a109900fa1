#ifndef TOLLBRIDGE_TESTS_SUPPORT_OPERATION_RECORDS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_OPERATION_RECORDS_H_

#include <string>
#include <string_view>
#include <utility>

#include "adapters/redis/command_executor.h"
#include "base/core/uuid.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::test {

/// The key of an operation's record (adapters/redis/scripts/record.lua).
inline std::string RecordKey(const Uuid& id, std::string_view project = "shop") {
  return KeysOf(project) + "o:" + id.ToBytes();
}

/// Reads a field of a record as text; nil where it is not there.
inline redis::Command GetField(std::string key, std::string name) {
  static constexpr const char* kScript =
      "local value = redis.call('GET', ARGV[1]) "
      "local field = value and cmsgpack.unpack(value)[ARGV[2]] "
      "if type(field) == 'number' then return string.format('%.0f', field) end "
      "return field or false";
  return {"EVAL", kScript, "0", std::move(key), std::move(name)};
}

/// Sets a field of a record, which it makes if there is none: a number where the value is one, none
/// where it is empty. The steps and transitions are not fields of this kind.
inline redis::Command SetField(std::string key, std::string name, std::string value) {
  static constexpr const char* kScript =
      "local old = redis.call('GET', ARGV[1]) "
      "local record = old and cmsgpack.unpack(old) or {V = 1} "
      "record[ARGV[2]] = ARGV[3] ~= '' and (tonumber(ARGV[3]) or ARGV[3]) or nil "
      "return redis.call('SET', ARGV[1], cmsgpack.pack(record))";
  return {"EVAL", kScript, "0", std::move(key), std::move(name), std::move(value)};
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_OPERATION_RECORDS_H_
