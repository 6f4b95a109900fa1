#include "sandbox/search/search_routes.h"

#include <boost/json/serialize.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sandbox/core/result.h"
#include "sandbox/search/csv_stream.h"
#include "sandbox/search/order_search.h"
#include "sandbox/search/search_request.h"
#include "sandbox/wire/error_response.h"

namespace tollbridge::sandbox {
namespace {

/// nullopt: no form that there is.
std::optional<SearchFormat> FormatOf(const http::Target& target) {
  const std::optional<std::string_view> format = target.Query("format");
  if (!format || *format == "json") return SearchFormat::kJson;
  if (*format == "csv") return SearchFormat::kCsv;
  return std::nullopt;
}

class SearchEndpoint {
 public:
  SearchEndpoint(World* world, const Addresses* addresses)
      : world_(world), addresses_(addresses), search_(&world->orders) {}

  Result<http::Response> Answer(const Call& call) {
    const std::optional<SearchFormat> format = FormatOf(*call.target);
    if (!format) return Invalid("format must be json or csv");
    SB_ASSIGN_OR_RETURN(const SearchRequest request,
                        ParseSearchRequest(call.request->body, *format));
    const Millis lag = world_->simulation.settings.index_lag + call.read_lag;
    if (*format == SearchFormat::kCsv) return Csv(call.project->id, request, lag);
    return Json(call.project->id, request, lag);
  }

 private:
  http::Response Json(const Uuid& project, const SearchRequest& request, Millis lag) {
    const SearchPage page = search_.Find(project, request, world_->simulation.clock.Now() - lag);
    std::string body = R"({"hits":)" + std::to_string(page.hits) + R"(,"orders":[)";
    bool first = true;
    for (const Order* order : page.orders) {
      if (!first) body += ',';
      first = false;
      AppendOrder(*order, *addresses_, &body);
    }
    body += ']';
    if (!page.orders.empty()) {
      const SortField field = request.sort.field;
      body += R"(,"search_after":)";
      body += boost::json::serialize(
          std::string_view(CursorText(field, KeyOf(field, *page.orders.back()))));
    }
    body += '}';
    return JsonResponse(200, std::move(body));
  }

  http::Response Csv(const Uuid& project, const SearchRequest& request, Millis lag) {
    std::vector<Uuid> ids = search_.FindAll(project, request, world_->simulation.clock.Now() - lag);
    http::Response response;
    response.headers.Set("Content-Type", "text/csv; charset=utf-8");
    response.body_producer =
        std::bind_front(&CsvStream::Next, std::make_shared<CsvStream>(world_, std::move(ids), lag));
    return response;
  }

  World* world_;
  const Addresses* addresses_;
  OrderSearch search_;
};

}  // namespace

std::vector<Route> SearchRoutes(World* world, const Addresses* addresses) {
  auto endpoint = std::make_shared<SearchEndpoint>(world, addresses);
  return {{.operation = "search_orders",
           .method = "POST",
           .pattern = "/v1/search/orders/",
           .access = Access::kMerchant,
           .changes = false,
           .handle = [endpoint](const Call& call) { return ToResponse(endpoint->Answer(call)); },
           .handle_later = {}}};
}

}  // namespace tollbridge::sandbox
