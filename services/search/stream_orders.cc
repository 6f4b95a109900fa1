#include "services/search/stream_orders.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <absl/status/statusor.h>
#include <absl/strings/ascii.h>

#include "base/core/status_macros.h"
#include "services/domain/order_view.h"
#include "services/search/errors.h"
#include "services/search/paging.h"
#include "services/search/query.h"

namespace tollbridge::search {
namespace {

/// Orders leave one by one, so that only memory bounds a page of them.
constexpr std::size_t kMaxPageBytes = std::size_t{32} << 20;

}  // namespace

AsyncStatus StreamOrders(ports::PaymentService& service, const ports::Clock& clock,
                         const domain::Project& project, const v1::StreamOrdersRequest& request,
                         const ports::Context& context,
                         const StreamSink<v1::StreamOrdersResponse>& sink) {
  const SearchKey key{.project = project.name,
                      .query = CompileQuery(request.query()),
                      .sort = std::string(kSortById),
                      .page_size = kDefaultPageSize};
  std::string last_id;
  std::optional<PagePlace> place = PagePlace();
  while (place) {
    ports::Context for_page = context;
    for_page.deadline = std::min(context.deadline, clock.BootNow() + kPageTimeout);
    TB_CO_ASSIGN_OR_RETURN(
        Page page, co_await ReadPage(service, project, key, *place, for_page, kMaxPageBytes));
    for (const std::string& order : page.found.orders) {
      // Ids that only ever grow are each there once, and no cursor can lead in a circle.
      const std::string_view order_id = ports::IdOf(order);
      std::string id = absl::AsciiStrToLower({order_id.data(), order_id.size()});
      if (id <= last_id) co_return Unreadable("the search's orders are not sorted by id");
      last_id = std::move(id);
      domain::Encoded<v1::StreamOrdersResponse> response;
      domain::AppendEncoded(v1::StreamOrdersResponse::kOrderFieldNumber, order, &response.bytes);
      TB_CO_RETURN_IF_ERROR(co_await sink(std::move(response)));
    }
    for (const common::v1::UnreadableOrder& order : page.found.unreadable) {
      domain::Encoded<v1::StreamOrdersResponse> response;
      domain::AppendEncoded(v1::StreamOrdersResponse::kUnreadableOrderFieldNumber,
                            order.SerializeAsString(), &response.bytes);
      TB_CO_RETURN_IF_ERROR(co_await sink(std::move(response)));
    }
    place = std::move(page.next);
  }
  co_return absl::OkStatus();
}

}  // namespace tollbridge::search
