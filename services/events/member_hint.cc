#include "services/events/member_hint.h"

#include <algorithm>

#include "services/domain/timestamps.h"
#include "services/events/noticed.h"

namespace tollbridge::events {

v1::Hint MemberHint(const ReadRequest& request, const ports::FamilyState& state,
                    const ports::FamilyKey& root, Uuid member, WallTime now) {
  v1::Hint hint;
  hint.set_order_id(root.root.ToString());
  hint.set_member(member.ToString());
  hint.set_project(root.project);
  hint.set_source(v1::HINT_SOURCE_READER);
  hint.set_hops(request.hops + 1);
  const WallTime noticed = request.hinted_at == WallTime() ? now : std::min(request.hinted_at, now);
  *hint.mutable_noticed_at() = domain::ToTimestamp(noticed);
  const WallTime as_of = FirstNoticed(request.noticed_at, state);
  if (as_of < noticed) *hint.mutable_noticed_as_of() = domain::ToTimestamp(as_of);
  return hint;
}

}  // namespace tollbridge::events
