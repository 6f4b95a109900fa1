#ifndef TOLLBRIDGE_SERVICES_PORTS_ORDER_PAGE_H_
#define TOLLBRIDGE_SERVICES_PORTS_ORDER_PAGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::ports {

/// A page of a search whose orders are as callers see them (domain/order_view.h), and as they go to
/// them: a page of a hundred takes longer to make messages of, and bytes of those, than all else.
struct OrderPage {
  /// Each a tollbridge.common.v1.Order in protobuf's wire format, with its id first.
  std::vector<std::string> orders;
  /// Those that cannot be read.
  std::vector<common::v1::UnreadableOrder> unreadable;
  /// As OrderSearchResult has them.
  std::optional<std::int64_t> hits;
  std::optional<std::string> search_after;
  std::optional<std::int64_t> asked_size;

  /// Orders on the page, with those that cannot be read.
  std::int64_t count() const {
    return static_cast<std::int64_t>(orders.size() + unreadable.size());
  }
  /// Bytes of its orders.
  std::size_t bytes() const;
};

/// The id of an order of a page. Empty when it has none.
std::string_view IdOf(std::string_view listed_order);

/// The page of what a search has found.
OrderPage ToPage(common::v1::OrderSearchResult found);

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_ORDER_PAGE_H_
