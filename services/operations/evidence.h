#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_EVIDENCE_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_EVIDENCE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>
#include <google/protobuf/message.h>
#include <boost/asio/awaitable.hpp>

#include "base/core/uuid.h"
#include "services/domain/project.h"
#include "services/ports/context.h"
#include "services/ports/operation_types.h"
#include "services/ports/payment_service.h"

namespace tollbridge::operations {

/// What reading the payment service says about a step (docs/design/operations.md#evidence).
enum class Presence {
  kPresent,    ///< it happened
  kAbsent,     ///< it is not there now; counts only after the quarantine
  kNoTarget,   ///< what it is about is not there: the project has no such order, or the order no
               ///< such transaction. Counts only after the quarantine; then nothing can have
               ///< happened to it
  kUndecided,  ///< could not be read, or shows too little
  kAmbiguous,  ///< what is there fits, but may be somebody else's: a person decides
};

/// Whether the read showed no effect: kAbsent or kNoTarget.
constexpr bool ShowsNoEffect(Presence presence) {
  return presence == Presence::kAbsent || presence == Presence::kNoTarget;
}

struct Finding {
  Presence presence = Presence::kUndecided;
  /// kPresent: what the lost answer would have held, as the type of the step's Answer::result.
  /// kAmbiguous: the same of what may be it, where that can be named.
  std::shared_ptr<const google::protobuf::Message> result;
  /// What was seen, for the operation's transitions: ids and words, no foreign text.
  std::string reason;
  /// kAbsent: no order carries the mark, and one that fits carries none at all. It may be ours,
  /// with a mark that the service did not keep.
  bool perhaps_unmarked = false;
  /// kAbsent: what fits is told from ours by its time alone, by two clocks.
  bool by_time_alone = false;
};

/// An order that may be the one that a create step made: from a scan that several look-ups share.
struct Candidate {
  std::string order_id;
  std::string merchant_order_id;
};

/// What a look-up knows: only what the record keeps, since any replica must be able to look.
struct LookRequest {
  const domain::Project* project = nullptr;
  Uuid operation;
  /// Which run of the key sent the step; 0: not known, and any may have.
  std::uint32_t attempt = 0;
  ports::StepTarget step;
  /// Orders that are known to carry the operation's mark, whatever a search shows.
  std::vector<std::string> seen_orders;
  /// When the step was sent, by the service's civil time; nullopt when the record is lost.
  std::optional<WallTime> sent_at;
  /// Only what came after `sent_at` is looked for: what is older is somebody else's.
  bool only_since_sent = false;
  /// Set when a scan was made for this look, among others: then no search is.
  std::shared_ptr<const std::vector<Candidate>> candidates;
  ports::Context context;
};

/// Reads the evidence of one step; changes nothing.
using Look =
    std::function<boost::asio::awaitable<Finding>(ports::PaymentService&, const LookRequest&)>;

/// What absence after the quarantine comes to, where what the step is about is there.
enum class OnAbsence {
  kNotExecuted,  ///< the key may run again
  kNeedsReview,  ///< never run again on the strength of absence alone
};

/// How a step is recognized at the payment service. Does not depend on the request, so that any
/// replica can look after the caller's process is gone.
struct StepKind {
  std::string name;  ///< StepTarget::name
  /// Empty: what it does cannot be read back. Without a definite answer it is NOT_EXECUTED at once,
  /// and the key may run again.
  Look look;
  OnAbsence on_absence = OnAbsence::kNotExecuted;
  /// Its effect is that of the operation. A step that only prepares the next leaves nothing that
  /// matters when the operation ends there: any failure of it is NOT_EXECUTED.
  bool completes = true;
  /// The service itself refuses to do it twice (docs/design/operations.md#evidence).
  bool service_guards_repeat = false;
  /// Not only operations do it: a customer starts a transaction on a hosted page. That it is done
  /// already says nothing of who did it.
  bool others_may_do_it = false;
  /// Names of all steps that have this very effect on a transaction, this one's among them. Empty:
  /// no other has.
  std::vector<std::string> same_effect;
  /// It spends a setup_token that its request brings: once it was sent before, a refusal says no
  /// more than that the token is spent (SETUP_TOKEN_SPENT).
  bool spends_setup_token = false;
  /// It is found by search, whose index lags: absence waits search_index_lag longer.
  bool by_search = false;
  /// A late effect is an order of its own that nobody knows: an orphan, not a review (create
  /// order).
  bool late_effect_is_orphan = false;
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_EVIDENCE_H_
