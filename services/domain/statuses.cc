#include "services/domain/statuses.h"

namespace tollbridge::domain {

using common::v1::Order;
using common::v1::OrderStatus;
using common::v1::Transaction;
using common::v1::TransactionStatus;
using events::v1::EventWhat;

bool IsFinal(OrderStatus status) {
  switch (status) {
    case common::v1::ORDER_STATUS_COMPLETED:
    case common::v1::ORDER_STATUS_CANCELLED:
    case common::v1::ORDER_STATUS_EXPIRED:
    case common::v1::ORDER_STATUS_ERROR:
      return true;
    default:
      return false;
  }
}

bool IsFinalOrSeeTransactions(OrderStatus status) {
  return IsFinal(status) || status == common::v1::ORDER_STATUS_SEE_TRANSACTIONS;
}

bool IsFinal(TransactionStatus status) {
  return WhatOf(status) != events::v1::EVENT_WHAT_UNSPECIFIED;
}

EventWhat WhatOf(OrderStatus status) {
  switch (status) {
    case common::v1::ORDER_STATUS_NEW:
      return events::v1::EVENT_WHAT_CREATED;
    case common::v1::ORDER_STATUS_PROCESSING:
      return events::v1::EVENT_WHAT_PROCESSING;
    case common::v1::ORDER_STATUS_COMPLETED:
      return events::v1::EVENT_WHAT_COMPLETED;
    case common::v1::ORDER_STATUS_CANCELLED:
      return events::v1::EVENT_WHAT_CANCELLED;
    case common::v1::ORDER_STATUS_EXPIRED:
      return events::v1::EVENT_WHAT_EXPIRED;
    case common::v1::ORDER_STATUS_ERROR:
      return events::v1::EVENT_WHAT_FAILED;
    case common::v1::ORDER_STATUS_SEE_TRANSACTIONS:
      return events::v1::EVENT_WHAT_NEEDS_REVIEW;
    default:
      return events::v1::EVENT_WHAT_UNSPECIFIED;
  }
}

EventWhat WhatOf(TransactionStatus status) {
  switch (status) {
    case common::v1::TRANSACTION_STATUS_COMPLETED:
      return events::v1::EVENT_WHAT_COMPLETED;
    case common::v1::TRANSACTION_STATUS_DECLINED:
    case common::v1::TRANSACTION_STATUS_ERROR:
      return events::v1::EVENT_WHAT_FAILED;
    case common::v1::TRANSACTION_STATUS_CANCELLED:
      return events::v1::EVENT_WHAT_CANCELLED;
    case common::v1::TRANSACTION_STATUS_EXPIRED:
      return events::v1::EVENT_WHAT_EXPIRED;
    default:
      return events::v1::EVENT_WHAT_UNSPECIFIED;
  }
}

bool IsOutcome(EventWhat what) {
  switch (what) {
    case events::v1::EVENT_WHAT_COMPLETED:
    case events::v1::EVENT_WHAT_FAILED:
    case events::v1::EVENT_WHAT_CANCELLED:
    case events::v1::EVENT_WHAT_EXPIRED:
    case events::v1::EVENT_WHAT_NEEDS_REVIEW:
      return true;
    default:
      return false;
  }
}

const Transaction* DecidingTransaction(const Order& order, bool own_checkout) {
  if (!own_checkout || order.transactions_size() != 1) return nullptr;
  const Transaction& transaction = order.transactions(0);
  return IsFinal(transaction.status()) ? &transaction : nullptr;
}

Decision Decide(const Order& order, bool own_checkout) {
  const Transaction* transaction = DecidingTransaction(order, own_checkout);
  if (transaction != nullptr && !IsFinalOrSeeTransactions(order.status())) {
    return {WhatOf(transaction->status()), events::v1::DECIDED_BY_TRANSACTION, true};
  }
  return {WhatOf(order.status()), events::v1::DECIDED_BY_ORDER, IsFinal(order.status())};
}

}  // namespace tollbridge::domain
