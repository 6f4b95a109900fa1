#include "services/events/noticed.h"

#include <algorithm>

namespace tollbridge::events {

WallTime FirstNoticed(WallTime by_hints, const ports::FamilyState& state) {
  WallTime first = state.made.value_or(WallTime::max());
  if (state.noticed) first = std::min(first, state.noticed->at);
  return by_hints == WallTime() ? first : std::min(by_hints, first);
}

std::optional<ports::Noticed> NoticeToKeep(WallTime by_hints, bool trusted,
                                           const ports::FamilyState& state) {
  if (state.version > 0 || state.root || state.made) return std::nullopt;
  const bool seen = trusted || (state.noticed && state.noticed->seen);
  const ports::Noticed noticed{.at = FirstNoticed(by_hints, state), .seen = seen};
  if (noticed.at == WallTime::max() || noticed == state.noticed) return std::nullopt;
  return noticed;
}

}  // namespace tollbridge::events
