#ifndef TOLLBRIDGE_SANDBOX_CORE_CLOCK_H_
#define TOLLBRIDGE_SANDBOX_CORE_CLOCK_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace tollbridge::sandbox {

using Millis = std::chrono::milliseconds;
using Time = std::chrono::sys_time<Millis>;

/// The sandbox's civil time. Everything that the interface dates is dated by it. It never goes
/// back.
class Clock {
 public:
  /// Follows real time, plus what it was moved ahead.
  Clock() = default;
  /// Stands at `start` and moves only by MoveTo.
  explicit Clock(Time start) : standing_(start) {}

  Time Now() const;
  /// Whether it moves only by MoveTo.
  bool stands() const { return standing_.has_value(); }
  /// Moves ahead to `time`; nothing happens when that is past. For the timeline only: what is due
  /// on the way must happen on the way.
  void MoveTo(Time time);

 private:
  std::optional<Time> standing_;
  Millis ahead_{0};
};

/// ISO 8601 in UTC with milliseconds: `2026-11-21T08:00:00.000Z`.
std::string FormatTime(Time time);
/// Appends the same.
void AppendTime(Time time, std::string* out);

/// Reads an ISO 8601 date (`2026-11-21`, its midnight) or date-time with `Z` or an offset, with or
/// without fractions of a second. nullopt for anything else.
std::optional<Time> ParseTime(std::string_view text);

/// Reads an ISO 8601 duration of at least zero: `PT1H`, `P20D`, `P1DT12H`, `P2W`. Its smallest part
/// may have a fraction: `PT1.5H`. A month counts 30 days and a year 365. nullopt for anything else,
/// also past 100 years.
std::optional<Millis> ParseDuration(std::string_view text);
/// Writes one: `P1D`, `PT60M`, `PT90S`, `PT0.500S`.
std::string DurationText(Millis duration);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_CLOCK_H_
