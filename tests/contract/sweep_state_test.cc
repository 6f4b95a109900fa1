#include <gtest/gtest.h>

#include <optional>

#include "services/domain/errors.h"
#include "tests/contract/store_world.h"
#include "tests/support/fails_with.h"
#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

using ports::Millis;
using storage::v1::SweepProgress;

class SweepState : public StoreContractTest {
 protected:
  static constexpr Millis kLong = std::chrono::hours(1);

  static SweepProgress Progress(std::uint64_t orders) {
    SweepProgress progress;
    progress.mutable_swept_to()->set_seconds(1'800'000'000);
    progress.mutable_pass()->set_search_after("\1 any text");
    progress.mutable_pass()->set_orders(orders);
    return progress;
  }

  std::optional<SweepProgress> Take(const std::string& token, Millis lease = kLong,
                                    const std::string& project = "shop") {
    absl::StatusOr<std::optional<SweepProgress>> taken =
        Run(world_->sweep_state().Take(project, token, lease, Within()));
    EXPECT_TRUE(taken.ok()) << taken.status();
    if (!taken.ok() || !*taken) return std::nullopt;
    epoch_ = (*taken)->store_epoch();
    return *std::move(taken);
  }
  /// As who took it last.
  bool Save(const std::string& token, SweepProgress progress, Millis lease = kLong) {
    progress.set_store_epoch(epoch_);
    const absl::StatusOr<bool> saved =
        Run(world_->sweep_state().Save("shop", token, lease, progress, Within()));
    EXPECT_TRUE(saved.ok()) << saved.status();
    return saved.value_or(false);
  }
  SweepProgress Load(const std::string& project = "shop") {
    absl::StatusOr<SweepProgress> loaded = Run(world_->sweep_state().Load(project, Within()));
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return loaded.value_or(SweepProgress());
  }
  /// A progress without what the store says of itself.
  static std::string TextOf(SweepProgress progress) {
    progress.clear_store_epoch();
    return progress.SerializeAsString();
  }

 private:
  std::string epoch_;
};

INSTANTIATE_TEST_SUITE_P(Stores, SweepState, testing::Values(FakeWorldKind(), RedisWorldKind()),
                         KindName);

TEST_P(SweepState, AProjectThatWasNeverSweptHasNoProgress) {
  EXPECT_EQ(Load().ByteSizeLong(), 0U);
  const std::optional<SweepProgress> taken = Take("a");
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(TextOf(*taken), "");
}

TEST_P(SweepState, WhatWasSavedIsThereForTheNextByteForByte) {
  ASSERT_TRUE(Take("a").has_value());
  ASSERT_TRUE(Save("a", Progress(7), Millis(0)));
  EXPECT_EQ(TextOf(Load()), TextOf(Progress(7)));
  const std::optional<SweepProgress> taken = Take("b");
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(TextOf(*taken), TextOf(Progress(7)));
}

TEST_P(SweepState, OnlyOneHasAProjectAtATime) {
  ASSERT_TRUE(Take("a").has_value());
  EXPECT_FALSE(Take("b").has_value());
  EXPECT_TRUE(Take("a").has_value()) << "it may begin its lease anew";
  EXPECT_TRUE(Take("b", kLong, "other").has_value()) << "projects are apart";
  EXPECT_EQ(Load("other").ByteSizeLong(), 0U);
}

TEST_P(SweepState, WhoHasNotTheProjectSavesNothing) {
  EXPECT_FALSE(Save("a", Progress(1))) << "nobody's";
  ASSERT_TRUE(Take("a").has_value());
  EXPECT_FALSE(Save("b", Progress(2)));
  EXPECT_EQ(Load().ByteSizeLong(), 0U);
  ASSERT_TRUE(Save("a", Progress(3), Millis(0)));
  EXPECT_FALSE(Save("a", Progress(4))) << "given up";
  EXPECT_EQ(Load().pass().orders(), 3U);
}

TEST_P(SweepState, AfterItsLeaseAProjectIsTakenFromADeadOneWithWhatItSaved) {
  ASSERT_TRUE(Take("dead", Millis(1)).has_value());
  ASSERT_TRUE(Save("dead", Progress(5), Millis(1)));
  world_->AdvanceTime(Millis(10));
  std::optional<SweepProgress> taken;
  const bool came = Eventually([&] { return (taken = Take("next")).has_value(); });
  ASSERT_TRUE(came);
  EXPECT_EQ(taken->pass().orders(), 5U);
  EXPECT_FALSE(Save("dead", Progress(9))) << "it was not so dead, and is too late";
  EXPECT_EQ(Load().pass().orders(), 5U);
}

TEST_P(SweepState, ALeaseOfBeforeTheClockWentBackIsOver) {
  ASSERT_TRUE(Take("dead", 3 * kLong).has_value()) << "as a clock ahead would have it";
  ASSERT_TRUE(Take("next", kLong).has_value());
  EXPECT_FALSE(Save("dead", Progress(1)));
  EXPECT_FALSE(Take("third", kLong).has_value());
}

TEST_P(SweepState, AStoreThatLostItsMemoryHasNoProgressAndTakesNoneFromBefore) {
  ASSERT_TRUE(Take("a").has_value());
  ASSERT_TRUE(Save("a", Progress(5)));
  world_->LoseMemory();
  EXPECT_FALSE(Save("a", Progress(6)));
  const std::optional<SweepProgress> taken = Take("a");
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(TextOf(*taken), "");
}

TEST_P(SweepState, AStoreThatMayHaveGoneBackTakesNoProgressFromBefore) {
  ASSERT_TRUE(Take("a").has_value());
  ASSERT_TRUE(Save("a", Progress(5)));
  world_->Promote();
  EXPECT_FALSE(Save("a", Progress(6)));
  const std::optional<SweepProgress> taken = Take("a");
  ASSERT_TRUE(taken.has_value()) << "it has the project still";
  EXPECT_EQ(taken->pass().orders(), 5U);
  EXPECT_TRUE(Save("a", Progress(6)));
}

TEST_P(SweepState, EachCallIsOneRoundTrip) {
  Take("a");
  Save("a", Progress(1));
  const std::uint64_t before = world_->round_trips();
  Take("a");
  Save("a", Progress(2));
  Load();
  EXPECT_EQ(world_->round_trips() - before, 3U);
}

TEST_P(SweepState, WhileNobodyServesEveryCallIsUnavailable) {
  ASSERT_TRUE(Take("a").has_value());
  ASSERT_TRUE(Save("a", Progress(7)));
  world_->Stop();
  const SweepProgress progress = Progress(8);
  for (const absl::Status& status :
       {Run(world_->sweep_state().Take("shop", "a", kLong, Within())).status(),
        Run(world_->sweep_state().Save("shop", "a", kLong, progress, Within())).status(),
        Run(world_->sweep_state().Load("shop", Within())).status()}) {
    EXPECT_THAT(status, FailsWith(StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
  }
  world_->Restart();
  EXPECT_EQ(Load().pass().orders(), 7U);
}

}  // namespace
}  // namespace tollbridge::test
