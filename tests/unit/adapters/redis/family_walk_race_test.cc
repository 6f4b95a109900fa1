// Going through all families while others settle and cease to be settled, between any two commands
// of a page (docs/adr/0041-settled-families.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/redis/family_walk.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/script_runner.h"
#include "adapters/redis/snapshot_store.h"
#include "adapters/system/system_clock.h"
#include "tests/support/fails_with.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/one_by_one.h"
#include "tests/support/test_keyspace.h"
#include "tests/support/told_state.h"
#include "tests/unit/adapters/redis/passing_executor.h"
#include "tests/unit/adapters/redis/redis_fixture.h"

namespace tollbridge::redis {
namespace {

/// Lets something happen before each command, also of those that are sent in one write.
class Interleaved : public PassingExecutor {
 public:
  using PassingExecutor::PassingExecutor;

  std::function<boost::asio::awaitable<void>(const Command&)> before;

  Async<Reply> Execute(Command command, BootTime deadline) override {
    if (before) co_await before(command);
    co_return co_await server().Execute(std::move(command), deadline);
  }
  Async<std::vector<Reply>> ExecuteTogether(std::vector<Command> commands,
                                            BootTime deadline) override {
    return test::OneByOne(*this, std::move(commands), deadline);
  }
};

class FamilyWalkRace : public RedisTest {
 protected:
  FamilyWalkRace() {
    RedisOperationStore operations(scripts_, scripts_);
    const auto begun = Run(operations.InitializeEpoch(Uuid::V4({0x11}), Within()));
    EXPECT_TRUE(begun.ok()) << begun.status();
  }

  static ports::FamilyKey Key(std::uint32_t number) {
    return {.project = "shop",
            .root = Uuid::V4({static_cast<std::uint8_t>(number), 0xbb,
                              static_cast<std::uint8_t>(number >> 8U)})};
  }
  /// With a read that is due, which no settled family has, or without one.
  boost::asio::awaitable<void> Save(std::uint32_t number, bool due) {
    const auto now = co_await snapshots_.Load(Key(number), Within());
    EXPECT_TRUE(now.ok()) << now.status();
    ports::SaveRequest request{
        .key = Key(number),
        .expected_version = now->version,
        .snapshot = {},
        .outbox = {},
        .next_due = due ? std::optional(WallTime(ports::Millis(1'800'000'000'000))) : std::nullopt,
        .seen_due = now->due,
        .retention = std::chrono::days(400)};
    request.snapshot.set_stream(std::string(16, 's'));
    request.snapshot.set_sequence(2);
    request.snapshot.set_epoch(now->epoch);
    *request.snapshot.mutable_root() = test::ToldState({events::v1::EVENT_WHAT_COMPLETED});
    const auto saved = co_await snapshots_.Save(request, Within());
    EXPECT_TRUE(saved.ok() && *saved == ports::SaveVerdict::kSaved) << saved.status();
  }
  boost::asio::awaitable<void> Settle(std::uint32_t number) {
    co_await Save(number, true);
    co_await Save(number, false);
  }
  void SettleAll(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) Run(Settle(i));
  }
  void UnsettleAll(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) Run(Save(i, true));
  }
  static std::set<Uuid> Roots(std::uint32_t count) {
    std::set<Uuid> roots;
    for (std::uint32_t i = 0; i < count; ++i) roots.insert(Key(i).root);
    return roots;
  }
  /// What a walk met, and how often; it ends after `most` pages. `between` is given each cursor.
  absl::StatusOr<std::multiset<Uuid>> Walk(
      const std::function<void(const std::string&)>& between = [](const std::string&) {},
      int most = 200) {
    std::multiset<Uuid> roots;
    std::string cursor;
    do {
      if (most-- == 0) return absl::DeadlineExceededError("too many pages");
      const auto page = Run(walk_.Next("shop", cursor, Within()));
      if (!page.ok()) return page.status();
      for (const ports::FamilyState& family : page->families) roots.insert(family.entry.key.root);
      cursor = page->next;
      between(cursor);
    } while (!cursor.empty());
    return roots;
  }
  static bool InLeft(const std::string& cursor) { return cursor.starts_with("l/"); }
  /// Another family settles before the first hash is read.
  boost::asio::awaitable<void> SplitOnce(const Command& command, std::uint32_t another,
                                         bool* split) {
    if (command[0] != "HGETALL" || std::exchange(*split, true)) co_return;
    co_await Settle(another);
  }
  /// The notes go once the last page has been begun.
  boost::asio::awaitable<void> LoseNotes(const Command& command, bool in_left, bool* gone) {
    if (command[0] != "LRANGE" || !in_left || std::exchange(*gone, true)) co_return;
    const auto lost = co_await connection_->Execute({"DEL", test::ShopKeys() + "left"}, Soon());
    EXPECT_TRUE(lost.ok()) << lost.status();
  }

  std::unique_ptr<Connection> connection_ = Connected();
  std::unique_ptr<Connection> walkers_ = Connected();
  Interleaved interleaved_{*walkers_};
  system::SystemClock clock_;
  test::FakeRng rng_;
  ScriptRunner scripts_{*connection_, test::TestKeyspace(), {}, clock_, rng_};
  ScriptRunner walkers_scripts_{interleaved_, test::TestKeyspace(), {}, clock_, rng_};
  RedisSnapshotStore snapshots_{scripts_};
  RedisFamilyWalk walk_{walkers_scripts_};
};

/// Each 64th that settles splits a hash, and the new one is behind all that there were.
TEST_F(FamilyWalkRace, AHashThatIsSplitBeforeItIsReadHidesNobody) {
  constexpr std::uint32_t kInEightHashes = 512;
  SettleAll(kInEightHashes);
  bool split = false;
  interleaved_.before = [&](const Command& command) {
    return SplitOnce(command, kInEightHashes, &split);
  };
  const auto met = Walk();
  ASSERT_TRUE(met.ok()) << met.status();
  EXPECT_TRUE(split);
  EXPECT_THAT(*met, testing::IsSupersetOf(Roots(kInEightHashes)));
}

/// Who asks each settled family for something makes it leave the settled ones, and some are settled
/// again before the walk is over.
TEST_F(FamilyWalkRace, EndsHoweverManyLeaveTheSettledOnesBehindIt) {
  constexpr std::uint32_t kFamilies = 150;
  SettleAll(kFamilies);
  int pages = 0;
  const auto met = Walk(
      [&](const std::string& cursor) {
        if (++pages != 1 && !InLeft(cursor)) return;
        UnsettleAll(kFamilies);
        SettleAll(kFamilies);
      },
      /*most=*/20);
  ASSERT_TRUE(met.ok()) << met.status();
  EXPECT_THAT(*met, testing::IsSupersetOf(Roots(kFamilies)));
}

TEST_F(FamilyWalkRace, NotesThatAreGoneWhenTheLastPageIsReadAreMissed) {
  constexpr std::uint32_t kFamilies = 80;
  SettleAll(kFamilies);
  bool in_left = false;
  bool gone = false;
  interleaved_.before = [&](const Command& command) { return LoseNotes(command, in_left, &gone); };
  int pages = 0;
  const auto met = Walk([&](const std::string& cursor) {
    if (++pages == 1) UnsettleAll(kFamilies);
    in_left = InLeft(cursor);
  });
  EXPECT_TRUE(gone);
  EXPECT_THAT(met, FailsWith(absl::StatusCode::kUnavailable, "STORE_UNAVAILABLE"));
}

}  // namespace
}  // namespace tollbridge::redis
