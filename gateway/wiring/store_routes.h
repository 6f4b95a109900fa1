#ifndef TOLLBRIDGE_GATEWAY_WIRING_STORE_ROUTES_H_
#define TOLLBRIDGE_GATEWAY_WIRING_STORE_ROUTES_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/status_macros.h"
#include "services/domain/project.h"
#include "services/ports/due_queue.h"
#include "services/ports/family_walk.h"
#include "services/ports/known_orders.h"
#include "services/ports/operation_outbox.h"
#include "services/ports/operation_registry.h"
#include "services/ports/operation_store.h"
#include "services/ports/order_changes.h"
#include "services/ports/refused_calls.h"
#include "services/ports/snapshot_store.h"
#include "services/ports/sweep_state.h"
#include "services/ports/unresolved_operations.h"

namespace tollbridge::gateway {

/// To whom calls about a project go: the port of the store that keeps it. Ports outlive the route.
template <typename Port>
class Route : public Port {
 public:
  void Add(const domain::Projects& kept, Port& port) {
    for (const domain::Project& project : kept.all()) ports_[project.name] = &port;
    if (any_ == nullptr) any_ = &port;
    all_.push_back(&port);
  }

 protected:
  /// A project that no store keeps goes to the first, which says so.
  Port& Of(std::string_view project) const {
    const auto found = ports_.find(project);
    return found == ports_.end() ? *any_ : *found->second;
  }
  const std::vector<Port*>& all() const { return all_; }

 private:
  std::map<std::string, Port*, std::less<>> ports_;
  std::vector<Port*> all_;
  Port* any_ = nullptr;
};

class OperationStoreRoute : public Route<ports::OperationStore> {
 public:
  Async<ports::ClaimResult> Claim(const ports::ClaimRequest& request,
                                  const ports::Context& context) override {
    return Of(request.identity.project).Claim(request, context);
  }
  AsyncStatus Release(const ports::OperationIdentity& identity, const std::string& owner,
                      const ports::Context& context) override {
    return Of(identity.project).Release(identity, owner, context);
  }
  AsyncStatus BeginStep(const ports::OperationIdentity& identity, const ports::ClaimResult& claim,
                        const std::string& owner, const ports::StepTarget& step,
                        ports::Millis lease, const ports::Context& context) override {
    return Of(identity.project).BeginStep(identity, claim, owner, step, lease, context);
  }
  Async<ports::FinishVerdict> Finish(const ports::FinishRequest& request,
                                     const ports::Context& context) override {
    return Of(request.identity.project).Finish(request, context);
  }
  /// In all of them; each has an epoch of its own already, or gets this one.
  Async<bool> InitializeEpoch(const Uuid& epoch, const ports::Context& context) override {
    bool wrote = false;
    for (ports::OperationStore* store : all()) {
      TB_CO_ASSIGN_OR_RETURN(const bool one, co_await store->InitializeEpoch(epoch, context));
      wrote = wrote || one;
    }
    co_return wrote;
  }
};

class UnresolvedRoute : public Route<ports::UnresolvedOperations> {
 public:
  Async<ports::DueOperations> TakeDue(const std::string& project, std::size_t limit,
                                      const std::string& token, ports::Millis lease,
                                      const ports::Context& context) override {
    return Of(project).TakeDue(project, limit, token, lease, context);
  }
  Async<bool> Reschedule(const ports::DueOperation& operation, const std::string& token,
                         const ports::NextLook& next, const ports::Context& context) override {
    return Of(operation.identity.project).Reschedule(operation, token, next, context);
  }
  AsyncStatus PullDue(const std::string& project, const ports::Context& context) override {
    return Of(project).PullDue(project, context);
  }
  Async<ports::UnresolvedSurvey> Survey(const std::string& project,
                                        const ports::Context& context) override {
    return Of(project).Survey(project, context);
  }
};

class RegistryRoute : public Route<ports::OperationRegistry> {
 public:
  Async<operations::v1::Operation> Read(const std::string& project, const Uuid& id,
                                        const ports::Context& context) override {
    return Of(project).Read(project, id, context);
  }
  Async<ports::OperationPage> List(const ports::OperationQuery& query,
                                   const ports::Context& context) override {
    return Of(query.project).List(query, context);
  }
  Async<operations::v1::Operation> Close(const ports::CloseRequest& request,
                                         const ports::Context& context) override {
    return Of(request.project).Close(request, context);
  }
  Async<operations::v1::Operation> Confirm(const ports::ConfirmRequest& request,
                                           const ports::Context& context) override {
    return Of(request.project).Confirm(request, context);
  }
  Async<ports::MarkVerdict> JudgeMark(const domain::Mark& mark, const ports::FamilyKey& order,
                                      bool paid, const ports::Context& context) override {
    return Of(order.project).JudgeMark(mark, order, paid, context);
  }
};

class OutboxRoute : public Route<ports::OperationOutbox> {
 public:
  Async<std::vector<ports::UndrainedRecord>> Take(const std::string& project, std::size_t limit,
                                                  ports::Millis lease,
                                                  const ports::Context& context) override {
    return Of(project).Take(project, limit, lease, context);
  }
  AsyncStatus Drained(const std::string& project,
                      const std::vector<ports::UndrainedRecord>& records,
                      const ports::Context& context) override {
    return Of(project).Drained(project, records, context);
  }
  Async<std::size_t> Retire(const std::string& project, std::size_t limit,
                            const ports::Context& context) override {
    return Of(project).Retire(project, limit, context);
  }
};

class RefusedCallsRoute : public Route<ports::RefusedCalls> {
 public:
  Async<bool> Note(const std::string& project, const operations::v1::OperationRecord& record,
                   const ports::Context& context) override {
    return Of(project).Note(project, record, context);
  }
  Async<ports::RefusedCallsPage> Take(const std::string& project, const std::string& next,
                                      std::size_t limit, const ports::Context& context) override {
    return Of(project).Take(project, next, limit, context);
  }
  AsyncStatus Drained(const std::string& project,
                      const std::vector<ports::UndrainedRecord>& records,
                      const ports::Context& context) override {
    return Of(project).Drained(project, records, context);
  }
};

class SnapshotRoute : public Route<ports::SnapshotStore> {
 public:
  Async<ports::FamilyState> Load(const ports::FamilyKey& key,
                                 const ports::Context& context) override {
    return Of(key.project).Load(key, context);
  }
  Async<ports::SaveVerdict> Save(const ports::SaveRequest& request,
                                 const ports::Context& context) override {
    return Of(request.key.project).Save(request, context);
  }
  Async<bool> ClearOutbox(const ports::FamilyKey& key, std::uint64_t version,
                          const std::string& epoch, const ports::Context& context) override {
    return Of(key.project).ClearOutbox(key, version, epoch, context);
  }
  Async<ports::PendingOutboxes> Pending(const std::string& project,
                                        const ports::Context& context) override {
    return Of(project).Pending(project, context);
  }
  AsyncStatus NoteMember(const ports::MemberNote& note, const ports::Context& context) override {
    return Of(note.member.project).NoteMember(note, context);
  }
  Async<ports::TellAgainVerdict> AskToTellAgain(const ports::TellAgainRequest& request,
                                                const ports::Context& context) override {
    return Of(request.key.project).AskToTellAgain(request, context);
  }
};

class FamilyWalkRoute : public Route<ports::FamilyWalk> {
 public:
  Async<ports::FamilyPage> Next(const std::string& project, const std::string& cursor,
                                const ports::Context& context) override {
    return Of(project).Next(project, cursor, context);
  }
};

class DueQueueRoute : public Route<ports::DueQueue> {
 public:
  Async<std::vector<ports::DueOrder>> Take(const std::string& project, WallTime now,
                                           std::span<const ports::Millis> moves, std::size_t limit,
                                           const ports::Context& context) override {
    return Of(project).Take(project, now, moves, limit, context);
  }
  AsyncStatus Enter(const ports::FamilyKey& key, WallTime due,
                    const ports::Context& context) override {
    return Of(key.project).Enter(key, due, context);
  }
  AsyncStatus Set(const ports::FamilyKey& key, WallTime due, std::optional<WallTime> seen,
                  const ports::Context& context) override {
    return Of(key.project).Set(key, due, seen, context);
  }
  AsyncStatus Note(const ports::FamilyKey& key, const ports::Noticed& noticed,
                   const ports::Context& context) override {
    return Of(key.project).Note(key, noticed, context);
  }
  AsyncStatus RemoveIf(const ports::FamilyKey& key, WallTime seen,
                       const ports::Context& context) override {
    return Of(key.project).RemoveIf(key, seen, context);
  }
  Async<std::vector<ports::DueOrder>> First(const std::string& project, std::size_t limit,
                                            const ports::Context& context) override {
    return Of(project).First(project, limit, context);
  }
};

class KnownOrdersRoute : public Route<ports::KnownOrders> {
 public:
  Async<std::vector<ports::KnownOrder>> LookAt(const std::string& project,
                                               const std::vector<Uuid>& orders,
                                               const ports::Context& context) override {
    return Of(project).LookAt(project, orders, context);
  }
};

class SweepStateRoute : public Route<ports::SweepState> {
 public:
  Async<std::optional<storage::v1::SweepProgress>> Take(const std::string& project,
                                                        const std::string& token,
                                                        ports::Millis lease,
                                                        const ports::Context& context) override {
    return Of(project).Take(project, token, lease, context);
  }
  Async<bool> Save(const std::string& project, const std::string& token, ports::Millis lease,
                   const storage::v1::SweepProgress& progress,
                   const ports::Context& context) override {
    return Of(project).Save(project, token, lease, progress, context);
  }
  Async<storage::v1::SweepProgress> Load(const std::string& project,
                                         const ports::Context& context) override {
    return Of(project).Load(project, context);
  }
};

class OrderChangesRoute : public Route<ports::OrderChanges> {
 public:
  [[nodiscard]] std::unique_ptr<ports::OrderWatch> Watch(
      const ports::FamilyKey& key, std::function<void(ports::ChangeHint)> on_hint) override {
    return Of(key.project).Watch(key, std::move(on_hint));
  }
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_WIRING_STORE_ROUTES_H_
