#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_RESOLVE_TEXT_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_RESOLVE_TEXT_H_

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "tollbridge/operations/v1/operations.pb.h"

/// What `operations resolve` shows before and after it closes. Text from records is shown without
/// control characters.
namespace tollbridge::gateway {

/// An operation that may be closed, and as what.
struct ResolveCandidate {
  operations::v1::Operation operation;
  operations::v1::Evidence evidence = operations::v1::EVIDENCE_UNSPECIFIED;
  /// What the evidence showed, in words.
  std::string seen;
  /// UNSPECIFIED: it is left as it is.
  operations::v1::Resolution as = operations::v1::RESOLUTION_UNSPECIFIED;
  /// Why it is left: the reason of the gateway's refusal; empty where its evidence does not decide.
  std::string left;
};

/// done or not-executed.
std::string ResolutionText(operations::v1::Resolution resolution);

/// What the evidence shows now, as a line.
std::string EvidenceLine(const ResolveCandidate& candidate);

/// One line each under a heading; what to say when there are none.
std::string CandidateTable(const std::vector<ResolveCandidate>& candidates);

/// One of them. `as` is null where it is left, and `left` says why then.
boost::json::object CandidateJson(const ResolveCandidate& candidate);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_RESOLVE_TEXT_H_
