#include "tests/architecture/reference_check.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/page_text.h"

namespace tollbridge::architecture {
namespace {

constexpr std::string_view kFolder = "docs/";
constexpr std::string_view kPage = ".md";

bool IsAlphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool IsPathCharacter(char c) {
  return IsAlphanumeric(c) || c == '_' || c == '-' || c == '.' || c == '/';
}
bool IsAnchorCharacter(char c) { return IsAlphanumeric(c) || c == '_' || c == '-'; }

bool IsPage(const SourceFile& file) { return file.path.ends_with(kPage); }

int LineAt(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, at), '\n'));
}

/// The run of such characters that begins there.
std::string_view RunAt(std::string_view text, std::size_t at, bool (*belongs)(char)) {
  std::size_t end = at;
  while (end < text.size() && belongs(text[end])) ++end;
  return text.substr(at, end - at);
}

/// `[text](target)` becomes `text`.
std::string WithoutLinks(std::string_view heading) {
  std::string plain;
  for (std::size_t at = 0; at < heading.size(); ++at) {
    const std::size_t middle = heading.find("](", at);
    const std::size_t end = middle == heading.npos ? heading.npos : heading.find(')', middle);
    if (heading[at] == '[' && end != heading.npos) {
      plain.append(heading.substr(at + 1, middle - at - 1));
      at = end;
    } else {
      plain.push_back(heading[at]);
    }
  }
  return plain;
}

std::string AnchorOf(std::string_view heading) {
  std::string anchor;
  for (const char c : WithoutLinks(heading)) {
    if (c == ' ') anchor.push_back('-');
    if (IsAnchorCharacter(c)) {
      anchor.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  return anchor;
}

/// What a reference can lead to.
class Targets {
 public:
  explicit Targets(const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files) {
      const std::filesystem::path path = file.path;
      for (auto folder = path.parent_path(); !folder.empty(); folder = folder.parent_path()) {
        paths_.insert(folder);
      }
      paths_.insert(file.path);
      if (!IsPage(file)) continue;
      const std::vector<std::string> anchors = AnchorsOf(file.content);
      anchors_[file.path] = {anchors.begin(), anchors.end()};
    }
  }

  bool HasPath(const std::string& path) const { return path.empty() || paths_.contains(path); }
  /// False for what is no page.
  bool HasAnchor(const std::string& page, const std::string& anchor) const {
    const auto found = anchors_.find(page);
    return found != anchors_.end() && found->second.contains(anchor);
  }

 private:
  std::set<std::string> paths_;
  std::map<std::string, std::set<std::string>> anchors_;
};

/// One file's references against what there is.
class FileCheck {
 public:
  FileCheck(const SourceFile& file, const Targets& targets, Violations* out)
      : file_(file), text_(file.content), targets_(targets), out_(out) {}

  void Run() {
    for (std::size_t at = text_.find(kFolder); at != text_.npos; at = text_.find(kFolder, at + 1)) {
      if (at == 0 || !IsPathCharacter(text_[at - 1])) CheckCitation(at);
    }
    if (!IsPage(file_)) return;
    ForEachTextLine(text_, [this](int number, std::string_view line) { CheckLinks(number, line); });
  }

 private:
  void CheckCitation(std::size_t at) {
    std::string_view path = RunAt(text_, at, IsPathCharacter);
    // The end of a sentence is none of the path.
    while (path.ends_with('.')) path.remove_suffix(1);
    if (!path.ends_with(kPage)) return;
    const std::string page(path);
    if (!targets_.HasPath(page)) {
      Report(LineAt(text_, at), page, "there is no such page");
      return;
    }
    std::size_t next = at + path.size();
    while (next < text_.size() && text_[next] == '#') {
      const std::string_view anchor = RunAt(text_, next + 1, IsAnchorCharacter);
      if (anchor.empty()) return;
      CheckAnchor(LineAt(text_, next), page, std::string(anchor));
      next = FurtherAnchor(next + 1 + anchor.size());
    }
  }

  /// Where the `#` of a further heading of the same page stands, behind a comma or an "and"; the
  /// text's end where none does.
  std::size_t FurtherAnchor(std::size_t at) const {
    bool joined = false;
    while (at < text_.size()) {
      if (text_[at] == ',') {
        joined = true;
        ++at;
      } else if (text_.substr(at, 4) == "and " || text_.substr(at, 4) == "and\n") {
        joined = true;
        at += 3;
      } else if (text_[at] == '\n') {
        // The next line of a comment begins with what makes it one.
        const std::size_t word = text_.find_first_not_of(" \n/-*", at);
        if (word == text_.npos) return word;
        at = text_.substr(word, 2) == "# " ? word + 2 : word;
      } else if (IsSpace(text_[at])) {
        ++at;
      } else {
        break;
      }
    }
    const bool anchor =
        joined && at + 1 < text_.size() && text_[at] == '#' && IsAnchorCharacter(text_[at + 1]);
    return anchor ? at : text_.size();
  }

  void CheckLinks(int number, std::string_view line) {
    for (std::size_t at = line.find("]("); at != line.npos; at = line.find("](", at + 1)) {
      const std::size_t end = line.find_first_of(") ", at + 2);
      if (end != line.npos) CheckLink(number, line.substr(at + 2, end - at - 2));
    }
  }

  void CheckLink(int number, std::string_view target) {
    if (target.empty() || target.find(':') != target.npos) return;
    const std::size_t hash = target.find('#');
    const std::string_view path = target.substr(0, hash);
    std::string resolved = file_.path;
    if (!path.empty()) {
      const std::filesystem::path folder = std::filesystem::path(file_.path).parent_path();
      resolved = (folder / path).lexically_normal();
      while (resolved.ends_with('/')) resolved.pop_back();
      if (resolved == ".") resolved.clear();
    }
    if (!targets_.HasPath(resolved)) {
      Report(number, std::string(target), "the link leads nowhere");
    } else if (hash != target.npos && resolved.ends_with(kPage)) {
      CheckAnchor(number, resolved, std::string(target.substr(hash + 1)));
    }
  }

  void CheckAnchor(int line, const std::string& page, const std::string& anchor) {
    if (targets_.HasAnchor(page, anchor)) return;
    Report(line, page + "#" + anchor, "the page has no such heading");
  }

  void Report(int line, std::string subject, std::string rule) {
    out_->push_back({file_.path, line, std::move(subject), std::move(rule)});
  }

  const SourceFile& file_;
  std::string_view text_;
  const Targets& targets_;
  Violations* out_;
};

// ---- Old citations. The words are put together so that this file does not break the rules itself.

const std::vector<std::string>& OldNames() {
  static const std::vector<std::string> names = {
      std::string("operations") + ".md", std::string("events") + ".md",
      std::string("design") + ".md", std::string("open-points") + ".md"};
  return names;
}

const std::string& OldInterface() {
  static const std::string name = std::string("interface ") + "document";
  return name;
}

bool HasComments(const SourceFile& file) {
  return file.path.ends_with(".cc") || file.path.ends_with(".h") || file.path.ends_with(".lua") ||
         file.path.ends_with(".proto");
}

/// The comment of a line; empty when it has none.
std::string_view CommentOf(const SourceFile& file, std::string_view line) {
  const std::size_t at = line.find(file.path.ends_with(".lua") ? "--" : "//");
  return at == line.npos ? std::string_view() : line.substr(at);
}

/// A line, with what follows of the next one, since a name may be broken between them.
std::string Joined(const std::vector<std::string>& lines, std::size_t at) {
  std::string joined = lines[at] + " ";
  if (at + 1 == lines.size()) return joined;
  const std::string& next = lines[at + 1];
  const std::size_t word = next.find_first_not_of(" /-*#");
  return word == next.npos ? joined : joined + next.substr(word);
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// A page of docs/design has one of these names; by the name alone nobody finds it.
void CheckOldNames(const SourceFile& file, int number, const std::string& line, Violations* out) {
  for (const std::string& name : OldNames()) {
    for (std::size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
      std::size_t begin = at;
      while (begin > 0 && IsPathCharacter(line[begin - 1])) --begin;
      const std::string path = line.substr(begin, at + name.size() - begin);
      const bool longer = at > begin && line[at - 1] != '/';
      const bool linked = begin >= 2 && line.compare(begin - 2, 2, "](") == 0;
      if (longer || (linked && IsPage(file)) || path.find("docs/") != path.npos) continue;
      out->push_back({file.path, number, path, "name the page from the root: docs/..."});
    }
  }
}

/// A number, or a title: not a word in capitals.
bool IsNumber(std::string_view text) { return !text.empty() && IsDigit(text[0]); }
bool IsTitle(std::string_view text) {
  return text.size() > 1 && IsUpper(text[0]) && !IsUpper(text[1]);
}

/// Whether one of the words stands in the comment, on its first line, with what it names behind it.
bool Cites(std::string_view comment, std::size_t first_line_ends,
           const std::vector<std::string_view>& words, bool (*is_name)(std::string_view)) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    for (std::size_t at = comment.find(word); at < first_line_ends;
         at = comment.find(word, at + 1)) {
      const std::size_t name = at + word.size();
      const bool whole = at == 0 || !IsAlphanumeric(comment[at - 1]);
      if (whole && name < comment.size() && is_name(comment.substr(name))) return true;
    }
    return false;
  });
}

void CheckOldCitationsOf(const SourceFile& file, Violations* out) {
  const std::vector<std::string> lines = LinesOf(file.content);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int number = static_cast<int>(i) + 1;
    CheckOldNames(file, number, lines[i], out);
    const std::string text = Joined(lines, i);
    if (Lower(text).find(OldInterface()) < lines[i].size()) {
      out->push_back({file.path, number, OldInterface(), "it is docs/interface.md now"});
    }
    if (!HasComments(file)) continue;
    const std::string_view comment = CommentOf(file, text);
    const std::size_t before = text.size() - comment.size();
    const std::size_t ends = lines[i].size() - std::min(before, lines[i].size());
    if (Cites(comment, ends, {"rule ", "rules ", "Rule ", "Rules "}, IsNumber)) {
      out->push_back({file.path, number, "a rule by its number",
                      "name its page: docs/design/operations.md#rule-1"});
    }
    if (Cites(comment, ends, {"section ", "sections ", "Section ", "Sections "}, IsTitle)) {
      out->push_back(
          {file.path, number, "a section by its title", "name its page: docs/interface.md#errors"});
    }
  }
}

}  // namespace

std::vector<std::string> AnchorsOf(std::string_view page) {
  std::vector<std::string> anchors;
  std::map<std::string, int> count;
  ForEachTextLine(page, [&](int, std::string_view line) {
    const std::size_t level = line.find_first_not_of('#');
    if (level == 0 || level == line.npos || level > 6 || line[level] != ' ') return;
    std::string anchor = AnchorOf(line.substr(level + 1));
    const int before = count[anchor]++;
    if (before > 0) anchor += "-" + std::to_string(before);
    anchors.push_back(std::move(anchor));
  });
  return anchors;
}

Violations CheckReferences(const std::vector<SourceFile>& files) {
  const Targets targets(files);
  Violations violations;
  for (const SourceFile& file : files) FileCheck(file, targets, &violations).Run();
  return violations;
}

Violations CheckOldCitations(const std::vector<SourceFile>& files) {
  Violations violations;
  for (const SourceFile& file : files) CheckOldCitationsOf(file, &violations);
  return violations;
}

}  // namespace tollbridge::architecture
