#include "services/events/hint_handler.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>

#include "base/core/status_macros.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/timestamps.h"
#include "services/events/cut_letter.h"

namespace tollbridge::events {

using boost::asio::awaitable;
using ports::Millis;
using Answer = HintHandler::Answer;
using Verdict = HintHandler::Verdict;

namespace {

constexpr Millis kPortTimeout = std::chrono::seconds(5);
/// An order that is not found, or whose answer cannot be read, is asked for again after these; then
/// it is given up.
constexpr Millis kNotFoundDelays[] = {std::chrono::seconds(1), std::chrono::seconds(5),
                                      std::chrono::seconds(30)};
/// No replica lags for so long: what looks older has become true.
constexpr Millis kBelievedAfter = std::chrono::minutes(15);
/// The longest time between two looks at an order that a replica shows as it was.
constexpr Millis kLongestLook = std::chrono::minutes(1);
/// For what is about the project, its credentials or its rate, where the service does not say.
constexpr Millis kProjectDelay = std::chrono::seconds(30);

/// Of the name of a project in the log that is not configured.
constexpr std::size_t kLongestNameTold = 100;
constexpr std::uint32_t kQuickTries = std::size(kNotFoundDelays);
/// An order of ours that nobody has found for so long is gone.
constexpr Millis kGoneAfter = std::chrono::hours(24);
/// So is what an old order was made from.
constexpr Millis kParentGoneAfter = std::chrono::hours(1);
/// What nothing would be due of is not tried for longer.
constexpr Millis kTriedFor = std::chrono::hours(24 * 7);

/// First as kNotFoundDelays, then the shortest read interval, doubled with each try, up to the
/// longest, and from there four times as long with each, up to that of old orders.
Millis FailureDelay(std::uint32_t tries, const Settings& settings) {
  if (tries <= kQuickTries) return kNotFoundDelays[tries - 1];
  Millis delay = settings.shortest_read_interval;
  const Millis longest = LongestInterval(settings);
  for (std::uint32_t i = kQuickTries; i < tries && delay < longest; ++i) {
    const bool young = delay < settings.longest_read_interval;
    delay =
        young ? std::min(delay * 2, settings.longest_read_interval) : std::min(delay * 4, longest);
  }
  return delay;
}

Answer AnswerOf(const ReadResult& result) {
  if (result.outcome == ReadOutcome::kNoAnswer) return Answer::kNone;
  return result.answered ? Answer::kCame : Answer::kNotAsked;
}

/// It is not known whether there is such an order. Unless it `must_end`, what could not be asked
/// for, or was answered with an error, does not count as made up either.
bool SaysNothing(ReadOutcome outcome, bool must_end) {
  switch (outcome) {
    case ReadOutcome::kPutOff:
    case ReadOutcome::kNoAnswer:
      return true;
    case ReadOutcome::kOverBudget:
    case ReadOutcome::kProjectRefused:
    case ReadOutcome::kFailed:
      return !must_end;
    default:
      return false;
  }
}

/// After which the order waits in the due queue.
bool Waits(ReadOutcome outcome) {
  return outcome != ReadOutcome::kDone && outcome != ReadOutcome::kOrphan &&
         outcome != ReadOutcome::kOutage;
}

}  // namespace

ports::Context HintHandler::MakeContext(const ports::HintRecord& record) const {
  return {.deadline = ports_.clock.BootNow() + kPortTimeout, .trace = record.trace};
}

ports::Context HintHandler::MakeContext() const {
  return {.deadline = ports_.clock.BootNow() + kPortTimeout, .trace = {}};
}

awaitable<HintHandler::Handled> HintHandler::Handle(const std::vector<ReceivedHint>& hints,
                                                    int attempt, const Situation& situation) {
  const ReceivedHint& first = hints.front();
  if (!first.hint) {
    co_return Handled{.verdict = co_await Unusable(first.record, situation.pressed)};
  }

  const ParsedHint& hint = *first.hint;
  const bool of_members = OfMembersAlone(hints);
  // Somebody asks for it anew.
  if (!of_members && slow_known_.IsGone(hint.key)) Forget(hint.key);
  ReadRequest request = RequestOf(hints);
  request.put_off = situation.put_off;
  // For so long only: its outcomes are promised.
  request.wait_for_members = slow_known_.Tries(hint.key) < kQuickTries;
  const std::optional<WallTime> older_since = slow_known_.OlderSince(hint.key);
  request.believe_older = older_since && ports_.clock.WallNow() - *older_since >= kBelievedAfter;
  const std::optional<WallTime> no_parent_since = slow_known_.NoParentSince(hint.key);
  request.parent_may_be_gone =
      no_parent_since && ports_.clock.WallNow() - *no_parent_since >= kParentGoneAfter;
  if (of_members && IsWaitedFor(hint.key)) {
    const absl::StatusOr<std::optional<WallTime>> due = co_await DueOf(hint.key);
    if (!due.ok()) co_return Handled{.verdict = Verdict::kTryAgain};
    if (*due && **due > ports_.clock.WallNow()) {
      const bool kept = co_await KeepMembers(hint, request.members);
      co_return Handled{.verdict = kept ? Verdict::kFinished : Verdict::kTryAgain};
    }
  }
  ReadResult result = co_await ports_.reader.Read(*hint.project, hint.key, request);
  // Of who is named nothing is known yet.
  if (!request.members.empty()) result.settled = false;
  LogFailures(first, result, attempt);
  Handled handled{.answer = AnswerOf(result)};
  // What was put back before is not made up for want of an answer now, but holds up no others.
  const Ending ending = co_await Conclude(first, result, attempt == 1 || situation.crowded);
  if (ending == Ending::kTryAgain) {
    handled.verdict = result.pending ? Verdict::kNotTold : Verdict::kTryAgain;
    co_return handled;
  }
  if (ending == Ending::kNoRoom) {
    handled.verdict = Verdict::kNoRoom;
    co_return handled;
  }
  // Where the root was read, the family knows of them.
  const bool over = ending == Ending::kOver || result.outcome == ReadOutcome::kDone;
  if (!over && !co_await KeepMembers(hint, request.members)) handled.verdict = Verdict::kTryAgain;
  co_return handled;
}

bool HintHandler::IsWaitedFor(const ports::FamilyKey& root) const {
  const std::optional<WallTime> failed = slow_known_.LastFailure(root);
  return slow_known_.Tries(root) > kQuickTries && failed &&
         ports_.clock.WallNow() - *failed < settings_.longest_read_interval;
}

Async<std::optional<WallTime>> HintHandler::DueOf(const ports::FamilyKey& key) {
  TB_CO_ASSIGN_OR_RETURN(const ports::FamilyState state,
                         co_await ports_.snapshots.Load(key, MakeContext()));
  co_return state.due;
}

awaitable<bool> HintHandler::KeepMembers(const ParsedHint& hint, const std::vector<Uuid>& members) {
  if (members.empty()) co_return true;
  const absl::StatusOr<std::optional<WallTime>> root_due = co_await DueOf(hint.key);
  if (!root_due.ok()) co_return false;
  const WallTime soonest = ports_.clock.WallNow() + settings_.longest_read_interval;
  const WallTime due = std::max(root_due->value_or(soonest), soonest);
  for (const Uuid& member : members) {
    const ports::FamilyKey key{.project = hint.key.project, .root = member};
    const absl::Status entered = co_await ports_.due_queue.Enter(key, due, MakeContext());
    if (!entered.ok()) co_return false;
  }
  co_return true;
}

awaitable<Verdict> HintHandler::Unusable(const ports::HintRecord& record, bool pressed) {
  const std::optional<v1::Hint> hint = WellFormed(record);
  // A process with another configuration may have the project. Its poller does not rest until the
  // order is read; a letter for each of its hints would tell nothing more.
  if (hint && !RepeatedBy(hint->source()).empty()) {
    PassOver(*hint);
    co_return Verdict::kFinished;
  }
  const WallTime now = ports_.clock.WallNow();
  co_return co_await WriteDeadLetter({.record = record,
                                      .cause = hint ? "unknown_project" : "unparsable",
                                      .tries = 1,
                                      .first_failure = now,
                                      .last_failure = now},
                                     pressed);
}

void HintHandler::PassOver(const v1::Hint& hint) {
  const std::string_view source = RepeatedBy(hint.source());
  ports_.metrics.Get(telemetry::kHintsOfUnknownProjects, {source}).Increment();
  const std::optional<std::uint64_t> count = passed_over_.Count(ports_.clock.BootNow());
  if (!count) return;
  telemetry::Log(telemetry::Severity::kWarning, "hints_of_unknown_project",
                 {{"project", hint.project().substr(0, kLongestNameTold)},
                  {"source", source},
                  {"count", *count}});
}

void HintHandler::LogFailures(const ReceivedHint& received, const ReadResult& result,
                              int attempt) const {
  // A flood of made-up orders is counted, not told one by one.
  if (result.outcome == ReadOutcome::kOverBudget) return;
  for (const auto& [cause, event] : {std::pair(&result.cause, "order_read_failed"),
                                     std::pair(&result.member_cause, "member_read_failed")}) {
    if (cause->ok()) continue;
    telemetry::Log(telemetry::Severity::kWarning, event,
                   {telemetry::OrderId(received.hint->key.root.ToString()),
                    {"project", received.hint->key.project},
                    {"cause", std::string(cause->message())},
                    {"attempt", attempt},
                    telemetry::Trace(received.record.trace)});
  }
}

awaitable<HintHandler::Ending> HintHandler::Conclude(const ReceivedHint& received,
                                                     const ReadResult& result, bool must_end) {
  const ParsedHint& hint = *received.hint;
  SlowSet& slow = result.unknown ? slow_unknown_ : slow_known_;
  if (result.unknown && Waits(result.outcome) &&
      !slow_unknown_.Hold(hint.key, ports_.clock.WallNow())) {
    // The sweep finds it, if there is such an order.
    if (!SaysNothing(result.outcome, must_end)) {
      co_return co_await GiveUp(hint, result, "too_many_unknown_orders");
    }
    // What is in the due queue takes no more of the store.
    if (!result.seen_due) co_return Ending::kNoRoom;
  }
  Ending ending = Ending::kOver;
  switch (result.outcome) {
    case ReadOutcome::kDone:
      if (result.member_outcome != ReadOutcome::kDone) {
        ending = co_await MemberFailed(received, result);
      } else if (!result.partial) {
        // Else a member that failed in another round of the cycle would always fail first.
        Forget(hint.key);
      }
      break;
    case ReadOutcome::kOrphan:
      ending = co_await Orphan(hint, result);
      break;
    case ReadOutcome::kNotFound:
      ending = co_await NotFound(hint, result, slow);
      break;
    case ReadOutcome::kProjectRefused:
      ending = co_await ReadLater(
          hint, result, std::max(kReadSpacing, RetryAfter(result.cause).value_or(kProjectDelay)));
      break;
    case ReadOutcome::kPutOff:
      ending = co_await ReadLater(hint, result, kProjectDelay);
      break;
    case ReadOutcome::kUnreadable:
      ending = co_await Unreadable(received, result, slow);
      break;
    case ReadOutcome::kOlder:
      ending = co_await Older(hint, result);
      break;
    case ReadOutcome::kFailed:
    case ReadOutcome::kNoAnswer:
      ending = co_await Failed(received, result, slow);
      break;
    case ReadOutcome::kOverBudget:
      ending =
          co_await ReadLater(hint, result, ports_.reader.RetryDelay(*hint.project, result.unknown));
      break;
    case ReadOutcome::kOutage:
      ending = Ending::kTryAgain;
      break;
  }
  co_return ending;
}

awaitable<HintHandler::Ending> HintHandler::MemberFailed(const ReceivedHint& received,
                                                         const ReadResult& result) {
  const ParsedHint& hint = *received.hint;
  if (result.member_outcome == ReadOutcome::kUnreadable) {
    co_return co_await Unreadable(received, result, slow_known_);
  }
  if (result.member_outcome == ReadOutcome::kOlder) co_return co_await Older(hint, result);
  if (result.member_outcome != ReadOutcome::kNotFound) {
    co_return co_await Failed(received, result, slow_known_);
  }
  const auto tries = slow_known_.Count(hint.key, ports_.clock.WallNow());
  if (tries && *tries <= kQuickTries) {
    co_return co_await ReadLater(hint, result, kNotFoundDelays[*tries - 1]);
  }
  // The family knows of it: it is looked for again whenever the family is read.
  Drop(hint, "member_not_found");
  co_return Ending::kOver;
}

awaitable<HintHandler::Ending> HintHandler::Older(const ParsedHint& hint,
                                                  const ReadResult& result) {
  const WallTime now = ports_.clock.WallNow();
  slow_known_.Count(hint.key, now, SlowSet::Failure::kOlder);
  const WallTime since = slow_known_.OlderSince(hint.key).value_or(now - kLongestLook);
  co_return co_await ReadLater(hint, result,
                               std::clamp<Millis>(now - since, kReadSpacing, kLongestLook));
}

awaitable<HintHandler::Ending> HintHandler::Failed(const ReceivedHint& received,
                                                   const ReadResult& result, SlowSet& slow) {
  const ParsedHint& hint = *received.hint;
  const auto tries =
      slow.Count(hint.key, ports_.clock.WallNow(),
                 result.no_parent ? SlowSet::Failure::kNoParent : SlowSet::Failure::kOther);
  if (FailsForGood(hint, result, slow)) co_return co_await GiveUpUnread(received, result, slow);
  co_return co_await ReadLater(
      hint, result, tries ? FailureDelay(*tries, settings_) : settings_.longest_read_interval);
}

awaitable<HintHandler::Ending> HintHandler::NotFound(const ParsedHint& hint,
                                                     const ReadResult& result, SlowSet& slow) {
  const auto tries = slow.Count(hint.key, ports_.clock.WallNow(), SlowSet::Failure::kNotFound);
  if (tries && *tries <= kQuickTries) {
    co_return co_await ReadLater(hint, result, kNotFoundDelays[*tries - 1]);
  }
  co_return co_await GiveUp(hint, result, "not_found");
}

awaitable<HintHandler::Ending> HintHandler::GiveUp(const ParsedHint& hint, const ReadResult& result,
                                                   std::string_view cause) {
  // An order that we know of, from a snapshot or from the operation that created it, stays in the
  // due queue for a day: the service may find it again. What nobody has ever seen is forgotten.
  const absl::StatusOr<ports::FamilyState> state =
      co_await ports_.snapshots.Load(hint.key, MakeContext());
  if (!state.ok()) co_return Ending::kTryAgain;
  const std::optional<WallTime> since = slow_known_.NotFoundSince(hint.key);
  if (IsKnown(*state) && (!since || ports_.clock.WallNow() - *since < kGoneAfter)) {
    const std::uint32_t tries = slow_known_.Tries(hint.key);
    co_return co_await ReadLater(
        hint, result, tries > 0 ? FailureDelay(tries, settings_) : settings_.longest_read_interval);
  }
  const Ending ending = co_await TakeOut(hint, result);
  if (ending == Ending::kTryAgain) co_return ending;
  if (IsKnown(*state)) {
    DropGone(hint, *since);
  } else {
    Drop(hint, cause);
  }
  co_return Ending::kOver;
}

awaitable<HintHandler::Ending> HintHandler::Unreadable(const ReceivedHint& received,
                                                       const ReadResult& result, SlowSet& slow) {
  const ParsedHint& hint = *received.hint;
  const auto tries = slow.Count(hint.key, ports_.clock.WallNow());
  if (tries && *tries <= kQuickTries) {
    co_return co_await ReadLater(hint, result, kNotFoundDelays[*tries - 1]);
  }
  if (FailsForGood(hint, result, slow)) co_return co_await GiveUpUnread(received, result, slow);
  // Else it is written after a later read.
  if (!co_await KeepLetter(received, slow)) {
    co_return co_await ReadLater(hint, result, kProjectDelay);
  }
  co_return co_await ReadLater(
      hint, result, tries ? FailureDelay(*tries, settings_) : LongestInterval(settings_));
}

bool HintHandler::FailsForGood(const ParsedHint& hint, const ReadResult& result,
                               const SlowSet& slow) const {
  const std::optional<WallTime> first = slow.FirstFailure(hint.key);
  return result.settled && !result.pending && first && ports_.clock.WallNow() - *first >= kTriedFor;
}

awaitable<HintHandler::Ending> HintHandler::GiveUpUnread(const ReceivedHint& received,
                                                         const ReadResult& result, SlowSet& slow) {
  if (!co_await KeepLetter(received, slow)) {
    co_return co_await ReadLater(*received.hint, result, kProjectDelay);
  }
  const Ending ending = co_await TakeOut(*received.hint, result);
  if (ending == Ending::kOver) Drop(*received.hint, "never_read");
  co_return ending;
}

awaitable<bool> HintHandler::KeepLetter(const ReceivedHint& received, SlowSet& slow) {
  const ports::FamilyKey& key = received.hint->key;
  // One of an order: it is read again by itself, and a replay does no more than that.
  if (slow.HasLetter(key)) co_return true;
  const WallTime now = ports_.clock.WallNow();
  const Verdict written =
      co_await WriteDeadLetter({.record = received.record,
                                .cause = "unreadable_answer",
                                .tries = std::max<std::uint32_t>(slow.Tries(key), 1),
                                .first_failure = slow.FirstFailure(key).value_or(now),
                                .last_failure = now});
  if (written == Verdict::kTryAgain) co_return false;
  slow.NoteLetter(key);
  co_return true;
}

awaitable<HintHandler::Ending> HintHandler::Orphan(const ParsedHint& hint,
                                                   const ReadResult& result) {
  Forget(hint.key);
  if (!result.look_again) co_return co_await TakeOut(hint, result);
  // It may be adopted, or paid, when what has happened to it is older than the baseline.
  if (!co_await KeepNotice(hint, result)) co_return Ending::kTryAgain;
  const absl::Status set =
      co_await ports_.due_queue.Set(hint.key, *result.look_again, result.seen_due, MakeContext());
  co_return set.ok() ? Ending::kWaits : Ending::kTryAgain;
}

awaitable<HintHandler::Ending> HintHandler::TakeOut(const ParsedHint& hint,
                                                    const ReadResult& result) {
  if (!result.seen_due) co_return Ending::kOver;
  const absl::Status removed =
      co_await ports_.due_queue.RemoveIf(hint.key, *result.seen_due, MakeContext());
  co_return removed.ok() ? Ending::kOver : Ending::kTryAgain;
}

awaitable<bool> HintHandler::KeepNotice(const ParsedHint& hint, const ReadResult& result) {
  if (!result.noticed) co_return true;
  const absl::Status noted =
      co_await ports_.due_queue.Note(hint.key, *result.noticed, MakeContext());
  co_return noted.ok();
}

awaitable<HintHandler::Ending> HintHandler::ReadLater(const ParsedHint& hint,
                                                      const ReadResult& result, Millis delay) {
  if (!co_await KeepNotice(hint, result)) co_return Ending::kTryAgain;
  const absl::Status set = co_await ports_.due_queue.Set(hint.key, ports_.clock.WallNow() + delay,
                                                         result.seen_due, MakeContext());
  co_return set.ok() ? Ending::kWaits : Ending::kTryAgain;
}

awaitable<Verdict> HintHandler::WriteDeadLetter(const ports::DeadLetter& letter, bool pressed) {
  absl::Status appended = co_await ports_.dead_letters.Append(letter, MakeContext(letter.record));
  if (absl::IsInvalidArgument(appended)) {
    // Whole it is never taken.
    const ports::DeadLetter cut = CutLetter(letter);
    appended = co_await ports_.dead_letters.Append(cut, MakeContext(letter.record));
  }
  if (!appended.ok() && !pressed && OutcomeOfInfrastructure(appended) == ReadOutcome::kOutage) {
    co_return Verdict::kTryAgain;
  }
  if (!appended.ok()) {
    // Nothing would be won by waiting: those behind it would never be read.
    ports_.metrics.Get(telemetry::kHintsDeadLettered, {"not_taken"}).Increment();
    telemetry::Log(telemetry::Severity::kError, "hint_not_buried",
                   {{"cause", letter.cause},
                    {"reason", std::string(appended.message())},
                    {"partition", letter.record.partition},
                    {"offset", letter.record.offset},
                    telemetry::Trace(letter.record.trace)});
    co_return Verdict::kFinished;
  }
  ports_.metrics.Get(telemetry::kHintsDeadLettered, {letter.cause}).Increment();
  telemetry::Log(telemetry::Severity::kError, "hint_dead_lettered",
                 {{"cause", letter.cause},
                  {"partition", letter.record.partition},
                  {"offset", letter.record.offset},
                  {"tries", letter.tries},
                  telemetry::Trace(letter.record.trace)});
  co_return Verdict::kFinished;
}

void HintHandler::ForgetTries() {
  slow_known_.ForgetAll();
  slow_unknown_.ForgetAll();
}

void HintHandler::Forget(const ports::FamilyKey& key) {
  slow_known_.Forget(key);
  slow_unknown_.Forget(key);
}

void HintHandler::DropGone(const ParsedHint& hint, WallTime since) {
  // Its tries stay counted, so that the members that wait for it come to their end too.
  if (slow_known_.IsGone(hint.key)) return;
  slow_known_.NoteGone(hint.key);
  ports_.metrics.Get(telemetry::kReads, {"gone", hint.key.project}).Increment();
  telemetry::Log(telemetry::Severity::kWarning, "order_gone",
                 {telemetry::OrderId(hint.key.root.ToString()),
                  {"project", hint.key.project},
                  {"not_found_since", domain::ToRfc3339(since)}});
}

void HintHandler::Drop(const ParsedHint& hint, std::string_view cause) {
  Forget(hint.key);
  ports_.metrics.Get(telemetry::kReads, {"dropped", hint.key.project}).Increment();
  telemetry::Log(telemetry::Severity::kWarning, "hint_dropped",
                 {telemetry::OrderId(hint.key.root.ToString()),
                  {"project", hint.key.project},
                  {"cause", cause}});
}

}  // namespace tollbridge::events
