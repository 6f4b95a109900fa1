// A member of the readers' group that lives and takes no part in it.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "adapters/kafka/hint_feed.h"
#include "tests/contract/kafka_topics.h"
#include "tests/support/async_test.h"

namespace tollbridge::kafka {
namespace {

using test::RunUntil;

class Unheeding final : public ports::HintFeedObserver {
 public:
  void OnAssigned(const std::vector<ports::HintShare>&) override {}
  void OnRevoked(const std::vector<std::int32_t>&) override {}
};

class HangingMemberTest : public testing::Test {
 protected:
  std::unique_ptr<KafkaHintFeed> Start(boost::asio::io_context& context) {
    return test::StartFeed(context,
                           {.topic = topic_,
                            .group = "group-of-" + topic_,
                            .session_timeout = std::chrono::seconds(3),
                            .rebalance_timeout = std::chrono::seconds(4)},
                           observer_);
  }

  boost::asio::io_context context_;
  /// Of a shard that stands still: librdkafka's own thread goes on to say that its process lives.
  boost::asio::io_context hanging_;
  const std::string topic_ = test::UniqueName("hanging");
  Unheeding observer_;
};

/// Without a bound of our own the group would wait for five minutes.
TEST_F(HangingMemberTest, HoldsTheOthersUpForTheRebalanceTimeoutOnly) {
  test::CreateTopic(context_, topic_, 2);
  const auto hangs = Start(hanging_);
  ASSERT_TRUE(RunUntil(hanging_, [&] { return hangs->member(); }));
  const auto comes = Start(context_);
  EXPECT_TRUE(RunUntil(context_, [&] { return comes->member(); }));
}

}  // namespace
}  // namespace tollbridge::kafka
