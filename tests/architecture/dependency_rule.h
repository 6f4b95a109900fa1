#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_DEPENDENCY_RULE_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_DEPENDENCY_RULE_H_

#include <span>
#include <string_view>
#include <vector>

/// The dependency rule as data (docs/architecture.md, section Rooms). What checks it is elsewhere.
namespace tollbridge::architecture {

/// A room: a folder with one CMake target, and the rooms it may include from and link to. Its own
/// folder goes without saying.
struct Room {
  std::string_view folder;
  std::vector<std::string_view> may_use;
};

/// Where generated headers and the library of them count as coming from.
inline constexpr std::string_view kProtoRoom = "proto";

/// Every room there is. A folder below services/ or adapters/ that is not here is a violation.
const std::vector<Room>& Rooms();

/// nullptr when there is no such room.
const Room* FindRoom(std::string_view folder);

/// Adapters whose classes are named where the parts are put together, and nowhere else.
bool IsConcreteAdapter(std::string_view folder);

/// Whether a file may include from concrete adapters: those of services/gateway that put the parts
/// together, translate settings for them, or are a command that works on one of them.
bool MayNameAdapters(std::string_view path);

/// A third-party library that is kept to a few rooms.
struct LibraryRule {
  std::string_view text;
  /// What the included path begins with.
  std::vector<std::string_view> include_prefixes;
  /// What the CMake target begins with.
  std::vector<std::string_view> target_prefixes;
  std::vector<std::string_view> rooms;
  bool in_headers = true;
  /// Headers that may include it all the same, since no header and no other room includes them.
  std::vector<std::string_view> private_headers = {};
};

const std::vector<LibraryRule>& LibraryRules();

/// Whether the header is private to the .cc files of its room.
bool IsPrivateHeader(std::string_view path);

/// Headers that drag in a whole library; included nowhere.
std::span<const std::string_view> UmbrellaHeaders();

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_DEPENDENCY_RULE_H_
