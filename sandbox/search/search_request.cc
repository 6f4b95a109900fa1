#include "sandbox/search/search_request.h"

#include <cstdint>
#include <string>
#include <utility>

#include "sandbox/core/result.h"
#include "sandbox/wire/json_reader.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::string_view kBegin = "-1";

void ReadQuery(JsonReader& reader, SearchRequest* request) {
  const std::optional<std::string> text = reader.String("query");
  if (!text) return;
  Result<Query> query = Query::Parse(*text);
  if (!query.ok()) return reader.Fail(query.error());
  request->query = *std::move(query);
}

void ReadSort(JsonReader& reader, SearchRequest* request) {
  const std::optional<std::string> text = reader.Text(
      "sort", [](std::string_view sort) { return ParseSort(sort).has_value(); },
      "must be 'field asc' or 'field desc', with id, created, modified, completed, amount, "
      "merchant_order_id or status as the field");
  if (text) request->sort = *ParseSort(*text);
}

void ReadPage(JsonReader& reader, SearchRequest* request) {
  const std::int64_t size = reader.Integer("size", 1, kMaxPageSize).value_or(kDefaultPageSize);
  const std::int64_t start = reader.Integer("start", 0).value_or(0);
  if (start + size > kMaxSimplePaging) {
    reader.Fail(Invalid("start + size must be at most " + std::to_string(kMaxSimplePaging) +
                        ": use search_after beyond"));
  }
  request->size = static_cast<std::size_t>(size);
  request->start = static_cast<std::size_t>(start);
}

void ReadCursor(JsonReader& reader, SearchRequest* request) {
  const std::optional<std::string> text = reader.String("search_after");
  if (!text) return;
  if (reader.Has("start")) reader.Refuse("start", "must not be used together with search_after");
  if (!reader.Has("sort")) reader.Refuse("search_after", "needs sort");
  if (*text == kBegin) return;
  request->after = ParseCursor(request->sort.field, *text);
  if (!request->after) {
    reader.Refuse("search_after", "must be '-1' or a value of the field that sort names");
  }
}

}  // namespace

Result<SearchRequest> ParseSearchRequest(std::string_view body, SearchFormat format) {
  JsonReader reader(ParseBody(body), {"query", "size", "start", "sort", "search_after"});
  if (format == SearchFormat::kCsv) {
    for (const std::string_view name : {"start", "search_after"}) {
      if (!reader.Has(name)) continue;
      reader.Refuse(name, "is not for format=csv, which returns the whole result");
    }
  }
  SearchRequest request;
  ReadQuery(reader, &request);
  ReadSort(reader, &request);
  ReadPage(reader, &request);
  ReadCursor(reader, &request);
  SB_RETURN_IF_ERROR(reader.Done());
  return request;
}

}  // namespace tollbridge::sandbox
