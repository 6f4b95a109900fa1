#ifndef TOLLBRIDGE_TESTS_DURABILITY_MODEL_REFERENCE_H_
#define TOLLBRIDGE_TESTS_DURABILITY_MODEL_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "services/operations/engine.h"
#include "services/ports/operation_store.h"
#include "tests/durability/model/kinds.h"
#include "tests/durability/model/service.h"
#include "tests/durability/model/traits.h"
#include "tests/support/mini_redis/mini_redis.h"
#include "tests/support/simulation/world.h"

namespace tollbridge::model {

/// What docs/design/operations.md promises, in plain terms: what was told about each key, what
/// happened at the service, and whether the two may stand beside each other. It knows nothing of
/// how the product keeps its promises; of the records it reads states only.
class Reference {
 public:
  Reference(World& world, test::MiniRedis& redis) : world_(world), redis_(redis) {}

  void SetTraits(const Traits& traits) { traits_ = traits; }
  /// Keys and calls are numbered in the order in which they are added. `target_is_there`: the
  /// project has the order and the transaction that it is about.
  int AddKey(const Ask& ask, bool target_is_there);
  int AddCall(const Ask& ask);

  // What happens.
  void OnCall(int call);
  void OnWrite(SendSpec& spec);
  void OnEffect(const Effect& effect);
  void OnSuccess(const SendSpec& spec, bool other_amount);
  void OnReply(int call, const operations::Reply& reply);
  /// A second person confirms what it saw under the key.
  void OnConfirm(int key, const std::string& approval);
  void OnFinish(const ports::FinishRequest& request, ports::FinishVerdict verdict);
  /// A claim was carried out so long after nobody waited for it any more.
  void OnLateClaim(Time late);
  /// Redis has lost writes: its memory, or by a failover to an older copy.
  void OnLoss(bool whole_memory);
  /// The record of the key cannot be read any more, if there is one.
  void OnDamage(int key);
  /// After each command of Redis: DONE stays what it is, and so does what cannot be read; of the
  /// limits of money so much is taken as operations hold and have done.
  void CheckRecords();
  /// When nothing is left to happen: all is resolved, or in review for a reason that fits.
  void CheckSettled();

  /// Whether Redis knows the key by what it kept since it lost something last.
  bool UsedSinceLoss(int key) const;
  /// Keys that are closed, as records or as tombstones: their replay is asked for at the end.
  std::vector<int> ClosedKeys() const;
  /// Where Redis has the record of the key.
  const std::string& RecordKeyOf(int key) const { return At(key).record_key; }

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
  struct Record {
    /// '-': there is none; '?': it cannot be read
    char state = '-';
    bool sent = false;
    std::string gate;
    std::string review_reason;
    std::string outcome;
    bool looks_first = false;  ///< or is to be looked for: nothing was sent in this attempt
    std::string epoch;         ///< in which the attempt began: its first eight characters
    /// Of a limit of money: of which day, and how much; 0: nothing.
    std::int64_t held_day = 0;
    std::int64_t held = 0;
    /// What a second person is asked for: its id, and when it is over by Redis' clock.
    std::string approval;
    Time approval_ends = 0;
    /// Without a record: the state that the tombstone tells.
    char retired = '-';
  };
  struct Key {
    Ask ask;  ///< of its first call
    std::string record_key;
    std::string tombstone_key;
    bool target_is_there = true;
    std::size_t thing = 0;  ///< what its effect is: the same for all keys of a transaction
    std::vector<Disclaimer> disclaimers;
    bool other_amount = false;
    bool amounts_vary = false;
    std::string executed;  ///< the effect that was told
    Time told_at = 0;      ///< when
    std::string replayed;  ///< what the replay was; empty before the first, and after a loss
    std::string outcome;   ///< stored with DONE
    /// What a second person has confirmed, each by its id.
    std::set<std::string> confirmed;
    /// The bytes of a record that cannot be read, and the gate that it held.
    std::optional<std::string> damaged;
    std::string damaged_gate;
    Time damaged_at = 0;
    /// What counts of it for the limit of a day: what it holds, or held when it was done.
    std::int64_t counted_day = 0;
    std::int64_t counted = 0;
    /// As it was read last.
    mutable std::string seen;
    mutable Record record;
  };

  const Key& At(int key) const { return keys_.at(static_cast<std::size_t>(key)); }
  Key& At(int key) { return keys_.at(static_cast<std::size_t>(key)); }
  Call& CallAt(int call) { return calls_.at(static_cast<std::size_t>(call)); }
  int NumberOfKey(const Key& key) const { return static_cast<int>(&key - keys_.data()); }
  /// What was done of what the key is about, by whichever key; and what by its own calls.
  const std::vector<Effect>& EffectsOf(const Key& key) const { return things_.at(key.thing); }
  std::vector<const Effect*> OwnEffects(const Key& key) const;

  Record Read(const Key& key) const;
  const std::string* Packed(const Key& key) const;
  bool LostSince(Time time) const { return lost_at_ && *lost_at_ >= time; }
  /// What was recorded durably by then may be gone.
  bool LostDurableSince(Time time) const;

  void CheckReason(const Call& call, const Key& key, const operations::Reply& reply,
                   std::string_view reason);
  void CheckHolder(const Key& key, const std::string& holder);
  void CheckApproval(const Key& key, const Record& record);
  void ToldExecuted(Call& call, Key& key, const std::string& effect_id);
  bool Denies(const Disclaimer& disclaimer, const Effect& effect) const;
  void ToldNothingDone(Call& call, Key& key, const std::string& reason);
  void ToldPending(const Call& call, Key& key);
  void CheckReview(const Key& key, const Record& record);
  bool LookedSinceLoss(const Key& key, const Record& record) const;
  bool IsOfThisEpoch(const Record& record) const;
  void CheckEnd(const Key& key, const Record& record);
  void CheckTenancy();
  /// Takes over what counts now of each key.
  void CountMoney();
  void CheckMoney();
  void CheckDay(std::size_t project, std::string_view limit, std::int64_t day);
  void Fail(const Key& key, std::string_view why);

  World& world_;
  test::MiniRedis& redis_;
  Traits traits_;
  std::vector<Key> keys_;
  std::vector<std::vector<Effect>> things_;
  std::vector<Call> calls_;
  std::int64_t writes_ = 0;
  std::optional<Time> lost_at_;
  std::optional<Time> memory_lost_at_;
};

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_DURABILITY_MODEL_REFERENCE_H_
