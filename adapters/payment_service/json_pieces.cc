#include "adapters/payment_service/json_pieces.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>

namespace tollbridge::payment_service {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// Goes over a text from its beginning to its end.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  void SkipSpace() {
    const std::size_t next = text_.find_first_not_of(kSpace, at_);
    at_ = next == std::string_view::npos ? text_.size() : next;
  }

  bool AtEnd() const { return at_ == text_.size(); }

  /// Whether `c` was next; it is passed then.
  bool Take(char c) {
    SkipSpace();
    if (AtEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  /// A text with its quotes; nullopt when none is next, or it does not end.
  std::optional<std::string_view> TakeText() {
    SkipSpace();
    const std::size_t begin = at_;
    if (AtEnd() || text_[at_] != '"' || !SkipText()) return std::nullopt;
    return text_.substr(begin, at_ - begin);
  }

  /// Any value, up to what ends it; nullopt when there is none, or it does not end.
  std::optional<std::string_view> TakeValue() {
    SkipSpace();
    const std::size_t begin = at_;
    std::size_t open = 0;
    while (!AtEnd()) {
      const char c = text_[at_];
      if (c == '"') {
        if (!SkipText()) return std::nullopt;
        continue;
      }
      const bool closes = c == '}' || c == ']';
      if (open == 0 && (closes || c == ',')) break;
      if (c == '{' || c == '[') ++open;
      if (closes) --open;
      ++at_;
    }
    if (open != 0 || at_ == begin) return std::nullopt;
    const std::string_view value = text_.substr(begin, at_ - begin);
    return value.substr(0, value.find_last_not_of(kSpace) + 1);
  }

 private:
  /// From its first quote to behind its last. False when it does not end.
  bool SkipText() {
    for (++at_; !AtEnd(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        return true;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Nothing but space follows.
bool Ended(Scan& scan) {
  scan.SkipSpace();
  return scan.AtEnd();
}

}  // namespace

bool JsonMember::Is(std::string_view wanted) const {
  if (name.find('\\') == std::string_view::npos) return name == wanted;
  // As \u0061 is written for a.
  constexpr std::size_t kLongestEscape = 6;
  if (name.size() > wanted.size() * kLongestEscape) return false;
  boost::system::error_code error;
  const boost::json::value resolved = boost::json::parse("\"" + std::string(name) + "\"", error);
  return !error && resolved.is_string() && std::string_view(resolved.get_string()) == wanted;
}

std::optional<std::vector<JsonMember>> MembersOf(std::string_view text) {
  Scan scan(text);
  if (!scan.Take('{')) return std::nullopt;
  std::vector<JsonMember> members;
  bool closed = scan.Take('}');
  while (!closed) {
    const auto name = scan.TakeText();
    if (!name || !scan.Take(':')) return std::nullopt;
    const auto value = scan.TakeValue();
    if (!value) return std::nullopt;
    members.push_back({name->substr(1, name->size() - 2), *value});
    if (scan.Take(',')) continue;
    if (!scan.Take('}')) return std::nullopt;
    closed = true;
  }
  if (!Ended(scan)) return std::nullopt;
  return members;
}

std::optional<std::vector<std::string_view>> ElementsOf(std::string_view text) {
  Scan scan(text);
  if (!scan.Take('[')) return std::nullopt;
  std::vector<std::string_view> elements;
  bool closed = scan.Take(']');
  while (!closed) {
    const auto value = scan.TakeValue();
    if (!value) return std::nullopt;
    elements.push_back(*value);
    if (scan.Take(',')) continue;
    if (!scan.Take(']')) return std::nullopt;
    closed = true;
  }
  if (!Ended(scan)) return std::nullopt;
  return elements;
}

std::optional<std::string_view> MemberOf(std::string_view text, std::string_view name) {
  const auto members = MembersOf(text);
  if (!members) return std::nullopt;
  std::optional<std::string_view> found;
  for (const JsonMember& member : *members) {
    if (member.Is(name)) found = member.value;
  }
  return found;
}

std::optional<std::string_view> PlainText(std::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return std::nullopt;
  value = value.substr(1, value.size() - 2);
  if (value.find_first_of("\"\\") != std::string_view::npos) return std::nullopt;
  return value;
}

}  // namespace tollbridge::payment_service
