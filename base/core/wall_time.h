#ifndef TOLLBRIDGE_BASE_CORE_WALL_TIME_H_
#define TOLLBRIDGE_BASE_CORE_WALL_TIME_H_

#include <chrono>

namespace tollbridge {

/// Civil time, for what people and other systems read. It may be set at any time, so
/// it never makes a deadline longer.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_WALL_TIME_H_
