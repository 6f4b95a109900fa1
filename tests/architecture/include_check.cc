#include "tests/architecture/include_check.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/architecture/dependency_rule.h"

namespace tollbridge::architecture {
namespace {

bool IsGenerated(std::string_view included) {
  return included.starts_with("tollbridge/") || included.starts_with("google/rpc/") ||
         included.starts_with("grpc/health/") || included.starts_with("grpc/reflection/");
}

/// One file's includes against the rule.
class FileCheck {
 public:
  FileCheck(const SourceFile& file, Violations* out)
      : file_(file), folder_(FolderOf(file.path)), room_(FindRoom(folder_)), out_(out) {}

  void Run() {
    if (room_ == nullptr) {
      Report(1, folder_, "is a folder that the dependency rule does not know");
      return;
    }
    static const std::regex include(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
    std::istringstream lines(file_.content);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      std::smatch match;
      // A cheap look first: std::regex is slow, and few lines are meant.
      if (line.find("include") != line.npos && std::regex_search(line, match, include)) {
        CheckOne(number, match[2], match[1] == "\"");
      }
    }
  }

 private:
  void CheckOne(int line, const std::string& included, bool quoted) {
    if (included.starts_with("tests/")) {
      Report(line, included, "the product does not include tests");
    } else if (IsOurs(included)) {
      CheckRoom(line, included, FolderOf(included));
    } else if (IsGenerated(included)) {
      CheckRoom(line, included, std::string(kProtoRoom));
    } else if (quoted) {
      Report(line, included, "what is ours is included by its path from the root");
    } else {
      CheckLibraries(line, included);
    }
  }

  void CheckRoom(int line, const std::string& included, const std::string& target) {
    if (target == folder_) return;
    if (FindRoom(target) == nullptr) {
      Report(line, included, "is in a folder that the dependency rule does not know");
    } else if (std::ranges::find(room_->may_use, target) == room_->may_use.end()) {
      Report(line, included, folder_ + " may not use " + target);
    }
  }

  void CheckLibraries(int line, const std::string& included) {
    if (std::ranges::find(UmbrellaHeaders(), included) != UmbrellaHeaders().end()) {
      Report(line, included, "no umbrella headers: include what is used");
      return;
    }
    for (const LibraryRule& rule : LibraryRules()) {
      const bool applies = std::ranges::any_of(rule.include_prefixes, [&](std::string_view prefix) {
        return included.starts_with(prefix);
      });
      if (!applies) continue;
      const bool allowed = std::ranges::find(rule.rooms, folder_) != rule.rooms.end();
      const bool in_header = file_.path.ends_with(".h");
      if (!allowed || (in_header && !rule.in_headers)) {
        Report(line, included, std::string(rule.text));
      }
    }
  }

  void Report(int line, std::string subject, std::string rule) {
    out_->push_back({file_.path, line, std::move(subject), std::move(rule)});
  }

  const SourceFile& file_;
  std::string folder_;
  const Room* room_;
  Violations* out_;
};

}  // namespace

std::string FolderOf(std::string_view path) {
  const std::size_t first = path.find('/');
  const std::size_t second = IsOurs(path) ? path.find('/', first + 1) : path.npos;
  return std::string(path.substr(0, second == path.npos ? first : second));
}

Violations CheckIncludes(const std::vector<SourceFile>& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    if (!IsOurs(file.path)) continue;
    if (!file.path.ends_with(".cc") && !file.path.ends_with(".h")) continue;
    FileCheck(file, &violations).Run();
  }
  return violations;
}

}  // namespace tollbridge::architecture
