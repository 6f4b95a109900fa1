#include "services/ports/order_page.h"

#include <google/protobuf/io/coded_stream.h>

#include <cstdint>
#include <utility>

#include "services/domain/deterministic.h"
#include "services/domain/order_view.h"

namespace tollbridge::ports {

std::size_t OrderPage::bytes() const {
  std::size_t sum = 0;
  for (const std::string& order : orders) sum += order.size();
  for (const common::v1::UnreadableOrder& order : unreadable) sum += order.ByteSizeLong();
  return sum;
}

std::string_view IdOf(std::string_view listed_order) {
  constexpr std::uint32_t kIdTag = common::v1::Order::kIdFieldNumber << 3 | 2;
  google::protobuf::io::CodedInputStream in(
      reinterpret_cast<const std::uint8_t*>(listed_order.data()),
      static_cast<int>(listed_order.size()));
  std::uint32_t size = 0;
  if (in.ReadTag() != kIdTag || !in.ReadVarint32(&size)) return {};
  const auto at = static_cast<std::size_t>(in.CurrentPosition());
  return listed_order.substr(at, size);
}

OrderPage ToPage(common::v1::OrderSearchResult found) {
  OrderPage page;
  for (common::v1::Order& order : *found.mutable_orders()) {
    domain::MakeForCaller(order);
    page.orders.push_back(domain::SerializeDeterministically(order));
  }
  for (common::v1::UnreadableOrder& order : *found.mutable_unreadable()) {
    page.unreadable.push_back(std::move(order));
  }
  if (found.has_hits()) page.hits = found.hits();
  if (found.has_asked_size()) page.asked_size = found.asked_size();
  if (found.has_search_after()) page.search_after = std::move(*found.mutable_search_after());
  return page;
}

}  // namespace tollbridge::ports
