#include "services/reconcile/republish.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <string>

#include "services/domain/timestamps.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_store.h"
#include "tests/support/test_keyspace.h"
#include "tests/support/told_state.h"

namespace tollbridge::reconcile {
namespace {

using std::chrono::hours;

class RepublishTest : public testing::Test {
 protected:
  static ports::FamilyKey Key(std::uint8_t number) {
    return {.project = "shop", .root = Uuid::V4({number, 0xaa})};
  }
  ports::Context Within() const { return {.deadline = clock_.BootNow() + hours(1), .trace = {}}; }

  /// A family that was told completed, and changed so long ago.
  void Save(std::uint8_t number, ports::Millis ago, ports::Millis began_ago = hours(1'000)) {
    ports::SaveRequest request{.key = Key(number),
                               .expected_version = 0,
                               .snapshot = {},
                               .outbox = {},
                               .next_due = std::nullopt,
                               .seen_due = std::nullopt,
                               .retention = hours(9'600)};
    const auto began = (clock_.WallNow() - began_ago).time_since_epoch();
    request.snapshot.set_began(std::chrono::duration_cast<std::chrono::seconds>(began).count());
    request.snapshot.set_stream(std::string(16, 's'));
    request.snapshot.set_epoch(Load(Key(number)).epoch);
    storage::v1::OrderState& state = *request.snapshot.mutable_root();
    state = test::ToldState({events::v1::EVENT_WHAT_COMPLETED});
    *state.mutable_modified() = domain::ToTimestamp(clock_.WallNow() - ago);
    request.next_due = clock_.WallNow() + hours(1);
    ASSERT_TRUE(test::Await(context_, store_.Save(request, Within())).ok());
  }
  ports::FamilyState Load(const ports::FamilyKey& key) {
    return *test::Await(context_, store_.Load(key, Within()));
  }
  Republish Make(bool dry_run = false) {
    return Republish({.families = store_.family_walk(), .snapshots = store_, .clock = clock_},
                     dry_run, hours(24), [](std::string_view, std::uint64_t) {});
  }
  absl::StatusOr<RepublishSummary> Tell(std::uint8_t number, bool dry_run = false) {
    Republish republish = Make(dry_run);
    return test::Await(context_, republish.TellOrder(project_, Key(number).root));
  }

  boost::asio::io_context context_{1};
  test::FakeClock clock_;
  test::FakeStore store_{[this] { return clock_.WallNow(); }};
  domain::Project project_ = *test::StoreProjects().Find("shop");
};

TEST_F(RepublishTest, AnOrdersFamilyIsAskedForWhole) {
  Save(1, hours(100));
  EXPECT_EQ(Tell(1)->asked, 1U);
  ASSERT_TRUE(Load(Key(1)).tell_again.has_value());
  EXPECT_EQ(*Load(Key(1)).tell_again, (ports::TellAgain{.from = WallTime()}));
  EXPECT_EQ(Load(Key(1)).due, clock_.WallNow());
  EXPECT_EQ(Tell(1)->asked, 0U);
  EXPECT_EQ(Tell(1)->asked_before, 1U);
}

TEST_F(RepublishTest, AMemberStandsForItsFamily) {
  Save(1, hours(100));
  const ports::MemberNote note{
      .member = Key(2), .root = Key(1).root, .seen_due = std::nullopt, .retention = hours(24)};
  ASSERT_TRUE(test::Await(context_, store_.NoteMember(note, Within())).ok());
  EXPECT_EQ(Tell(2)->asked, 1U);
  EXPECT_TRUE(Load(Key(1)).tell_again.has_value());
}

TEST_F(RepublishTest, ADryRunChangesNothing) {
  Save(1, hours(100));
  EXPECT_EQ(Tell(1, true)->families, 1U);
  EXPECT_FALSE(Load(Key(1)).tell_again.has_value());
}

TEST_F(RepublishTest, AnOrderThatNobodyKnowsIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(Tell(9).status()));
}

TEST_F(RepublishTest, OfAPeriodOnlyThoseThatMayHaveIt) {
  Save(1, hours(100));          // nothing happened to it since
  Save(2, hours(10));           // may be of the time
  Save(3, hours(1), hours(2));  // its life began behind it
  Republish republish = Make();
  const WallTime now = clock_.WallNow();
  const auto summary = test::Await(
      context_, republish.TellPeriod(project_, now - hours(20), now - hours(5), hours(1)));
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->families, 1U);
  EXPECT_FALSE(Load(Key(1)).tell_again.has_value());
  EXPECT_EQ(*Load(Key(2)).tell_again,
            (ports::TellAgain{.from = now - hours(20), .to = now - hours(5)}));
  EXPECT_FALSE(Load(Key(3)).tell_again.has_value());
}

TEST_F(RepublishTest, SettledFamiliesAreAmongThem) {
  Save(1, hours(10));
  ports::FamilyState state = Load(Key(1));
  ports::SaveRequest settle{.key = Key(1),
                            .expected_version = state.version,
                            .snapshot = state.snapshot,
                            .outbox = {},
                            .next_due = std::nullopt,
                            .seen_due = state.due,
                            .retention = hours(9'600)};
  ASSERT_TRUE(test::Await(context_, store_.Save(settle, Within())).ok());
  ASSERT_TRUE(Load(Key(1)).snapshot.stream().empty()) << "not settled";
  Republish republish = Make();
  const WallTime now = clock_.WallNow();
  const auto summary =
      test::Await(context_, republish.TellPeriod(project_, now - hours(20), now, hours(1)));
  EXPECT_EQ(summary->asked, 1U);
  EXPECT_TRUE(Load(Key(1)).tell_again.has_value());
}

/// What is asked for ceases to be settled, and is met again as such.
TEST_F(RepublishTest, EachFamilyIsAskedForOnce) {
  class Twice : public ports::FamilyWalk {
   public:
    explicit Twice(ports::FamilyWalk& walk) : walk_(walk) {}
    Async<ports::FamilyPage> Next(const std::string& project, const std::string& cursor,
                                  const ports::Context& context) override {
      const bool again = cursor == "again";
      absl::StatusOr<ports::FamilyPage> page =
          co_await walk_.Next(project, again ? "" : cursor, context);
      if (page.ok() && page->next.empty() && !again) page->next = "again";
      if (page.ok() && again) page->next.clear();
      co_return page;
    }

   private:
    ports::FamilyWalk& walk_;
  };
  Save(1, hours(10));
  Twice twice(store_.family_walk());
  Republish republish({.families = twice, .snapshots = store_, .clock = clock_}, false, hours(24),
                      [](std::string_view, std::uint64_t) {});
  const WallTime now = clock_.WallNow();
  const auto summary =
      test::Await(context_, republish.TellPeriod(project_, now - hours(20), now, hours(1)));
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->families, 1U);
  EXPECT_EQ(summary->asked, 1U);
  EXPECT_EQ(summary->asked_before, 0U);
}

}  // namespace
}  // namespace tollbridge::reconcile
