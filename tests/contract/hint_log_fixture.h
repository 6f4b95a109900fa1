#ifndef TOLLBRIDGE_TESTS_CONTRACT_HINT_LOG_FIXTURE_H_
#define TOLLBRIDGE_TESTS_CONTRACT_HINT_LOG_FIXTURE_H_

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "services/ports/hint_log.h"
#include "tests/contract/hint_log_world.h"
#include "tests/support/async_test.h"

namespace tollbridge::test {

/// A feed with somebody who reads all of it, as the product does: Next() again and again.
class Reading final : public ports::HintFeedObserver {
 public:
  explicit Reading(HintLogWorld& world) : world_(world), feed_(world.MakeFeed()) {
    started_ = feed_->Start(this);
    boost::asio::co_spawn(world_.context(), Read(*state_, *feed_), boost::asio::detached);
  }
  /// Without Stop(), as if the process died.
  ~Reading() override {
    feed_.reset();
    // Lets the loop see that its feed is gone.
    static_cast<void>(RunUntil(world_.context(), [&] { return state_->ended; }));
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  void OnAssigned(const std::vector<ports::HintShare>& partitions) override {
    for (const ports::HintShare& share : partitions) {
      assigned_.insert(share.partition);
      notes_[share.partition] = share.note;
      next_offsets_[share.partition] = share.next_offset;
    }
  }
  void OnRevoked(const std::vector<std::int32_t>& partitions) override {
    revoked_.insert(partitions.begin(), partitions.end());
    for (const std::int32_t partition : partitions) assigned_.erase(partition);
    ++revocations_;
  }

  const absl::Status& started() const { return started_; }
  ports::HintFeed& feed() { return *feed_; }
  const ports::HintFeed& feed() const { return *feed_; }
  const std::vector<ports::HintRecord>& records() const { return state_->records; }
  /// Those that it has now.
  const std::set<std::int32_t>& assigned() const { return assigned_; }
  /// What came with a partition.
  std::string NoteOf(std::int32_t partition) const {
    const auto found = notes_.find(partition);
    return found == notes_.end() ? std::string() : found->second;
  }
  /// From where the partition is read, as was said with it.
  std::optional<std::int64_t> NextOffsetOf(std::int32_t partition) const {
    const auto found = next_offsets_.find(partition);
    return found == next_offsets_.end() ? std::nullopt : found->second;
  }
  const std::set<std::int32_t>& revoked() const { return revoked_; }
  int revocations() const { return revocations_; }
  int times_unavailable() const { return state_->times_unavailable; }
  bool cancelled() const { return state_->cancelled; }

  /// Waits until that many have been read in all.
  bool ReadCount(std::size_t count) {
    return RunUntil(world_.context(), [&] { return records().size() >= count; });
  }
  std::vector<ports::HintRecord> RecordsOf(std::int32_t partition) const {
    std::vector<ports::HintRecord> chosen;
    for (const auto& record : records()) {
      if (record.partition == partition) chosen.push_back(record);
    }
    return chosen;
  }
  absl::Status Stop() { return Await(world_.context(), feed_->Stop()); }

 private:
  struct State {
    std::vector<ports::HintRecord> records;
    int times_unavailable = 0;
    bool cancelled = false;
    bool ended = false;
  };

  static boost::asio::awaitable<void> Read(State& state, ports::HintFeed& feed) {
    while (true) {
      absl::StatusOr<std::vector<ports::HintRecord>> next = co_await feed.Next();
      if (next.ok()) {
        EXPECT_FALSE(next->empty());
        state.records.insert(state.records.end(), next->begin(), next->end());
        continue;
      }
      if (absl::IsUnavailable(next.status())) {
        ++state.times_unavailable;
        continue;
      }
      EXPECT_TRUE(absl::IsCancelled(next.status())) << next.status();
      state.cancelled = absl::IsCancelled(next.status());
      break;
    }
    state.ended = true;
  }

  HintLogWorld& world_;
  std::unique_ptr<ports::HintFeed> feed_;
  std::unique_ptr<State> state_ = std::make_unique<State>();
  absl::Status started_;
  std::set<std::int32_t> assigned_;
  std::map<std::int32_t, std::string> notes_;
  std::map<std::int32_t, std::optional<std::int64_t>> next_offsets_;
  std::set<std::int32_t> revoked_;
  int revocations_ = 0;
};

struct HintLogWorldParam {
  std::string name;
  std::unique_ptr<HintLogWorld> (*make)();
};
inline void PrintTo(const HintLogWorldParam& param, std::ostream* out) { *out << param.name; }

/// A test that runs on the fake and on the real broker.
class HintLogContract : public testing::TestWithParam<HintLogWorldParam> {
 protected:
  HintLogWorld& world() { return *world_; }
  boost::asio::io_context& context() { return world_->context(); }

  static ports::Context ContextFor(std::chrono::milliseconds time) {
    return {.deadline = BootClock::now() + time, .trace = {}};
  }
  static events::v1::Hint HintOf(const std::string& order, std::int64_t noticed = 0) {
    events::v1::Hint hint;
    hint.set_project("shop");
    hint.set_order_id(order);
    hint.set_source(events::v1::HINT_SOURCE_WEBHOOK);
    hint.mutable_noticed_at()->set_seconds(noticed);
    return hint;
  }
  absl::Status Append(const events::v1::Hint& hint,
                      const ports::Context& with = ContextFor(std::chrono::seconds(15))) {
    return Await(context(), world().log().Append(hint, with));
  }
  /// Records in one partition: all have one key.
  void Put(const std::string& key, int count) {
    for (int i = 0; i < count; ++i) world().PutRaw(key, std::to_string(i));
  }

 private:
  std::unique_ptr<HintLogWorld> world_ = GetParam().make();
};

inline std::string NameOfWorld(const testing::TestParamInfo<HintLogWorldParam>& info) {
  return info.param.name;
}

/// Keys of Kafka's own test of its hash function; "21" and "abc" lie in different partitions of 4.
inline const std::map<std::string, std::int32_t>& Murmur2Vectors() {
  static const auto* const vectors =
      new std::map<std::string, std::int32_t>{{"21", -973932308},
                                              {"foobar", -790332482},
                                              {"a-little-bit-long-string", -985981536},
                                              {"abc", 479470107}};
  return *vectors;
}
inline std::int32_t PartitionByVector(const std::string& key) {
  return (Murmur2Vectors().at(key) & 0x7fffffff) % HintLogWorld::kPartitions;
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_CONTRACT_HINT_LOG_FIXTURE_H_
