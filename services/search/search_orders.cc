#include "services/search/search_orders.h"

#include <cstddef>
#include <string>
#include <utility>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "services/domain/deterministic.h"
#include "services/search/paging.h"
#include "services/search/query.h"

namespace tollbridge::search {
namespace {

/// About what stands behind the last order of an answer.
constexpr std::size_t kUsualRest = 256;

SearchKey KeyOf(const v1::SearchOrdersRequest& request, const domain::Project& project) {
  return {.project = project.name,
          .query = CompileQuery(request.query()),
          .sort = request.has_sort() ? request.sort() : std::string(kSortById),
          .page_size = request.has_page_size() ? request.page_size() : kDefaultPageSize};
}

}  // namespace

std::optional<PagePlace> PlaceOf(const v1::SearchOrdersRequest& request,
                                 const domain::Project& project) {
  if (!request.has_page_token()) return PagePlace();
  return ReadPageToken(KeyOf(request, project), request.page_token());
}

Async<domain::Encoded<v1::SearchOrdersResponse>> SearchOrders(
    ports::PaymentService& service, const domain::Project& project,
    const v1::SearchOrdersRequest& request, ports::Context context) {
  const SearchKey key = KeyOf(request, project);
  const std::optional<PagePlace> place = PlaceOf(request, project);
  TB_CO_ASSIGN_OR_RETURN(
      Page page, co_await ReadPage(service, project, key, *place, context, kMaxAnswerBytes));
  v1::SearchOrdersResponse rest;
  for (common::v1::UnreadableOrder& order : page.found.unreadable) {
    *rest.add_unreadable_orders() = std::move(order);
  }
  if (page.found.hits) rest.set_total_hits(*page.found.hits);
  if (page.next) rest.set_next_page_token(MakePageToken(key, *page.next));
  domain::Encoded<v1::SearchOrdersResponse> response;
  response.bytes.reserve(page.found.bytes() + page.found.orders.size() * domain::kMostEncodedHead +
                         kUsualRest);
  for (const std::string& order : page.found.orders) {
    domain::AppendEncoded(v1::SearchOrdersResponse::kOrdersFieldNumber, order, &response.bytes);
  }
  response.bytes += domain::SerializeDeterministically(rest);
  co_return response;
}

}  // namespace tollbridge::search
