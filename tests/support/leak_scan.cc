#include "tests/support/leak_scan.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tollbridge::test {
namespace {

constexpr std::size_t kPrefix = sizeof(std::uint64_t);
constexpr std::size_t kPiece = 24;
constexpr std::size_t kAround = 48;
constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlSafe =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::size_t Prefix(const char* bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, kPrefix);
  return static_cast<std::size_t>(number);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string Hex(std::string_view bytes, std::string_view digits) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(digits[byte >> 4U]);
    out.push_back(digits[byte & 0xfU]);
  }
  return out;
}

/// What of the base64 of a text does not depend on what stands around `bytes`, when so many bytes
/// (0 to 2) of a group of three stand before them.
std::string Base64Core(std::string_view bytes, std::size_t before, std::string_view alphabet) {
  std::string bits;
  for (const char c : bytes) {
    for (unsigned bit = 8; bit-- > 0;) {
      bits.push_back(((static_cast<unsigned char>(c) >> bit) & 1U) != 0 ? '1' : '0');
    }
  }
  // The first character that lies wholly within the bytes.
  const std::size_t skipped = (6 - before * 8 % 6) % 6;
  std::string out;
  for (std::size_t at = skipped; at + 6 <= bits.size(); at += 6) {
    out.push_back(alphabet[std::stoul(bits.substr(at, 6), nullptr, 2)]);
  }
  return out;
}

std::string PercentEncoded(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const bool plain = IsWordCharacter(c) || c == '-' || c == '.' || c == '_' || c == '~';
    out += plain ? std::string(1, c) : "%" + Hex({&c, 1}, "0123456789ABCDEF");
  }
  return out;
}

std::string JsonEscaped(const std::string& bytes) {
  const std::string quoted = boost::json::serialize(boost::json::string(bytes));
  return quoted.substr(1, quoted.size() - 2);
}

std::string SlashesEscaped(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) out += c == '/' ? "\\/" : std::string(1, c);
  return out;
}

std::string InGroups(const std::string& digits, char between) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i % 4 == 0) out.push_back(between);
    out.push_back(digits[i]);
  }
  return out;
}

std::vector<std::string> Pieces(const std::string& value) {
  std::vector<std::string> pieces;
  std::string piece;
  for (const char c : value + "\n") {
    if (IsWordCharacter(c) || c == '+' || c == '=') {
      piece.push_back(c);
      continue;
    }
    if (piece.size() >= kPiece) pieces.push_back(piece);
    piece.clear();
  }
  return pieces;
}

std::string Around(const std::string& content, std::size_t at, std::size_t size) {
  const std::size_t begin = at > kAround ? at - kAround : 0;
  std::string out = content.substr(begin, size + 2 * kAround);
  std::ranges::replace_if(
      out, [](char c) { return std::isprint(static_cast<unsigned char>(c)) == 0; }, '.');
  return out;
}

char At(const std::string& content, std::size_t index) {
  return index < content.size() ? content[index] : '\n';
}

bool NamedNearby(const std::string& content, std::size_t at) {
  const std::size_t begin = at > kPiece ? at - kPiece : 0;
  std::string before = content.substr(begin, at - begin);
  std::ranges::transform(before, before.begin(), [](unsigned char c) {
    return c == '_' ? ' ' : static_cast<char>(std::tolower(c));
  });
  return before.find("cvc") != std::string::npos || before.find("cvv") != std::string::npos ||
         before.find("security code") != std::string::npos;
}

bool StandsAlone(char before, char behind) {
  constexpr std::string_view kJoins = ".:-_";
  const auto joins = [&](char c) {
    return IsWordCharacter(c) || kJoins.find(c) != std::string_view::npos;
  };
  return !joins(before) && !joins(behind);
}

/// How the four digits at `at` are written; nullptr when they are there by chance.
const char* CodeForm(const Sink& sink, std::size_t at) {
  const std::string& content = sink.content;
  const char before = at > 0 ? content[at - 1] : '\n';
  const char behind = At(content, at + 4);
  if (IsDigit(before) || IsDigit(behind)) return nullptr;
  if ((before == '"' || before == '\'') && (behind == before || behind == '\\')) return "quoted";
  if (before == '=') return "behind =";
  // As protobuf, a listpack of Redis and its protocol write the length.
  if (before == '\x04' || before == '\x84') return "behind its length";
  if (at >= 4 && content.compare(at - 4, 4, "$4\r\n") == 0) return "behind its length";
  if (NamedNearby(content, at)) return "named";
  if (sink.writing == Writing::kText && StandsAlone(before, behind)) return "a word of its own";
  return nullptr;
}

}  // namespace

void PrintTo(const Leak& leak, std::ostream* out) {
  *out << leak.mark << " (" << leak.form << ") in " << leak.sink << ": " << leak.around;
}

void LeakScan::AddPattern(const std::string& mark, const std::string& form,
                          const std::string& bytes) {
  if (bytes.size() < kPrefix) return;
  std::vector<Pattern>& same = patterns_[Prefix(bytes.data())];
  const bool known =
      std::ranges::any_of(same, [&](const Pattern& other) { return other.bytes == bytes; });
  if (!known) same.push_back({bytes, mark, form});
}

void LeakScan::Add(const std::string& name, const std::string& value) {
  if (value.size() < kPrefix) throw std::invalid_argument(name + ": too short for a mark");
  if (!values_.insert(value).second) return;
  AddPattern(name, "as it is", value);
  AddPattern(name, "hexadecimal", Hex(value, "0123456789abcdef"));
  AddPattern(name, "hexadecimal", Hex(value, "0123456789ABCDEF"));
  AddPattern(name, "percent-encoded", PercentEncoded(value));
  AddPattern(name, "JSON-escaped", JsonEscaped(value));
  AddPattern(name, "JSON-escaped", SlashesEscaped(value));
  for (std::size_t before = 0; before < 3; ++before) {
    AddPattern(name, "base64", Base64Core(value, before, kStandard));
    AddPattern(name, "base64", Base64Core(value, before, kUrlSafe));
  }
  if (std::ranges::all_of(value, IsDigit)) {
    AddPattern(name, "in groups of four", InGroups(value, ' '));
    AddPattern(name, "in groups of four", InGroups(value, '-'));
  }
  if (value.find('"') == std::string::npos) return;
  for (const std::string& piece : Pieces(value)) AddPattern(name, "a piece of it", piece);
}

void LeakScan::AddSecurityCode(const std::string& name, const std::string& code) {
  if (code.size() != 4 || !std::ranges::all_of(code, IsDigit)) {
    throw std::invalid_argument(name + ": not a code of four digits");
  }
  values_.insert(code);
  codes_.emplace(code, name);
}

std::vector<Leak> LeakScan::Find(const Sink& sink) const {
  std::vector<Leak> leaks;
  std::set<std::pair<std::string, std::string>> found;
  const std::string& content = sink.content;
  for (std::size_t at = 0; at + kPrefix <= content.size(); ++at) {
    const auto same = patterns_.find(Prefix(content.data() + at));
    if (same == patterns_.end()) continue;
    for (const Pattern& pattern : same->second) {
      if (content.compare(at, pattern.bytes.size(), pattern.bytes) != 0) continue;
      if (!found.emplace(pattern.mark, pattern.form).second) continue;
      leaks.push_back(
          {pattern.mark, pattern.form, sink.name, Around(content, at, pattern.bytes.size())});
    }
  }
  FindCodes(sink, &leaks);
  return leaks;
}

void LeakScan::FindCodes(const Sink& sink, std::vector<Leak>* leaks) const {
  for (const auto& [code, name] : codes_) {
    std::set<std::string> found;
    for (std::size_t at = sink.content.find(code); at != std::string::npos;
         at = sink.content.find(code, at + 1)) {
      const char* const form = CodeForm(sink, at);
      if (form == nullptr || !found.insert(form).second) continue;
      leaks->push_back({name, form, sink.name, Around(sink.content, at, code.size())});
    }
  }
}

std::vector<Leak> LeakScan::Find(const std::vector<Sink>& sinks) const {
  std::vector<Leak> leaks;
  for (const Sink& sink : sinks) {
    std::vector<Leak> more = Find(sink);
    std::ranges::move(more, std::back_inserter(leaks));
  }
  return leaks;
}

}  // namespace tollbridge::test
