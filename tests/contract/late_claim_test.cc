// Claims that Redis carries out long after they were sent.

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "services/domain/errors.h"
#include "tests/support/async_test.h"
#include "tests/support/fails_with.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/fakes/fake_store.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::redis {
namespace {

using std::chrono::seconds;

ports::ClaimRequest RequestOf(std::uint8_t number) {
  return {.identity = {.id = Uuid::V4({number}),
                       .rpc = "tollbridge.payments.v1.Payments/CreateRefund",
                       .project = "shop",
                       .fingerprints = {{.key_id = "k1", .digest = "digest"}}},
          .owner = "owner",
          .lease = seconds(30),
          .good_for = seconds(1),
          .first_step = {.name = "create_refund"}};
}

/// A Redis that stands still while it has a claim.
class LateClaimTest : public ::testing::Test {
 protected:
  absl::StatusOr<ports::ClaimResult> ClaimDuring(ports::Millis standstill,
                                                 const ports::ClaimRequest& request) {
    std::optional<absl::StatusOr<ports::ClaimResult>> claimed;
    store_.Hold();
    boost::asio::co_spawn(context_, store_.Claim(request, call_),
                          [&](std::exception_ptr, absl::StatusOr<ports::ClaimResult> result) {
                            claimed = std::move(result);
                          });
    context_.restart();
    context_.poll();
    EXPECT_EQ(store_.held(), 1U);
    store_.AdvanceTime(standstill);
    store_.LetGo();
    context_.restart();
    context_.poll();
    EXPECT_TRUE(claimed.has_value());
    return claimed.value_or(absl::UnknownError("none"));
  }

  const ports::Context call_{.deadline = BootTime::max()};
  boost::asio::io_context context_;
  test::FakeStore store_;
};

TEST_F(LateClaimTest, OneThatIsCarriedOutAfterItsCallerGaveUpDoesNothing) {
  ASSERT_TRUE(test::Await(context_, store_.Claim(RequestOf(1), call_)).ok());  // learns the clock
  const ports::ClaimRequest request = RequestOf(2);
  EXPECT_THAT(ClaimDuring(seconds(40), request).status(),
              FailsWith(absl::StatusCode::kUnavailable, domain::reason::kStoreUnavailable));
  EXPECT_THAT(test::Await(context_, store_.Read("shop", request.identity.id, call_)).status(),
              FailsWith(absl::StatusCode::kNotFound, domain::reason::kOperationNotFound));
}

/// It stood still twice: while the clock was learned, and again for the claim behind it.
TEST_F(LateClaimTest, OneRoundTripThatWasSlowMakesNoLaterClaimGood) {
  ASSERT_TRUE(ClaimDuring(ports::Millis(0), RequestOf(1)).ok());
  ASSERT_TRUE(ClaimDuring(ports::Millis(900), RequestOf(2)).ok());
  EXPECT_FALSE(ClaimDuring(ports::Millis(1800), RequestOf(3)).ok());
}

/// A store whose clock is not ours.
class OtherClockTest : public ::testing::Test {
 protected:
  OtherClockTest() { SetAhead(seconds(0)); }
  void SetAhead(std::chrono::milliseconds ahead) {
    server_.SetTime(clock_.WallNow().time_since_epoch() + ahead);
  }
  absl::StatusOr<ports::ClaimResult> Claim(std::uint8_t number) {
    return test::Await(context_, store_.Claim(RequestOf(number), {.deadline = BootTime::max()}));
  }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  test::FakeRng rng_;
  test::MiniRedis server_;
  test::MiniConnection connection_{server_};
  ScriptRunner scripts_{connection_, test::TestKeyspace(), {}, clock_, rng_};
  RedisOperationStore store_{scripts_, scripts_};
};

TEST_F(OtherClockTest, SetForwardItIsLearnedAnewAndTheClaimGoesThrough) {
  ASSERT_TRUE(Claim(1).ok());
  SetAhead(std::chrono::hours(1));
  const absl::StatusOr<ports::ClaimResult> claimed = Claim(2);
  ASSERT_TRUE(claimed.ok()) << claimed.status();
  SetAhead(seconds(0));
  EXPECT_TRUE(Claim(3).ok());
}

TEST_F(OtherClockTest, SetBackItIsLearnedByTheNextClaim) {
  SetAhead(std::chrono::hours(1));
  ASSERT_TRUE(Claim(1).ok());
  SetAhead(seconds(0));
  ASSERT_TRUE(Claim(2).ok());
  const std::int64_t shown =
      std::chrono::duration_cast<std::chrono::milliseconds>(clock_.WallNow().time_since_epoch())
          .count();
  EXPECT_EQ(scripts_.ClockAt(clock_.BootNow()), shown);
}

}  // namespace
}  // namespace tollbridge::redis
