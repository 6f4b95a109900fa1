#ifndef TOLLBRIDGE_SERVICES_EVENTS_RECEIVED_HINT_H_
#define TOLLBRIDGE_SERVICES_EVENTS_RECEIVED_HINT_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/core/uuid.h"
#include "services/domain/project.h"
#include "services/events/reader.h"
#include "services/ports/family.h"
#include "services/ports/hint_log.h"
#include "tollbridge/events/v1/hint.pb.h"

namespace tollbridge::events {

/// What a record of the hint log asks for.
struct ParsedHint {
  const domain::Project* project = nullptr;
  /// Names the order to look at: a root, or one that is not known to be none.
  ports::FamilyKey key;
  /// The member of its family that the hint is about.
  std::optional<Uuid> member;
  v1::HintSource source = v1::HINT_SOURCE_UNSPECIFIED;
  /// How often it was passed on.
  std::uint32_t hops = 0;
  WallTime noticed_at;
  /// When it counts as noticed: not later.
  WallTime noticed_as_of;
};

/// nullopt when the record is no hint: not the message, no UUID, or a project that is not
/// configured.
std::optional<ParsedHint> ParseHint(const ports::HintRecord& record,
                                    const domain::Projects& projects);

/// A record with what it asks for; nullopt for one that nobody can use.
struct ReceivedHint {
  ports::HintRecord record;
  std::optional<ParsedHint> hint;
};

/// One read for all of them, which ask for the same family; all are parsed.
ReadRequest RequestOf(const std::vector<ReceivedHint>& hints);

/// Whether each of them was passed on, about a member.
bool OfMembersAlone(const std::vector<ReceivedHint>& hints);

/// nullopt when the record is no hint, whatever is configured.
std::optional<v1::Hint> WellFormed(const ports::HintRecord& record);

/// Who writes the hint again until the order is read, as the metric names it; empty: nobody.
std::string_view RepeatedBy(v1::HintSource source);

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_RECEIVED_HINT_H_
