#include "adapters/payment_service/order_lists.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <utility>
#include <vector>

#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/json_pieces.h"
#include "base/core/status_macros.h"
#include "base/core/uuid.h"

namespace tollbridge::payment_service {
namespace {

namespace json = boost::json;
using common::v1::Order;
using common::v1::OrderSearchResult;
using common::v1::UnreadableOrder;

constexpr std::string_view kOrders = "orders";

/// Null when it is no JSON.
json::value Parse(std::string_view text) {
  json::parse_options options;
  options.max_depth = static_cast<std::size_t>(kMaxJsonDepth);
  boost::system::error_code error;
  json::value root = json::parse(text, error, {}, options);
  return error ? json::value() : root;
}

std::string_view CauseOf(Unreadable why) {
  switch (why) {
    case Unreadable::kTooDeep:
      return "too_deep";
    case Unreadable::kBadText:
      return "bad_text";
    case Unreadable::kTooLong:
      return "too_large";
    case Unreadable::kBadShape:
      return "not_an_order";
    case Unreadable::kBadJson:
    case Unreadable::kNo:
      break;
  }
  return "bad_json";
}

/// The order of `text` into `*order`; why not, when it cannot be shown.
std::optional<std::string_view> WhyUnlistable(std::string_view text, Order* order) {
  DecodeReport report;
  if (!FromWire(text, order, &report).ok()) return CauseOf(report.failure);
  if (order->id().empty()) return "no_id";
  if (order->ByteSizeLong() > kMaxListedOrder) return "too_large";
  for (std::string& path : report.unreadable_paths) {
    order->add_unreadable_fields(std::move(path));
  }
  return std::nullopt;
}

void ReadOne(std::string_view text, OrderSearchResult* page) {
  Order order;
  const std::optional<std::string_view> why = WhyUnlistable(text, &order);
  if (!why) {
    *page->add_orders() = std::move(order);
    return;
  }
  UnreadableOrder& unreadable = *page->add_unreadable();
  unreadable.set_cause(std::string(*why));
  // The id of a text that no parser takes: a UUID and nothing else may stand there.
  const auto member = MemberOf(text, "id");
  const auto id = member ? PlainText(*member) : std::nullopt;
  const auto uuid = id ? Uuid::Parse(*id) : std::nullopt;
  if (uuid) unreadable.set_id(uuid->ToString());
}

/// The text of the list of orders: the last member of its name, or a bare array.
std::optional<std::string_view> ListIn(std::string_view body) {
  if (ElementsOf(body)) return body;
  return MemberOf(body, kOrders);
}

}  // namespace

bool ListsOrders(std::string_view body, std::size_t count) {
  const std::optional<std::string_view> list = ListIn(body);
  if (!list || *list == "null") return count == 0;
  const auto elements = ElementsOf(*list);
  return elements && elements->size() == count;
}

std::optional<std::string> SortOfLastOrder(std::string_view body) {
  const auto list = MemberOf(body, kOrders);
  const auto orders = list ? ElementsOf(*list) : std::nullopt;
  if (!orders || orders->empty()) return std::nullopt;
  const auto member = MemberOf(orders->back(), "sort");
  if (!member) return std::nullopt;
  json::value sort = Parse(*member);
  if (sort.is_array() && sort.as_array().size() == 1) {
    json::value only = sort.as_array().front();
    sort = std::move(only);
  }
  if (sort.is_string()) return std::string(std::string_view(sort.as_string()));
  if (sort.is_int64()) return std::to_string(sort.as_int64());
  if (sort.is_uint64()) return std::to_string(sort.as_uint64());
  return std::nullopt;
}

absl::Status ReadOneByOne(std::string_view body, OrderSearchResult* page) {
  const auto members = MembersOf(body);
  if (!members) return absl::DataLossError("not an object that comes to its end");
  std::optional<std::string_view> list;
  std::string around = "{";
  for (const JsonMember& member : *members) {
    if (member.Is(kOrders)) {
      list = member.value;
      continue;
    }
    if (around.size() > 1) around += ',';
    around.append("\"").append(member.name).append("\":").append(member.value);
  }
  around += '}';
  TB_RETURN_IF_ERROR(FromWire(around, page));
  if (!list || *list == "null") return absl::OkStatus();
  const auto orders = ElementsOf(*list);
  if (!orders) return absl::DataLossError("the orders are no list");
  for (const std::string_view order : *orders) ReadOne(order, page);
  return absl::OkStatus();
}

bool HasUnlistable(const OrderSearchResult& page) {
  const bool all_small = page.ByteSizeLong() <= kMaxListedOrder;
  for (const Order& order : page.orders()) {
    if (order.id().empty() || (!all_small && order.ByteSizeLong() > kMaxListedOrder)) return true;
  }
  return false;
}

void NameUnreadable(std::string_view body, common::v1::RefundList* list) {
  const auto orders = ElementsOf(body);
  if (!orders || orders->size() != static_cast<std::size_t>(list->orders_size())) return;
  for (int i = 0; i < list->orders_size(); ++i) {
    Order alone;
    DecodeReport report;
    const absl::Status read = FromWire((*orders)[static_cast<std::size_t>(i)], &alone, &report);
    if (!read.ok()) continue;
    for (std::string& path : report.unreadable_paths) {
      list->mutable_orders(i)->add_unreadable_fields(std::move(path));
    }
  }
}

}  // namespace tollbridge::payment_service
