#ifndef TOLLBRIDGE_BASE_CORE_RFC3339_H_
#define TOLLBRIDGE_BASE_CORE_RFC3339_H_

#include <chrono>
#include <optional>
#include <string_view>

namespace tollbridge {

/// A time of RFC 3339, for example "2026-01-02T03:04:05.678Z" or "2026-01-02T03:04:05+02:00", with
/// its zone. Digits below a millisecond are dropped. nullopt for anything else.
std::optional<std::chrono::sys_time<std::chrono::milliseconds>> ParseRfc3339(std::string_view text);

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_RFC3339_H_
