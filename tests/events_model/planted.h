#ifndef TOLLBRIDGE_TESTS_EVENTS_MODEL_PLANTED_H_
#define TOLLBRIDGE_TESTS_EVENTS_MODEL_PLANTED_H_

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "services/domain/timestamps.h"
#include "services/ports/clock.h"
#include "services/ports/snapshot_store.h"
#include "services/ports/sweep_state.h"

namespace tollbridge::events_model {

/// Planted mistakes, of what is no script. None is one of the product's.
struct Planted {
  /// Nothing keeps how far the rounds of a family have come.
  bool forgets_cycle = false;
  /// A pass that began ahead of now counts as one that begins now, at each look.
  bool believes_clock_ahead = false;
};

/// The store of snapshots as it is, or one that keeps no cycle.
class ForgetfulSnapshots final : public ports::SnapshotStore {
 public:
  ForgetfulSnapshots(ports::SnapshotStore& store, const Planted& planted)
      : store_(store), planted_(planted) {}

  Async<ports::FamilyState> Load(const ports::FamilyKey& key,
                                 const ports::Context& context) override {
    return store_.Load(key, context);
  }
  Async<ports::SaveVerdict> Save(const ports::SaveRequest& request,
                                 const ports::Context& context) override {
    if (!planted_.forgets_cycle) co_return co_await store_.Save(request, context);
    ports::SaveRequest forgetful = request;
    forgetful.snapshot.clear_cycle_after();
    co_return co_await store_.Save(forgetful, context);
  }
  Async<bool> ClearOutbox(const ports::FamilyKey& key, std::uint64_t version,
                          const std::string& epoch, const ports::Context& context) override {
    return store_.ClearOutbox(key, version, epoch, context);
  }
  Async<ports::PendingOutboxes> Pending(const std::string& project,
                                        const ports::Context& context) override {
    return store_.Pending(project, context);
  }
  AsyncStatus NoteMember(const ports::MemberNote& note, const ports::Context& context) override {
    return store_.NoteMember(note, context);
  }
  Async<ports::TellAgainVerdict> AskToTellAgain(const ports::TellAgainRequest& request,
                                                const ports::Context& context) override {
    return store_.AskToTellAgain(request, context);
  }

 private:
  ports::SnapshotStore& store_;
  const Planted& planted_;
};

/// The progress of sweeps as it is, or without times that lie ahead of the reader's clock.
class ClampingSweepState final : public ports::SweepState {
 public:
  ClampingSweepState(ports::SweepState& state, const ports::Clock& clock, const Planted& planted)
      : state_(state), clock_(clock), planted_(planted) {}

  Async<std::optional<storage::v1::SweepProgress>> Take(const std::string& project,
                                                        const std::string& token,
                                                        ports::Millis lease,
                                                        const ports::Context& context) override {
    auto taken = co_await state_.Take(project, token, lease, context);
    if (!planted_.believes_clock_ahead || !taken.ok() || !*taken) co_return taken;
    const WallTime now = clock_.WallNow();
    const WallTime began = domain::ToWallTime((*taken)->last_began());
    believed_.erase(project);
    if (began > now) {
      believed_[project] = {now, began};
      *(*taken)->mutable_last_began() = domain::ToTimestamp(now);
    }
    co_return taken;
  }
  Async<bool> Save(const std::string& project, const std::string& token, ports::Millis lease,
                   const storage::v1::SweepProgress& progress,
                   const ports::Context& context) override {
    storage::v1::SweepProgress kept = progress;
    const auto believed = believed_.find(project);
    if (believed != believed_.end() &&
        domain::ToWallTime(kept.last_began()) == believed->second.first) {
      *kept.mutable_last_began() = domain::ToTimestamp(believed->second.second);
    }
    co_return co_await state_.Save(project, token, lease, kept, context);
  }
  Async<storage::v1::SweepProgress> Load(const std::string& project,
                                         const ports::Context& context) override {
    return state_.Load(project, context);
  }

 private:
  ports::SweepState& state_;
  const ports::Clock& clock_;
  const Planted& planted_;
  /// By project: what was believed, and what the store has.
  std::map<std::string, std::pair<WallTime, WallTime>> believed_;
};

}  // namespace tollbridge::events_model

#endif  // TOLLBRIDGE_TESTS_EVENTS_MODEL_PLANTED_H_
