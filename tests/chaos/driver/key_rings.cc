#include "tests/chaos/driver/key_rings.h"

#include <filesystem>
#include <stdexcept>

#include "base/core/encoding.h"
#include "tests/support/read_file.h"

namespace tollbridge::chaos {
namespace {

constexpr std::size_t kKeyBytes = 32;

/// What stands behind `name: ` in a line; throws std::runtime_error when there is no such line.
std::string SettingIn(const std::string& configuration, const std::string& name) {
  const std::string begin = name + ": ";
  const std::size_t at = configuration.find(begin);
  if (at == std::string::npos) throw std::runtime_error("the configuration has no " + name);
  const std::size_t from = at + begin.size();
  return configuration.substr(from, configuration.find('\n', from) - from);
}

}  // namespace

KeyRings::KeyRings(const std::string& configuration)
    : rings_({Ring{.setting = "fingerprint_keys_file", .letter = 'f'},
              Ring{.setting = "outcome_keys_file", .letter = 'o'}}) {
  for (Ring& ring : rings_) {
    ring.file = SettingIn(configuration, ring.setting);
    ring.keys = test::ReadFile(ring.file);
    for (std::size_t i = 0; i < kGateways; ++i) Write(ring, i);
  }
}

std::string KeyRings::FileOf(const Ring& ring, std::size_t gateway) const {
  return folder_.PathOf(ring.setting + "-" + std::to_string(gateway));
}

// A gateway that reads it meanwhile finds the old file or the new one.
void KeyRings::Write(const Ring& ring, std::size_t gateway) const {
  const std::string written = folder_.Write("written", ring.keys);
  std::filesystem::rename(written, FileOf(ring, gateway));
}

std::string KeyRings::Configured(std::string configuration, std::size_t gateway) const {
  for (const Ring& ring : rings_) {
    configuration.replace(configuration.find(ring.file), ring.file.size(), FileOf(ring, gateway));
  }
  return configuration;
}

void KeyRings::Begin(std::size_t gateway) {
  ++rotations_;
  for (Ring& ring : rings_) {
    // A key is in one ring only.
    std::string key(kKeyBytes, ring.letter);
    key.front() = static_cast<char>('A' + rotations_ % 26);
    ring.keys = ring.letter + ("c" + std::to_string(rotations_)) + " " + Base64Encode(key) + "\n" +
                ring.keys;
    Write(ring, gateway);
  }
}

void KeyRings::End() {
  for (const Ring& ring : rings_) {
    for (std::size_t i = 0; i < kGateways; ++i) Write(ring, i);
  }
}

}  // namespace tollbridge::chaos
