#include "gateway/commands/progress.h"

#include <chrono>
#include <iostream>

namespace tollbridge::gateway {
namespace {

constexpr std::chrono::seconds kTellEach{5};

}  // namespace

void Progress::operator()(std::string_view what, std::uint64_t count) {
  const BootTime now = BootClock::now();
  if (!told_) told_ = now;
  if (now - *told_ < kTellEach) return;
  told_ = now;
  std::cerr << count << " " << what << "\n";
}

}  // namespace tollbridge::gateway
