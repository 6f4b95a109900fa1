#include "tests/architecture/settings_check.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "tests/architecture/dependency_rule.h"
#include "tests/architecture/include_check.h"

namespace tollbridge::architecture {
namespace {

struct Member {
  std::string type;
  bool has_default = false;
};

/// A struct or class of the product, by its name with the last part of its namespace:
/// `redis::Settings`.
struct Struct {
  bool is_class = false;
  std::string folder;
  std::map<std::string, Member> members;
};

using Structs = std::map<std::string, Struct>;
/// Struct and member.
using Place = std::pair<std::string, std::string>;

bool IsCode(const SourceFile& file) {
  return IsOurs(file.path) && !file.path.starts_with("sandbox/") &&
         (file.path.ends_with(".h") || file.path.ends_with(".cc"));
}

/// The same text with blanks for comments, and for what is in texts unless these are kept.
std::string Blanked(std::string text, bool keep_texts = false) {
  enum class In { kCode, kText, kComment } in = In::kCode;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in == In::kCode) {
      if (c == '"' && (i == 0 || text[i - 1] != '\'')) in = In::kText;
      if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') in = In::kComment;
    } else if (in == In::kText && c == '"') {
      in = In::kCode;
      continue;
    } else if (in == In::kComment && c == '\n') {
      in = In::kCode;
    }
    const bool escaped = in == In::kText && c == '\\';
    if (in == In::kComment || (in == In::kText && !keep_texts && c != '"')) text[i] = ' ';
    if (escaped && !keep_texts) text[i + 1] = ' ';
    if (escaped) ++i;
  }
  return text;
}

bool IsOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

int LineOf(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

/// Behind the bracket that closes the one at `open`.
std::size_t Close(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{' || text[i] == '(') ++depth;
    if ((text[i] == '}' || text[i] == ')') && --depth == 0) return i + 1;
  }
  return text.size();
}

std::string NamespaceOf(const std::string& text) {
  static const std::regex rule(R"(namespace tollbridge::(\w+) \{)");
  std::string last;
  // Forward declarations come first.
  for (std::sregex_iterator it(text.begin(), text.end(), rule), end; it != end; ++it) {
    last = (*it)[1];
  }
  return last;
}

std::string Qualified(const std::string& type, const std::string& space) {
  static const std::regex last(R"((?:(\w+)::)?(\w+)\W*$)");
  std::smatch match;
  if (!std::regex_search(type, match, last)) return {};
  return (match[1].matched ? match[1].str() : space) + "::" + match[2].str();
}

/// The members that a body declares: `TYPE NAME;`, `TYPE NAME = X;` or `TYPE NAME{X};`.
std::map<std::string, Member> MembersOf(std::string_view body, const std::string& space) {
  constexpr std::string_view kBlank = " \n";
  std::map<std::string, Member> members;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '{' || body[i] == '(') i = Close(body, i) - 1;
    if (i + 1 < body.size() && body[i] != ';') continue;
    std::string_view statement = body.substr(begin, i - begin);
    begin = i + 1;
    statement.remove_prefix(std::min(statement.find_first_not_of(kBlank), statement.size()));
    const std::size_t behind = std::min(statement.find_first_of("={("), statement.size());
    const std::string_view initializer = statement.substr(behind);
    if (initializer.starts_with('(') || statement.starts_with("static")) continue;
    std::string_view declared = statement.substr(0, behind);
    declared = declared.substr(0, declared.find_last_not_of(kBlank) + 1);
    const std::size_t blank = declared.find_last_of(kBlank);
    if (blank == declared.npos) continue;
    const bool is_empty = initializer.empty() || initializer == "{}";
    members[std::string(declared.substr(blank + 1))] = {
        .type = Qualified(std::string(declared.substr(0, blank)), space), .has_default = !is_empty};
  }
  return members;
}

void FindStructs(const SourceFile& file, Structs* structs) {
  static const std::regex rule(R"(\b(struct|class) (\w+)[^;{()]*\{)");
  const std::string text = Blanked(file.content);
  const std::string space = NamespaceOf(text);
  for (std::sregex_iterator it(text.begin(), text.end(), rule), end; it != end; ++it) {
    const auto open = static_cast<std::size_t>(it->position() + it->length() - 1);
    const std::size_t close = Close(text, open);
    structs->insert_or_assign(
        space + "::" + (*it)[2].str(),
        Struct{.is_class = (*it)[1] == "class",
               .folder = FolderOf(file.path),
               .members =
                   MembersOf(std::string_view(text).substr(open + 1, close - open - 2), space)});
  }
}

/// Follows `a.b.c` from a struct on. nullopt when it leads to no member that is known.
std::optional<Place> Follow(const Structs& structs, std::string type, const std::string& path) {
  for (std::size_t begin = 0;;) {
    const std::size_t end = path.find('.', begin);
    const std::string name = path.substr(begin, end == path.npos ? end : end - begin);
    const auto found = structs.find(type);
    if (found == structs.end() || !found->second.members.contains(name)) return std::nullopt;
    if (end == path.npos) return Place(type, name);
    type = found->second.members.at(name).type;
    begin = end + 1;
  }
}

/// The type of the last declaration of `name` before `at`, as a parameter or a variable.
std::string DeclaredType(const std::string& text, std::size_t at, const std::string& name,
                         const std::string& space) {
  const std::regex rule(R"(\b((?:\w+::)*\w+)\s*[&*]?\s)" + name + R"(\s*[;:={(,)])");
  std::string type;
  for (std::sregex_iterator it(text.begin(), text.begin() + static_cast<long>(at), rule), end;
       it != end; ++it) {
    if (const std::string found = (*it)[1]; found != "return" && found != "const") type = found;
  }
  return type.empty() ? type : Qualified(type, space);
}

/// Finds what a file binds to settings.
void CheckBindings(const SourceFile& file, const Structs& structs, std::set<Place>* bound,
                   Violations* out) {
  static const std::regex rule(
      R"re([.>](?:Text|Choice|Flag|Number|Duration|TextList|DurationList|List)(?:<[\w:]+>)?\(\s*"(\w+)",\s*&(\w+)(?:->|\.)([\w.]+))re");
  const std::string text = Blanked(file.content, true);
  const std::string code = Blanked(file.content);
  const std::string space = NamespaceOf(text);
  for (std::sregex_iterator it(text.begin(), text.end(), rule), end; it != end; ++it) {
    const auto at = static_cast<std::size_t>(it->position());
    const std::string name = (*it)[1];
    const std::optional<Place> place =
        Follow(structs, DeclaredType(code, at, (*it)[2], space), (*it)[3]);
    if (!place) {
      out->push_back({file.path, LineOf(text, at), name, "is bound to no member of a struct"});
      continue;
    }
    bound->insert(*place);
    const std::string& folder = structs.at(place->first).folder;
    if (folder != FolderOf(file.path) && !folder.starts_with("base/")) {
      out->push_back({file.path, LineOf(text, at), name,
                      "is bound in another room than that of its struct, " + folder});
    }
  }
}

/// The names that an initializer list designates, when `at` is in one.
std::vector<std::string> Designated(const std::string& text, std::size_t at) {
  int depth = 0;
  std::size_t open = at;
  while (open > 0) {
    --open;
    if (text[open] == '}' || text[open] == ')') ++depth;
    if ((text[open] == '{' || text[open] == '(') && depth-- == 0) break;
  }
  std::vector<std::string> names;
  const std::size_t close = Close(text, open);
  for (std::size_t i = open + 1; i < close; ++i) {
    if (text[i] == '{' || text[i] == '(') i = Close(text, i) - 1;
    if (text[i] != '.' || IsOfName(text[i - 1]) || text[i - 1] == ')') continue;
    std::size_t end = i + 1;
    while (end < close && IsOfName(text[end])) ++end;
    names.push_back(text.substr(i + 1, end - i - 1));
  }
  return names;
}

/// Where an assignment may lead: what has such a member, and all that is designated with it.
std::vector<Place> Targets(const Structs& structs, const std::vector<std::string>& names,
                           const std::string& member) {
  std::vector<Place> places;
  for (const auto& [type, known] : structs) {
    const bool all = std::ranges::all_of(
        names, [&](const std::string& name) { return known.members.contains(name); });
    if (all && !known.is_class && known.members.contains(member)) places.emplace_back(type, member);
  }
  return places;
}

/// Whether `a.b.c` is a setting: from the type of `a` where that is known, and else from that of
/// any member of this name.
bool IsSetting(const Structs& structs, const std::set<Place>& bound, const std::string& root_type,
               const std::string& chain) {
  const std::size_t dot = chain.find('.');
  if (dot == chain.npos) return false;
  if (structs.contains(root_type)) {
    const std::optional<Place> place = Follow(structs, root_type, chain.substr(dot + 1));
    return place.has_value() && bound.contains(*place);
  }
  for (const auto& [type, known] : structs) {
    const auto member = known.members.find(chain.substr(0, dot));
    if (member == known.members.end()) continue;
    const std::optional<Place> place = Follow(structs, member->second.type, chain.substr(dot + 1));
    if (place.has_value() && bound.contains(*place)) return true;
  }
  return false;
}

/// `OWNER.MEMBER = VALUE`, or without the owner `.MEMBER = VALUE` in a list.
struct Assignment {
  std::size_t at = 0;
  std::string owner;
  std::string member;
  std::string value;
};

std::vector<Assignment> AssignmentsIn(const std::string& text) {
  std::vector<Assignment> found;
  for (std::size_t equals = text.find('='); equals != text.npos;
       equals = text.find('=', equals + 1)) {
    if (text.find_first_of("=", equals + 1) == equals + 1) {
      ++equals;
      continue;
    }
    std::size_t end = equals;
    while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
    std::size_t begin = end;
    while (begin > 0 && IsOfName(text[begin - 1])) --begin;
    if (begin == end || begin == 0 || text[begin - 1] != '.') continue;
    std::size_t owner = begin - 1;
    while (owner > 0 && (IsOfName(text[owner - 1]) || text[owner - 1] == '.' ||
                         text.compare(owner - 1, 2, "->") == 0 ||
                         (owner > 1 && text.compare(owner - 2, 2, "->") == 0))) {
      --owner;
    }
    // One of several ends where the next one begins.
    int depth = 0;
    std::size_t stop = equals + 1;
    for (; stop < text.size() && depth >= 0; ++stop) {
      const char c = text[stop];
      if (c == '(') ++depth;
      if (c == ')' && --depth < 0) break;
      if (c == ';' || c == '{' || c == '}' || (c == ',' && depth == 0)) break;
    }
    found.push_back({.at = begin,
                     .owner = text.substr(owner, begin - 1 - owner),
                     .member = text.substr(begin, end - begin),
                     .value = text.substr(equals + 1, stop - equals - 1)});
  }
  return found;
}

/// Finds settings that are put into a struct that has a default for them.
void CheckCopies(const SourceFile& file, const Structs& structs, const std::set<Place>& bound,
                 Violations* out) {
  static const std::regex read(R"((\w+)(?:(?:\.|->)\w+)*(?:\.|->)(\w+)\b(?!\())");
  static const std::regex arrow("->");
  static const std::regex comparison("[=!<>]=");
  std::set<std::string> names;
  for (const auto& [type, name] : bound) names.insert(name);
  const std::string text = Blanked(file.content);
  const std::string space = NamespaceOf(text);
  const auto has_default = [&](const Assignment& assignment) {
    std::vector<Place> targets;
    const std::string& owner = assignment.owner;
    if (owner.empty()) {
      targets = Targets(structs, Designated(text, assignment.at), assignment.member);
    } else {
      const std::string path = std::regex_replace(owner, arrow, ".") + "." + assignment.member;
      const std::size_t dot = path.find('.');
      const std::string type = DeclaredType(text, assignment.at, path.substr(0, dot), space);
      if (const auto place = Follow(structs, type, path.substr(dot + 1))) {
        targets = {*place};
      } else if (!structs.contains(type)) {
        targets = Targets(structs, {}, assignment.member);
      }
    }
    return std::ranges::any_of(targets, [&](const Place& place) {
      return structs.at(place.first).members.at(place.second).has_default && !bound.contains(place);
    });
  };
  for (const Assignment& assignment : AssignmentsIn(text)) {
    const std::string& value = assignment.value;
    // What bounds its own value keeps its default, and what is compared is not copied.
    const std::string self = assignment.owner + "." + assignment.member;
    const std::size_t again = value.find(self);
    if (again != value.npos && !IsOfName(value[again - 1]) && value[again - 1] != '.') continue;
    if (std::regex_search(value, comparison)) continue;
    for (std::sregex_iterator from(value.begin(), value.end(), read), end; from != end; ++from) {
      const std::string root = (*from)[1];
      const std::string chain = std::regex_replace(from->str(), arrow, ".");
      if (!names.contains((*from)[2]) ||
          !IsSetting(structs, bound, DeclaredType(text, assignment.at, root, space), chain) ||
          !has_default(assignment)) {
        continue;
      }
      out->push_back({file.path, LineOf(text, assignment.at), assignment.member,
                      "has a default, and takes that of " + chain + " too"});
      break;
    }
  }
}

}  // namespace

Violations CheckSettings(const std::vector<SourceFile>& files) {
  Structs structs;
  for (const SourceFile& file : files) {
    if (IsCode(file)) FindStructs(file, &structs);
  }
  Violations violations;
  std::set<Place> bound;
  for (const SourceFile& file : files) {
    if (IsCode(file)) CheckBindings(file, structs, &bound, &violations);
  }
  for (const SourceFile& file : files) {
    if (IsCode(file)) CheckCopies(file, structs, bound, &violations);
  }
  return violations;
}

}  // namespace tollbridge::architecture
