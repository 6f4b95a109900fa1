#include "services/payments/lost_redirect.h"

#include <algorithm>

#include "services/domain/statuses.h"
#include "services/orders/results.h"

namespace tollbridge::payments {

std::string WhatToDoWithoutRedirect(const common::v1::Order& order) {
  const bool waits = std::ranges::any_of(order.transactions(), [](const auto& transaction) {
    return transaction.status() != common::v1::TRANSACTION_STATUS_NEW &&
           !domain::IsFinal(transaction.status());
  });
  if (!waits) return "the payment has ended: the order says how";
  if (orders::HasPaymentUrl(order)) {
    return "send the customer to the transaction's payment_url, or create a new order and drop "
           "this "
           "one";
  }
  return "read the order until it ends, or create a new order";
}

}  // namespace tollbridge::payments
