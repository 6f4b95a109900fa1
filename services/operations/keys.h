#ifndef TOLLBRIDGE_SERVICES_OPERATIONS_KEYS_H_
#define TOLLBRIDGE_SERVICES_OPERATIONS_KEYS_H_

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace tollbridge::operations {

/// A secret with the name under which records remember it.
struct Key {
  std::string id;
  std::string secret;  ///< 32 bytes

  bool operator==(const Key&) const = default;
};

/// Live keys, for rotation: the first is current and makes what is new, the others still read what
/// they made. A key stays as long as a record can name it (docs/design/operations.md#identity and
/// #rule-17).
struct KeyRing {
  std::vector<Key> keys;  ///< not empty; ids are distinct

  const Key& current() const { return keys.front(); }
  /// nullptr when no live key has this id.
  const Key* Find(std::string_view id) const;

  bool operator==(const KeyRing&) const = default;
};

/// Reads a key file: one `<key id> <base64 of 32 bytes>` a line, the current key first; empty lines
/// are skipped. A key id is 1 to 32 of [A-Za-z0-9._-]. INVALID_ARGUMENT with the line's number, and
/// never with anything of its content.
absl::StatusOr<KeyRing> ParseKeyRing(std::string_view content);

/// INVALID_ARGUMENT when `next` has another secret under an id of `before`: what records keep under
/// that id would be taken for another request, or for damaged. Names the id.
absl::Status CheckSuccessor(const KeyRing& before, const KeyRing& next);

/// INVALID_ARGUMENT when a secret is in both: each use wants keys of its own.
absl::Status CheckApart(const KeyRing& one, const KeyRing& other);

}  // namespace tollbridge::operations

#endif  // TOLLBRIDGE_SERVICES_OPERATIONS_KEYS_H_
