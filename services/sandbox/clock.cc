#include "services/sandbox/clock.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace tollbridge::sandbox {

Time Clock::Now() const { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

std::string FormatTime(Time time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const std::time_t seconds = whole.time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ",
                static_cast<int>((time - whole).count()));
  return std::string(date.data()) + fraction.data();
}

}  // namespace tollbridge::sandbox
