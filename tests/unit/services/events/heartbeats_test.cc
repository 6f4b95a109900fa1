#include "services/events/heartbeats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/telemetry/metric_definitions.h"
#include "services/domain/event_payload.h"
#include "tests/support/fakes/fake_heartbeat_log.h"
#include "tests/support/fakes/fake_hint_log.h"
#include "tests/support/series.h"
#include "tests/unit/services/events/fixture.h"
#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::events {
namespace {

using std::chrono::seconds;

using testing::UnorderedElementsAre;

/// Owns the whole topic, or nothing, and finishes what the test says.
class HeartbeatsTest : public EventsFixture {
 protected:
  struct Deaf final : ports::HintFeedObserver {
    void OnAssigned(const std::vector<ports::HintShare>&) override {}
    void OnRevoked(const std::vector<std::int32_t>&) override {}
  };

  HeartbeatsTest() {
    settings_.topics["shop"] = {.events = {.name = "events", .mark = ""},
                                .test_orders = {.name = "tests", .mark = "t"}};
    feed_ = std::make_unique<test::FakeHintFeed>(topic_, context_.get_executor());
    EXPECT_TRUE(feed_->Start(&observer_).ok());
    heartbeats_ = Heartbeats::Create({.log = log_,
                                      .feed = *feed_,
                                      .snapshots = store_,
                                      .clock = clock_,
                                      .rng = rng_,
                                      .metrics = metrics_,
                                      .projects = projects_},
                                     settings_);
  }

  void Look() {
    boost::asio::co_spawn(context_, heartbeats_->LookOnce(), boost::asio::detached);
    Settle();
  }
  void LookAfter(ports::Millis time) {
    Pass(time);
    Look();
  }
  /// Hints in that partition of the topic.
  void PutInto(std::int32_t partition, int count) {
    for (int i = 0; count > 0; ++i) {
      const std::string key = "key-" + std::to_string(i);
      if (topic_.PartitionOf(key) != partition) continue;
      topic_.Put(key, "hint");
      --count;
    }
  }
  void Finish(std::int32_t partition, std::int64_t next) {
    feed_->StoreOffset(partition, next, "");
  }

  void SaveOutbox(WallTime noticed_at) {
    ports::SaveRequest request{.key = Key(), .noticed_at = noticed_at, .retention = seconds(1000)};
    request.snapshot.set_epoch(Kept().epoch);
    request.outbox.add_entries()->set_id("event");
    ASSERT_EQ(*Await(store_.Save(request, Within())), ports::SaveVerdict::kSaved);
  }
  void ClearOutbox() { ASSERT_TRUE(*Await(store_.ClearOutbox(Key(), 1, Kept().epoch, Within()))); }
  ports::Context Within() const { return {.deadline = clock_.BootNow() + seconds(5), .trace = {}}; }

  static v1::Heartbeat Read(const storage::v1::OutboxEntry& entry) {
    v1::Heartbeat heartbeat;
    EXPECT_TRUE(heartbeat.ParseFromString(entry.payload()));
    return heartbeat;
  }
  /// Of the newest heartbeat.
  std::optional<WallTime> Said() const {
    const v1::Heartbeat heartbeat = Read(log_.written().back().second);
    if (!heartbeat.has_published_before()) return std::nullopt;
    return domain::ToWallTime(heartbeat.published_before());
  }

  test::FakeHintTopic topic_{3};
  test::FakeHeartbeatLog log_{topic_, {{"events", 2}, {"tests", 1}}};
  Deaf observer_;
  std::unique_ptr<test::FakeHintFeed> feed_;
  std::shared_ptr<Heartbeats> heartbeats_;
};

TEST_F(HeartbeatsTest, EachPartitionOfEachTopicHasOneEveryInterval) {
  const auto places = [&] {
    std::vector<std::string> found;
    for (const auto& [partition, entry] : log_.written()) {
      found.push_back(entry.topic() + "-" + std::to_string(partition));
      EXPECT_EQ(Read(entry).partition(), partition);
      EXPECT_TRUE(entry.key().empty());
    }
    return found;
  };
  Look();
  EXPECT_THAT(places(), UnorderedElementsAre("events-0", "events-1", "tests-0"));
  LookAfter(seconds(9));
  EXPECT_EQ(log_.written().size(), 3U) << "too early";
  LookAfter(seconds(1));
  EXPECT_EQ(log_.written().size(), 6U);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kHeartbeats, {"written"}), 6);
}

TEST_F(HeartbeatsTest, OneSaysWhenItWasMadeAndWhenTheNextComes) {
  Look();
  const auto& [partition, entry] = log_.written().front();
  const v1::Heartbeat heartbeat = Read(entry);
  EXPECT_EQ(domain::ToWallTime(heartbeat.made_at()), clock_.WallNow());
  EXPECT_EQ(heartbeat.interval().seconds(), 10);
  EXPECT_EQ(domain::ToWallTime(heartbeat.published_before()),
            clock_.WallNow() - settings_.heartbeat_margin);
  EXPECT_EQ(HeaderOf(entry, "ce_type"), "tollbridge.heartbeat.v1");
  EXPECT_EQ(HeaderOf(entry, "ce_specversion"), "1.0");
  EXPECT_EQ(HeaderOf(entry, "ce_source"), "/tollbridge");
  EXPECT_EQ(HeaderOf(entry, "ce_time"), domain::ToRfc3339(clock_.WallNow()));
  EXPECT_EQ(HeaderOf(entry, "ce_dataschema"),
            "urn:tollbridge:proto:tollbridge.events.v1.Heartbeat");
  EXPECT_EQ(HeaderOf(entry, "ce_publishedbefore"),
            domain::ToRfc3339(clock_.WallNow() - settings_.heartbeat_margin));
  EXPECT_EQ(HeaderOf(entry, "content-type"), "application/protobuf");
  EXPECT_NE(entry.id(), log_.written().back().second.id());
}

TEST_F(HeartbeatsTest, WhileNothingIsKnownItSaysNothing) {
  PutInto(2, 1);
  Look();
  ASSERT_FALSE(log_.written().empty());
  EXPECT_EQ(Said(), std::nullopt);
  EXPECT_EQ(HeaderOf(log_.written().back().second, "ce_publishedbefore"), "(none)");
}

TEST_F(HeartbeatsTest, OnePartitionOfHintsThatLagsHoldsAllBack) {
  Look();
  const WallTime before = *heartbeats_->published_before();
  for (std::int32_t lagging = 0; lagging < topic_.partitions(); ++lagging) {
    PutInto(lagging, 1);
    const WallTime held = *heartbeats_->published_before();
    LookAfter(seconds(30));
    EXPECT_EQ(heartbeats_->published_before(), held) << lagging;
    Finish(lagging, 1);
    LookAfter(seconds(1));
    EXPECT_EQ(heartbeats_->published_before(), clock_.WallNow() - settings_.heartbeat_margin)
        << lagging;
  }
  EXPECT_LT(before, *heartbeats_->published_before());
}

TEST_F(HeartbeatsTest, APendingOutboxHoldsItBackToWhenItsEventsWereNoticed) {
  Look();
  LookAfter(seconds(60));
  const WallTime noticed = clock_.WallNow();
  SaveOutbox(noticed);
  LookAfter(seconds(60));
  EXPECT_EQ(heartbeats_->published_before(), noticed);
  EXPECT_EQ(Said(), noticed);
  ClearOutbox();
  LookAfter(seconds(1));
  EXPECT_EQ(heartbeats_->published_before(), clock_.WallNow() - settings_.heartbeat_margin);
}

TEST_F(HeartbeatsTest, WhileTheStoreCannotBeAskedItStaysAndGoesOnBeating) {
  Look();
  const std::optional<WallTime> before = heartbeats_->published_before();
  store_.SetAvailable(false);
  LookAfter(seconds(60));
  EXPECT_EQ(heartbeats_->published_before(), before);
  EXPECT_EQ(log_.written().size(), 6U);
  EXPECT_EQ(Said(), before);
  store_.SetAvailable(true);
  LookAfter(seconds(1));
  EXPECT_GT(heartbeats_->published_before(), before);
}

TEST_F(HeartbeatsTest, WithoutTheLogNothingIsSaidAndItIsCaughtUpAfterwards) {
  Look();
  const std::optional<WallTime> before = heartbeats_->published_before();
  topic_.SetReachable(false);
  LookAfter(seconds(20));
  EXPECT_EQ(heartbeats_->published_before(), before);
  EXPECT_EQ(log_.written().size(), 3U);
  topic_.SetReachable(true);
  LookAfter(seconds(10));
  EXPECT_EQ(log_.written().size(), 6U);
  EXPECT_GT(heartbeats_->published_before(), before);
}

TEST_F(HeartbeatsTest, WhoDoesNotOwnTheFirstPartitionIsSilent) {
  Look();
  ASSERT_EQ(log_.written().size(), 3U);
  // A second process: the range assignor gives it the last partitions, and the first stays here.
  test::FakeHintFeed second(topic_, context_.get_executor());
  Deaf deaf;
  ASSERT_TRUE(second.Start(&deaf).ok());
  const auto other = Heartbeats::Create({.log = log_,
                                         .feed = second,
                                         .snapshots = store_,
                                         .clock = clock_,
                                         .rng = rng_,
                                         .metrics = metrics_,
                                         .projects = projects_},
                                        settings_);
  Await([](Heartbeats& silent) -> boost::asio::awaitable<int> {
    co_await silent.LookOnce();
    co_return 0;
  }(*other));
  EXPECT_EQ(log_.written().size(), 3U);
  EXPECT_EQ(other->published_before(), std::nullopt);
  ASSERT_TRUE(Await(feed_->Stop()).ok());
  Await([](Heartbeats& heir) -> boost::asio::awaitable<int> {
    co_await heir.LookOnce();
    co_return 0;
  }(*other));
  EXPECT_EQ(log_.written().size(), 6U) << "it takes over at once";
}

TEST_F(HeartbeatsTest, ItNeverGoesBack) {
  LookAfter(seconds(60));
  const std::optional<WallTime> before = heartbeats_->published_before();
  clock_.StepWall(-std::chrono::hours(1));
  LookAfter(seconds(10));
  EXPECT_EQ(heartbeats_->published_before(), before);
  // What was noticed long ago and saved only now was not waited for; it takes nothing back.
  SaveOutbox(*before - seconds(5));
  LookAfter(seconds(10));
  EXPECT_EQ(Said(), before);
}

TEST_F(HeartbeatsTest, InEachEncodingItIsReadAsNoEvent) {
  for (const Encoding encoding : {Encoding::kProtobuf, Encoding::kJson, Encoding::kConfluent}) {
    settings_.encoding = encoding;
    settings_.schema_id = encoding == Encoding::kConfluent ? 7 : 0;
    const auto beats = Heartbeats::Create({.log = log_,
                                           .feed = *feed_,
                                           .snapshots = store_,
                                           .clock = clock_,
                                           .rng = rng_,
                                           .metrics = metrics_,
                                           .projects = projects_},
                                          settings_);
    Await([](Heartbeats& one) -> boost::asio::awaitable<int> {
      co_await one.LookOnce();
      co_return 0;
    }(*beats));
    const storage::v1::OutboxEntry& entry = log_.written().back().second;
    EXPECT_FALSE(domain::ReadEvent(HeaderOf(entry, "content-type"), entry.payload()).has_value());
    if (encoding == Encoding::kJson) {
      EXPECT_THAT(entry.payload(), testing::HasSubstr("\"publishedBefore\":\"2025-12-31T"));
    }
    if (encoding == Encoding::kConfluent) {
      // One index, zigzag: which message of the file it is.
      EXPECT_EQ(entry.payload().substr(0, 7), std::string("\0\0\0\0\7\2\2", 7));
    }
  }
}

}  // namespace
}  // namespace tollbridge::events
