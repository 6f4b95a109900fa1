#include "tests/architecture/link_graph_check.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/architecture/dependency_rule.h"

namespace tollbridge::architecture {
namespace {

struct Edge {
  int line = 0;
  std::string folder;
  std::string target;
  std::vector<std::string> deps;
};

std::vector<Edge> Parse(std::string_view graph) {
  std::vector<Edge> edges;
  std::istringstream lines{std::string(graph)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    Edge edge{.line = number};
    if (!(words >> edge.folder >> edge.target) || !edge.target.ends_with(':')) continue;
    edge.target.pop_back();
    for (std::string dep; words >> dep;) edge.deps.push_back(dep);
    edges.push_back(std::move(edge));
  }
  return edges;
}

bool IsOfTests(const Edge& edge) { return edge.folder.starts_with("tests/"); }

void CheckLibraries(const Edge& edge, const std::string& dep, const std::string& path,
                    Violations* out) {
  for (const LibraryRule& rule : LibraryRules()) {
    const bool applies = std::ranges::any_of(
        rule.target_prefixes, [&](std::string_view prefix) { return dep.starts_with(prefix); });
    if (applies && std::ranges::find(rule.rooms, edge.folder) == rule.rooms.end()) {
      out->push_back({path, edge.line, edge.target + " links " + dep, std::string(rule.text)});
    }
  }
}

}  // namespace

Violations CheckLinkGraph(std::string_view graph, const std::string& path) {
  const std::vector<Edge> edges = Parse(graph);
  std::map<std::string, std::string> folder_of = {{"tollbridge_proto", std::string(kProtoRoom)}};
  for (const Edge& edge : edges) folder_of[edge.target] = edge.folder;

  Violations violations;
  for (const Edge& edge : edges) {
    if (IsOfTests(edge)) continue;
    const Room* room = FindRoom(edge.folder);
    if (room == nullptr) {
      violations.push_back(
          {path, edge.line, edge.folder, "is a folder that the dependency rule does not know"});
      continue;
    }
    for (const std::string& dep : edge.deps) {
      const auto found = folder_of.find(dep);
      if (found == folder_of.end()) {
        CheckLibraries(edge, dep, path, &violations);
      } else if (found->second != edge.folder &&
                 std::ranges::find(room->may_use, found->second) == room->may_use.end()) {
        violations.push_back({path, edge.line, edge.target + " links " + dep,
                              edge.folder + " may not use " + found->second});
      }
    }
  }
  return violations;
}

Violations CheckRoomsHaveTargets(const std::vector<std::string>& room_folders,
                                 std::string_view graph) {
  const std::vector<Edge> edges = Parse(graph);
  Violations violations;
  for (const std::string& folder : room_folders) {
    const Room* room = FindRoom(folder);
    if (room == nullptr) {
      violations.push_back(
          {folder, 0, folder, "is a folder that the dependency rule does not know"});
    }
    const bool inner = room != nullptr && room->inner;
    const bool has_target =
        std::ranges::any_of(edges, [&](const Edge& edge) { return edge.folder == folder; });
    if (!has_target && !inner) violations.push_back({folder, 0, folder, "has no CMake target"});
    if (has_target && inner) {
      violations.push_back({folder, 0, folder, "is part of a room and has a CMake target"});
    }
  }
  return violations;
}

}  // namespace tollbridge::architecture
