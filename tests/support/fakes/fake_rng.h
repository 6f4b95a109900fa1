#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_RNG_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_RNG_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "services/ports/rng.h"

namespace tollbridge::test {

/// Bytes that follow from the seed: the same in every run.
class FakeRng final : public ports::Rng {
 public:
  explicit FakeRng(std::uint64_t seed = 1) : engine_(seed) {}
  std::string Bytes(std::size_t count) override {
    std::string bytes(count, '\0');
    for (char& byte : bytes) byte = static_cast<char>(engine_() & 0xFFU);
    return bytes;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_RNG_H_
