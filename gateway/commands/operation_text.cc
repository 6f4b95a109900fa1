#include "gateway/commands/operation_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <google/protobuf/timestamp.pb.h>

#include <string_view>
#include <utility>
#include <vector>

#include "gateway/commands/terminal_text.h"
#include "services/domain/timestamps.h"
#include "services/ports/operation_types.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

using operations::v1::Operation;
using operations::v1::OperationState;
using operations::v1::Step;
using operations::v1::Transition;

std::string StateText(OperationState state) {
  return EnumText(operations::v1::OperationState_Name(state), "OPERATION_STATE_");
}

void AddFact(std::vector<Row>& facts, std::string name, const std::string& value) {
  if (!value.empty()) facts.push_back({std::move(name), Printable(value)});
}

std::vector<Row> Facts(const Operation& operation) {
  std::vector<Row> facts;
  AddFact(facts, "operation", operation.id());
  AddFact(facts, "rpc", operation.rpc());
  AddFact(facts, "project", operation.project());
  AddFact(facts, "state",
          absl::StrCat(StateText(operation.state()),
                       operation.has_since() ? " since " + TimeText(operation.since()) : ""));
  AddFact(facts, "reason", operation.review_reason());
  AddFact(facts, "attempt", absl::StrCat(operation.attempt()));
  AddFact(facts, "order", operation.order_id());
  AddFact(facts, "review of", operation.review_of());
  if (operation.has_created()) AddFact(facts, "key first used", TimeText(operation.created()));
  const std::string knowledge =
      EnumText(operations::v1::Knowledge_Name(operation.knowledge()), "KNOWLEDGE_");
  if (knowledge != "-") AddFact(facts, "outcome known as", knowledge);
  AddFact(facts, "asked by", operation.caller());
  AddFact(facts, "at work", operation.owner());
  if (operation.has_next_look()) {
    const bool running = operation.state() == operations::v1::OPERATION_STATE_RUNNING;
    AddFact(facts, running ? "lease ends" : "next look", TimeText(operation.next_look()));
  }
  if (operation.misses() > 0) {
    AddFact(facts, "not found", absl::StrCat(operation.misses(), " times in a row"));
  }
  return facts;
}

/// What a step is about, in words.
std::string AboutStep(const Step& step) {
  std::vector<std::string> about;
  if (!step.order_id().empty()) about.push_back("order " + step.order_id());
  if (!step.transaction_id().empty()) about.push_back("transaction " + step.transaction_id());
  if (step.has_amount()) {
    about.push_back(absl::StrCat(step.amount(), " ", step.currency(), " in the smallest unit"));
  }
  if (!step.merchant_order_id().empty()) {
    about.push_back("merchant_order_id " + step.merchant_order_id());
  }
  if (step.marked()) about.emplace_back("description carries the mark");
  return Printable(absl::StrJoin(about, ", "));
}

Row StepRow(const Step& step) {
  return {"  " + OrDash(step.name()),
          EnumText(operations::v1::StepState_Name(step.state()), "STEP_STATE_"),
          step.has_sent_at() ? "sent " + TimeText(step.sent_at()) : "-", AboutStep(step)};
}

/// What a second person is asked for, or has confirmed.
std::string ApprovalText(const operations::v1::Approval& approval) {
  std::vector<Row> facts;
  AddFact(facts, "id", approval.id());
  const std::string resolution =
      EnumText(operations::v1::Resolution_Name(approval.resolution()), "RESOLUTION_");
  AddFact(facts, "to", approval.has_resolution() ? "close it as " + resolution : "run it");
  if (approval.has_step()) AddFact(facts, "which sends", AboutStep(approval.step()));
  AddFact(facts, "asked by", approval.asked_by());
  AddFact(facts, "because", approval.reason());
  AddFact(facts, "at", TimeText(approval.asked()));
  AddFact(facts, "over at", TimeText(approval.until()));
  AddFact(facts, "confirmed by", approval.confirmed_by());
  if (approval.has_confirmed()) AddFact(facts, "confirmed at", TimeText(approval.confirmed()));
  return absl::StrCat("\na second person\n", Table(facts));
}

/// How another confirms it.
std::string HowToConfirm(const Operation& operation) {
  return absl::StrCat(
      "\n  tollbridge operations confirm ", Printable(operation.id()),
      operation.project().empty() ? "" : " --project " + Printable(operation.project()),
      " --approval ", Printable(operation.approval().id()));
}

Row TransitionRow(const Transition& transition) {
  return {absl::StrCat("  ", transition.number()),
          TimeText(transition.time()),
          absl::StrCat("attempt ", transition.attempt()),
          absl::StrCat(StateText(transition.from()), " -> ", StateText(transition.to())),
          "by " + OrDash(transition.owner()),
          Printable(transition.evidence())};
}

/// What a person finds behind a reason, and what each way of closing it does.
std::string AboutReview(const Operation& operation) {
  const std::string& reason = operation.review_reason();
  if (reason == ports::review::kLateEffect) {
    return "It took effect after it had been given up, so a later run of the same key may have "
           "done it a second time. Look at the order: if the effect is wanted, close it as done; "
           "if it is one too many, undo it at the payment service (void or refund) first.";
  }
  if (reason == ports::review::kOrphanPaid) {
    return "A customer paid an order that no caller knows, since another order, or none, is the "
           "outcome of its key. Its events are published. Refund it, or deliver what was paid "
           "for; then close it.";
  }
  if (reason == ports::review::kAmountDiffers || reason == ports::review::kCurrencyDiffers) {
    return "The payment service answered another amount or currency than was asked for. Compare "
           "the order with the step; correct it there (void or refund), or accept it: then close "
           "it as done.";
  }
  if (reason == ports::review::kAbsentNotRepeatable) {
    return "Its effect is not to be found, but a repeat would not be refused: money could be "
           "moved twice. Ask the payment service about the order. If it did nothing, close it as "
           "not-executed: then the same key runs again.";
  }
  if (reason == ports::review::kAmbiguous) {
    return "What is there fits this operation and others. Compare the related orders with the "
           "step: if one is its own, close it as done; if none is, as not-executed.";
  }
  if (reason == ports::review::kUnreadable) {
    return "Its evidence could not be read for too long. Look at the order at the payment service; "
           "closing it reads the evidence once more, and tells if it can be read again.";
  }
  return "Evidence does not decide what became of it. Compare the order with the steps.";
}

}  // namespace

std::string EnumText(const std::string& name, std::string_view prefix) {
  const std::string rest = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  return rest.empty() || rest == "UNSPECIFIED" ? "-" : rest;
}

std::string RpcText(const std::string& rpc) {
  const std::size_t slash = rpc.find('/');
  const std::size_t dot = rpc.rfind('.', slash);
  return Printable(dot == std::string::npos ? rpc : rpc.substr(dot + 1));
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return domain::ToRfc3339(domain::ToWallTime(time));
}

std::string WhatToDo(const Operation& operation) {
  switch (operation.state()) {
    case operations::v1::OPERATION_STATE_RUNNING:
      return "Nothing: a call is at work on it. If its process dies, another takes over when the "
             "lease ends.";
    case operations::v1::OPERATION_STATE_UNKNOWN:
      return "Nothing yet: its evidence is read until it decides, and if it cannot be read for "
             "too long, it goes to NEEDS_REVIEW. A person may close it after its quarantine. The "
             "caller may call again with the same idempotency key, never with another: that could "
             "do it twice.";
    case operations::v1::OPERATION_STATE_DONE:
      return "Nothing: it has its outcome, and the same key is answered with that.";
    case operations::v1::OPERATION_STATE_NOT_EXECUTED:
      return "Nothing was done. The caller may call again with the same idempotency key.";
    case operations::v1::OPERATION_STATE_AWAITS_APPROVAL:
      if (operation.approval().has_confirmed_by()) {
        return "The caller calls again with the same idempotency key and the same request, before "
               "it is over: then it runs.";
      }
      return absl::StrCat(
          "Nothing was sent. Another identity than the one that asked looks at it, and confirms it "
          "or lets it be:",
          HowToConfirm(operation), "\nMore in docs/guides/operators.md.");
    case operations::v1::OPERATION_STATE_NEEDS_REVIEW:
      return absl::StrCat(
          AboutReview(operation), "\n  tollbridge operations resolve ", Printable(operation.id()),
          operation.project().empty() ? "" : " --project " + Printable(operation.project()),
          " --as done|not-executed --note '...'\nUntil then its order takes no other operation. "
          "More in docs/runbooks/needs-review.md.");
    default:
      return "This program does not know its state: use the one of the gateway's version.";
  }
}

std::string OperationTable(const operations::v1::ListOperationsResponse& list) {
  if (list.operations().empty()) return "no operations\n";
  std::vector<Row> rows = {{"OPERATION", "STATE", "SINCE", "ATTEMPT", "RPC", "ORDER", "REASON"}};
  for (const Operation& operation : list.operations()) {
    rows.push_back({OrDash(operation.id()), StateText(operation.state()),
                    operation.has_since() ? TimeText(operation.since()) : "-",
                    absl::StrCat(operation.attempt()), RpcText(operation.rpc()),
                    OrDash(operation.order_id()), OrDash(operation.review_reason())});
  }
  return Table(rows);
}

std::string OperationStory(const Operation& operation) {
  std::string story = Table(Facts(operation));
  if (operation.has_approval()) absl::StrAppend(&story, ApprovalText(operation.approval()));
  absl::StrAppend(&story, "\nsteps\n");
  std::vector<Row> steps;
  for (const Step& step : operation.steps()) steps.push_back(StepRow(step));
  absl::StrAppend(&story, steps.empty() ? "  none was begun\n" : Table(steps));
  absl::StrAppend(&story, "\ntransitions\n");
  std::vector<Row> transitions;
  for (const Transition& transition : operation.transitions()) {
    transitions.push_back(TransitionRow(transition));
  }
  absl::StrAppend(&story, Table(transitions), "\nwhat to do\n", WhatToDo(operation), "\n");
  if (operation.approval().has_resolution() && !operation.approval().has_confirmed_by()) {
    absl::StrAppend(&story, "Another identity than the one that asked to close it confirms that:",
                    HowToConfirm(operation), "\n");
  }
  return story;
}

}  // namespace tollbridge::gateway
