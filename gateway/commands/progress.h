#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_PROGRESS_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_PROGRESS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/core/boot_clock.h"

namespace tollbridge::gateway {

/// How far a command is, on stderr, each 5 s.
class Progress {
 public:
  void operator()(std::string_view what, std::uint64_t count);

 private:
  std::optional<BootTime> told_;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_PROGRESS_H_
