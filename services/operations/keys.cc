#include "services/operations/keys.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include "base/core/encoding.h"

namespace tollbridge::operations {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kLongestId = 32;

bool IsKeyId(std::string_view text) {
  return !text.empty() && text.size() <= kLongestId &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' ||
                  c == '-';
         });
}

absl::Status LineError(std::size_t number, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("line ", number, " of the key file: ", std::string(what)));
}

}  // namespace

const Key* KeyRing::Find(std::string_view id) const {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.id == id; });
  return found != keys.end() ? &*found : nullptr;
}

absl::StatusOr<KeyRing> ParseKeyRing(std::string_view content) {
  KeyRing ring;
  std::size_t number = 0;
  const std::vector<std::string> lines = absl::StrSplit(std::string(content), '\n');
  for (const std::string& line : lines) {
    ++number;
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    if (words.size() != 2) {
      return LineError(number, "must be a key id and the base64 of 32 bytes, with a space between");
    }
    if (!IsKeyId(words[0])) {
      return LineError(number, "the key id must be 1 to 32 letters, digits, '.', '_' or '-'");
    }
    if (ring.Find(words[0]) != nullptr) return LineError(number, "repeats a key id");
    std::optional<std::string> secret = Base64Decode(words[1]);
    if (!secret.has_value()) return LineError(number, "the key is not base64");
    if (secret->size() != kSecretBytes) return LineError(number, "the key is not of 32 bytes");
    ring.keys.push_back({words[0], *std::move(secret)});
  }
  if (ring.keys.empty()) return absl::InvalidArgumentError("the key file holds no key");
  return ring;
}

absl::Status CheckSuccessor(const KeyRing& before, const KeyRing& next) {
  for (const Key& key : next.keys) {
    const Key* known = before.Find(key.id);
    if (known == nullptr || *known == key) continue;
    return absl::InvalidArgumentError(absl::StrCat("another key under the id ", key.id,
                                                   ", which records name: a new key wants ",
                                                   "an id of its own"));
  }
  return absl::OkStatus();
}

absl::Status CheckApart(const KeyRing& one, const KeyRing& other) {
  for (const Key& key : one.keys) {
    if (std::ranges::find(other.keys, key.secret, &Key::secret) == other.keys.end()) continue;
    return absl::InvalidArgumentError(
        "a key is in fingerprint_keys_file and in outcome_keys_file; each wants keys of its own");
  }
  return absl::OkStatus();
}

}  // namespace tollbridge::operations
