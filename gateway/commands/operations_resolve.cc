#include "gateway/commands/operations_resolve.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <iostream>
#include <istream>
#include <optional>
#include <utility>

#include "adapters/system/system_clock.h"
#include "base/core/status_macros.h"
#include "gateway/commands/operation_text.h"
#include "gateway/commands/operations_call.h"
#include "gateway/commands/resolve_text.h"
#include "gateway/commands/terminal_text.h"
#include "gateway/commands/time_option.h"
#include "services/domain/timestamps.h"
#include "services/operations/resolve_operation.h"
#include "services/ports/operation_types.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

namespace v1 = operations::v1;

constexpr int kPage = 500;
/// A dry run changes nothing, but the gateway asks for a note.
constexpr char kNoteOfDryRun[] = "dry run";

v1::Resolution Chosen(const OperationsResolveOptions& options) {
  if (options.as == "done") return v1::RESOLUTION_DONE;
  if (options.as == "not-executed") return v1::RESOLUTION_NOT_EXECUTED;
  return v1::RESOLUTION_UNSPECIFIED;
}

v1::Resolution ByEvidence(v1::Evidence evidence) {
  if (evidence == v1::EVIDENCE_PRESENT) return v1::RESOLUTION_DONE;
  if (evidence == v1::EVIDENCE_ABSENT) return v1::RESOLUTION_NOT_EXECUTED;
  return v1::RESOLUTION_UNSPECIFIED;
}

v1::ResolveOperationRequest RequestFor(const OperationsResolveOptions& options,
                                       const std::string& id, v1::Resolution resolution) {
  v1::ResolveOperationRequest request;
  if (!options.project.empty()) request.set_project(options.project);
  request.set_operation_id(id);
  request.set_resolution(resolution);
  request.set_note(options.note.empty() ? kNoteOfDryRun : options.note);
  return request;
}

/// Asks what closing the operation would come to.
UnaryEnd Look(const Channel& channel, const OperationsResolveOptions& options,
              const std::string& id, ResolveCandidate& candidate) {
  const v1::Resolution chosen = Chosen(options);
  const bool by_evidence = chosen == v1::RESOLUTION_UNSPECIFIED;
  // As DONE it may be closed whatever its evidence shows.
  v1::ResolveOperationRequest request =
      RequestFor(options, id, by_evidence ? v1::RESOLUTION_DONE : chosen);
  request.set_validate_only(true);
  v1::ResolveOperationResponse response;
  UnaryEnd end = CallOperations(channel, "ResolveOperation", request, &response);
  if (!end.ok()) return end;
  candidate.as = by_evidence ? ByEvidence(response.evidence()) : chosen;
  candidate.evidence = response.evidence();
  candidate.seen = response.evidence_seen();
  candidate.operation = std::move(*response.mutable_operation());
  return end;
}

UnaryEnd Close(const Channel& channel, const OperationsResolveOptions& options,
               const ResolveCandidate& candidate, v1::ResolveOperationResponse* closed) {
  const v1::Operation& operation = candidate.operation;
  v1::ResolveOperationRequest request = RequestFor(options, operation.id(), candidate.as);
  if (operation.transitions_size() > 0) {
    request.set_last_transition(operation.transitions(operation.transitions_size() - 1).number());
  }
  return CallOperations(channel, "ResolveOperation", request, closed);
}

/// Why it is not closed as evidence showed when it was shown: a person may have thought about it
/// for long, and others were looked at meanwhile. Empty: that shows the same.
std::string ChangedSince(const Channel& channel, const OperationsResolveOptions& options,
                         const ResolveCandidate& shown) {
  if (Chosen(options) != v1::RESOLUTION_UNSPECIFIED) return {};
  ResolveCandidate now = shown;
  const UnaryEnd end = Look(channel, options, shown.operation.id(), now);
  if (!end.ok()) return ReasonOf(end);
  return now.as == shown.as ? "" : "its evidence has changed";
}

bool Agrees(const std::string& question, std::istream& answers) {
  std::cerr << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(answers, answer);
  if (answer == "y" || answer == "yes") return true;
  std::cerr << "nothing was changed\n";
  return false;
}

bool Confirmed(const ResolveCandidate& candidate, std::istream& answers) {
  std::cerr << OperationStory(candidate.operation) << EvidenceLine(candidate) << "\n";
  if (candidate.as == v1::RESOLUTION_DONE) {
    std::cerr << "As done: its key is answered with what evidence shows, and never runs again.\n";
  } else {
    std::cerr << "As not-executed: its key may run again. If it did take effect, that happens "
                 "twice.\n";
  }
  return Agrees(
      absl::StrCat("Close ", candidate.operation.id(), " as ", ResolutionText(candidate.as), "?"),
      answers);
}

void PrintStory(const OperationsResolveOptions& options, const v1::Operation& operation) {
  std::cout << (options.json ? ToJson(operation) : OperationStory(operation));
}

void PrintJson(const ResolveCandidate& candidate) {
  std::cout << boost::json::serialize(CandidateJson(candidate)) << "\n";
}

void PrintDryRun(const OperationsResolveOptions& options, const ResolveCandidate& candidate) {
  if (options.json) {
    PrintJson(candidate);
  } else {
    std::cout << OperationStory(candidate.operation) << EvidenceLine(candidate);
  }
}

int ResolveOne(const Channel& channel, const OperationsResolveOptions& options,
               std::istream* answers) {
  ResolveCandidate candidate;
  candidate.operation.set_id(options.id);
  candidate.as = Chosen(options);
  const bool asks = !options.yes && answers != nullptr;
  if (options.dry_run || asks || candidate.as == v1::RESOLUTION_UNSPECIFIED) {
    const UnaryEnd end = Look(channel, options, options.id, candidate);
    if (!end.ok()) return PrintCallError(end);
    if (options.dry_run) {
      PrintDryRun(options, candidate);
      return 0;
    }
    if (candidate.as == v1::RESOLUTION_UNSPECIFIED) {
      std::cerr << EvidenceLine(candidate) << "its evidence does not decide: nothing was changed\n";
      return kCallFailed;
    }
    if (asks) {
      if (!Confirmed(candidate, *answers)) return kCallFailed;
      if (const std::string changed = ChangedSince(channel, options, candidate); !changed.empty()) {
        std::cerr << Printable(changed) << ": nothing was changed\n";
        return kCallFailed;
      }
    }
  }
  v1::ResolveOperationResponse closed;
  const UnaryEnd end = Close(channel, options, candidate, &closed);
  if (!end.ok()) return PrintCallError(end);
  PrintStory(options, closed.operation());
  return 0;
}

/// Which operations a filter finds.
struct Filter {
  std::string reason;
  /// In their state since before then.
  std::optional<WallTime> before;

  bool Takes(const v1::Operation& operation) const {
    // Of a later version, or damaged: no person can close it here.
    if (operation.state() == v1::OPERATION_STATE_UNSPECIFIED) return false;
    if (!reason.empty() && operation.review_reason() != reason) return false;
    return !before || (operation.has_since() && domain::ToWallTime(operation.since()) <= *before);
  }
};

absl::StatusOr<Filter> FilterOf(const OperationsResolveOptions& options) {
  Filter filter{.reason = options.reason, .before = std::nullopt};
  if (!options.reason.empty() && options.state == "unknown") {
    return absl::InvalidArgumentError("--reason: only operations that need review have one");
  }
  // Asked for here, it is told once, and not of each that is found.
  if (!options.dry_run && absl::StripAsciiWhitespace(options.note).empty()) {
    return absl::InvalidArgumentError("--note: must say why");
  }
  if (options.note.size() > operations::kLongestNote) {
    return absl::InvalidArgumentError(
        absl::StrCat("--note: must be at most ", operations::kLongestNote, " bytes"));
  }
  if (!options.older_than.empty()) {
    const WallTime now = system::SystemClock().WallNow();
    TB_ASSIGN_OR_RETURN(filter.before, TimeOption("--older-than", options.older_than, now));
  }
  return filter;
}

/// Up to the limit; says on stderr when there are more. nullopt: the error is told already.
std::optional<std::vector<ResolveCandidate>> Find(const Channel& channel,
                                                  const OperationsResolveOptions& options,
                                                  const Filter& filter) {
  OperationsListOptions list;
  list.project = options.project;
  list.state = options.state.empty() ? "needs-review" : options.state;
  list.limit = kPage;
  std::vector<ResolveCandidate> found;
  do {
    const std::optional<v1::ListOperationsResponse> page = ListOperations(channel, list);
    if (!page.has_value()) return std::nullopt;
    for (const v1::Operation& operation : page->operations()) {
      if (!filter.Takes(operation)) continue;
      if (std::ssize(found) == options.limit) {
        std::cerr << "there are more: --limit takes more of them\n";
        return found;
      }
      found.emplace_back().operation = operation;
    }
    list.page_token = page->next_page_token();
  } while (!list.page_token.empty());
  return found;
}

void Print(const OperationsResolveOptions& options,
           const std::vector<ResolveCandidate>& candidates) {
  if (!options.json) {
    std::cout << CandidateTable(candidates);
    return;
  }
  for (const ResolveCandidate& candidate : candidates) PrintJson(candidate);
}

std::size_t Count(const std::vector<ResolveCandidate>& candidates, v1::Resolution as) {
  std::size_t count = 0;
  for (const ResolveCandidate& candidate : candidates) count += candidate.as == as ? 1 : 0;
  return count;
}

std::string Counts(const std::vector<ResolveCandidate>& candidates) {
  return absl::StrCat(Count(candidates, v1::RESOLUTION_DONE), " as done, ",
                      Count(candidates, v1::RESOLUTION_NOT_EXECUTED), " as not-executed");
}

int ResolveFound(const Channel& channel, const OperationsResolveOptions& options,
                 const Filter& filter, std::istream* answers) {
  std::optional<std::vector<ResolveCandidate>> found = Find(channel, options, filter);
  if (!found.has_value()) return kCallFailed;
  for (ResolveCandidate& candidate : *found) {
    const std::string id = candidate.operation.id();
    const UnaryEnd end = Look(channel, options, id, candidate);
    if (!end.ok()) candidate.left = ReasonOf(end);
  }
  const std::size_t left = Count(*found, v1::RESOLUTION_UNSPECIFIED);
  if (options.dry_run) {
    Print(options, *found);
    std::cerr << "would close " << Counts(*found) << "; " << left << " would be left\n";
    return 0;
  }
  if (left == found->size()) {
    Print(options, *found);
    std::cerr << "closed none of " << found->size() << "\n";
    return found->empty() ? 0 : kCallFailed;
  }
  if (!options.yes) {
    std::cerr << CandidateTable(*found);
    if (!Agrees(absl::StrCat("Close ", Counts(*found), "? ", left, " are left."), *answers)) {
      return kCallFailed;
    }
  }
  std::size_t closed = 0;
  for (ResolveCandidate& candidate : *found) {
    if (candidate.as == v1::RESOLUTION_UNSPECIFIED) continue;
    candidate.left = ChangedSince(channel, options, candidate);
    if (!candidate.left.empty()) {
      candidate.as = v1::RESOLUTION_UNSPECIFIED;
      continue;
    }
    v1::ResolveOperationResponse response;
    const UnaryEnd end = Close(channel, options, candidate, &response);
    if (end.ok()) {
      candidate.operation = std::move(*response.mutable_operation());
      ++closed;
    } else {
      candidate.as = v1::RESOLUTION_UNSPECIFIED;
      candidate.left = ReasonOf(end);
    }
  }
  Print(options, *found);
  std::cerr << "closed " << Counts(*found) << "; " << found->size() - closed << " are left\n";
  return closed == found->size() ? 0 : kCallFailed;
}

}  // namespace

std::vector<std::string> ReviewReasons() {
  namespace review = ports::review;
  return {review::kLateEffect,      review::kOrphanPaid,          review::kAmountDiffers,
          review::kCurrencyDiffers, review::kAbsentNotRepeatable, review::kAmbiguous,
          review::kUnreadable};
}

int RunOperationsResolve(const OperationsResolveOptions& options, std::istream* answers) {
  const absl::StatusOr<Filter> filter = FilterOf(options);
  if (!filter.ok()) return Fail(filter.status(), kCallNotMade);
  const bool unasked = !options.yes && !options.dry_run && answers == nullptr;
  if (options.id.empty() && unasked) {
    return Fail(absl::InvalidArgumentError("what a filter finds is closed with --yes where nobody "
                                           "can be asked"),
                kCallNotMade);
  }
  return WithChannel(options.channel, [&](const Channel& channel) {
    return options.id.empty() ? ResolveFound(channel, options, *filter, answers)
                              : ResolveOne(channel, options, answers);
  });
}

}  // namespace tollbridge::gateway
