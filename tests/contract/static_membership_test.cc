#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "adapters/kafka/hint_feed.h"
#include "tests/contract/kafka_topics.h"
#include "tests/support/async_test.h"

namespace tollbridge::kafka {
namespace {

using test::RunUntil;

class Observer final : public ports::HintFeedObserver {
 public:
  void OnAssigned(const std::vector<ports::HintShare>&) override {}
  void OnRevoked(const std::vector<std::int32_t>& partitions) override {
    if (!partitions.empty()) ++revocations;
  }
  int revocations = 0;
};

class StaticMembershipTest : public testing::Test {
 protected:
  /// A process of the role events by this name, started.
  std::unique_ptr<KafkaHintFeed> Start(const std::string& name, Observer& observer) {
    return test::StartFeed(context_,
                           {.topic = topic_,
                            .group = "group-of-" + topic_,
                            .instance_id = name,
                            .session_timeout = std::chrono::seconds(15)},
                           observer);
  }

  boost::asio::io_context context_;
  const std::string topic_ = test::UniqueName("static");
  Observer of_stays_;
  Observer of_restarts_;
};

TEST_F(StaticMembershipTest, AProcessThatComesBackInTimeLeavesTheOthersTheirPartitions) {
  test::CreateTopic(context_, topic_, 4);
  const auto stays = Start("stays", of_stays_);
  ASSERT_TRUE(RunUntil(context_, [&] { return stays->member(); }));
  auto restarts = Start("restarts", of_restarts_);
  // The one that comes gets half of what the first one had.
  ASSERT_TRUE(RunUntil(context_, [&] {
    return of_stays_.revocations == 1 && stays->member() && restarts->member();
  }));

  ASSERT_TRUE(test::Await(context_, restarts->Stop()).ok());
  restarts = Start("restarts", of_restarts_);
  ASSERT_TRUE(RunUntil(context_, [&] { return restarts->member(); }));
  EXPECT_EQ(of_stays_.revocations, 1);
  EXPECT_TRUE(stays->member());
}

TEST_F(StaticMembershipTest, OfTwoProcessesWithOneNameTheOlderIsNoMemberAnyMore) {
  test::CreateTopic(context_, topic_, 4);
  const auto older = Start("same", of_stays_);
  ASSERT_TRUE(RunUntil(context_, [&] { return older->member(); }));
  const auto newer = Start("same", of_restarts_);
  EXPECT_TRUE(RunUntil(context_, [&] { return newer->member() && !older->member(); }));
}

}  // namespace
}  // namespace tollbridge::kafka
