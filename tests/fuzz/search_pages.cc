#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/payment_service/client.h"
#include "adapters/payment_service/order_lists.h"
#include "base/core/uuid.h"
#include "services/domain/errors.h"
#include "tests/fuzz/finding.h"
#include "tests/fuzz/fixed_service.h"
#include "tests/support/page_difference.h"
#include "tollbridge/common/v1/search.pb.h"

// Any bytes as a page of a search, through the client. Where a page can be told at all, each of its
// orders is shown or named with a cause, and none is lost, told twice or made up; the rest is an
// error with a reason.

namespace tollbridge::fuzz {
namespace {

namespace json = boost::json;
using common::v1::OrderSearchResult;

/// Asks a client whose every answer has that body, by one of its functions.
template <typename Ask>
auto Asked(std::string_view body, const Ask& ask) {
  static boost::asio::io_context context{1};
  http::Response response;
  response.status = 200;
  response.headers.Set("Content-Type", "application/json");
  response.body = std::string(body);
  const auto client = ClientOf([&response](const payment_service::Exchange&) { return response; });
  common::v1::OrderSearch search;
  search.set_size(100);
  const domain::Project project{.name = "shop"};
  const ports::Context call{.deadline = BootTime::max()};
  return Run(context, ask(*client, project, search, call));
}

absl::StatusOr<OrderSearchResult> Search(std::string_view body) {
  return Asked(body,
               [](auto& client, const auto&... about) { return client.SearchOrders(about...); });
}

/// What callers get without that messages are made of it is what they get when they are.
void CheckList(std::string_view body) {
  const auto listed =
      Asked(body, [](auto& client, const auto&... about) { return client.ListOrders(about...); });
  const auto found = Asked(body, [](auto& client, const auto&... about) {
    return client.ports::PaymentService::ListOrders(about...);
  });
  const std::string difference = test::DifferenceOf(listed, found);
  if (!difference.empty()) Found("callers get another page: " + difference);
}

/// How many orders the body lists, by a reading of its own; nullopt where it is no JSON, or lists
/// none.
std::optional<std::size_t> Listed(std::string_view body) {
  json::parse_options options;
  options.max_depth = body.size() + 1;
  boost::system::error_code error;
  const json::value value = json::parse(body, error, {}, options);
  if (error || !value.is_object()) return std::nullopt;
  const json::value* orders = value.get_object().if_contains("orders");
  if (orders == nullptr || !orders->is_array()) return std::nullopt;
  return orders->get_array().size();
}

void CheckUnreadable(const common::v1::UnreadableOrder& order) {
  constexpr std::string_view kCauses[] = {"too_deep",     "bad_text", "too_large",
                                          "not_an_order", "bad_json", "no_id"};
  if (std::ranges::find(kCauses, order.cause()) == std::end(kCauses)) {
    Found("a cause of its own: " + order.cause());
  }
  if (!order.id().empty() && !Uuid::Parse(order.id())) Found("an id that is none");
}

void Take(std::string_view body) {
  CheckList(body);
  const absl::StatusOr<OrderSearchResult> page = Search(body);
  if (!page.ok()) {
    if (domain::ReasonOf(page.status()).empty()) Found("an error without a reason");
    return;
  }
  std::size_t bytes = 0;
  for (const common::v1::Order& order : page->orders()) {
    if (order.id().empty()) Found("an order without an id in a list");
    if (order.ByteSizeLong() > payment_service::kMaxListedOrder) Found("an order without a bound");
    bytes += order.ByteSizeLong();
  }
  if (bytes > 64 * (body.size() + 1)) Found("a page that grows");
  for (const common::v1::UnreadableOrder& order : page->unreadable()) CheckUnreadable(order);
  const auto shown = static_cast<std::size_t>(page->orders_size() + page->unreadable_size());
  const std::optional<std::size_t> listed = Listed(body);
  if (listed && *listed != shown) {
    Found("of " + std::to_string(*listed) + " orders " + std::to_string(shown) + " are told");
  }
  const absl::StatusOr<OrderSearchResult> again = Search(body);
  // Not by their bytes: those of maps come in any order.
  if (!again.ok() || !google::protobuf::util::MessageDifferencer::Equals(*again, *page)) {
    Found("another page at the second look");
  }
}

}  // namespace
}  // namespace tollbridge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tollbridge::fuzz::Take({reinterpret_cast<const char*>(data), size});
  return 0;
}
