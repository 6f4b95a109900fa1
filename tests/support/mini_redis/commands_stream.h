#ifndef TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_COMMANDS_STREAM_H_
#define TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_COMMANDS_STREAM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/mini_redis/commands.h"

namespace tollbridge::test {

/// "ms" or "ms-sequence". Throws CommandError for any other text.
StreamId ToStreamId(std::string_view text, std::uint64_t missing_sequence = 0);
std::vector<StreamId> ToStreamIds(Arguments texts);

redis::Reply IdReply(StreamId id);
redis::Reply EntryReply(StreamId id, const std::vector<std::string>& fields);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_COMMANDS_STREAM_H_
