// Keys that rotate while operations are under way.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/operations/outcome.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/operations/engine_fixture.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::operations {
namespace {

std::shared_ptr<OperationKeys> SecondKeys() {
  auto keys = std::make_shared<OperationKeys>();
  keys->fingerprints.keys = {{"f2", std::string(32, 'g')}};
  keys->outcomes.keys = {{"o2", std::string(32, 'p')}};
  return keys;
}

/// Both keys of each ring, the first ones current; or the second ones.
std::shared_ptr<OperationKeys> BothKeys(bool promoted) {
  auto keys = promoted ? SecondKeys() : TestKeys();
  const auto others = promoted ? TestKeys() : SecondKeys();
  keys->fingerprints.keys.push_back(others->fingerprints.current());
  keys->outcomes.keys.push_back(others->outcomes.current());
  return keys;
}

class KeyRotationTest : public EngineTest {
 protected:
  /// Under which keys the record of "key" is: of its fingerprint, of its outcome.
  std::string KeysOfRecord() {
    const ports::FinishRequest& finish = store_.finishes.back();
    const std::string fingerprint = finish.identity.fingerprints.front().key_id;
    const std::shared_ptr<OperationKeys> both = BothKeys(false);
    for (const Key& key : both->outcomes.keys) {
      KeyRing ring;
      ring.keys.push_back(key);
      if (OpenOutcome(finish.outcome, finish.identity.id, ring).ok()) {
        return fingerprint + " " + key.id;
      }
    }
    return fingerprint + " none";
  }

  /// Lets the engine try once more what the store did not take.
  void RecordAgainAfter(ports::Millis backoff) {
    const std::size_t tried = store_.finishes.size();
    EXPECT_TRUE(test::RunUntil(context_, [&] { return clock_.sleepers() == 1; }));
    clock_.Advance(backoff);
    EXPECT_TRUE(test::RunUntil(context_, [&] { return store_.finishes.size() > tried; }));
    context_.poll();
  }
};

TEST_F(KeyRotationTest, ARunningEngineTakesTheNewKeys) {
  const Reply first = Call("before");
  keys_ = BothKeys(false);
  EXPECT_EQ(Call("before").response, first.response);
  keys_ = BothKeys(true);
  EXPECT_EQ(Call("before").response, first.response);
  Call("after");
  EXPECT_EQ(KeysOfRecord(), "f2 o2");
  keys_ = SecondKeys();
  EXPECT_THAT(Call("before").status,
              FailsWith(absl::StatusCode::kUnavailable, domain::reason::kSecretKeyUnknown));
  EXPECT_TRUE(Call("after").replay);
}

TEST_F(KeyRotationTest, AnOutcomeThatCannotBeOpenedIsNoReplay) {
  Call("key");
  auto keys = BothKeys(false);
  keys->outcomes = SecondKeys()->outcomes;
  keys_ = std::move(keys);
  const Reply unknown = Call("key");
  EXPECT_THAT(unknown.status,
              FailsWith(absl::StatusCode::kUnavailable, domain::reason::kSecretKeyUnknown));
  EXPECT_FALSE(unknown.replay);
}

TEST_F(KeyRotationTest, AClaimHasFingerprintsOfOneRing) {
  keys_ = BothKeys(false);
  store_.during_claim = [this] { keys_ = BothKeys(true); };
  Call("key");
  ASSERT_EQ(store_.claims.size(), 1U);
  EXPECT_EQ(store_.claims[0].identity.fingerprints.at(0).key_id, "f1");
  EXPECT_EQ(store_.claims[0].identity.fingerprints.at(1).key_id, "f2");
}

TEST_F(KeyRotationTest, AnOutcomeIsNotSealedUnderAKeyThatWasTakenOutMeanwhile) {
  keys_ = BothKeys(true);
  // As of an operation that began when o1 was current yet.
  std::swap(keys_->outcomes.keys[0], keys_->outcomes.keys[1]);
  store_.during_claim = [this] {
    keys_ = BothKeys(true);
    keys_->outcomes.keys.pop_back();
  };
  const Reply first = Call("key");
  EXPECT_EQ(KeysOfRecord(), "f2 o2");
  store_.during_claim = nullptr;
  EXPECT_EQ(Call("key").response, first.response);
}

TEST_F(KeyRotationTest, WhatWaitsForTheStoreIsSealedAnewWhenKeysRotate) {
  keys_ = BothKeys(false);
  store_.fail_finishes = 2;
  const Reply first = Call("key");
  ASSERT_TRUE(Response(first).has_order()) << first.status;
  EXPECT_EQ(KeysOfRecord(), "f1 o1");
  keys_ = BothKeys(true);
  RecordAgainAfter(settings_.record_backoff);
  EXPECT_EQ(KeysOfRecord(), "f2 o2");
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_RUNNING) << "the store is still down";
  // And once more, by a ring that has nothing of the first one.
  keys_ = SecondKeys();
  RecordAgainAfter(settings_.record_backoff * 2);
  EXPECT_EQ(State("key"), v1::OPERATION_STATE_DONE);
  EXPECT_EQ(store_.finishes.size(), 3U);
}

TEST_F(KeyRotationTest, TheResolverSealsUnderTheCurrentKey) {
  service_.AnswerNext(test::FakePaymentService::NoAnswer("timeout"));
  Call("key");
  ASSERT_EQ(State("key"), v1::OPERATION_STATE_UNKNOWN);
  keys_ = BothKeys(true);
  common::v1::Order order;
  order.set_id("7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10");
  order.set_amount(500);
  order.set_currency("EUR");
  Show(order);
  clock_.Advance(settings_.look_backoff.front());
  Resolve();
  ASSERT_EQ(State("key"), v1::OPERATION_STATE_DONE);
  EXPECT_EQ(KeysOfRecord(), "f1 o2") << "the record keeps the fingerprint that it was claimed with";
  EXPECT_TRUE(Call("key").replay);
}

}  // namespace
}  // namespace tollbridge::operations
