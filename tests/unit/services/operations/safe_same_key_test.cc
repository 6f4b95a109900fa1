// No caller ever sees an error with retry SAFE_SAME_KEY after which the same key does a second
// effect. The errors are taken from the code's own tables: those of refusals, and the engine's.

#include <functional>
#include <map>
#include <string>

#include <boost/asio/co_spawn.hpp>

#include "services/domain/refusal.h"
#include "services/operations/answers.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

using test::FakePaymentService;

class SafeSameKeyTest : public EngineTest {
 protected:
  static constexpr const char* kKey = "key";

  static bool IsSafe(const Reply& reply) { return Metadata(reply.status, "retry") == kSafe; }

  /// What a caller does who was told so: the same key until there is an outcome. Operations that
  /// are not known are given all the time they need.
  Reply CallUntilKnown() {
    Reply reply = Call(kKey);
    for (int call = 0; call < 20; ++call) {
      const bool pending = reply.status.ok() && Response(reply).has_pending();
      if (!pending && !IsSafe(reply)) break;
      clock_.Advance(Quarantine(settings_, true));
      for (int read = 0; read < 4; ++read) {
        Resolve();
        clock_.Advance(settings_.absence_read_interval);
      }
      reply = Call(kKey);
    }
    return reply;
  }

  /// Orders that the service made, told or not.
  std::size_t Effects() const { return service_.EffectsOf(Function::kCreateOrder) + untold_; }

  /// The service makes the order, and answers as if it had failed.
  void MakeOrderUntold() {
    ++untold_;
    Show(service_.MakeOrder(Request("untold", 500)));
  }

  using Function = FakePaymentService::Function;
  static constexpr const char* kSafe = "SAFE_SAME_KEY";
  std::size_t untold_ = 0;
};

TEST_F(SafeSameKeyTest, HoldsForEveryRefusal) {
  int safe = 0;
  int number = 0;
  for (const domain::Refusal& refusal : domain::KnownRefusals()) {
    SCOPED_TRACE(std::to_string(refusal.http_status) + " " + refusal.type);
    const std::size_t before = Effects();
    const std::string key = "key " + std::to_string(++number);
    ShowNothing();
    service_.AnswerNext(FakePaymentService::Refused(refusal.http_status, refusal.type));
    // What does not rule out an effect is taken to have had one.
    if (domain::MeaningOf(refusal, false) == domain::RefusalMeaning::kUnknown) MakeOrderUntold();
    Reply reply = Call(key);
    if (IsSafe(reply)) {
      ++safe;
      reply = Call(key);
    }
    EXPECT_LE(Effects() - before, 1U);
    EXPECT_FALSE(IsSafe(reply));
  }
  EXPECT_GT(safe, 10) << "the refusals that were not looked at: 401, 403, 429";
}

TEST_F(SafeSameKeyTest, HoldsForEveryRefusalWhoseEffectShowsOnlyLater) {
  int number = 0;
  for (const domain::Refusal& refusal : domain::KnownRefusals()) {
    if (domain::MeaningOf(refusal, false) != domain::RefusalMeaning::kUnknown) continue;
    SCOPED_TRACE(std::to_string(refusal.http_status) + " " + refusal.type);
    const std::size_t before = Effects();
    const std::string key = "key " + std::to_string(++number);
    ShowNothing();
    service_.AnswerNext(FakePaymentService::Refused(refusal.http_status, refusal.type));
    ASSERT_TRUE(Response(Call(key)).has_pending());
    MakeOrderUntold();
    clock_.Advance(settings_.look_backoff.front());
    Resolve();
    EXPECT_TRUE(Response(Call(key)).has_order());
    EXPECT_EQ(Effects() - before, 1U);
  }
}

class OwnErrorTest : public SafeSameKeyTest {
 protected:
  using Provoke = std::function<Reply()>;

  Reply InProgress() {
    service_.Hold();
    first_ = std::nullopt;
    boost::asio::co_spawn(context_, engine_->Run(MakePlan(Request(kKey, 500)), CallContext()),
                          [this](std::exception_ptr, Reply reply) { first_ = std::move(reply); });
    EXPECT_TRUE(test::RunUntil(context_, [&] { return service_.created().size() == 1; }));
    Reply reply = Call(kKey);
    service_.Release();
    EXPECT_TRUE(test::RunUntil(context_, [&] { return first_.has_value(); }));
    return reply;
  }
  Reply OrderBusy() {
    store_.claim_answer = ports::ClaimResult{.verdict = ports::ClaimVerdict::kOrderBusy,
                                             .holder = "7d444840-9dc0-11d1-b245-5ffdce74fad2"};
    Reply reply = Call(kKey);
    store_.claim_answer = std::nullopt;
    return reply;
  }
  Reply OutboxFull() {
    memory_.SetMaxUndrained(0);
    Reply reply = Call(kKey);
    memory_.SetMaxUndrained(1'000);
    return reply;
  }
  Reply SecretUnknown() {
    Call(kKey);
    keys_ = TestKeys();
    keys_->outcomes.keys = {{"o2", std::string(32, 'p')}};
    Restart();
    return Call(kKey);
  }
  Reply Unreadable() {
    Call(kKey);
    keys_ = TestKeys();
    keys_->outcomes.keys.front().secret = std::string(32, 'p');
    Restart();
    return Call(kKey);
  }
  Reply StoreDown() {
    Call("before");
    untold_ -= 1;  // it was another key
    memory_.LoseNextAnswer();
    return Call(kKey);
  }
  Reply Doubtful() {
    const Reply first = Call(kKey);
    memory_.LoseMemory();
    Reply reply = Call(kKey);
    Show(Response(first).order());
    return reply;
  }
  Reply NotSent() {
    service_.AnswerNext(FakePaymentService::NotSent("connection refused"));
    return Call(kKey);
  }
  Reply NotVisibleYet() {
    service_.AnswerNext(FakePaymentService::Answered(service_.MakeOrder(Request("x", 500))));
    service_.AnswerNext(FakePaymentService::Refused(404, "NotFound"));
    // The order of the first step is no effect of the key: the plan did not come to its end.
    untold_ -= 1;
    return Run(MakeLongPlan(Request(kKey, 500)));
  }

  /// Of a step that cannot be read back; the service refuses its repeat.
  Reply AnswerLost() {
    kind_.look = nullptr;
    kind_.spends_setup_token = true;
    service_.LoseNextAnswer(Function::kCreateOrder);
    Reply reply = Call(kKey);
    service_.AnswerNext(FakePaymentService::Refused(422, "ValidationError"));
    return reply;
  }

  /// Of each row that says SAFE_SAME_KEY: how a caller comes to see it.
  std::map<OwnError, Provoke> Scenarios() {
    return {{OwnError::kInProgress, [this] { return InProgress(); }},
            {OwnError::kOrderBusy, [this] { return OrderBusy(); }},
            {OwnError::kOutboxFull, [this] { return OutboxFull(); }},
            {OwnError::kSecretUnknown, [this] { return SecretUnknown(); }},
            {OwnError::kUnreadable, [this] { return Unreadable(); }},
            {OwnError::kStore, [this] { return StoreDown(); }},
            {OwnError::kStoreDoubtful, [this] { return Doubtful(); }},
            {OwnError::kNotSent, [this] { return NotSent(); }},
            {OwnError::kAnswerLost, [this] { return AnswerLost(); }},
            {OwnError::kNotVisibleYet, [this] { return NotVisibleYet(); }}};
  }

  std::optional<Reply> first_;
};

class OwnErrorRowTest : public OwnErrorTest, public ::testing::WithParamInterface<OwnErrorRow> {};

TEST_P(OwnErrorRowTest, SameKeyDoesNoSecondEffect) {
  const OwnErrorRow& row = GetParam();
  std::map<OwnError, Provoke> scenarios = Scenarios();
  if (row.retry != domain::Retry::kSafeSameKey) {
    EXPECT_FALSE(scenarios.contains(row.error)) << "says " << row.message;
    return;
  }
  ASSERT_TRUE(scenarios.contains(row.error)) << row.message << ": has no scenario";
  const Reply reply = scenarios[row.error]();
  EXPECT_THAT(reply.status, FailsWith(row.code, std::string(row.reason)));
  EXPECT_TRUE(IsSafe(reply));
  CallUntilKnown();
  EXPECT_EQ(Effects(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Rows, OwnErrorRowTest, ::testing::ValuesIn(OwnErrors()),
                         [](const auto& info) { return std::to_string(info.index); });

TEST(OwnErrors, StandInTheOrderOfTheirEnum) {
  for (std::size_t i = 0; i < OwnErrors().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(OwnErrors()[i].error), i);
  }
}

}  // namespace
}  // namespace tollbridge::operations
