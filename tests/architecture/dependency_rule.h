#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_DEPENDENCY_RULE_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_DEPENDENCY_RULE_H_

#include <span>
#include <string_view>
#include <vector>

/// The dependency rule as data (docs/architecture.md#rooms). What checks it is elsewhere.
namespace tollbridge::architecture {

/// A room: a folder with one CMake target, and the rooms it may include from and link to. Its own
/// folder goes without saying.
struct Room {
  std::string_view folder;
  std::vector<std::string_view> may_use;
  /// Part of the target of the room that it lies in: its arrows are those of its include lines
  /// alone, and a target of its own is a violation.
  bool inner = false;
};

/// Where generated headers and the library of them count as coming from.
inline constexpr std::string_view kProtoRoom = "proto";

/// Whether a path lies in the folders that hold what ships: base/, services/, adapters/, gateway/
/// and sandbox/.
bool IsOurs(std::string_view path);

/// Every room there is. A folder that is ours and not here is a violation.
const std::vector<Room>& Rooms();

/// nullptr when there is no such room.
const Room* FindRoom(std::string_view folder);

/// A third-party library that is kept to a few rooms.
struct LibraryRule {
  std::string_view text;
  /// What the included path begins with.
  std::vector<std::string_view> include_prefixes;
  /// What the CMake target begins with.
  std::vector<std::string_view> target_prefixes;
  std::vector<std::string_view> rooms;
  bool in_headers = true;
};

const std::vector<LibraryRule>& LibraryRules();

/// Headers that drag in a whole library; included nowhere.
std::span<const std::string_view> UmbrellaHeaders();

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_DEPENDENCY_RULE_H_
