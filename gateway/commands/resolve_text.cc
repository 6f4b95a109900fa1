#include "gateway/commands/resolve_text.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include "gateway/commands/operation_text.h"
#include "gateway/commands/terminal_text.h"

namespace tollbridge::gateway {
namespace {

namespace v1 = operations::v1;

std::string EvidenceText(v1::Evidence evidence) {
  if (evidence == v1::EVIDENCE_UNSPECIFIED) return "not read";
  return absl::AsciiStrToLower(EnumText(v1::Evidence_Name(evidence), "EVIDENCE_"));
}

std::string WhyLeft(const ResolveCandidate& candidate) {
  return candidate.left.empty() ? "evidence does not decide" : Printable(candidate.left);
}

}  // namespace

std::string ResolutionText(v1::Resolution resolution) {
  return resolution == v1::RESOLUTION_DONE ? "done" : "not-executed";
}

std::string EvidenceLine(const ResolveCandidate& candidate) {
  return absl::StrCat("evidence now: ", EvidenceText(candidate.evidence),
                      candidate.seen.empty() ? "" : ", " + Printable(candidate.seen), "\n");
}

std::string CandidateTable(const std::vector<ResolveCandidate>& candidates) {
  if (candidates.empty()) return "no operations\n";
  std::vector<Row> rows = {{"OPERATION", "RPC", "SINCE", "ORDER", "REASON", "EVIDENCE", "AS"}};
  for (const ResolveCandidate& candidate : candidates) {
    const v1::Operation& operation = candidate.operation;
    const bool left = candidate.as == v1::RESOLUTION_UNSPECIFIED;
    rows.push_back({OrDash(operation.id()), RpcText(operation.rpc()),
                    operation.has_since() ? TimeText(operation.since()) : "-",
                    OrDash(operation.order_id()), OrDash(operation.review_reason()),
                    EvidenceText(candidate.evidence),
                    left ? "left: " + WhyLeft(candidate) : ResolutionText(candidate.as)});
  }
  return Table(rows);
}

boost::json::object CandidateJson(const ResolveCandidate& candidate) {
  const v1::Operation& operation = candidate.operation;
  boost::json::object line;
  line["operation_id"] = operation.id();
  line["rpc"] = operation.rpc();
  line["project"] = operation.project();
  line["state"] = v1::OperationState_Name(operation.state());
  line["review_reason"] = operation.review_reason();
  line["order_id"] = operation.order_id();
  line["evidence"] = v1::Evidence_Name(candidate.evidence);
  line["evidence_seen"] = candidate.seen;
  if (candidate.as == v1::RESOLUTION_UNSPECIFIED) {
    line["as"] = nullptr;
    line["left"] = WhyLeft(candidate);
  } else {
    line["as"] = ResolutionText(candidate.as);
  }
  return line;
}

}  // namespace tollbridge::gateway
