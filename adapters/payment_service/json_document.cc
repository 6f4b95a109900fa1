#include "adapters/payment_service/json_document.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/error.hpp>
#include <boost/json/parse_options.hpp>
#include <functional>
#include <limits>
#include <tuple>

namespace tollbridge::payment_service {
namespace {

namespace json = boost::json;
using ErrorCode = boost::system::error_code;
using Kind = JsonNode::Kind;

/// A value of an answer has some 12 bytes of text, with its name: so the nodes seldom grow twice.
constexpr std::size_t kBytesOfNode = 12;

}  // namespace

/// Takes what the parser finds. Each of its functions returns whether to go on.
class JsonDocument::Builder {
 public:
  // The body is bounded, and with it all of these.
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;

  Builder(JsonDocument* out, std::string_view body) : out_(*out), body_(body) {}

  bool on_document_begin(ErrorCode&) { return true; }
  bool on_document_end(ErrorCode&) { return true; }
  bool on_object_begin(ErrorCode&) { return Open(Kind::kObject); }
  bool on_object_end(std::size_t, ErrorCode&) { return Close(); }
  bool on_array_begin(ErrorCode&) { return Open(Kind::kArray); }
  bool on_array_end(std::size_t, ErrorCode&) { return Close(); }
  bool on_key_part(std::string_view part, std::size_t, ErrorCode&) { return Keep(part); }
  bool on_key(std::string_view last, std::size_t size, ErrorCode&) { return AddText(last, size); }
  bool on_string_part(std::string_view part, std::size_t, ErrorCode&) { return Keep(part); }
  bool on_string(std::string_view last, std::size_t size, ErrorCode&) {
    return AddText(last, size);
  }
  bool on_number_part(std::string_view, ErrorCode&) { return true; }
  bool on_int64(std::int64_t number, std::string_view, ErrorCode&) {
    Add(Kind::kInteger).integer = number;
    return true;
  }
  bool on_uint64(std::uint64_t number, std::string_view, ErrorCode&) {
    Add(Kind::kUnsigned).whole = number;
    return true;
  }
  bool on_double(double number, std::string_view, ErrorCode&) {
    Add(Kind::kDouble).number = number;
    return true;
  }
  bool on_bool(bool flag, ErrorCode&) {
    Add(Kind::kFlag).flag = flag;
    return true;
  }
  bool on_null(ErrorCode&) {
    Add(Kind::kNull);
    return true;
  }
  bool on_comment_part(std::string_view, ErrorCode&) { return true; }
  bool on_comment(std::string_view, ErrorCode&) { return true; }

 private:
  JsonNode& Add(Kind kind) {
    JsonNode& node = out_.nodes_.emplace_back();
    node.kind = kind;
    return node;
  }

  bool Open(Kind kind) {
    open_.push_back(out_.nodes_.size());
    Add(kind);
    return true;
  }

  bool Close() {
    const std::size_t opened = open_.back();
    open_.pop_back();
    out_.nodes_[opened].size = static_cast<std::uint32_t>(out_.nodes_.size() - opened - 1);
    return true;
  }

  bool Keep(std::string_view part) {
    if (!in_parts_) out_.unescaped_.emplace_back();
    in_parts_ = true;
    out_.unescaped_.back().append(part);
    return true;
  }

  /// `last`: the text, or the last part of it, of `size` bytes in all. It is the parser's own
  /// memory when it had escapes.
  bool AddText(std::string_view last, std::size_t size) {
    const std::less_equal<> not_behind;
    const bool in_body = !in_parts_ && not_behind(body_.data(), last.data()) &&
                         not_behind(last.data() + last.size(), body_.data() + body_.size());
    if (!in_body) Keep(last);
    in_parts_ = false;
    JsonNode& node = Add(Kind::kText);
    node.size = static_cast<std::uint32_t>(size);
    node.text = in_body ? last.data() : out_.unescaped_.back().data();
    return true;
  }

  JsonDocument& out_;
  std::string_view body_;
  std::vector<std::size_t> open_;
  bool in_parts_ = false;
};

std::vector<JsonMembers::Member> LastOfEachName(const JsonNode& object) {
  std::vector<JsonMembers::Member> members;
  for (const JsonMembers::Member member : JsonMembers(object)) members.push_back(member);
  std::ranges::sort(members, [](const auto& a, const auto& b) {
    return std::tie(a.name, a.value) < std::tie(b.name, b.value);
  });
  // Backwards the last of a name is the first.
  const auto rest =
      std::ranges::unique(members.rbegin(), members.rend(), {}, &JsonMembers::Member::name);
  members.erase(members.begin(), rest.begin().base());
  return members;
}

ErrorCode JsonDocument::Read(std::string_view text, int max_depth) {
  nodes_.reserve(text.size() / kBytesOfNode + 1);
  json::parse_options options;
  options.max_depth = static_cast<std::size_t>(max_depth);
  options.numbers = json::number_precision::precise;
  json::basic_parser<Builder> parser(options, this, text);
  ErrorCode error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (!error && read < text.size()) error = json::error::extra_data;
  return error;
}

}  // namespace tollbridge::payment_service
