// The search: a page may hold what cannot be read, or be too large.

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <cstddef>
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
#include "base/core/status_macros.h"
#include "services/ports/order_page.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::payment_service {
namespace {

using common::v1::OrderSearchResult;

/// What the payment service gives where no size is asked for (docs/interface.md#open-points).
constexpr std::int64_t kServicesPageSize = 100;

/// The page that the codec has written as the bytes of an OrderSearchResult.
std::optional<ports::OrderPage> SplitPage(std::string_view bytes) {
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  ports::OrderPage page;
  while (const std::uint32_t tag = in.ReadTag()) {
    const auto field = static_cast<int>(tag >> 3);
    std::uint64_t value = 0;
    if (!in.ReadVarint64(&value)) return std::nullopt;
    if (field == OrderSearchResult::kHitsFieldNumber) {
      page.hits = static_cast<std::int64_t>(value);
      continue;
    }
    const std::string_view text =
        bytes.substr(static_cast<std::size_t>(in.CurrentPosition()), value);
    if (!in.Skip(static_cast<int>(value))) return std::nullopt;
    if (field == OrderSearchResult::kOrdersFieldNumber) page.orders.emplace_back(text);
    if (field == OrderSearchResult::kSearchAfterFieldNumber) page.search_after = text;
  }
  return page;
}

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

/// The page as callers see it, quickly. nullopt for one that is no whole page of readable orders:
/// what it is ReadPage tells.
std::optional<ports::OrderPage> ListPage(const ExchangeResult& result, const ReadForm& form) {
  if (!CheckAnswered(result).ok()) return std::nullopt;
  DecodeReport report;
  std::string bytes;
  const absl::Status read = ReadBytes(result.response.body, OrderSearchResult::descriptor(), form,
                                      &bytes, &report, kMaxListDepth);
  if (!read.ok() || report.unreadable_values > 0 || report.error_object) return std::nullopt;
  std::optional<ports::OrderPage> page = SplitPage(bytes);
  const auto unlistable = [&report](const std::string& order) {
    // What is left out for callers may be of any of them, and counts.
    return ports::IdOf(order).empty() || order.size() + report.left_out > kMaxListedOrder;
  };
  if (!page || (!page->hits && page->orders.empty())) return std::nullopt;
  if (std::ranges::any_of(page->orders, unlistable)) return std::nullopt;
  return page;
}

}  // namespace

boost::asio::awaitable<absl::StatusOr<Client::SearchAnswer>> Client::AskForPage(
    const domain::Project& project, const common::v1::OrderSearch& search,
    const ports::Context& context) {
  common::v1::OrderSearch asked = search;
  SearchAnswer answer;
  for (;;) {
    absl::StatusOr<std::string> body = ToWire(asked);
    if (!body.ok()) co_return std::move(body).status();
    Exchange exchange = NewExchange("search_orders", Effect::kRead, "POST",
                                    {.target = std::string(kSearchPath)}, project, context);
    SetJson(*std::move(body), &exchange.request);
    answer.result = co_await pipe_.Send(std::move(exchange));
    const std::int64_t size = asked.has_size() ? asked.size() : kServicesPageSize;
    if (!IsTooLarge(answer.result) || size <= 1) break;
    asked.set_size(size / 2);
  }
  if (asked.size() != search.size()) answer.asked_size = asked.size();
  co_return answer;
}

absl::StatusOr<OrderSearchResult> Client::ReadFound(const domain::Project& project,
                                                    const SearchAnswer& answer) const {
  OrderSearchResult page;
  TB_RETURN_IF_ERROR(ReadPage(answer.result, &page));
  for (common::v1::Order& order : *page.mutable_orders()) wallet_names_.FromService(&order);
  const bool empty = page.orders().empty() && page.unreadable().empty();
  if (!page.has_search_after() && !empty) {
    const std::optional<std::string> sort = SortOfLastOrder(answer.result.response.body);
    if (sort) page.set_search_after(*sort);
  }
  if (answer.asked_size) page.set_asked_size(*answer.asked_size);
  if (on_unreadable_) {
    for (const common::v1::UnreadableOrder& order : page.unreadable()) {
      on_unreadable_(project, order);
    }
  }
  return page;
}

Async<OrderSearchResult> Client::SearchOrders(const domain::Project& project,
                                              const common::v1::OrderSearch& search,
                                              const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(const SearchAnswer answer, co_await AskForPage(project, search, context));
  co_return ReadFound(project, answer);
}

Async<ports::OrderPage> Client::ListOrders(const domain::Project& project,
                                           const common::v1::OrderSearch& search,
                                           const ports::Context& context) {
  TB_CO_ASSIGN_OR_RETURN(const SearchAnswer answer, co_await AskForPage(project, search, context));
  std::optional<ports::OrderPage> page = ListPage(answer.result, for_caller_);
  if (!page) {
    TB_CO_ASSIGN_OR_RETURN(OrderSearchResult found, ReadFound(project, answer));
    co_return ports::ToPage(std::move(found));
  }
  if (!page->search_after && !page->orders.empty()) {
    page->search_after = SortOfLastOrder(answer.result.response.body);
  }
  page->asked_size = answer.asked_size;
  co_return *std::move(page);
}

}  // namespace tollbridge::payment_service
