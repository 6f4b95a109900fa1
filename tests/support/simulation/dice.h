#ifndef TOLLBRIDGE_TESTS_SUPPORT_SIMULATION_DICE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_SIMULATION_DICE_H_

#include <cstdint>

namespace tollbridge::model {

/// Random numbers that follow from the seed on every machine (splitmix64).
class Dice {
 public:
  /// Neighbouring seeds give streams that have nothing in common.
  explicit Dice(std::uint64_t seed) : state_(seed) { state_ = Next() ^ (seed << 32U); }

  std::uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }
  /// From `least` to `most`, both included.
  std::int64_t Between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(Next() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool Percent(std::int64_t chance) { return Between(1, 100) <= chance; }

 private:
  std::uint64_t state_;
};

}  // namespace tollbridge::model

#endif  // TOLLBRIDGE_TESTS_SUPPORT_SIMULATION_DICE_H_
