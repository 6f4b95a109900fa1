#include "tests/fuzz/answer_check.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/http/message.h"
#include "base/http/url.h"

namespace tollbridge::fuzz {
namespace {

namespace json = boost::json;

constexpr std::string_view kLineEnd = "\r\n";

/// Pages are for people: what they say of a mistake is HTML.
bool IsPage(const std::string& target) {
  const auto parsed = http::ParseTarget(target);
  if (!parsed.ok() || parsed->segments.empty()) return false;
  const auto& segments = parsed->segments;
  return segments[0] == "pay" ||
         (segments[0] == "_sandbox" && (segments.size() == 1 || segments[1] == "view"));
}

/// What a problem is, with the beginning of the answer it is in.
std::string Problem(std::string_view what, std::string_view answer) {
  return std::string(what) + ": " + std::string(answer.substr(0, 600));
}

/// One answer, taken off the front of a stream.
class Reader {
 public:
  explicit Reader(std::string_view stream) : rest_(stream) {}

  bool empty() const { return rest_.empty(); }
  int status() const { return status_; }
  const std::string& body() const { return body_; }
  bool closes() const { return closes_; }

  /// Empty when a whole answer was read.
  std::string Next(bool to_head) {
    const std::string_view answer = rest_;
    headers_ = {};
    body_.clear();
    if (!ReadStatus()) return Problem("no status line", answer);
    if (!ReadHeaders()) return Problem("a malformed header", answer);
    closes_ = http::EqualsIgnoreCase(headers_.Find("Connection").value_or(""), "close");
    if (status_ != 100 && (status_ < 200 || status_ > 599)) return Problem("the status", answer);
    const bool chunked = headers_.Find("Transfer-Encoding") == "chunked";
    const auto lengths = headers_.FindAll("Content-Length");
    if (lengths.size() > 1 || (chunked && !lengths.empty())) return Problem("two lengths", answer);
    if (status_ == 100 || status_ == 204 || status_ == 304) {
      return lengths.empty() && !chunked ? "" : Problem("a body where none may be", answer);
    }
    if (to_head) return "";
    if (chunked) return ReadChunks() ? "" : Problem("malformed chunks", answer);
    if (lengths.empty()) return ReadToEnd() ? "" : Problem("a body without a length", answer);
    const std::optional<std::size_t> size = Number(lengths.front(), 10);
    if (!size || *size > rest_.size()) return Problem("a wrong Content-Length", answer);
    body_ = rest_.substr(0, *size);
    rest_.remove_prefix(*size);
    return "";
  }

 private:
  static std::optional<std::size_t> Number(std::string_view text, int base) {
    std::size_t number = 0;
    const char* last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(text.data(), last, number, base);
    if (text.empty() || end != last || problem != std::errc()) return std::nullopt;
    return number;
  }

  std::optional<std::string_view> Line() {
    const std::size_t end = rest_.find(kLineEnd);
    if (end == rest_.npos) return std::nullopt;
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + kLineEnd.size());
    return line;
  }

  bool ReadStatus() {
    const auto line = Line();
    if (!line || !line->starts_with("HTTP/1.1 ") || line->size() < 13 || (*line)[12] != ' ') {
      return false;
    }
    const auto number = Number(line->substr(9, 3), 10);
    status_ = static_cast<int>(number.value_or(0));
    return number.has_value();
  }

  bool ReadHeaders() {
    for (;;) {
      const auto line = Line();
      if (!line) return false;
      if (line->empty()) return true;
      const std::size_t colon = line->find(": ");
      const bool clean = std::ranges::none_of(
          *line, [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
      if (colon == 0 || colon == line->npos || !clean) return false;
      headers_.Add(line->substr(0, colon), line->substr(colon + 2));
    }
  }

  bool ReadChunks() {
    for (;;) {
      const auto line = Line();
      const auto size = line ? Number(*line, 16) : std::nullopt;
      if (!size || *size > rest_.size()) return false;
      body_ += rest_.substr(0, *size);
      rest_.remove_prefix(*size);
      const auto end = Line();
      if (!end || !end->empty()) return false;
      if (*size == 0) return true;
    }
  }

  /// As HTTP/1.0 has it.
  bool ReadToEnd() {
    body_ = rest_;
    rest_ = {};
    return closes_;
  }

  std::string_view rest_;
  int status_ = 0;
  http::Headers headers_;
  std::string body_;
  bool closes_ = false;
};

bool IsErrorObject(const std::string& body, int status) {
  boost::system::error_code problem;
  const json::value value = json::parse(body, problem);
  if (problem || !value.is_object()) return false;
  const json::value* error = value.get_object().if_contains("error");
  if (error == nullptr || !error->is_object()) return false;
  const json::object& fields = error->get_object();
  const json::value* type = fields.if_contains("type");
  const json::value* text = fields.if_contains("value");
  const json::value* number = fields.if_contains("status");
  return type != nullptr && type->is_string() && text != nullptr && text->is_string() &&
         number != nullptr && number->is_int64() && number->get_int64() == status;
}

}  // namespace

std::string WhatIsWrong(const Exchange& exchange, Errors errors) {
  Reader reader(exchange.answered);
  std::size_t answers = 0;
  bool refused = false;
  while (!reader.empty()) {
    if (refused) return "there is more after the refusal of what is no request";
    const bool handled = answers < exchange.handled.size();
    const bool to_head = handled && exchange.handled[answers].method == "HEAD";
    if (std::string problem = reader.Next(to_head); !problem.empty()) return problem;
    if (reader.status() == 100) continue;
    const std::string target = handled ? exchange.handled[answers].target : "";
    if (errors == Errors::kObject && reader.status() >= 400 && !to_head && !IsPage(target) &&
        !IsErrorObject(reader.body(), reader.status())) {
      return "no error object with " + std::to_string(reader.status()) + " to " + target + ": " +
             reader.body().substr(0, 600);
    }
    refused = !handled;
    if (refused && (reader.status() < 400 || !reader.closes())) {
      return "an answer that no one asked for, with " + std::to_string(reader.status());
    }
    ++answers;
  }
  if (answers < exchange.handled.size()) {
    return "no answer to " + exchange.handled[answers].target;
  }
  return "";
}

}  // namespace tollbridge::fuzz
