#ifndef TOLLBRIDGE_TESTS_ARCHITECTURE_LINK_GRAPH_CHECK_H_
#define TOLLBRIDGE_TESTS_ARCHITECTURE_LINK_GRAPH_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/violation.h"

namespace tollbridge::architecture {

/// The dependency rule over what CMake links: lines of `<folder> <target>: <deps...>`, as
/// cmake/rooms.cmake writes them. Targets of tests are passed over. `path` names the file in
/// violations.
Violations CheckLinkGraph(std::string_view graph, const std::string& path);

/// Every folder in `room_folders` is known to the rule and has a target in the graph, or has none
/// where it is an inner room.
Violations CheckRoomsHaveTargets(const std::vector<std::string>& room_folders,
                                 std::string_view graph);

}  // namespace tollbridge::architecture

#endif  // TOLLBRIDGE_TESTS_ARCHITECTURE_LINK_GRAPH_CHECK_H_
