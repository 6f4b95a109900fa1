#ifndef TOLLBRIDGE_SERVICES_PORTS_OPERATION_REGISTRY_H_
#define TOLLBRIDGE_SERVICES_PORTS_OPERATION_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/async.h"
#include "base/core/uuid.h"
#include "services/domain/mark.h"
#include "services/ports/context.h"
#include "services/ports/family.h"
#include "services/ports/operation_types.h"

namespace tollbridge::operations::v1 {
class Operation;
}

namespace tollbridge::ports {

struct OperationQuery {
  /// Only operations of this project are listed.
  std::string project;
  /// kRunning, kUnknown, kNeedsReview or kAwaitsApproval; nullopt: all four.
  std::optional<OperationState> state;
  /// When set, those about this order are listed instead, in any state, newest first.
  std::string order_id;
  std::size_t limit = 50;
  /// Page::next of the answer before; empty for the first.
  std::string cursor;
};

struct OperationPage {
  std::vector<operations::v1::Operation> operations;
  /// Where the next page begins; empty on the last.
  std::string next;
};

struct CloseRequest {
  std::string project;
  Uuid id;
  /// kDone or kNotExecuted.
  OperationState to = operations::v1::OPERATION_STATE_NOT_EXECUTED;
  /// UNKNOWN is not closed before its last step was sent this long ago.
  Millis quarantine{};
  /// Only while the operation's last transition has this number; 0: whichever it has.
  std::int64_t last_transition = 0;
  /// Compare everything, and change nothing.
  bool validate_only = false;
  /// Who decided, and why: kept in the transition.
  std::string who;
  std::string note;
  /// Nothing is closed: this is asked of a second person.
  std::optional<ApprovalRequest> ask;
  /// Carries out what was asked, as a second person.
  std::optional<Confirmation> confirm;
  /// kDone: as in FinishRequest.
  Knowledge knowledge = operations::v1::KNOWLEDGE_UNSPECIFIED;
  std::string outcome;
  std::optional<OrderEntry> order;
};

struct ConfirmRequest {
  std::string project;
  Uuid id;
  Confirmation confirmation;
  /// Compare everything, and change nothing.
  bool validate_only = false;
  /// Who confirms, and what is kept of it in the transition.
  std::string who;
  std::string note;
};

/// Whether an order that carries a mark is the outcome of its operation.
enum class MarkVerdict {
  kOurs,    ///< it is, or may become it, or the operation is no longer known
  kOrphan,  ///< the operation has another outcome, or was given up
            ///< (docs/design/operations.md#evidence)
};

/// The records of operations, for operators and for who meets their marks. Per shard. UNAVAILABLE
/// (reason STORE_UNAVAILABLE) when the store cannot be asked.
class OperationRegistry {
 public:
  virtual ~OperationRegistry() = default;

  /// The record of a project's operation as a message. NOT_FOUND reason OPERATION_NOT_FOUND; while
  /// the store is doubtful UNAVAILABLE reason MEMORY_LOST instead, since then absence says nothing.
  virtual Async<operations::v1::Operation> Read(const std::string& project, const Uuid& id,
                                                const Context& context) = 0;

  /// INVALID_ARGUMENT for a cursor that is none of ours.
  virtual Async<OperationPage> List(const OperationQuery& query, const Context& context) = 0;

  /// Closes NEEDS_REVIEW, or UNKNOWN after its quarantine, and releases the gate.
  /// FAILED_PRECONDITION reason OPERATION_NOT_IN_REVIEW in any other state, with RetryInfo while
  /// the quarantine lasts, and OPERATION_CHANGED after another transition than the request's;
  /// NOT_FOUND as Read. Answers the record as it is now. With `ask` it is as it was but for its
  /// approval; the same again asks nothing new. With `confirm` also what Confirm answers, and
  /// OPERATION_CHANGED after any transition since it was asked.
  virtual Async<operations::v1::Operation> Close(const CloseRequest& request,
                                                 const Context& context) = 0;

  /// Confirms that an operation in AWAITS_APPROVAL may run, and answers its record. Once more it
  /// changes nothing. FAILED_PRECONDITION reason APPROVAL_OVER where that is not asked, or no
  /// longer, and ANOTHER_IDENTITY_NEEDED where one name is the asker's too; NOT_FOUND as Read.
  virtual Async<operations::v1::Operation> Confirm(const ConfirmRequest& request,
                                                   const Context& context) = 0;

  /// Judges an order found with a mark. An orphan is noted once in the operation's transitions (no
  /// change of state), and one that is `paid` opens a review record, reason ORPHAN_PAID. One that
  /// is ours while the result is not known is kept as seen, and the operation is looked at now.
  virtual Async<MarkVerdict> JudgeMark(const domain::Mark& mark, const FamilyKey& order, bool paid,
                                       const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_OPERATION_REGISTRY_H_
