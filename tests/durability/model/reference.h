#ifndef TOLLBRIDGE_TESTS_DURABILITY_MODEL_REFERENCE_H_
#define TOLLBRIDGE_TESTS_DURABILITY_MODEL_REFERENCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/operations/engine.h"
#include "services/ports/operation_store.h"
#include "tests/durability/model/kinds.h"
#include "tests/durability/model/service.h"
#include "tests/durability/model/world.h"
#include "tests/support/mini_redis/mini_redis.h"

namespace tollbridge::model {

/// What docs/design/operations.md promises, in plain terms: what was told about each key, what
/// happened at the service, and whether the two may stand beside each other. It knows nothing of
/// how the product keeps its promises; of the records it reads states only.
class Reference {
 public:
  Reference(World& world, test::MiniRedis& redis) : world_(world), redis_(redis) {}

  /// Keys and calls are numbered in the order in which they are added.
  int AddKey(Kind kind, const Uuid& operation);
  int AddCall(const Ask& ask);

  // What happens.
  void OnCall(int call);
  void OnWrite(SendSpec& spec);
  void OnEffect(const Effect& effect);
  void OnSuccess(const SendSpec& spec, bool other_amount);
  void OnReply(int call, const operations::Reply& reply);
  void OnFinish(const ports::FinishRequest& request, ports::FinishVerdict verdict);
  /// Redis has lost writes: memory loss, or failover to an older copy.
  void OnLoss();
  /// After each command of Redis: DONE stays what it is.
  void CheckRecords();
  /// When nothing is left to happen: all is resolved, or in review for a reason that fits.
  void CheckSettled();

  /// Whether Redis has a record of the key that it claimed in its present epoch.
  bool UsedSinceLoss(int key) const;

  /// Keys that are DONE: their replay is asked for at the end.
  std::vector<int> DoneKeys();

 private:
  struct Call {
    Ask ask;
    Time started = 0;
    bool succeeded = false;  ///< its process got the service's success
    /// Its caller was told that this call did nothing.
    bool disclaimed = false;
  };
  /// A caller was told that nothing was done under the key: no call that was there before its own
  /// has an effect by what it had written up to then. One that began later speaks for itself.
  struct Disclaimer {
    std::int64_t write = 0;
    Time started = 0;
  };
  struct Key {
    Kind kind = Kind::kCreate;
    Uuid operation;
    std::vector<Effect> effects;  ///< those that count
    std::vector<Disclaimer> disclaimers;
    bool other_amount = false;
    bool amounts_vary = false;
    std::int64_t amount = 0;
    std::string executed;  ///< the effect that was told
    std::string replayed;  ///< what the replay was; empty before the first, and after a loss
    std::string outcome;   ///< stored with DONE
  };
  struct Record {
    char state = '-';  ///< '-': there is none
    bool sent = false;
    std::string gate;
    std::string review_reason;
    std::string outcome;
    std::string epoch;  ///< in which the attempt began: its first eight characters
  };
  Record Read(const Key& key) const;
  bool LostSince(Time time) const { return lost_at_ && *lost_at_ >= time; }

  void ToldExecuted(Call& call, Key& key, const std::string& effect_id);
  bool Denies(const Disclaimer& disclaimer, const Effect& effect) const;
  void ToldNothingDone(Call& call, Key& key, std::string_view reason);
  void ToldPending(const Call& call, Key& key);
  void CheckReview(const Key& key, const Record& record);
  void Fail(const Key& key, std::string_view why);

  World& world_;
  test::MiniRedis& redis_;
  std::vector<Key> keys_;
  std::vector<Call> calls_;
  std::int64_t writes_ = 0;
  std::optional<Time> lost_at_;
};

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_DURABILITY_MODEL_REFERENCE_H_
