#include "services/operations/lifecycle.h"

#include <algorithm>
#include <array>

namespace tollbridge::operations {
namespace {

constexpr v1::OperationState kNone = v1::OPERATION_STATE_UNSPECIFIED;
constexpr v1::OperationState kRunning = v1::OPERATION_STATE_RUNNING;
constexpr v1::OperationState kUnknown = v1::OPERATION_STATE_UNKNOWN;
constexpr v1::OperationState kDone = v1::OPERATION_STATE_DONE;
constexpr v1::OperationState kNotExecuted = v1::OPERATION_STATE_NOT_EXECUTED;
constexpr v1::OperationState kNeedsReview = v1::OPERATION_STATE_NEEDS_REVIEW;
constexpr v1::OperationState kAwaits = v1::OPERATION_STATE_AWAITS_APPROVAL;

constexpr std::array<Change, 25> kChanges = {{
    {kNone, kRunning, "the first call with a key claims it"},
    {kRunning, kDone, "answered, refused for good, or found by evidence"},
    {kRunning, kNotExecuted, "proven that nothing was executed"},
    {kRunning, kUnknown, "no definite answer came, or a forgotten run is looked for"},
    {kRunning, kNeedsReview, "amounts differ, or evidence fits several operations"},
    {kUnknown, kDone, "evidence shows the effect, the answer came late, or a person closes it"},
    {kUnknown, kNotExecuted, "absent after the quarantine, or a person closes it"},
    {kUnknown, kRunning,
     "the same key comes again while nothing but a forgotten run is looked for"},
    {kUnknown, kNeedsReview, "evidence does not decide, or cannot be read for long"},
    {kNotExecuted, kRunning, "the same key runs again, as the next attempt"},
    {kNotExecuted, kNeedsReview, "an effect shows up after all"},
    {kNeedsReview, kDone, "a person closes it"},
    {kNeedsReview, kNotExecuted, "a person closes it"},
    {kNone, kDone, "an answer whose record was lost"},
    {kNone, kNotExecuted, "an answer whose record was lost"},
    {kNone, kUnknown, "an answer whose record was lost"},
    {kNone, kNeedsReview, "a review record of its own, or an answer whose record was lost"},
    {kNotExecuted, kDone, "a run that the memory had lost answers"},
    {kNone, kAwaits, "a payout above its limit asks for a second person"},
    {kNotExecuted, kAwaits, "a payout above its limit asks for a second person"},
    {kAwaits, kRunning, "another identity has confirmed it, and the same key comes again"},
    {kAwaits, kNotExecuted, "it was not confirmed, or its key did not come again, in time"},
    {kAwaits, kNeedsReview, "an effect of an earlier attempt shows up after all"},
    {kAwaits, kDone, "a run that the memory had lost answers"},
    {kAwaits, kUnknown,
     "a run that the memory had lost answers, or is looked for as nobody confirmed in time"},
}};

std::string Name(v1::OperationState state) {
  if (state == kNone) return "[*]";
  constexpr std::string_view kPrefix = "OPERATION_STATE_";
  return v1::OperationState_Name(state).substr(kPrefix.size());
}

}  // namespace

std::span<const Change> Changes() { return kChanges; }

bool IsChange(v1::OperationState from, v1::OperationState to) {
  return std::ranges::any_of(
      kChanges, [&](const Change& change) { return change.from == from && change.to == to; });
}

std::string StateDiagram() {
  std::string diagram = "stateDiagram-v2\n";
  for (const Change& change : kChanges) {
    diagram.append("  ").append(Name(change.from)).append(" --> ").append(Name(change.to));
    diagram.append(": ").append(change.when).append("\n");
  }
  return diagram;
}

}  // namespace tollbridge::operations
