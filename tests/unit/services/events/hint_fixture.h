#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_HINT_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_HINT_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/events/hint_loop.h"
#include "tests/support/fakes/fake_hint_log.h"
#include "tests/unit/services/events/fixture.h"

namespace tollbridge::events {

/// The whole loop with its handler and reader, on a feed that the test fills.
class HintFixture : public EventsFixture {
 protected:
  void StartLoop() {
    reader_ = std::unique_ptr<Reader>(new Reader(NewReader()));
    handler_.emplace(HintHandler::Ports{.reader = *reader_,
                                        .snapshots = store_,
                                        .due_queue = store_,
                                        .dead_letters = letters_,
                                        .clock = clock_,
                                        .metrics = metrics_},
                     settings_);
    loop_ = HintLoop::Create(
        context_.get_executor(),
        {.feed = feed_, .handler = *handler_, .clock = clock_, .projects = projects_}, settings_);
    ASSERT_TRUE(loop_->Start().ok());
    boost::asio::co_spawn(context_, loop_->Run(), [this](std::exception_ptr error) {
      EXPECT_FALSE(error);
      run_ended_ = true;
    });
    Settle();
  }

  void PutHint(std::int64_t offset, const std::string& order_id = kOrderId,
               std::int32_t partition = 0) {
    PutHintFrom(v1::HINT_SOURCE_WEBHOOK, offset, order_id, partition);
  }
  void PutHintFrom(v1::HintSource source, std::int64_t offset, const std::string& order_id,
                   std::int32_t partition = 0) {
    PutRaw(offset, MakeHint(source, order_id).SerializeAsString(), partition);
  }
  /// As a reader passes it on: of the root kOrderId.
  void PutMemberHint(std::int64_t offset, const std::string& member) {
    v1::Hint hint = MakeHint(v1::HINT_SOURCE_READER, kOrderId);
    hint.set_member(member);
    PutRaw(offset, hint.SerializeAsString());
  }
  v1::Hint MakeHint(v1::HintSource source, const std::string& order_id) const {
    v1::Hint hint;
    hint.set_order_id(order_id);
    hint.set_project("shop");
    hint.set_source(source);
    *hint.mutable_noticed_at() = domain::ToTimestamp(clock_.WallNow());
    return hint;
  }
  void PutRaw(std::int64_t offset, std::string value, std::int32_t partition = 0) {
    feed_.Put({.partition = partition,
               .offset = offset,
               .leader_epoch = leader_epoch_,
               .key = "",
               .value = std::move(value),
               .trace = {}});
    Settle();
  }

  /// Another project. The store of these tests keeps one only: a try for this fails, and says so.
  void AddDesk() {
    domain::Project other = projects_.all().front();
    other.name = "desk";
    projects_ = domain::Projects({projects_.all().front(), other});
  }
  void PutHintOfDesk(std::int64_t offset) {
    v1::Hint hint = MakeHint(v1::HINT_SOURCE_WEBHOOK, kOtherOrderId);
    hint.set_project("desk");
    PutRaw(offset, hint.SerializeAsString());
  }

  /// Time passes, and as the poller does, each second: hints of what is due.
  void PassWithPoller(ports::Millis duration) {
    for (; duration > ports::Millis(0); duration -= std::chrono::seconds(1)) {
      Pass(std::chrono::seconds(1));
      Poll();
    }
  }
  /// Hints of what is due now.
  void Poll() {
    const std::string project = "shop";
    const std::vector<ports::Millis> moves = {std::chrono::minutes(1)};
    const ports::Context context{.deadline = clock_.BootNow(), .trace = {}};
    const auto due = Await(store_.Take(project, clock_.WallNow(), moves, 100, context)).value();
    for (const ports::DueOrder& each : due) {
      PutHintFrom(v1::HINT_SOURCE_POLLER, polled_++, each.key.root.ToString(), kPolled);
    }
  }

  /// Reads of this order wait until ReleaseReads.
  void HoldReadsOf(const std::string& order_id) {
    reads_.during_read = [this, order_id](const std::string& id) -> boost::asio::awaitable<void> {
      if (id != order_id || released_) co_return;
      co_await gate_.async_receive(boost::asio::as_tuple(boost::asio::use_awaitable));
    };
  }
  void ReleaseReads() {
    released_ = true;
    gate_.try_send(boost::system::error_code());
    Settle();
  }

  std::size_t ReadsOf(const std::string& order_id) const {
    return static_cast<std::size_t>(
        std::count(reads_.reads().begin(), reads_.reads().end(), order_id));
  }

  /// The partition of the poller's hints.
  static constexpr std::int32_t kPolled = 7;
  std::int64_t polled_ = 0;
  /// Of the records that are put from now on.
  std::int32_t leader_epoch_ = 0;
  FilledFeed feed_{context_.get_executor()};
  test::FakeDeadLetterLog letters_;
  std::unique_ptr<Reader> reader_;
  std::optional<HintHandler> handler_;
  std::shared_ptr<HintLoop> loop_;
  bool run_ended_ = false;
  bool released_ = false;
  boost::asio::experimental::channel<void(boost::system::error_code)> gate_{context_, 10};
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_HINT_FIXTURE_H_
