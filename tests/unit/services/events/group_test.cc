#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "services/events/hint_loop.h"
#include "tests/support/fakes/fake_hint_log.h"
#include "tests/unit/services/events/fixture.h"

namespace tollbridge::events {
namespace {

using std::chrono::seconds;

/// A process with the role `events`, on the group's topic.
struct Process {
  Process(boost::asio::io_context& context, const HintHandler::Ports& ports,
          const domain::Projects& projects, test::FakeHintTopic& topic, const Settings& settings)
      : feed(topic, context.get_executor()),
        handler(ports, settings),
        loop(HintLoop::Create(
            context.get_executor(),
            {.feed = feed, .handler = handler, .clock = ports.clock, .projects = projects},
            settings)) {
    EXPECT_TRUE(loop->Start().ok());
    boost::asio::co_spawn(context, loop->Run(),
                          [](std::exception_ptr error) { EXPECT_FALSE(error); });
  }

  test::FakeHintFeed feed;
  HintHandler handler;
  std::shared_ptr<HintLoop> loop;
};

/// Several processes share the hints.
class GroupTest : public EventsFixture {
 protected:
  std::unique_ptr<Process> StartProcess() {
    auto process = std::make_unique<Process>(context_,
                                             HintHandler::Ports{.reader = reader_,
                                                                .snapshots = store_,
                                                                .due_queue = store_,
                                                                .dead_letters = letters_,
                                                                .clock = clock_,
                                                                .metrics = metrics_},
                                             projects_, topic_, settings_);
    Settle();
    return process;
  }

  /// A new completed order of the number, and its webhook's hint.
  void Complete(std::uint8_t number) {
    const std::string id = Uuid{{number, 1}}.ToString();
    reads_.Show(MakeOrder(common::v1::ORDER_STATUS_COMPLETED, id));
    v1::Hint hint;
    hint.set_order_id(id);
    hint.set_project("shop");
    hint.set_source(v1::HINT_SOURCE_WEBHOOK);
    ASSERT_TRUE(Await(hint_log_.Append(hint, {.deadline = clock_.BootNow(), .trace = {}})).ok());
  }

  /// Distinct ids of what was published; repeats must be exact copies.
  std::size_t DistinctEvents() const {
    std::map<std::string, std::string> by_id;
    for (const auto& entry : events_.events) {
      const std::string bytes = entry.SerializeAsString();
      EXPECT_EQ(by_id.try_emplace(entry.id(), bytes).first->second, bytes);
    }
    return by_id.size();
  }

  std::int64_t Unfinished() const {
    std::int64_t unfinished = 0;
    for (std::int32_t partition = 0; partition < kPartitions; ++partition) {
      unfinished += static_cast<std::int64_t>(topic_.records(partition).size()) -
                    topic_.stored_offset(partition);
    }
    return unfinished;
  }

  static constexpr std::int32_t kPartitions = 4;
  test::FakeHintTopic topic_{kPartitions};
  test::FakeHintLog hint_log_{topic_};
  test::FakeDeadLetterLog letters_;
  Reader reader_{NewReader()};
};

TEST_F(GroupTest, NoEventIsLostOrChangedWhenAProcessJoinsInTheMiddle) {
  // Reads take a while, so that partitions move while their orders are being read.
  reads_.during_read = [this](const std::string&) -> boost::asio::awaitable<void> {
    co_await clock_.Sleep(ports::Millis(300));
  };
  const auto first = StartProcess();
  for (std::uint8_t number = 1; number <= 40; ++number) Complete(number);
  const auto second = StartProcess();
  Pass(seconds(10));
  EXPECT_EQ(DistinctEvents(), 80U);
  EXPECT_EQ(Unfinished(), 0);
}

TEST_F(GroupTest, TheNextProcessTakesUpWhatAStoppedOneLeft) {
  auto first = StartProcess();
  events_.down = absl::UnavailableError("no acknowledgement");
  for (std::uint8_t number = 1; number <= 20; ++number) Complete(number);
  Pass(seconds(3));
  EXPECT_TRUE(Await(first->loop->Stop(clock_.BootNow() + seconds(20))).ok());
  EXPECT_GT(Unfinished(), 0);
  events_.down = absl::OkStatus();
  const auto second = StartProcess();
  Pass(seconds(5));
  EXPECT_EQ(DistinctEvents(), 40U);
  EXPECT_EQ(Unfinished(), 0);
}

TEST_F(GroupTest, AnUnreachableTopicIsWaitedFor) {
  const auto process = StartProcess();
  topic_.SetReachable(false);
  Pass(seconds(30));
  topic_.SetReachable(true);
  Complete(1);
  Pass(seconds(2));
  EXPECT_EQ(DistinctEvents(), 2U);
}

}  // namespace
}  // namespace tollbridge::events
