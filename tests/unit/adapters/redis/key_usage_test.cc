#include "adapters/redis/key_usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/operation_records.h"
#include "tests/support/test_keyspace.h"
#include "tests/unit/adapters/redis/redis_fixture.h"

namespace tollbridge::redis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class KeyUsageTest : public RedisTest {
 protected:
  /// Outcomes of this test are their key's id in two letters; `?` cannot be read.
  static OutcomeHead Head() {
    return {.bytes = 2, .key_id = [](std::string_view head) -> std::optional<std::string> {
              if (head.starts_with("?")) return std::nullopt;
              return std::string(head);
            }};
  }
  /// The key of a record of the project.
  static std::string KeyOf(int number, const std::string& keys = test::ShopKeys()) {
    std::string key = RecordPattern(keys);
    std::string id = std::to_string(number);
    id.resize(16, '\n');
    return key.replace(key.find(std::string(16, '?')), 16, id);
  }
  void Put(const std::string& state, const std::string& fingerprint, const std::string& outcome,
           const std::string& keys = test::ShopKeys()) {
    const std::string key = KeyOf(++records_, keys);
    Ask(*connection_, test::SetField(key, "s", state));
    if (!fingerprint.empty()) Ask(*connection_, test::SetField(key, "k", fingerprint));
    if (!outcome.empty()) Ask(*connection_, test::SetField(key, "z", outcome));
  }
  KeyUsage Count(std::string keys = test::ShopKeys(), KeyUsage usage = {}) {
    const absl::StatusOr<KeyUsage> counted = Run(AddKeyUsage(
        *connection_, std::move(keys), Head(), std::chrono::seconds(10), std::move(usage)));
    EXPECT_TRUE(counted.ok()) << counted.status();
    return counted.ok() ? *counted : KeyUsage{};
  }

  std::unique_ptr<Connection> connection_ = Connected();
  int records_ = 0;
};

TEST_F(KeyUsageTest, CountsOpenAndClosedRecordsApartByTheirKeys) {
  Put("R", "f1", "");
  Put("U", "f1", "");
  Put("V", "f2", "o1 and what is sealed");
  Put("D", "f1", "o2 and what is sealed");
  Put("N", "f2", "");
  const KeyUsage usage = Count();
  EXPECT_THAT(usage.fingerprints, ElementsAre(Pair("f1", KeyUse{.open = 2, .closed = 1}),
                                              Pair("f2", KeyUse{.open = 1, .closed = 1})));
  EXPECT_THAT(usage.outcomes, ElementsAre(Pair("o1", KeyUse{.open = 1, .closed = 0}),
                                          Pair("o2", KeyUse{.open = 0, .closed = 1})));
}

TEST_F(KeyUsageTest, WhatALaterVersionWroteCountsToo) {
  Put("X", "f1", "?");
  const KeyUsage usage = Count();
  EXPECT_THAT(usage.fingerprints, ElementsAre(Pair("f1", KeyUse{.open = 1, .closed = 0})));
  EXPECT_THAT(usage.outcomes, ElementsAre(Pair("", KeyUse{.open = 1, .closed = 0})));
}

TEST_F(KeyUsageTest, AReviewRecordHasNoFingerprint) {
  Put("V", "", "o1");
  const KeyUsage usage = Count();
  EXPECT_THAT(usage.fingerprints, IsEmpty());
  EXPECT_THAT(usage.outcomes, ElementsAre(Pair("o1", KeyUse{.open = 1, .closed = 0})));
}

TEST_F(KeyUsageTest, LeavesOutWhatIsNoRecordOfTheProject) {
  Put("D", "f1", "o1", test::KeysOf("other"));
  Ask(*connection_, {"HSET", KeyOf(77), "no", "string"});
  Ask(*connection_, test::SetField(KeyOf(78) + "longer", "k", "f1"));
  Ask(*connection_, {"HSET", test::ShopKeys() + "operations:reviews", "LATE_EFFECT", "1"});
  EXPECT_THAT(Count().fingerprints, IsEmpty());
}

TEST_F(KeyUsageTest, CountsWhatCannotBeReadApart) {
  Ask(*connection_, {"SET", KeyOf(77), "damaged"});
  Put("D", "f1", "o1");
  Ask(*connection_, test::SetField(KeyOf(records_), "V", "2"));
  EXPECT_THAT(Count().fingerprints, ElementsAre(Pair("", KeyUse{.open = 2})));
}

TEST_F(KeyUsageTest, CountsTombstonesByTheKeyOfTheirFingerprint) {
  const std::string bucket = test::ShopKeys() + "t:17";
  for (int i = 0; i < 300; ++i) {
    Ask(*connection_, {"HSET", bucket, KeyOf(i), i % 3 == 0 ? "Dorder\nf1\ndig\nest" : "N\nf2\n"});
  }
  Ask(*connection_, {"HSET", test::ShopKeys() + "t:18", "id", "damaged"});
  Ask(*connection_, {"HSET", test::KeysOf("other") + "t:18", "id", "D\nf1\n"});
  EXPECT_THAT(Count().fingerprints,
              ElementsAre(Pair("", KeyUse{.tombstones = 1}), Pair("f1", KeyUse{.tombstones = 100}),
                          Pair("f2", KeyUse{.tombstones = 200})));
}

TEST_F(KeyUsageTest, APrefixStandsForItself) {
  const std::string id(16, 'i');
  for (const char* prefix : {"t*[a]\\?:o:", "txaxx:o:"}) {
    Ask(*connection_, test::SetField(prefix + id, "s", "D"));
    Ask(*connection_, test::SetField(prefix + id, "k", "f1"));
  }
  EXPECT_THAT(Count("t*[a]\\?:").fingerprints,
              ElementsAre(Pair("f1", KeyUse{.open = 0, .closed = 1})));
}

TEST_F(KeyUsageTest, CountsMoreThanOneBatchAndAddsToWhatIsThere) {
  for (int i = 0; i < 2500; ++i) Put(i % 10 == 0 ? "U" : "D", "f1", "");
  KeyUsage before;
  before.fingerprints["f1"] = {.open = 1, .closed = 1};
  EXPECT_THAT(Count(test::ShopKeys(), before).fingerprints,
              ElementsAre(Pair("f1", KeyUse{.open = 251, .closed = 2251})));
}

}  // namespace
}  // namespace tollbridge::redis
