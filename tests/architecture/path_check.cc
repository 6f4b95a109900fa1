#include "tests/architecture/path_check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "tests/architecture/page_text.h"

namespace tollbridge::architecture {
namespace {

bool IsPage(const SourceFile& file) { return file.path.ends_with(".md"); }

/// Tells how things were, with the paths of then.
bool IsHistory(const SourceFile& file) {
  return file.path.starts_with("docs/adr/") || file.path == "CHANGELOG.md";
}

bool IsSource(std::string_view path) {
  return std::ranges::any_of(std::array<std::string_view, 5>{".cc", ".h", ".lua", ".proto", ".py"},
                             [path](std::string_view end) { return path.ends_with(end); });
}

std::vector<std::string> CodeSpans(std::string_view line) {
  static const std::regex span("`([^`]+)`");
  const std::string text(line);
  std::vector<std::string> spans;
  for (std::sregex_iterator it(text.begin(), text.end(), span), end; it != end; ++it) {
    spans.push_back((*it)[1]);
  }
  return spans;
}

/// The paths that `{a,b}` stands for.
std::vector<std::string> Expanded(const std::string& path) {
  const std::size_t open = path.find('{');
  const std::size_t close = path.find('}');
  if (open == path.npos || close == path.npos || close < open) return {path};
  std::vector<std::string> paths;
  for (std::size_t at = open; at < close;) {
    const std::size_t next = std::min(path.find(',', at + 1), close);
    paths.push_back(path.substr(0, open) + path.substr(at + 1, next - at - 1) +
                    path.substr(close + 1));
    at = next;
  }
  return paths;
}

std::regex Pattern(const std::string& path) {
  static const std::regex any_name(R"(\*|NAME|NNNN|<[a-z]+>)");
  static const std::regex dot(R"(\.)");
  return std::regex(std::regex_replace(std::regex_replace(path, dot, "[.]"), any_name, "[^/]*"));
}

/// What there is in the repository.
class Tree {
 public:
  explicit Tree(const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files) {
      const std::filesystem::path path = file.path;
      for (auto part = path; !part.empty(); part = part.parent_path()) paths_.insert(part);
      std::string end = path.filename();
      for (auto folder = path.parent_path();; folder = folder.parent_path()) {
        ends_.insert(end);
        if (folder.empty()) break;
        end = folder.filename().string() + "/" + end;
      }
      if (path.has_parent_path()) top_.insert(*path.begin());
    }
  }

  /// Whether a reader takes the text for a path of the repository.
  bool IsMeant(const std::string& text) const {
    static const std::regex path(R"([\w./{},*<>-]+)");
    if (!std::regex_match(text, path)) return false;
    return IsSource(text) || IsFromTheRoot(text);
  }

  bool Has(const std::string& path) const {
    const std::set<std::string>& known = IsFromTheRoot(path) ? paths_ : ends_;
    const std::string plain = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
    if (known.contains(plain)) return true;
    const std::regex pattern = Pattern(plain);
    return std::ranges::any_of(
        known, [&](const std::string& one) { return std::regex_match(one, pattern); });
  }

 private:
  bool IsFromTheRoot(const std::string& path) const {
    return path.find('/') != path.npos && top_.contains(path.substr(0, path.find('/')));
  }

  std::set<std::string> paths_;
  /// Each file's name, with none, some or all of the folders before it.
  std::set<std::string> ends_;
  std::set<std::string> top_;
};

bool HoldsName(const std::string& text, const std::string& name) {
  return std::regex_search(text, std::regex("\\b" + name + "\\b"));
}

}  // namespace

Violations CheckPaths(const std::vector<SourceFile>& files) {
  const Tree tree(files);
  Violations violations;
  for (const SourceFile& file : files) {
    if (!IsPage(file) || IsHistory(file)) continue;
    ForEachTextLine(file.content, [&](int number, std::string_view line) {
      for (const std::string& span : CodeSpans(line)) {
        if (!tree.IsMeant(span)) continue;
        for (const std::string& path : Expanded(span)) {
          if (tree.Has(path)) continue;
          violations.push_back({file.path, number, path, "there is no such file or folder"});
        }
      }
    });
  }
  return violations;
}

Violations CheckNamesInLinkedFiles(const std::vector<SourceFile>& files) {
  static const std::regex row(R"(\| *\[[^\]]*\]\(([^)]+)\) *\|.*)");
  static const std::regex name(R"(\w+)");
  std::map<std::string, const std::string*> contents;
  for (const SourceFile& file : files) contents[file.path] = &file.content;
  Violations violations;
  for (const SourceFile& file : files) {
    if (!IsPage(file) || IsHistory(file)) continue;
    const auto folder = std::filesystem::path(file.path).parent_path();
    ForEachTextLine(file.content, [&](int number, std::string_view line) {
      std::smatch link;
      const std::string text(line);
      if (!std::regex_match(text, link, row)) return;
      const std::string target = (folder / link[1].str()).lexically_normal();
      const auto linked = contents.find(target);
      if (!IsSource(target) || linked == contents.end()) return;
      for (const std::string& span : CodeSpans(line)) {
        if (!std::regex_match(span, name) || HoldsName(*linked->second, span)) continue;
        violations.push_back({file.path, number, span, target + " has no such name"});
      }
    });
  }
  return violations;
}

}  // namespace tollbridge::architecture
