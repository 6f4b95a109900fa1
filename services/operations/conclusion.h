#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_CONCLUSION_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_CONCLUSION_H_

#include <memory>
#include <string>
#include <utility>

#include <absl/status/status.h>
#include <google/protobuf/message.h>

#include "services/domain/project.h"
#include "services/operations/plan.h"
#include "services/operations/settings.h"
#include "services/ports/operation_store.h"
#include "services/ports/rng.h"

namespace tollbridge::storage::v1 {
class StoredOutcome;
}

namespace tollbridge::operations {

/// Turns what became of the last step into what is recorded: outcome sealed, order entry, amounts
/// compared. Shared by those who may end an operation: engine, resolver, an operator. Per shard.
///
/// An outcome is sealed under the key that is current then, whichever was when the operation was
/// claimed: one that was taken out of its file meanwhile would leave an outcome that nobody reads.
class Conclusions {
 public:
  Conclusions(KeySource keys, ports::Rng& rng) : keys_(std::move(keys)), rng_(rng) {}

  /// The last step took effect: `last` is its answer, or what evidence shows in its place. Fills
  /// state, outcome and order of `finish`, whose identity and step (with the amount asked for) are
  /// there already: kDone, kNeedsReview when amount or currency differ, kUnknown when `last` lacks
  /// what the caller must get. The serialized response; empty when kUnknown.
  std::string Executed(const PlanRegistration& plan, const domain::Project& project,
                       const google::protobuf::Message& last, ports::Knowledge knowledge,
                       ports::FinishRequest& finish) const;

  /// The service refused it for good: kDone, with the error as the outcome.
  void Refused(const absl::Status& error, ports::FinishRequest& finish) const;

  /// For what waits to be recorded while keys rotate: if those in force are not `made_with` any
  /// more, the outcome is sealed under the current key, a fingerprint under the current key comes
  /// first, and `made_with` is what is in force.
  void Renew(ports::FinishRequest& finish, std::shared_ptr<const OperationKeys>& made_with) const;

 private:
  /// Whether the record will show the result.
  bool Seal(storage::v1::StoredOutcome outcome, ports::FinishRequest& finish,
            const KeyRing& keys) const;

  KeySource keys_;
  ports::Rng& rng_;
};

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_CONCLUSION_H_
