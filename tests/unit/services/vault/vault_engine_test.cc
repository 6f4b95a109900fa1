// The mutations of the service Vault, run by the engine.

#include <memory>
#include <string>
#include <utility>

#include "base/telemetry/metrics.h"
#include "services/domain/errors.h"
#include "services/operations/engine.h"
#include "tests/support/fails_with.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_payment_service.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/fakes/fake_store.h"
#include "tests/unit/services/operations/scripted_store.h"
#include "tests/unit/services/vault/vault_fixture.h"

namespace tollbridge::vault {
namespace {

using Function = test::FakePaymentService::Function;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class VaultEngineTest : public ::testing::Test {
 protected:
  VaultEngineTest() {
    keys_->fingerprints.keys = {{"f1", std::string(32, 'f')}};
    keys_->outcomes.keys = {{"o1", std::string(32, 'o')}};
  }

  operations::Reply Run(std::string_view rpc, const google::protobuf::Message& request) {
    absl::StatusOr<operations::Plan> plan = plans_.Find(rpc)->make(project_, request);
    EXPECT_TRUE(plan.ok()) << plan.status();
    ports::Context call;
    call.deadline = clock_.BootNow() + std::chrono::seconds(15);
    return test::Await(context_, engine_.Run(*std::move(plan), call));
  }
  operations::Reply Store(const v1::StoreCardRequest& request) {
    return Run("tollbridge.vault.v1.Vault/StoreCard", request);
  }
  operations::Reply Exchange(const v1::ExchangeWalletBTokenRequest& request) {
    return Run("tollbridge.vault.v1.Vault/ExchangeWalletBToken", request);
  }

  template <typename Response>
  static Response As(const operations::Reply& reply) {
    Response response;
    EXPECT_TRUE(response.ParseFromString(reply.response));
    return response;
  }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  test::FakePaymentService service_;
  test::FakeStore memory_{[this] { return clock_.WallNow(); }};
  test::ScriptedStore store_{memory_};
  test::FakeRng rng_;
  telemetry::Metrics metrics_;
  operations::Settings settings_;
  std::shared_ptr<operations::OperationKeys> keys_ = std::make_shared<operations::OperationKeys>();
  domain::Project project_ = Shop();
  operations::PlanTable plans_ = *operations::PlanTable::Of(test::PlansOf(VaultMethods()));
  operations::Engine engine_{
      context_.get_executor(),
      operations::Engine::Ports{service_, store_, clock_, rng_, metrics_, memory_}, settings_,
      plans_, [this] { return keys_; }};
};

TEST_F(VaultEngineTest, AStoredCardIsReplayedAlsoAfterItHasExpired) {
  // Somewhere on earth it is still the year in which the card is good.
  v1::StoreCardRequest request = CardRequestOf("key");
  request.set_expiry("122025");
  const operations::Reply first = Store(request);
  ASSERT_TRUE(first.status.ok()) << first.status;
  EXPECT_FALSE(As<v1::StoreCardResponse>(first).card().vault_token().empty());
  EXPECT_THAT(store_.calls, ElementsAre("claim", "finish"));
  clock_.Advance(std::chrono::hours(13));
  const operations::Reply replay = Store(request);
  EXPECT_TRUE(replay.replay);
  EXPECT_EQ(replay.response, first.response);
  request.set_idempotency_key("another key");
  EXPECT_EQ(Store(request).status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(service_.CallsOf(Function::kStoreCard), 1U);
}

TEST_F(VaultEngineTest, AnExpiredCardIsRefusedAndNotSent) {
  v1::StoreCardRequest request = CardRequestOf("key");
  request.set_expiry("011999");
  const operations::Reply reply = Store(request);
  EXPECT_EQ(reply.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(service_.CallsOf(Function::kStoreCard), 0U);
  EXPECT_EQ(Store(request).status.code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(VaultEngineTest, ALostAnswerIsFollowedByThatTheSetupTokenIsSpent) {
  service_.LoseNextAnswer(Function::kStoreCard);
  const operations::Reply lost = Store(CardRequestOf("key"));
  EXPECT_EQ(lost.status.code(), absl::StatusCode::kUnavailable);
  const operations::Reply spent = Store(CardRequestOf("key"));
  EXPECT_EQ(domain::ReasonOf(spent.status), domain::reason::kSetupTokenSpent);
  EXPECT_EQ(service_.EffectsOf(Function::kStoreCard), 1U);
}

TEST_F(VaultEngineTest, AResultThatNothingElseCanShowIsToldOnceItIsRecorded) {
  store_.fail_finishes = 2;
  const operations::Reply first = Store(CardRequestOf("key"));
  ASSERT_TRUE(first.status.ok()) << first.status;
  EXPECT_TRUE(As<v1::StoreCardResponse>(first).has_pending())
      << "were it told, and its record lost with the process, the key would do it again";
  EXPECT_TRUE(store_.finishes.at(0).replicated);
  for (int waits = 0; waits < 3; ++waits) {
    clock_.Advance(settings_.record_longest_backoff);
    context_.restart();
    context_.poll();
  }
  const operations::Reply replay = Store(CardRequestOf("key"));
  EXPECT_TRUE(replay.replay);
  EXPECT_FALSE(As<v1::StoreCardResponse>(replay).card().vault_token().empty());
  EXPECT_EQ(service_.CallsOf(Function::kStoreCard), 1U);
}

TEST_F(VaultEngineTest, AnotherCardUnderTheSameKeyIsAnotherRequest) {
  ASSERT_TRUE(Store(CardRequestOf("key")).status.ok());
  v1::StoreCardRequest other = CardRequestOf("key");
  other.set_pan("5555555555554444");
  EXPECT_EQ(domain::ReasonOf(Store(other).status), domain::reason::kIdempotencyKeyReused);
}

TEST_F(VaultEngineTest, AnExchangeIsToldOnceAndItsReplayHasNoResult) {
  const operations::Reply first = Exchange(ExchangeRequestOf("key"));
  ASSERT_TRUE(first.status.ok()) << first.status;
  EXPECT_EQ(As<v1::ExchangeWalletBTokenResponse>(first).token().cryptogram(), "a cryptogram");
  const operations::Reply replay = Exchange(ExchangeRequestOf("key"));
  EXPECT_TRUE(replay.replay);
  EXPECT_THAT(replay.status,
              FailsWith(StatusCode::kFailedPrecondition, domain::reason::kResultNotKept));
  EXPECT_EQ(service_.CallsOf(Function::kExchange), 1U);
}

TEST_F(VaultEngineTest, NeitherDoesTheReplayOfOneWithoutACryptogram) {
  v1::WalletBToken pan_only;
  pan_only.set_vault_token(NewId(4));
  ports::Answer answer;
  answer.fate = ports::Answer::Fate::kAnswered;
  answer.result = std::make_shared<v1::WalletBToken>(pan_only);
  service_.AnswerNext(Function::kExchange, answer);
  EXPECT_EQ(As<v1::ExchangeWalletBTokenResponse>(Exchange(ExchangeRequestOf("key")))
                .token()
                .vault_token(),
            NewId(4));
  EXPECT_EQ(domain::ReasonOf(Exchange(ExchangeRequestOf("key")).status),
            domain::reason::kResultNotKept);
}

TEST_F(VaultEngineTest, WhatIsRecordedHoldsNoCardDataAndNoToken) {
  const std::string token =
      As<v1::StoreCardResponse>(Store(CardRequestOf("key"))).card().vault_token();
  Exchange(ExchangeRequestOf("another"));
  service_.AnswerNext(Function::kStoreCard, test::FakePaymentService::NoAnswer("reset"));
  Store(CardRequestOf("third"));
  ASSERT_EQ(store_.finishes.size(), 3U);
  for (const ports::FinishRequest& finish : store_.finishes) {
    const std::string recorded = finish.outcome + finish.reason + finish.step.name +
                                 finish.step.order_id + finish.step.merchant_order_id;
    for (const std::string& secret : {kPan, kWalletMessage, token, NewId(1)}) {
      EXPECT_THAT(recorded, Not(HasSubstr(secret)));
    }
  }
}

/// Its record never shows it (docs/design/operations.md#rule-17): kept back, it is lost, and the
/// setup token is spent.
TEST_F(VaultEngineTest, AResultThatIsNotKeptIsToldThoughItIsNotRecordedYet) {
  store_.fail_finishes = 1;
  const operations::Reply first = Exchange(ExchangeRequestOf("key"));
  ASSERT_TRUE(first.status.ok()) << first.status;
  EXPECT_FALSE(As<v1::ExchangeWalletBTokenResponse>(first).has_pending());
}

TEST_F(VaultEngineTest, WhatNoReplicaHasIsPendingForTheNextCallOfItsKeyToo) {
  ASSERT_TRUE(Store(CardRequestOf("key")).status.ok());
  store_.claim_answer = ports::ClaimResult{.verdict = ports::ClaimVerdict::kDone,
                                           .outcome = store_.finishes.at(0).outcome,
                                           .replicated = false};
  EXPECT_TRUE(As<v1::StoreCardResponse>(Store(CardRequestOf("key"))).has_pending());
  store_.claim_answer->replicated = true;
  EXPECT_TRUE(As<v1::StoreCardResponse>(Store(CardRequestOf("key"))).has_card());
}

}  // namespace
}  // namespace tollbridge::vault
