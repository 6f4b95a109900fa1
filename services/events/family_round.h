#ifndef TOLLBRIDGE_SERVICES_EVENTS_FAMILY_ROUND_H_
#define TOLLBRIDGE_SERVICES_EVENTS_FAMILY_ROUND_H_

#include <absl/status/status.h>

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/core/uuid.h"
#include "base/telemetry/span.h"
#include "services/domain/family_diff.h"
#include "services/domain/project.h"
#include "services/events/order_fetcher.h"
#include "services/events/orphans.h"
#include "services/events/read_result.h"
#include "services/ports/family.h"
#include "services/ports/snapshot_store.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::events {

/// So many members are read in one round, and for so long; the family stays due for the others.
inline constexpr std::size_t kMaxMembersARound = 64;
inline constexpr std::chrono::seconds kLongestRound{20};

/// An order of a family in one round.
struct FamilyOrder {
  Uuid id;
  /// What operations left with it.
  ports::OrderEntry entry;
  /// nullptr when it could not be read, or its turn comes in the next round.
  std::unique_ptr<common::v1::Order> order;
  /// Why it could not be read; kDone otherwise.
  ReadOutcome outcome = ReadOutcome::kDone;
};

/// Reads the members of one family in one round: the named ones, those that are not final, and new
/// ones that are named by the orders read (docs/design/events.md#family and #step-2); when anything
/// has changed, final ones too from which others can be made. Where they are more than a round
/// reads, the rounds of a cycle go through them once. For one use.
class FamilyRound {
 public:
  struct Ports {
    OrderFetcher& fetcher;
    ports::SnapshotStore& snapshots;
    OrphanFilter& orphans;
    ports::Clock& clock;
  };
  struct Input {
    const domain::Project& project;
    const ports::FamilyKey& key;
    const ports::FamilyState& state;
    /// Members that hints have named.
    const std::vector<Uuid>& named;
    /// Read those final ones in any case.
    bool thorough = false;
    /// Read all of them, since what was told of them is told again; the cycle begins anew unless
    /// that has begun.
    bool all = false;
    /// As OrderFetcher::Wanted.
    bool believe_older = false;
    telemetry::TraceContext trace;
  };

  FamilyRound(const Ports& ports, const Input& input) : ports_(ports), input_(input) {}

  /// Reads the members, after the root, which the caller has read. kDone, or why nothing may be
  /// decided now: an outage, or the project is refused.
  boost::asio::awaitable<ReadResult> Run(common::v1::Order root);

  /// The root first, then each member that was read or could not be.
  const std::vector<FamilyOrder>& orders() const { return orders_; }
  /// The first member that could not be read; nullptr when all could.
  const absl::Status* failure() const { return failed_ ? &failure_ : nullptr; }
  ReadOutcome failed_outcome() const { return failed_outcome_; }
  /// There were more than a round may read.
  bool more() const { return more_; }
  /// An outcome was told of a member that could not be read now, and that may be readable soon.
  bool LacksTold() const;
  /// Snapshot::cycle_after for the next round; empty when the cycle has come to its end.
  const std::string& cycle_after() const { return cycle_after_; }

 private:
  /// Why an order is a member.
  enum class Proof {
    kKnown,  ///< the snapshot has it, or an order of the family names it
    kNamed,  ///< a hint says so; its own link must show it
  };
  struct Candidate {
    Uuid id;
    Proof proof;
    /// Of a known member: where it comes in the cycle. Those that were never read come first.
    std::string place;
  };

  /// Reads candidates until there are none; those beyond the bound wait for the next round.
  boost::asio::awaitable<ReadResult> ReadCandidates();
  void AddKnownMembers();
  /// In their order, those that the cycle has not come to. Whether there are any.
  bool AddToCycle(std::vector<Candidate> members);
  bool MayReadOn() const;
  /// Snapshot::cycle_after of the round before, where this one goes on with its cycle.
  std::string CycleBefore() const;
  void AddNewOnesOf(const common::v1::Order& order);
  void Add(const Uuid& id, Proof proof);
  boost::asio::awaitable<ReadResult> ReadMember(Candidate candidate);
  /// Takes it in, with all that its arrays name.
  void Accept(FamilyOrder order);
  /// Takes in what waits for an order that links it to the family.
  void AcceptLinked();
  /// What no order links to the family is left out.
  void LeaveUnlinked();
  bool IsMember(const std::string& order_id) const;
  bool DiffersFromState(const FamilyOrder& order) const;

  Ports ports_;
  Input input_;
  /// Named by hints, and by orders that were read; and known members. The former go first.
  std::deque<Candidate> fresh_;
  std::deque<Candidate> cycle_;
  std::set<Uuid> seen_;
  std::set<Uuid> members_;
  std::vector<FamilyOrder> orders_;
  std::vector<FamilyOrder> unlinked_;
  /// Final members that are read only if anything in the family has changed.
  std::vector<Candidate> final_parents_;
  std::string cycle_after_;
  /// There are known members that the cycle has not come to.
  bool cycle_left_ = false;
  BootTime begun_;
  std::size_t reads_ = 0;
  bool changed_ = false;
  bool more_ = false;
  bool failed_ = false;
  absl::Status failure_;
  ReadOutcome failed_outcome_ = ReadOutcome::kDone;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_FAMILY_ROUND_H_
