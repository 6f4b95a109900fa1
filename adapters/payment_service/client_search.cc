// The search: a page may hold what cannot be read, or be too large.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/payment_service/answers.h"
#include "adapters/payment_service/client.h"
#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/json_pieces.h"
#include "adapters/payment_service/order_lists.h"
#include "adapters/payment_service/requests.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::payment_service {
namespace {

using common::v1::OrderSearchResult;

/// What the payment service gives where no size is asked for (docs/interface.md#open-points).
constexpr std::int64_t kServicesPageSize = 100;

/// Reads a page of orders. One order that cannot be read is named in it and does not stop the
/// others.
absl::Status ReadPage(const ExchangeResult& result, OrderSearchResult* page) {
  const absl::Status answered = CheckAnswered(result);
  if (!answered.ok()) return answered;
  DecodeReport report;
  const absl::Status read = ReadAnswer(result, page, &report, kMaxListDepth);
  if (!read.ok() || report.unreadable_values > 0 || HasUnlistable(*page)) {
    const std::string& body = result.response.body;
    const std::optional<std::string_view> error = MemberOf(body, "error");
    const bool holds_error = error && error->starts_with('{');
    if (holds_error || !ReadOneByOne(body, page).ok()) return UnreadableAnswer();
  }
  // An answer that does not even say how many there are is not one that says "none".
  const bool says_nothing =
      !page->has_hits() && page->orders().empty() && page->unreadable().empty();
  return says_nothing ? UnreadableAnswer() : absl::OkStatus();
}

}  // namespace

Async<OrderSearchResult> Client::SearchOrders(const domain::Project& project,
                                              const common::v1::OrderSearch& search,
                                              const ports::Context& context) {
  common::v1::OrderSearch asked = search;
  ExchangeResult result;
  for (;;) {
    absl::StatusOr<std::string> body = ToWire(asked);
    if (!body.ok()) co_return std::move(body).status();
    Exchange exchange = NewExchange("search_orders", Effect::kRead, "POST",
                                    {.target = std::string(kSearchPath)}, project, context);
    SetJson(*std::move(body), &exchange.request);
    result = co_await pipe_.Send(std::move(exchange));
    const std::int64_t size = asked.has_size() ? asked.size() : kServicesPageSize;
    if (!IsTooLarge(result) || size <= 1) break;
    asked.set_size(size / 2);
  }
  OrderSearchResult page;
  const absl::Status read = ReadPage(result, &page);
  if (!read.ok()) co_return read;
  for (common::v1::Order& order : *page.mutable_orders()) wallet_names_.FromService(&order);
  const bool empty = page.orders().empty() && page.unreadable().empty();
  if (!page.has_search_after() && !empty) {
    const std::optional<std::string> sort = SortOfLastOrder(result.response.body);
    if (sort) page.set_search_after(*sort);
  }
  if (asked.size() != search.size()) page.set_asked_size(asked.size());
  if (on_unreadable_) {
    for (const common::v1::UnreadableOrder& order : page.unreadable()) {
      on_unreadable_(project, order);
    }
  }
  co_return page;
}

}  // namespace tollbridge::payment_service
