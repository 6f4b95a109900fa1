#include "services/search/rules.h"

#include <algorithm>
#include <string>

#include "services/search/query.h"
#include "services/search/search_orders.h"

namespace tollbridge::search {
namespace {

/// `field asc` or `field desc`.
bool IsSort(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == 0 || space == std::string_view::npos) return false;
  const std::string_view direction = text.substr(space + 1);
  if (direction != "asc" && direction != "desc") return false;
  return std::ranges::all_of(text.substr(0, space),
                             [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '.'; });
}

template <typename Request>
orders::Violations Common(const Request& request) {
  orders::Violations out;
  CheckQuery(request.query(), "query", out);
  return out;
}

}  // namespace

orders::Violations SearchOrdersViolations(const v1::SearchOrdersRequest& request,
                                          const domain::Project* project) {
  orders::Violations out = Common(request);
  // A token can be held against a whole search only.
  const bool whole = out.empty() && project != nullptr;
  if (whole && !PlaceOf(request, *project)) out.push_back({"page_token", std::string(kTokenRule)});
  if (request.has_sort() && !IsSort(request.sort())) {
    out.push_back({"sort", "must be \"field asc\" or \"field desc\", the field in lower case"});
  }
  return out;
}

orders::Violations StreamOrdersViolations(const v1::StreamOrdersRequest& request,
                                          const domain::Project* /*project*/) {
  return Common(request);
}

orders::Violations ExportOrdersViolations(const v1::ExportOrdersRequest& request,
                                          const domain::Project* /*project*/) {
  return Common(request);
}

}  // namespace tollbridge::search
