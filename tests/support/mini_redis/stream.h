#ifndef TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_STREAM_H_
#define TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_STREAM_H_

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tollbridge::test {

struct StreamId {
  std::uint64_t ms = 0;
  std::uint64_t sequence = 0;
  auto operator<=>(const StreamId&) const = default;
};

inline constexpr StreamId kLastStreamId{UINT64_MAX, UINT64_MAX};

/// The next and the previous id. There is none after kLastStreamId, and none before 0-0.
StreamId Next(StreamId id);
StreamId Previous(StreamId id);

struct ConsumerGroup {
  StreamId last_delivered;
  /// What was delivered and not acknowledged, and to which consumer.
  std::map<StreamId, std::string> pending;
};

struct Stream {
  /// Fields and values by turns.
  std::map<StreamId, std::vector<std::string>> entries;
  /// The newest there ever was.
  StreamId last;
  std::map<std::string, ConsumerGroup> groups;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_MINI_REDIS_STREAM_H_
