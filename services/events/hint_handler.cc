#include "services/events/hint_handler.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>

#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "services/domain/timestamps.h"
#include "services/events/cut_letter.h"
#include "services/events/due_schedule.h"

namespace tollbridge::events {

using boost::asio::awaitable;
using ports::Millis;
using Verdict = HintHandler::Verdict;

namespace {

constexpr Millis kPortTimeout = std::chrono::seconds(5);
/// An order that is not found, or whose answer cannot be read, is asked for again after these; then
/// it is given up.
constexpr Millis kNotFoundDelays[] = {std::chrono::seconds(1), std::chrono::seconds(5),
                                      std::chrono::seconds(30)};
/// For what is about the project: its credentials, its rate.
constexpr Millis kProjectDelay = std::chrono::seconds(30);

/// First as kNotFoundDelays, then the shortest read interval, doubled with each try, up to the
/// longest.
Millis FailureDelay(std::uint32_t tries, const Settings& settings) {
  constexpr std::uint32_t kQuick = std::size(kNotFoundDelays);
  if (tries <= kQuick) return kNotFoundDelays[tries - 1];
  const auto doublings = std::min(tries - kQuick, 5U);
  return std::min(settings.shortest_read_interval * (1 << doublings),
                  settings.longest_read_interval);
}

/// After which the order waits in the due queue.
bool Waits(ReadOutcome outcome) {
  return outcome != ReadOutcome::kDone && outcome != ReadOutcome::kOrphan &&
         outcome != ReadOutcome::kOutage;
}

/// One read for all of them.
ReadRequest RequestOf(const std::vector<ReceivedHint>& hints) {
  const ReceivedHint& first = hints.front();
  ReadRequest request{.webhook_accepted = std::nullopt,
                      .trace = first.record.trace,
                      .noticed_at = first.hint->noticed_at,
                      .members = {}};
  for (const ReceivedHint& each : hints) {
    const ParsedHint& hint = *each.hint;
    request.noticed_at = std::min(request.noticed_at, hint.noticed_at);
    if (hint.member) request.members.push_back(*hint.member);
    request.thorough = request.thorough || hint.source == v1::HINT_SOURCE_POLLER ||
                       hint.source == v1::HINT_SOURCE_SWEEP ||
                       hint.source == v1::HINT_SOURCE_OPERATOR;
    request.trusted = request.trusted || hint.source == v1::HINT_SOURCE_SWEEP ||
                      hint.source == v1::HINT_SOURCE_OPERATOR ||
                      hint.source == v1::HINT_SOURCE_READER;
    if (hint.source != v1::HINT_SOURCE_WEBHOOK || request.webhook_accepted) continue;
    request.webhook_accepted = hint.noticed_at;
    request.trace = each.record.trace;
  }
  return request;
}

}  // namespace

std::optional<ParsedHint> ParseHint(const ports::HintRecord& record,
                                    const domain::Projects& projects) {
  v1::Hint hint;
  if (!hint.ParseFromString(record.value)) return std::nullopt;
  const std::optional<Uuid> order = Uuid::Parse(hint.order_id());
  const domain::Project* project = hint.project().empty() ? nullptr : projects.Find(hint.project());
  if (!order || project == nullptr) return std::nullopt;
  const std::optional<Uuid> member = Uuid::Parse(hint.member());
  if (hint.has_member() && !member) return std::nullopt;
  return ParsedHint{.project = project,
                    .key = {.project = project->name, .root = *order},
                    .member = member,
                    .source = hint.source(),
                    .noticed_at = domain::ToWallTime(hint.noticed_at())};
}

ports::Context HintHandler::MakeContext(const ports::HintRecord& record) const {
  return {.deadline = ports_.clock.BootNow() + kPortTimeout, .trace = record.trace};
}

ports::Context HintHandler::MakeContext() const {
  return {.deadline = ports_.clock.BootNow() + kPortTimeout, .trace = {}};
}

awaitable<Verdict> HintHandler::Handle(const std::vector<ReceivedHint>& hints, int attempt) {
  const ReceivedHint& first = hints.front();
  if (!first.hint) {
    const WallTime now = ports_.clock.WallNow();
    co_return co_await WriteDeadLetter({.record = first.record,
                                        .cause = "unparsable",
                                        .tries = 1,
                                        .first_failure = now,
                                        .last_failure = now});
  }

  const ParsedHint& hint = *first.hint;
  ReadRequest request = RequestOf(hints);
  // For so long only: its outcomes are promised.
  request.wait_for_members = slow_known_.Tries(hint.key) < std::size(kNotFoundDelays);
  const ReadResult result = co_await ports_.reader.Read(*hint.project, hint.key, request);
  LogFailures(first, result, attempt);
  co_return co_await Conclude(first, result);
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

awaitable<Verdict> HintHandler::Conclude(const ReceivedHint& received, const ReadResult& result) {
  const ParsedHint& hint = *received.hint;
  SlowSet& slow = result.unknown ? slow_unknown_ : slow_known_;
  if (result.unknown && Waits(result.outcome) &&
      !slow_unknown_.Hold(hint.key, ports_.clock.WallNow())) {
    // The sweep finds it, if there is such an order.
    co_return co_await GiveUp(hint, "too_many_unknown_orders");
  }
  Verdict verdict = Verdict::kFinished;
  switch (result.outcome) {
    case ReadOutcome::kDone:
      if (result.member_outcome == ReadOutcome::kDone) {
        Forget(hint.key);
      } else {
        verdict = co_await MemberFailed(received, result);
      }
      break;
    case ReadOutcome::kOrphan:
      verdict = co_await Orphan(hint, result.look_again);
      break;
    case ReadOutcome::kNotFound:
      verdict = co_await NotFound(hint, slow);
      break;
    case ReadOutcome::kProjectRefused:
      verdict = co_await ReadLater(
          hint, std::max(kProjectDelay, RetryAfter(result.cause).value_or(Millis(0))));
      break;
    case ReadOutcome::kUnreadable:
      verdict = co_await Unreadable(received, slow);
      break;
    case ReadOutcome::kFailed:
    case ReadOutcome::kNoAnswer:
      verdict = co_await Failed(hint, slow);
      break;
    case ReadOutcome::kOverBudget:
      verdict = co_await ReadLater(hint, ports_.reader.RetryDelay(*hint.project, result.unknown));
      break;
    case ReadOutcome::kOutage:
      verdict = Verdict::kTryAgain;
      break;
  }
  co_return verdict;
}

awaitable<Verdict> HintHandler::MemberFailed(const ReceivedHint& received,
                                             const ReadResult& result) {
  const ParsedHint& hint = *received.hint;
  if (result.member_outcome == ReadOutcome::kUnreadable) {
    co_return co_await Unreadable(received, slow_known_);
  }
  if (result.member_outcome != ReadOutcome::kNotFound) {
    co_return co_await Failed(hint, slow_known_);
  }
  const auto tries = slow_known_.Count(hint.key, ports_.clock.WallNow());
  if (tries && *tries <= std::size(kNotFoundDelays)) {
    co_return co_await ReadLater(hint, kNotFoundDelays[*tries - 1]);
  }
  // The family knows of it: it is looked for again whenever the family is read.
  Drop(hint, "member_not_found");
  co_return Verdict::kFinished;
}

awaitable<Verdict> HintHandler::Failed(const ParsedHint& hint, SlowSet& slow) {
  const auto tries = slow.Count(hint.key, ports_.clock.WallNow());
  co_return co_await ReadLater(
      hint, tries ? FailureDelay(*tries, settings_) : settings_.longest_read_interval);
}

awaitable<Verdict> HintHandler::NotFound(const ParsedHint& hint, SlowSet& slow) {
  const auto tries = slow.Count(hint.key, ports_.clock.WallNow());
  if (tries && *tries <= std::size(kNotFoundDelays)) {
    co_return co_await ReadLater(hint, kNotFoundDelays[*tries - 1]);
  }
  co_return co_await GiveUp(hint, "not_found");
}

awaitable<Verdict> HintHandler::GiveUp(const ParsedHint& hint, std::string_view cause) {
  // An order that we know of, from a snapshot or from the operation that created it, stays in the
  // due queue: the service may find it again. What nobody has ever seen is forgotten.
  const absl::StatusOr<ports::FamilyState> state =
      co_await ports_.snapshots.Load(hint.key, MakeContext());
  if (!state.ok()) co_return Verdict::kTryAgain;
  Verdict verdict = Verdict::kFinished;
  if (IsKnown(*state)) {
    verdict = co_await ReadLater(hint, settings_.longest_read_interval);
  } else if (state->due) {
    const absl::Status removed =
        co_await ports_.due_queue.RemoveIf(hint.key, *state->due, MakeContext());
    if (!removed.ok()) verdict = Verdict::kTryAgain;
  }
  if (verdict == Verdict::kFinished) Drop(hint, cause);
  co_return verdict;
}

awaitable<Verdict> HintHandler::Unreadable(const ReceivedHint& received, SlowSet& slow) {
  const ParsedHint& hint = *received.hint;
  const WallTime now = ports_.clock.WallNow();
  const auto tries = slow.Count(hint.key, now);
  if (tries && *tries <= std::size(kNotFoundDelays)) {
    co_return co_await ReadLater(hint, kNotFoundDelays[*tries - 1]);
  }
  const Verdict written =
      co_await WriteDeadLetter({.record = received.record,
                                .cause = "unreadable_answer",
                                .tries = tries.value_or(1),
                                .first_failure = slow.FirstFailure(hint.key).value_or(now),
                                .last_failure = now});
  if (written == Verdict::kTryAgain) co_return written;
  Forget(hint.key);
  co_return co_await ReadLater(hint, settings_.longest_read_interval);
}

awaitable<Verdict> HintHandler::Orphan(const ParsedHint& hint, std::optional<WallTime> look_again) {
  Forget(hint.key);
  // Enter alone would keep the poller's earlier time. A crash in between reads the hint again.
  const absl::Status removed = co_await ports_.due_queue.Remove(hint.key, MakeContext());
  if (!removed.ok()) co_return Verdict::kTryAgain;
  if (!look_again) co_return Verdict::kFinished;
  const absl::Status entered =
      co_await ports_.due_queue.Enter(hint.key, *look_again, MakeContext());
  co_return entered.ok() ? Verdict::kFinished : Verdict::kTryAgain;
}

awaitable<Verdict> HintHandler::ReadLater(const ParsedHint& hint, Millis delay) {
  const absl::Status entered =
      co_await ports_.due_queue.Enter(hint.key, ports_.clock.WallNow() + delay, MakeContext());
  co_return entered.ok() ? Verdict::kFinished : Verdict::kTryAgain;
}

awaitable<Verdict> HintHandler::WriteDeadLetter(const ports::DeadLetter& letter) {
  absl::Status appended = co_await ports_.dead_letters.Append(letter, MakeContext(letter.record));
  if (absl::IsInvalidArgument(appended)) {
    // Whole it is never taken.
    const ports::DeadLetter cut = CutLetter(letter);
    appended = co_await ports_.dead_letters.Append(cut, MakeContext(letter.record));
  }
  if (!appended.ok() && OutcomeOfInfrastructure(appended) == ReadOutcome::kOutage) {
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

void HintHandler::Forget(const ports::FamilyKey& key) {
  slow_known_.Forget(key);
  slow_unknown_.Forget(key);
}

void HintHandler::Drop(const ParsedHint& hint, std::string_view cause) {
  Forget(hint.key);
  ports_.metrics.Get(telemetry::kReads, {"dropped"}).Increment();
  telemetry::Log(telemetry::Severity::kWarning, "hint_dropped",
                 {telemetry::OrderId(hint.key.root.ToString()),
                  {"project", hint.key.project},
                  {"cause", cause}});
}

}  // namespace tollbridge::events
