#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_STORE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "services/ports/due_queue.h"
#include "services/ports/operation_store.h"
#include "services/ports/snapshot_store.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {

/// The three stores over one state in memory, as Redis has it: an operation that closes leaves its
/// order's entry beside the snapshot and in the due queue. The contract suites of tests/contract
/// hold it to the same behaviour as the real one. Starts with an epoch. Calls end at once, without
/// suspending.
class FakeStore : public ports::OperationStore,
                  public ports::SnapshotStore,
                  public ports::DueQueue {
 public:
  static constexpr ports::WallTime kStart{ports::Millis(1'700'000'000'000)};
  static constexpr ports::Millis kClosedRetention = std::chrono::hours(72);
  static constexpr ports::Millis kEntryRetention = std::chrono::days(400);

  /// Its clock stands at kStart until AdvanceTime.
  FakeStore() : FakeStore([] { return kStart; }) {}
  /// Its clock is `now`, plus what AdvanceTime added.
  explicit FakeStore(std::function<ports::WallTime()> now);

  void AdvanceTime(ports::Millis by) { offset_ += by; }
  /// While not available each call answers STORE_UNAVAILABLE and changes nothing.
  void SetAvailable(bool available) { available_ = available; }
  /// The next call does its work and answers STORE_UNAVAILABLE all the same: its result is unknown.
  void LoseNextAnswer() { lose_next_answer_ = true; }
  /// Forgets everything, the epoch too.
  void LoseMemory();
  /// How many calls of all kinds were made.
  std::size_t calls() const { return calls_; }
  /// Ids of review records, "<operation id>:review:<attempt>".
  std::vector<std::string> reviews() const;

  Async<ports::ClaimResult> Claim(const ports::ClaimRequest& request,
                                  const ports::Context& context) override;
  AsyncStatus BeginStep(const ports::OperationIdentity& identity, std::uint32_t attempt,
                        const std::string& owner, const ports::StepEvidence& step,
                        const ports::Context& context) override;
  Async<ports::FinishVerdict> Finish(const ports::FinishRequest& request,
                                     const ports::Context& context) override;
  Async<std::vector<ports::ExpiredOperation>> ExpireLeases(std::size_t limit,
                                                           const ports::Context& context) override;
  Async<operations::v1::Operation> Read(const Uuid& id, const ports::Context& context) override;
  Async<bool> InitializeEpoch(const Uuid& epoch, const ports::Context& context) override;

  Async<ports::FamilyState> Load(const ports::FamilyKey& key,
                                 const ports::Context& context) override;
  Async<ports::SaveVerdict> Save(const ports::SaveRequest& request,
                                 const ports::Context& context) override;
  Async<bool> ClearOutbox(const ports::FamilyKey& key, std::uint64_t version,
                          const ports::Context& context) override;

  Async<std::vector<ports::DueOrder>> Take(ports::WallTime now, ports::Millis move_by,
                                           std::size_t limit,
                                           const ports::Context& context) override;
  AsyncStatus Enter(const ports::FamilyKey& key, ports::WallTime due,
                    const ports::Context& context) override;
  AsyncStatus Remove(const ports::FamilyKey& key, const ports::Context& context) override;
  Async<std::optional<ports::WallTime>> Oldest(const ports::Context& context) override;

 private:
  struct Record {
    operations::v1::Operation operation;
    ports::OperationState state = ports::OperationState::kRunning;
    ports::Fingerprint fingerprint;
    std::string owner;
    std::optional<std::string> gate_order;
    std::string order_id;
    std::string outcome;
    std::string review_reason;
    ports::WallTime since{};
    ports::WallTime lease_end{};
    std::optional<ports::WallTime> expires;
  };
  struct Family {
    std::uint64_t version = 0;
    storage::v1::Snapshot snapshot;
    ports::OrderEntry entry;
    std::optional<ports::WallTime> expires;
  };
  struct PendingOutbox {
    std::uint64_t version = 0;
    storage::v1::Outbox outbox;
  };

  ports::WallTime Now() const { return now_() + offset_; }
  /// OK, or why this call is not served. Counts it.
  absl::Status Admit(bool needs_epoch);
  /// `value`, or STORE_UNAVAILABLE when this answer is to be lost.
  template <typename T>
  absl::StatusOr<T> Answer(T value) {
    if (std::exchange(lose_next_answer_, false)) return Unavailable();
    return value;
  }
  static absl::Status Unavailable();

  Record* Find(const Uuid& id);
  Family& FindFamily(const ports::FamilyKey& key);
  Record NewRecord(const ports::OperationIdentity& identity, std::uint32_t attempt,
                   const std::string& owner) const;
  void EnterState(const Uuid& id, Record& record, ports::OperationState from,
                  ports::OperationState to, const std::string& owner, const std::string& evidence);
  void Expire(const Uuid& id, Record& record);
  void EnterOrder(const ports::FinishRequest& request);
  ports::FinishVerdict LateEffect(const ports::FinishRequest& request, Record& record);
  ports::ClaimResult ClaimNow(const ports::ClaimRequest& request);
  ports::FinishVerdict FinishNow(const ports::FinishRequest& request);

  std::function<ports::WallTime()> now_;
  ports::Millis offset_{0};
  bool available_ = true;
  bool lose_next_answer_ = false;
  std::size_t calls_ = 0;
  std::optional<Uuid> epoch_;
  std::map<Uuid, Record> records_;
  std::map<std::pair<Uuid, std::uint32_t>, Record> reviews_;
  std::map<std::string, Uuid> gates_;
  std::map<ports::FamilyKey, Family> families_;
  std::map<ports::FamilyKey, PendingOutbox> outboxes_;
  std::map<ports::FamilyKey, ports::WallTime> due_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_STORE_H_
