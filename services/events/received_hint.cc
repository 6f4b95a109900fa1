#include "services/events/received_hint.h"

#include <algorithm>

#include "services/domain/timestamps.h"

namespace tollbridge::events {
namespace {

/// As the metrics name it.
std::string_view SourceName(v1::HintSource source) {
  switch (source) {
    case v1::HINT_SOURCE_WEBHOOK:
      return "webhook";
    case v1::HINT_SOURCE_POLLER:
      return "poller";
    case v1::HINT_SOURCE_SWEEP:
      return "sweep";
    case v1::HINT_SOURCE_OPERATOR:
      return "report";
    case v1::HINT_SOURCE_READER:
      return "member";
    default:
      return {};
  }
}

}  // namespace

std::optional<ParsedHint> ParseHint(const ports::HintRecord& record,
                                    const domain::Projects& projects) {
  const std::optional<v1::Hint> hint = WellFormed(record);
  const domain::Project* project = hint ? projects.Find(hint->project()) : nullptr;
  if (project == nullptr) return std::nullopt;
  // Before 1970 nobody noticed anything: it is not known then.
  const WallTime noticed = std::max(domain::ToWallTime(hint->noticed_at()), WallTime());
  const WallTime as_of =
      hint->has_noticed_as_of()
          ? std::clamp(domain::ToWallTime(hint->noticed_as_of()), WallTime(), noticed)
          : noticed;
  return ParsedHint{.project = project,
                    .key = {.project = project->name, .root = *Uuid::Parse(hint->order_id())},
                    .member = Uuid::Parse(hint->member()),
                    .source = hint->source(),
                    .hops = hint->hops(),
                    .noticed_at = noticed,
                    .noticed_as_of = as_of};
}

ReadRequest RequestOf(const std::vector<ReceivedHint>& hints) {
  const ReceivedHint& first = hints.front();
  ReadRequest request{.webhook_accepted = std::nullopt,
                      .source = SourceName(first.hint->source),
                      .trace = first.record.trace,
                      .noticed_at = first.hint->noticed_as_of,
                      .hinted_at = first.hint->noticed_at,
                      .members = {}};
  for (const ReceivedHint& each : hints) {
    const ParsedHint& hint = *each.hint;
    request.noticed_at = std::min(request.noticed_at, hint.noticed_as_of);
    if (hint.noticed_at < request.hinted_at) {
      request.hinted_at = hint.noticed_at;
      request.source = SourceName(hint.source);
    }
    request.hops = std::max(request.hops, hint.hops);
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

bool OfMembersAlone(const std::vector<ReceivedHint>& hints) {
  return std::ranges::all_of(
      hints, [](const ReceivedHint& each) { return each.hint->member.has_value(); });
}

std::optional<v1::Hint> WellFormed(const ports::HintRecord& record) {
  v1::Hint hint;
  if (!hint.ParseFromString(record.value)) return std::nullopt;
  if (hint.project().empty() || !Uuid::Parse(hint.order_id())) return std::nullopt;
  if (hint.has_member() && !Uuid::Parse(hint.member())) return std::nullopt;
  return hint;
}

std::string_view RepeatedBy(v1::HintSource source) {
  if (source == v1::HINT_SOURCE_POLLER) return "poller";
  if (source == v1::HINT_SOURCE_SWEEP) return "sweep";
  return {};
}

}  // namespace tollbridge::events
