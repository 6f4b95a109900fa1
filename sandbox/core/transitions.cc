#include "sandbox/core/transitions.h"

#include <array>
#include <cstddef>

namespace tollbridge::sandbox {
namespace {

using O = OrderStatus;
using T = TransactionStatus;
using L = LinkStatus;

constexpr std::array<Transition<O>, 11> kOrders{{
    {O::kNew, Trigger::kStarted, O::kProcessing},
    {O::kNew, Trigger::kCancelled, O::kCancelled},
    {O::kNew, Trigger::kExpired, O::kExpired},
    {O::kProcessing, Trigger::kApproved, O::kCompleted},
    {O::kProcessing, Trigger::kDeclined, O::kError},
    {O::kProcessing, Trigger::kIssuerFailed, O::kError},
    {O::kProcessing, Trigger::kCancelled, O::kCancelled},
    {O::kProcessing, Trigger::kExpired, O::kExpired},
    {O::kProcessing, Trigger::kSettled, O::kCompleted},
    {O::kCompleted, Trigger::kPaidTwice, O::kSeeTransactions},
    {O::kError, Trigger::kLateApproved, O::kCompleted},
}};

constexpr std::array<Transition<T>, 15> kTransactions{{
    {T::kNew, Trigger::kStarted, T::kAccepted},
    {T::kNew, Trigger::kChallenged, T::kPending},
    {T::kNew, Trigger::kSubmitted, T::kPending},
    {T::kNew, Trigger::kCancelled, T::kCancelled},
    {T::kNew, Trigger::kExpired, T::kExpired},
    {T::kPending, Trigger::kChallengePassed, T::kAccepted},
    {T::kPending, Trigger::kApproved, T::kCompleted},
    {T::kPending, Trigger::kDeclined, T::kDeclined},
    {T::kPending, Trigger::kCancelled, T::kCancelled},
    {T::kPending, Trigger::kExpired, T::kExpired},
    {T::kAccepted, Trigger::kApproved, T::kCompleted},
    {T::kAccepted, Trigger::kDeclined, T::kDeclined},
    {T::kAccepted, Trigger::kIssuerFailed, T::kError},
    {T::kDeclined, Trigger::kLateApproved, T::kCompleted},
    {T::kError, Trigger::kLateApproved, T::kCompleted},
}};

constexpr std::array<Transition<L>, 8> kLinks{{
    {L::kNew, Trigger::kStarted, L::kProcessing},
    {L::kNew, Trigger::kExpired, L::kExpired},
    {L::kProcessing, Trigger::kApproved, L::kCompleted},
    {L::kProcessing, Trigger::kAllAttemptsFailed, L::kAllUnsuccessful},
    {L::kAllUnsuccessful, Trigger::kStarted, L::kProcessing},
    {L::kAllUnsuccessful, Trigger::kLateApproved, L::kCompleted},
    {L::kAllUnsuccessful, Trigger::kExpired, L::kExpired},
    {L::kExpired, Trigger::kLateApproved, L::kCompleted},
}};

template <typename Status, std::size_t N>
std::optional<Status> Find(const std::array<Transition<Status>, N>& table, Status from,
                           Trigger trigger) {
  for (const Transition<Status>& line : table) {
    if (line.from == from && line.trigger == trigger) return line.to;
  }
  return std::nullopt;
}

/// A name that Mermaid takes: no hyphens.
std::string Node(std::string_view status) {
  std::string out(status);
  for (char& c : out) {
    if (c == '-') c = '_';
  }
  return out;
}

template <typename Status, std::size_t N>
std::string Draw(std::string_view title, const std::array<Transition<Status>, N>& table) {
  std::string out =
      "\n## " + std::string(title) + "\n\n```mermaid\nstateDiagram-v2\n    [*] --> new\n";
  for (const Transition<Status>& line : table) {
    out += "    " + Node(Text(line.from)) + " --> " + Node(Text(line.to)) + " : " +
           std::string(Text(line.trigger)) + "\n";
  }
  out += "```\n\n| from | trigger | to |\n|---|---|---|\n";
  for (const Transition<Status>& line : table) {
    out += "| " + std::string(Text(line.from)) + " | " + std::string(Text(line.trigger)) + " | " +
           std::string(Text(line.to)) + " |\n";
  }
  return out;
}

}  // namespace

std::string_view Text(Trigger trigger) {
  switch (trigger) {
    case Trigger::kStarted:
      return "started";
    case Trigger::kChallenged:
      return "challenged";
    case Trigger::kChallengePassed:
      return "challenge passed";
    case Trigger::kSubmitted:
      return "submitted";
    case Trigger::kApproved:
      return "approved";
    case Trigger::kDeclined:
      return "declined";
    case Trigger::kIssuerFailed:
      return "issuer failed";
    case Trigger::kCancelled:
      return "cancelled";
    case Trigger::kExpired:
      return "expired";
    case Trigger::kSettled:
      return "settled";
    case Trigger::kPaidTwice:
      return "paid twice";
    case Trigger::kLateApproved:
      return "late approved";
    case Trigger::kAllAttemptsFailed:
      return "all attempts failed";
  }
  return "";
}

std::span<const Transition<OrderStatus>> OrderTransitions() { return kOrders; }
std::span<const Transition<TransactionStatus>> TransactionTransitions() { return kTransactions; }
std::span<const Transition<LinkStatus>> LinkTransitions() { return kLinks; }

std::optional<OrderStatus> Next(OrderStatus from, Trigger trigger) {
  return Find(kOrders, from, trigger);
}
std::optional<TransactionStatus> Next(TransactionStatus from, Trigger trigger) {
  return Find(kTransactions, from, trigger);
}
std::optional<LinkStatus> Next(LinkStatus from, Trigger trigger) {
  return Find(kLinks, from, trigger);
}

std::string DrawTransitions() {
  return "# How statuses change in the sandbox\n\n"
         "Drawn from sandbox/core/transitions.cc; a test compares this page with it and\n"
         "prints what it should be.\n" +
         Draw("Order", kOrders) + Draw("Transaction", kTransactions) + Draw("Payment link", kLinks);
}

}  // namespace tollbridge::sandbox
