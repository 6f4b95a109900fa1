#include "tests/architecture/source_tree.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>

#include "tests/architecture/dependency_rule.h"
#include "tests/architecture/include_check.h"

namespace tollbridge::architecture {
namespace {

namespace fs = std::filesystem;

/// Empty when git is not there, or this is not its work tree.
std::vector<std::string> ListByGit(const std::string& root) {
  const std::string command =
      "git -C '" + root + "' ls-files -z --cached --others --exclude-standard 2>/dev/null";
  struct Close {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
  std::vector<std::string> paths(1);
  if (pipe == nullptr) return {};
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
    if (c == 0) {
      paths.emplace_back();
    } else {
      paths.back().push_back(static_cast<char>(c));
    }
  }
  paths.pop_back();
  return paths;
}

std::vector<std::string> ListByWalking(const std::string& root) {
  std::vector<std::string> paths;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator();
       ++it) {
    const std::string name = it->path().filename();
    if (it->is_directory() && (name == ".git" || name.starts_with("build"))) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file()) {
      paths.push_back(fs::relative(it->path(), root));
    }
  }
  return paths;
}

}  // namespace

std::vector<SourceFile> ReadSourceTree(const std::string& root) {
  std::vector<std::string> paths = ListByGit(root);
  if (paths.empty()) paths = ListByWalking(root);
  std::vector<SourceFile> files;
  for (std::string& path : paths) {
    // git also lists what was deleted and not yet committed so.
    if (!fs::is_regular_file(fs::path(root) / path)) continue;
    std::ifstream in(fs::path(root) / path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(in), {}};
    // A picture: there, and nothing to read.
    if (content.find('\0') != std::string::npos) content.clear();
    files.push_back({std::move(path), std::move(content)});
  }
  return files;
}

std::vector<std::string> RoomFolders(const std::vector<SourceFile>& files) {
  std::set<std::string> folders;
  for (const SourceFile& file : files) {
    if (IsOurs(file.path)) folders.insert(FolderOf(file.path));
  }
  return {folders.begin(), folders.end()};
}

}  // namespace tollbridge::architecture
