#ifndef TOLLBRIDGE_TESTS_CONTRACT_MINI_REDIS_COMPARISON_H_
#define TOLLBRIDGE_TESTS_CONTRACT_MINI_REDIS_COMPARISON_H_

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "adapters/redis/connection.h"
#include "base/telemetry/metrics.h"
#include "tests/support/mini_redis/mini_redis.h"
#include "tests/support/redis_server.h"

namespace tollbridge::test {

/// A reply as text. Of an error its first word only: the rest names lines and functions.
std::string Show(const redis::Reply& reply);
std::string Show(const redis::Command& command);

/// A redis-server and a Redis in memory, which get the same commands.
class ComparisonTest : public testing::Test {
 protected:
  ComparisonTest();

  /// Both answer the same; the answer.
  redis::Reply Same(const redis::Command& command);
  /// As Same, and of an error the whole text.
  void SameText(const redis::Command& command);
  /// As Same, where the order of the elements does not matter.
  void SameInAnyOrder(const redis::Command& command);
  /// EVAL of a script without keys.
  redis::Reply SameScript(const std::string& text, redis::Command arguments = {});

  redis::Reply AskServer(const redis::Command& command);

  RedisServer server_;
  MiniRedis mini_;
  telemetry::Metrics metrics_;
  boost::asio::io_context context_{1};
  std::unique_ptr<redis::Connection> connection_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_CONTRACT_MINI_REDIS_COMPARISON_H_
