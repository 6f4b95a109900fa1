#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "services/domain/mark.h"
#include "services/domain/refusal.h"
#include "services/domain/timestamps.h"
#include "services/payouts/payout_evidence.h"
#include "tests/durability/model/kinds.h"
#include "tests/durability/model/service.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/search.pb.h"

// What the service shows of what happened, as the product's evidence reads it.

namespace tollbridge::model {

namespace {

using common::v1::Order;

/// The one transaction of an order that a call has made.
std::string TransactionOf(const Uuid& order) {
  Uuid transaction = order;
  transaction.bytes[0] = 0xAB;
  return transaction.ToString();
}

bool MakesOrder(Act act) {
  return act == Act::kCreateOrder || act == Act::kPayoutOrder || act == Act::kCapture ||
         act == Act::kRefund;
}

/// Those that are searched for: captures and refunds have no reference of their own.
bool IsSearched(Act act) { return act == Act::kCreateOrder || act == Act::kPayoutOrder; }

common::v1::TransactionStatus StatusOf(bool started) {
  return started ? common::v1::TRANSACTION_STATUS_ACCEPTED : common::v1::TRANSACTION_STATUS_NEW;
}

absl::Status NotReadable() { return domain::ToError(domain::NoAnswer::kUnreached); }

}  // namespace

boost::asio::awaitable<bool> Service::Reads() {
  const bool readable = !down && !world_.dice.Percent(chances.unreadable);
  co_await world_.SleepUntil(world_.now() + world_.dice.Between(1, 300));
  co_return readable;
}

absl::Status Service::NotFound() const {
  return domain::ToError(hides_not_found ? domain::Refusal{.http_status = 404} : Unknown());
}

std::optional<Order> Service::OrderThatWasThere(std::size_t project, std::string_view id,
                                                Time asked) const {
  std::optional<Order> order;
  for (const auto& [of, order_id, transaction_id] : orders_) {
    if (of != project || order_id != id) continue;
    if (!order) order.emplace().set_id(order_id);
    common::v1::Transaction& transaction = *order->add_transactions();
    transaction.set_id(transaction_id);
    transaction.set_amount(kWholeAmount);
    transaction.set_status(common::v1::TRANSACTION_STATUS_NEW);
  }
  if (!order) return order;
  for (const Effect& effect : effects_) {
    const SendSpec& spec = effect.spec;
    if (spec.project != project || spec.order_id != id || !Shows(effect, asked)) continue;
    if (spec.act == Act::kStart) {
      for (common::v1::Transaction& transaction : *order->mutable_transactions()) {
        if (transaction.id() == spec.transaction_id) transaction.set_status(StatusOf(true));
      }
    } else if (spec.act == Act::kCapture || spec.act == Act::kRefund) {
      order->add_related_orders(effect.id.ToString());
      if (spec.act == Act::kRefund) order->add_refund_orders(effect.id.ToString());
    }
  }
  return order;
}

Order Service::OrderThatWasMade(const Effect& effect, Time asked) const {
  const SendSpec& spec = effect.spec;
  Order order;
  order.set_id(effect.id.ToString());
  *order.mutable_created() = domain::ToTimestamp(Civil(effect.time));
  if (spec.amount != 0) order.set_amount(spec.amount);
  if (!spec.description.empty()) order.set_description(spec.description);
  if (IsSearched(spec.act)) {
    order.set_merchant_order_id(spec.operation.ToString());
    (*order.mutable_extra()->mutable_fields())[std::string(domain::kMarkField)].set_string_value(
        spec.mark);
  }
  common::v1::Transaction& transaction = *order.add_transactions();
  transaction.set_id(TransactionOf(effect.id));
  if (spec.act == Act::kCapture) transaction.set_capture_of_transaction_id(spec.transaction_id);
  if (spec.act == Act::kPayoutOrder) {
    transaction.set_payment_method(std::string(payouts::kPayoutMethod));
    transaction.set_status(StatusOf(std::ranges::any_of(effects_, [&](const Effect& other) {
      return other.spec.act == Act::kPayOut && other.id == effect.id && Shows(other, asked);
    })));
  }
  return order;
}

Async<Order> Service::GetOrder(const domain::Project& project, std::string_view order_id,
                               const ports::Context& /*context*/) {
  const std::size_t of = NumberOf(project);
  const Time asked = world_.now();
  const std::string id(order_id);
  absl::StatusOr<Order> order = NotFound();
  if (std::optional<Order> there = OrderThatWasThere(of, id, asked)) {
    order = *std::move(there);
  } else {
    for (const Effect& effect : effects_) {
      if (effect.spec.project == of && MakesOrder(effect.spec.act) && Shows(effect, asked) &&
          effect.id.ToString() == id) {
        order = OrderThatWasMade(effect, asked);
      }
    }
  }
  if (!co_await Reads()) co_return NotReadable();
  co_return order;
}

Async<common::v1::RefundList> Service::ListRefunds(const domain::Project& project,
                                                   std::string_view order_id,
                                                   const ports::Context& /*context*/) {
  const std::size_t of = NumberOf(project);
  const Time asked = world_.now();
  absl::StatusOr<common::v1::RefundList> refunds = NotFound();
  if (Has(of, order_id, std::nullopt)) {
    refunds = common::v1::RefundList();
    for (const Effect& effect : effects_) {
      if (effect.spec.act == Act::kRefund && effect.spec.project == of &&
          effect.spec.order_id == order_id && Shows(effect, asked)) {
        *refunds->add_orders() = OrderThatWasMade(effect, asked);
      }
    }
  }
  if (!co_await Reads()) co_return NotReadable();
  co_return refunds;
}

/// The search by a reference, and the scan over `created` that several share. The index may show
/// what the replica that answers other reads does not.
Async<common::v1::OrderSearchResult> Service::SearchOrders(const domain::Project& project,
                                                           const common::v1::OrderSearch& search,
                                                           const ports::Context& /*context*/) {
  constexpr std::string_view kByReference = "merchant_order_id:";
  const std::size_t of = NumberOf(project);
  const bool first_page = search.search_after() == "-1";
  common::v1::OrderSearchResult result;
  for (const Effect& effect : effects_) {
    const std::string reference = effect.spec.operation.ToString();
    if (!first_page || effect.spec.project != of || !IsSearched(effect.spec.act) ||
        effect.indexed > world_.now()) {
      continue;
    }
    if (absl::StartsWith(search.query(),
                         absl::string_view(kByReference.data(), kByReference.size())) &&
        !absl::StrContains(search.query(), reference)) {
      continue;
    }
    Order& order = *result.add_orders();
    order.set_id(effect.id.ToString());
    order.set_merchant_order_id(reference);
    result.set_search_after(order.id());
  }
  if (!co_await Reads()) co_return NotReadable();
  co_return result;
}

}  // namespace tollbridge::model
