#ifndef TOLLBRIDGE_TESTS_SUPPORT_PAGE_DIFFERENCE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_PAGE_DIFFERENCE_H_

#include <absl/status/statusor.h>
#include <google/protobuf/util/message_differencer.h>

#include <cstddef>
#include <string>

#include "services/ports/order_page.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::test {

/// The page as one message, which two orderings of a map do not make another.
inline common::v1::OrderSearchResult AsMessage(const ports::OrderPage& page) {
  common::v1::OrderSearchResult message;
  for (const std::string& order : page.orders) {
    // Not readable: one that no other page has.
    if (!message.add_orders()->ParseFromString(order)) message.add_orders()->set_id(order);
  }
  for (const auto& order : page.unreadable) *message.add_unreadable() = order;
  if (page.hits) message.set_hits(*page.hits);
  if (page.asked_size) message.set_asked_size(*page.asked_size);
  if (page.search_after) message.set_search_after(*page.search_after);
  return message;
}

/// Where two answers to one search differ; empty: nowhere.
inline std::string DifferenceOf(const absl::StatusOr<ports::OrderPage>& got,
                                const absl::StatusOr<ports::OrderPage>& want) {
  if (!got.ok() || !want.ok()) {
    return got.status() == want.status()
               ? ""
               : got.status().ToString() + " in place of " + want.status().ToString();
  }
  std::string differences;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&differences);
  if (differencer.Compare(AsMessage(*want), AsMessage(*got))) return "";
  return "differences: " + differences;
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_PAGE_DIFFERENCE_H_
