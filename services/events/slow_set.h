#ifndef TOLLBRIDGE_SERVICES_EVENTS_SLOW_SET_H_
#define TOLLBRIDGE_SERVICES_EVENTS_SLOW_SET_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "services/ports/clock.h"
#include "services/ports/family.h"

namespace tollbridge::events {

/// Counts the tries of orders that one read could not finish, at most `max_per_project` orders of
/// each project at a time. Kept in memory: after a restart counting begins again, which only asks a
/// few times more. One shard.
class SlowSet {
 public:
  /// No order of the set waits longer than `longest_wait` for its next try: who has not come back
  /// was read elsewhere.
  SlowSet(std::size_t max_per_project, ports::Millis longest_wait)
      : max_per_project_(max_per_project), longest_wait_(longest_wait) {}

  /// How a try failed.
  enum class Failure { kNotFound, kOlder, kNoParent, kOther };
  /// Counts a try that failed. Which one it was, from 1; nullopt when the project's share is full
  /// and the order not in it.
  std::optional<std::uint32_t> Count(const ports::FamilyKey& key, WallTime now,
                                     Failure failure = Failure::kOther);
  /// Takes the order in without counting a try. False when the project's share is full and the
  /// order not in it.
  bool Hold(const ports::FamilyKey& key, WallTime now) { return TakeIn(key, now) != nullptr; }
  /// How many tries were counted.
  std::uint32_t Tries(const ports::FamilyKey& key) const;
  /// When the first try that was counted failed; nullopt when none was.
  std::optional<WallTime> FirstFailure(const ports::FamilyKey& key) const;
  /// When the last one did.
  std::optional<WallTime> LastFailure(const ports::FamilyKey& key) const;
  /// Since when each try that was counted found no order; nullopt when the last one did not.
  std::optional<WallTime> NotFoundSince(const ports::FamilyKey& key) const;
  /// Since when each try that was counted was answered with what is older than what is known;
  /// nullopt when the last one was not.
  std::optional<WallTime> OlderSince(const ports::FamilyKey& key) const;
  /// Since when each try that was counted did not find what it was made from; nullopt when the last
  /// one did.
  std::optional<WallTime> NoParentSince(const ports::FamilyKey& key) const;
  /// The order has its dead letter; no effect for one that is not in.
  void NoteLetter(const ports::FamilyKey& key);
  bool HasLetter(const ports::FamilyKey& key) const;
  /// It is not there any more: no order of ours waits for it, and what waits with it is given up as
  /// well. No effect for one that is not in.
  void NoteGone(const ports::FamilyKey& key);
  bool IsGone(const ports::FamilyKey& key) const;
  /// The order was read, or given up.
  void Forget(const ports::FamilyKey& key);
  void ForgetAll() { projects_.clear(); }

 private:
  struct Entry {
    std::uint32_t count = 0;
    WallTime first;
    WallTime last;
    /// How the last try failed, and since when each one did so.
    Failure failure = Failure::kOther;
    WallTime failure_since;
    bool has_letter = false;
    bool gone = false;
  };
  struct Share {
    std::map<Uuid, Entry> orders;
    WallTime looked_through;
  };

  /// Forgets who has not come back.
  void LookThrough(Share& share, WallTime now) const;
  /// The order, taken in when it is new; nullptr when the share is full.
  Entry* TakeIn(const ports::FamilyKey& key, WallTime now);
  Entry* Find(const ports::FamilyKey& key);
  std::optional<WallTime> Since(const ports::FamilyKey& key, Failure failure) const;
  /// nullptr when it is not in.
  const Entry* Find(const ports::FamilyKey& key) const;

  std::size_t max_per_project_;
  ports::Millis longest_wait_;
  std::map<std::string, Share> projects_;
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_SLOW_SET_H_
