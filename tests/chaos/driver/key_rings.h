#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_KEY_RINGS_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_KEY_RINGS_H_

#include <array>
#include <cstddef>
#include <string>

#include "tests/chaos/driver/redis_ways.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::chaos {

/// The files with the gateways' fingerprint and outcome keys, of each gateway its own, so that they
/// change replica by replica while all serve.
class KeyRings {
 public:
  /// Copies the files that a configuration names, for each gateway. Throws std::runtime_error when
  /// it names none.
  explicit KeyRings(const std::string& configuration);

  /// The configuration with the gateway's files in it.
  std::string Configured(std::string configuration, std::size_t gateway) const;

  /// Gives this gateway new current keys, which the others do not have.
  void Begin(std::size_t gateway);
  /// Gives them to the others, too.
  void End();
  /// How often it has begun.
  int rotations() const { return rotations_; }

 private:
  struct Ring {
    std::string setting;  ///< "fingerprint_keys_file"
    char letter;          ///< its key ids begin with
    std::string file;     ///< that the configuration names
    std::string keys;     ///< current first
  };

  std::string FileOf(const Ring& ring, std::size_t gateway) const;
  void Write(const Ring& ring, std::size_t gateway) const;

  test::TempFolder folder_;
  std::array<Ring, 2> rings_;
  int rotations_ = 0;
};

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_KEY_RINGS_H_
