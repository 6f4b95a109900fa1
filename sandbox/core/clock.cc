#include "sandbox/core/clock.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace tollbridge::sandbox {
namespace {

constexpr std::int64_t kMaxDays = 100 * 365;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Takes a number of exactly `digits` digits off the front; -1 when there is none.
int TakeDigits(std::string_view* text, std::size_t digits) {
  if (text->size() < digits) return -1;
  int value = 0;
  for (const char c : text->substr(0, digits)) {
    if (!IsDigit(c)) return -1;
    value = value * 10 + (c - '0');
  }
  text->remove_prefix(digits);
  return value;
}

bool Take(std::string_view* text, char wanted) {
  if (text->empty() || text->front() != wanted) return false;
  text->remove_prefix(1);
  return true;
}

/// `Z`, `+02:00`, `-0130`.
std::optional<Millis> ParseOffset(std::string_view text) {
  if (text == "Z" || text == "z") return Millis{0};
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const int sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  const int hours = TakeDigits(&text, 2);
  Take(&text, ':');
  const int minutes = TakeDigits(&text, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || !text.empty()) return std::nullopt;
  return sign * (std::chrono::hours(hours) + std::chrono::minutes(minutes));
}

/// What one unit of a duration lasts; zero for a letter that is none.
Millis UnitOf(char letter, bool in_time) {
  using std::chrono::hours;
  if (in_time) {
    if (letter == 'H') return hours(1);
    if (letter == 'M') return std::chrono::minutes(1);
    if (letter == 'S') return std::chrono::seconds(1);
    return Millis{0};
  }
  if (letter == 'Y') return hours(24 * 365);
  if (letter == 'M') return hours(24 * 30);
  if (letter == 'W') return hours(24 * 7);
  if (letter == 'D') return hours(24);
  return Millis{0};
}

/// Takes what follows a decimal sign off the front: that part of `unit`, of eight digits at most.
/// nullopt where no digit follows.
std::optional<Millis> TakeFraction(std::string_view* text, Millis unit) {
  if (text->empty() || !IsDigit(text->front())) return std::nullopt;
  // A year has 3.2e10 ms: times more than eight digits it would not fit.
  constexpr std::int64_t kMostWeight = 100'000'000;
  std::int64_t numerator = 0;
  std::int64_t weight = 1;
  for (; !text->empty() && IsDigit(text->front()); text->remove_prefix(1)) {
    if (weight >= kMostWeight) continue;
    numerator = numerator * 10 + (text->front() - '0');
    weight *= 10;
  }
  return Millis{unit.count() * numerator / weight};
}

Time RealTime() {
  // Read once and carried on by the steady clock, so that it never goes back.
  static const auto civil_start = std::chrono::floor<Millis>(std::chrono::system_clock::now());
  static const auto steady_start = std::chrono::steady_clock::now();
  return civil_start + std::chrono::floor<Millis>(std::chrono::steady_clock::now() - steady_start);
}

}  // namespace

Time Clock::Now() const { return standing_ ? *standing_ : RealTime() + ahead_; }

void Clock::MoveTo(Time time) {
  const Millis forward = time - Now();
  if (forward <= Millis{0}) return;
  if (standing_) {
    standing_ = time;
  } else {
    ahead_ += forward;
  }
}

void AppendTime(Time time, std::string* out) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  // By hand, and without a string of its own: this is most of what an order costs to write.
  std::array<char, 24> text;
  std::memcpy(text.data(), "0000-00-00T00:00:00.000Z", text.size());
  const auto put = [&text](std::size_t end, std::int64_t number) {
    for (; number > 0; number /= 10) text[--end] = static_cast<char>('0' + number % 10);
  };
  put(23, clock.subseconds().count());
  put(19, clock.seconds().count());
  put(16, clock.minutes().count());
  put(13, clock.hours().count());
  put(10, static_cast<unsigned>(date.day()));
  put(7, static_cast<unsigned>(date.month()));
  const int year = static_cast<int>(date.year());
  constexpr std::size_t kYearDigits = 4;
  if (year <= 9999) {
    put(kYearDigits, year);
    out->append(text.data(), text.size());
  } else {
    *out += std::to_string(year);
    out->append(text.data() + kYearDigits, text.size() - kYearDigits);
  }
}

std::string FormatTime(Time time) {
  std::string text;
  AppendTime(time, &text);
  return text;
}

std::optional<Time> ParseTime(std::string_view text) {
  const int year = TakeDigits(&text, 4);
  const bool dash = Take(&text, '-');
  const int month = TakeDigits(&text, 2);
  const bool second_dash = Take(&text, '-');
  const int day = TakeDigits(&text, 2);
  if (year < 1970 || !dash || month < 0 || !second_dash || day < 0) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  Time time = std::chrono::sys_days(date);
  if (text.empty()) return time;

  if (!Take(&text, 'T') && !Take(&text, 't')) return std::nullopt;
  const int hour = TakeDigits(&text, 2);
  const bool colon = Take(&text, ':');
  const int minute = TakeDigits(&text, 2);
  const bool second_colon = Take(&text, ':');
  const int second = TakeDigits(&text, 2);
  if (hour < 0 || hour > 23 || !colon || minute < 0 || minute > 59 || !second_colon || second < 0 ||
      second > 60) {
    return std::nullopt;
  }
  time += std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second);
  if (Take(&text, '.')) {
    int weight = 100;
    if (text.empty() || !IsDigit(text.front())) return std::nullopt;
    while (!text.empty() && IsDigit(text.front())) {
      time += Millis{weight * (text.front() - '0')};
      weight /= 10;
      text.remove_prefix(1);
    }
  }
  const std::optional<Millis> offset = ParseOffset(text);
  if (!offset) return std::nullopt;
  return time - *offset;
}

std::optional<Millis> ParseDuration(std::string_view text) {
  if (!Take(&text, 'P') || text.empty()) return std::nullopt;
  constexpr Millis kLongest = std::chrono::hours(24 * kMaxDays);
  constexpr std::string_view kFraction = ".,0123456789";
  Millis total{0};
  Millis smallest_so_far = Millis::max();
  bool in_time = false;
  while (!text.empty()) {
    if (!in_time && Take(&text, 'T')) {
      in_time = true;
      smallest_so_far = std::chrono::hours(2);
      if (text.empty()) return std::nullopt;
    }
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || !IsDigit(text.front())) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::size_t letter = text.find_first_not_of(kFraction);
    if (letter == std::string_view::npos) return std::nullopt;
    const Millis unit = UnitOf(text[letter], in_time);
    // From large to small, each unit once.
    if (unit == Millis{0} || unit >= smallest_so_far) return std::nullopt;
    Millis fraction{0};
    if (Take(&text, '.') || Take(&text, ',')) {
      const std::optional<Millis> taken = TakeFraction(&text, unit);
      // The smallest part alone may have one: nothing comes behind its letter.
      if (!taken || text.size() != 1) return std::nullopt;
      fraction = *taken;
    }
    if (fraction > kLongest - total) return std::nullopt;
    if (number > (kLongest - total - fraction) / unit) return std::nullopt;
    smallest_so_far = unit;
    total += number * unit + fraction;
    text.remove_prefix(1);
  }
  return total;
}

std::string DurationText(Millis duration) {
  using std::chrono::days;
  using std::chrono::minutes;
  if (duration >= days(1) && duration % days(1) == Millis{0}) {
    return "P" + std::to_string(duration / days(1)) + "D";
  }
  if (duration % minutes(1) == Millis{0}) return "PT" + std::to_string(duration / minutes(1)) + "M";
  std::string text = "PT" + std::to_string(duration / std::chrono::seconds(1));
  if (const Millis rest = duration % std::chrono::seconds(1); rest > Millis{0}) {
    text += "." + std::to_string(1'000 + rest.count()).substr(1);
  }
  return text + "S";
}

}  // namespace tollbridge::sandbox
