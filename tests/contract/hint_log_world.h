#ifndef TOLLBRIDGE_TESTS_CONTRACT_HINT_LOG_WORLD_H_
#define TOLLBRIDGE_TESTS_CONTRACT_HINT_LOG_WORLD_H_

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "services/ports/hint_log.h"

namespace tollbridge::test {

/// An empty hints topic of four partitions with its group, and an empty dead letter topic: what the
/// contract suites of ports/hint_log.h run on. One a test.
class HintLogWorld {
 public:
  static constexpr std::int32_t kPartitions = 4;

  virtual ~HintLogWorld() = default;
  /// Where everything runs; the test thread runs it.
  virtual boost::asio::io_context& context() = 0;
  virtual ports::HintLog& log() = 0;
  virtual ports::DeadLetterLog& dead_letters() = 0;
  /// One more member of the group, not started.
  virtual std::unique_ptr<ports::HintFeed> MakeFeed() = 0;
  /// A record such as anybody may write.
  virtual void PutRaw(const std::string& key, const std::string& value) = 0;
  /// The first `count` dead letters, in order; throws when they are not there.
  virtual std::vector<ports::DeadLetter> ReadDeadLetters(std::size_t count) = 0;
  virtual void SetReachable(bool reachable) = 0;
};

std::unique_ptr<HintLogWorld> MakeFakeHintLogWorld();
/// On the real broker of this test program.
std::unique_ptr<HintLogWorld> MakeKafkaHintLogWorld();

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_CONTRACT_HINT_LOG_WORLD_H_
