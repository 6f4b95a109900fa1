#include "base/core/test_hook.h"

#ifdef TOLLBRIDGE_TEST_HOOKS

#include <fstream>
#include <utility>
#include <vector>

namespace tollbridge {
namespace {

/// What stands in the file, was and is by turns.
std::vector<std::pair<std::string, std::string>> ReadReplacements(const char* path) {
  std::ifstream file(path);
  if (!file) std::abort();
  std::vector<std::pair<std::string, std::string>> read;
  std::string* part = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line == "--- was") {
      part = &read.emplace_back().first;
    } else if (line == "--- is" && part != nullptr) {
      part = &read.back().second;
    } else if (line == "--- end") {
      part = nullptr;
    } else if (part != nullptr) {
      *part += (part->empty() ? "" : "\n") + line;
    }
  }
  return read;
}

}  // namespace

void PatchForTest(std::string& text) {
  const char* path = std::getenv("TOLLBRIDGE_PLANTED_BUG");
  if (path == nullptr) return;
  for (const auto& [was, is] : ReadReplacements(path)) {
    if (was.empty()) continue;
    for (std::size_t at = text.find(was); at != std::string::npos;
         at = text.find(was, at + is.size())) {
      text.replace(at, was.size(), is);
    }
  }
}

}  // namespace tollbridge

#endif
