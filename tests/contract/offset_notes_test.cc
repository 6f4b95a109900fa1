#include "adapters/kafka/offset_notes.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "adapters/kafka/client.h"
#include "adapters/kafka/handles.h"
#include "base/core/boot_clock.h"
#include "tests/contract/kafka_topics.h"
#include "tests/support/async_test.h"

namespace tollbridge::kafka {
namespace {

/// Longer than a question waits, and than librdkafka leaves a broker alone that does not answer.
constexpr std::chrono::seconds kAnswerLimit{30};

class OffsetNotesTest : public testing::Test {
 protected:
  void SetUp() override {
    test::CreateTopic(context_, topic_, 1);
    test::SetGroupOffset(group_, topic_, 0, 7, "a note");
    client_ = Client::Create(Client::Kind::kConsumer, test::OwnBrokerSettings(),
                             {{"group.id", group_}}, 0)
                  .value();
    queue_.reset(rd_kafka_queue_new(client_->get()));
  }
  void TearDown() override { test::OwnBrokerSettings(); }

  void Ask() {
    const PartitionsPtr wanted = Wanted();
    AskForNotes(client_->get(), group_, wanted.get(), queue_.get(), nullptr);
  }
  /// The note of the next answer; nullopt: it says that the group could not be asked.
  std::optional<std::string> Answer() {
    const EventPtr event(rd_kafka_queue_poll(
        queue_.get(), static_cast<int>(std::chrono::milliseconds(kAnswerLimit).count())));
    if (event == nullptr) {
      ADD_FAILURE() << "a question is not answered at all";
      return std::nullopt;
    }
    const PartitionsPtr wanted = Wanted();
    const auto notes = TakeNotes(event.get(), wanted.get());
    if (!notes) return std::nullopt;
    const auto note = notes->find(0);
    return note == notes->end() ? std::string() : note->second;
  }

 private:
  PartitionsPtr Wanted() const {
    PartitionsPtr list(rd_kafka_topic_partition_list_new(1));
    rd_kafka_topic_partition_list_add(list.get(), topic_.c_str(), 0);
    return list;
  }

  boost::asio::io_context context_;
  const std::string topic_ = test::UniqueName("notes");
  const std::string group_ = "group-of-" + topic_;
  std::unique_ptr<Client> client_;
  QueuePtr queue_;
};

TEST_F(OffsetNotesTest, TellsTheNoteBesideAnOffset) {
  Ask();
  EXPECT_EQ(Answer(), "a note");
}

// librdkafka still has the questions, and goes on with them.
TEST_F(OffsetNotesTest, QuestionsThatHaveTimedOutAreNoHarmWhenTheBrokerComesBack) {
  Ask();
  ASSERT_EQ(Answer(), "a note");
  test::OwnBroker().Stop();
  constexpr int kQuestions = 4;
  for (int i = 0; i < kQuestions; ++i) Ask();
  for (int i = 0; i < kQuestions; ++i) EXPECT_EQ(Answer(), std::nullopt);
  test::OwnBroker().Start();
  // Its group has no coordinator at first.
  const BootTime end = BootClock::now() + test::kAwaitLimit;
  std::optional<std::string> note;
  while (!note && BootClock::now() < end) {
    Ask();
    note = Answer();
  }
  EXPECT_EQ(note, "a note");
}

}  // namespace
}  // namespace tollbridge::kafka
