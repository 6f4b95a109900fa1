#include "services/reconcile/snapshot_facts.h"

#include <algorithm>
#include <chrono>

#include "services/domain/event_payload.h"
#include "services/domain/outbox_header.h"
#include "services/domain/published.h"
#include "services/domain/timestamps.h"

namespace tollbridge::reconcile {
namespace {

std::uint64_t TimesTold(const storage::v1::OrderState& state) {
  std::uint64_t times = 0;
  for (const domain::Published& each : domain::PublishedOf(state)) times += each.times;
  return times;
}

}  // namespace

WallTime LifeOf(const ports::FamilyState& family) {
  return WallTime(std::chrono::seconds(family.snapshot.began()));
}

bool AllIsInPresentStream(const storage::v1::Snapshot& snapshot) {
  // Nothing is told twice in one stream, and a new one begins at 0: it has as many numbers as
  // things were told only where it has all of them.
  std::uint64_t told = TimesTold(snapshot.root());
  for (const storage::v1::OrderState& member : snapshot.members()) told += TimesTold(member);
  return !snapshot.stream().empty() && told == snapshot.sequence();
}

std::optional<WallTime> ModifiedOf(const storage::v1::OrderState& state) {
  if (!state.has_modified()) return std::nullopt;
  return domain::ToWallTime(state.modified());
}

std::set<std::string> IdsOf(const std::optional<storage::v1::Outbox>& outbox) {
  std::set<std::string> ids;
  if (!outbox) return ids;
  for (const storage::v1::OutboxEntry& entry : outbox->entries()) ids.insert(entry.id());
  return ids;
}

std::optional<WallTime> DecidedAt(const storage::v1::Outbox& outbox) {
  if (outbox.entries().empty()) return std::nullopt;
  const storage::v1::OutboxEntry& first = outbox.entries(0);
  const auto event = domain::ReadEvent(domain::HeaderOf(first, "content-type"), first.payload());
  if (!event) return std::nullopt;
  return domain::ToWallTime(event->noticed_at());
}

std::uint32_t LastPublished(const ports::FamilyState& family) {
  std::uint64_t last = family.snapshot.sequence();
  if (family.outbox) {
    for (const storage::v1::OutboxEntry& entry : family.outbox->entries()) {
      if (entry.sequence() > 0) last = std::min(last, entry.sequence() - 1);
    }
  }
  return static_cast<std::uint32_t>(last);
}

}  // namespace tollbridge::reconcile
