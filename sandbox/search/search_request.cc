#include "sandbox/search/search_request.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <utility>

#include "base/core/card_numbers.h"
#include "base/core/text.h"
#include "sandbox/core/result.h"

namespace tollbridge::sandbox {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 5> kKnown = {"query", "size", "start", "sort",
                                                    "search_after"};
constexpr std::string_view kBegin = "-1";
constexpr std::size_t kMaxCursorBytes = 4 * 1024;
// Of a name that the client made up.
constexpr std::size_t kShownNameBytes = 64;

/// Takes the fields out of the body, one by one. The first error stays; read all, then look at it.
class Reader {
 public:
  explicit Reader(const json::object& body) : body_(body) {
    for (const json::key_value_pair& field : body_) {
      if (std::ranges::find(kKnown, std::string_view(field.key())) != kKnown.end()) continue;
      Fail(std::string(Truncated(MaskCardNumbers(field.key()), kShownNameBytes)) +
           " is not a field of this request");
    }
  }

  /// Absent when null, too.
  const json::value* Find(std::string_view name) const {
    const json::value* value = body_.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  std::optional<std::string_view> Text(std::string_view name) {
    const json::value* value = Find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_string()) return std::string_view(value->get_string());
    Fail(std::string(name) + " must be a string");
    return std::nullopt;
  }

  std::int64_t Integer(std::string_view name, std::int64_t otherwise, std::int64_t from,
                       std::int64_t to) {
    const json::value* value = Find(name);
    if (value == nullptr) return otherwise;
    // The parser makes it an uint64 only where an int64 is too small.
    const std::int64_t* number = value->if_int64();
    if (number != nullptr && *number >= from && *number <= to) return *number;
    Fail(std::string(name) + " must be an integer from " + std::to_string(from) + " to " +
         std::to_string(to));
    return otherwise;
  }

  void Fail(std::string what) { Fail(Invalid(std::move(what))); }
  void Fail(ApiError error) {
    if (!error_) error_ = std::move(error);
  }
  std::optional<ApiError>& error() { return error_; }

 private:
  const json::object& body_;
  std::optional<ApiError> error_;
};

void ReadQuery(Reader& reader, SearchRequest* request) {
  const std::optional<std::string_view> text = reader.Text("query");
  if (!text) return;
  Result<Query> query = Query::Parse(*text);
  if (!query.ok()) return reader.Fail(query.error());
  request->query = *std::move(query);
}

void ReadSort(Reader& reader, SearchRequest* request) {
  const std::optional<std::string_view> text = reader.Text("sort");
  if (!text) return;
  if (const std::optional<Sort> sort = ParseSort(*text)) {
    request->sort = *sort;
  } else {
    reader.Fail(
        "sort must be 'field asc' or 'field desc', with id, created, modified, completed, amount, "
        "merchant_order_id or status as the field");
  }
}

void ReadStart(Reader& reader, SearchRequest* request) {
  const std::int64_t start = reader.Integer("start", 0, 0, std::int64_t{1} << 53);
  if (start + static_cast<std::int64_t>(request->size) > kMaxSimplePaging) {
    reader.Fail("start + size must be at most " + std::to_string(kMaxSimplePaging) +
                ": use search_after beyond");
    return;
  }
  request->start = static_cast<std::size_t>(start);
}

void ReadCursor(Reader& reader, SearchRequest* request) {
  const std::optional<std::string_view> text = reader.Text("search_after");
  if (!text) return;
  if (reader.Find("start") != nullptr) {
    reader.Fail("start must not be used together with search_after");
  }
  if (reader.Find("sort") == nullptr) reader.Fail("search_after needs sort");
  if (*text == kBegin) return;
  if (text->size() > kMaxCursorBytes) {
    reader.Fail("search_after must have at most " + std::to_string(kMaxCursorBytes) + " bytes");
    return;
  }
  request->after = ParseCursor(request->sort.field, *text);
  if (!request->after) {
    reader.Fail("search_after must be '-1' or a value of the field that sort names");
  }
}

}  // namespace

Result<SearchRequest> ParseSearchRequest(std::string_view body, SearchFormat format) {
  boost::system::error_code problem;
  const json::value root = json::parse(body, problem);
  if (problem) return ApiError{400, "ValidationError", "the body is not JSON"};
  if (!root.is_object()) return Invalid("the body must be an object");

  Reader reader(root.get_object());
  if (format == SearchFormat::kCsv) {
    for (const std::string_view name : {"start", "search_after"}) {
      if (reader.Find(name) == nullptr) continue;
      reader.Fail(std::string(name) + " is not for format=csv, which returns the whole result");
    }
  }
  SearchRequest request;
  ReadQuery(reader, &request);
  ReadSort(reader, &request);
  request.size =
      static_cast<std::size_t>(reader.Integer("size", kDefaultPageSize, 1, kMaxPageSize));
  ReadStart(reader, &request);
  ReadCursor(reader, &request);
  if (reader.error()) return *std::move(reader.error());
  return request;
}

}  // namespace tollbridge::sandbox
