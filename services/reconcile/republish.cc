#include "services/reconcile/republish.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/core/status_macros.h"
#include "services/domain/timestamps.h"
#include "services/domain/told_outcomes.h"

namespace tollbridge::reconcile {
namespace {

constexpr std::chrono::seconds kTimeout{30};

/// Whether anything of the time may have been told of the family. An order is not modified before
/// what happens to it, and what is told of a family happened in its life or not long before.
bool MayHaveTold(const domain::Project& project, const ports::FamilyState& family, WallTime from,
                 WallTime to, ports::Millis baseline_window) {
  const WallTime life = WallTime(std::chrono::seconds(family.snapshot.began()));
  if (life - baseline_window > to) return false;
  const std::vector<domain::ToldOutcome> told =
      domain::ToldOutcomes(project, family.entry.key.root, family.snapshot);
  return std::ranges::any_of(told, [from](const domain::ToldOutcome& outcome) {
    return !outcome.state->has_modified() || domain::ToWallTime(outcome.state->modified()) >= from;
  });
}

}  // namespace

ports::Context Republish::Within() const {
  return {.deadline = ports_.clock.BootNow() + ports::Millis(kTimeout), .trace = {}};
}

AsyncStatus Republish::Ask(const ports::FamilyKey& key, WallTime from, WallTime to,
                           RepublishSummary* summary) {
  on_progress_("families", ++summary->families);
  if (dry_run_) co_return absl::OkStatus();
  TB_CO_ASSIGN_OR_RETURN(const ports::TellAgainVerdict verdict,
                         co_await ports_.snapshots.AskToTellAgain({.key = key,
                                                                   .what = {.from = from, .to = to},
                                                                   .due = ports_.clock.WallNow(),
                                                                   .retention = retention_},
                                                                  Within()));
  if (verdict == ports::TellAgainVerdict::kAsked) ++summary->asked;
  if (verdict == ports::TellAgainVerdict::kAskedBefore) ++summary->asked_before;
  co_return absl::OkStatus();
}

Async<RepublishSummary> Republish::TellOrder(const domain::Project& project, const Uuid& order) {
  ports::FamilyKey key{.project = project.name, .root = order};
  TB_CO_ASSIGN_OR_RETURN(ports::FamilyState family, co_await ports_.snapshots.Load(key, Within()));
  if (family.root && family.version == 0) {
    key.root = *family.root;
    TB_CO_ASSIGN_OR_RETURN(family, co_await ports_.snapshots.Load(key, Within()));
  }
  if (family.version == 0) co_return absl::NotFoundError("no snapshot shows this order");
  RepublishSummary summary;
  TB_CO_RETURN_IF_ERROR(co_await Ask(key, WallTime(), WallTime::max(), &summary));
  co_return summary;
}

Async<RepublishSummary> Republish::TellPeriod(const domain::Project& project, WallTime from,
                                              WallTime to, ports::Millis baseline_window) {
  RepublishSummary summary;
  // One that is asked for is settled no more, and comes again as one that left them.
  std::set<Uuid> asked;
  std::string cursor;
  do {
    TB_CO_ASSIGN_OR_RETURN(ports::FamilyPage page,
                           co_await ports_.families.Next(project.name, cursor, Within()));
    for (const ports::FamilyState& family : page.families) {
      // One that is come by for its outbox was asked already, or is gone.
      if (family.version == 0) continue;
      if (!MayHaveTold(project, family, from, to, baseline_window)) continue;
      if (!asked.insert(family.entry.key.root).second) continue;
      TB_CO_RETURN_IF_ERROR(co_await Ask(family.entry.key, from, to, &summary));
    }
    cursor = std::move(page.next);
  } while (!cursor.empty());
  co_return summary;
}

}  // namespace tollbridge::reconcile
