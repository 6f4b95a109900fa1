#include <absl/status/status.h>

#include "tests/durability/model/service.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/search.pb.h"

// The functions of the port that the plans of the model do not call, and the search that the
// resolver's shared scan uses.

namespace tollbridge::model {

namespace {

boost::asio::awaitable<ports::Answer> NeverCalled() {
  co_return ports::Answer{.fate = ports::Answer::Fate::kNotSent, .cause = "not part of the model"};
}

absl::Status NotPartOfTheModel() { return absl::UnimplementedError("not part of the model"); }

}  // namespace

boost::asio::awaitable<ports::Answer> Service::CreateOrder(
    const domain::Project& /*project*/, const payments::v1::CreateOrderRequest& /*request*/,
    const ports::Context& /*context*/, const ports::SendGuard& /*guard*/) {
  return NeverCalled();
}

boost::asio::awaitable<ports::Answer> Service::InitiateTransaction(
    const domain::Project& /*project*/, const payments::v1::InitiateTransactionRequest& /*request*/,
    const ports::Context& /*context*/, const ports::SendGuard& /*guard*/) {
  return NeverCalled();
}

boost::asio::awaitable<ports::Answer> Service::AuthenticateTransaction(
    const domain::Project& /*project*/,
    const payments::v1::AuthenticateTransactionRequest& /*request*/,
    const ports::Context& /*context*/, const ports::SendGuard& /*guard*/) {
  return NeverCalled();
}

boost::asio::awaitable<ports::Answer> Service::CaptureTransaction(
    const domain::Project& /*project*/, const payments::v1::CaptureTransactionRequest& /*request*/,
    const ports::Context& /*context*/, const ports::SendGuard& /*guard*/) {
  return NeverCalled();
}

boost::asio::awaitable<ports::Answer> Service::VoidTransaction(
    const domain::Project& /*project*/, const payments::v1::VoidTransactionRequest& /*request*/,
    const ports::Context& /*context*/, const ports::SendGuard& /*guard*/) {
  return NeverCalled();
}

boost::asio::awaitable<ports::Answer> Service::CreateRefund(
    const domain::Project& /*project*/, const payments::v1::CreateRefundRequest& /*request*/,
    const ports::Context& /*context*/, const ports::SendGuard& /*guard*/) {
  return NeverCalled();
}

Async<common::v1::Order> Service::GetOrder(const domain::Project& /*project*/,
                                           std::string_view /*order_id*/,
                                           const ports::Context& /*context*/) {
  co_return NotPartOfTheModel();
}

Async<common::v1::RefundList> Service::ListRefunds(const domain::Project& /*project*/,
                                                   std::string_view /*order_id*/,
                                                   const ports::Context& /*context*/) {
  co_return NotPartOfTheModel();
}

Async<common::v1::OrderSearchResult> Service::SearchOrders(const domain::Project& /*project*/,
                                                           const common::v1::OrderSearch& search,
                                                           const ports::Context& /*context*/) {
  const bool first_page = search.search_after() == "-1";
  common::v1::OrderSearchResult result;
  const bool readable = !down && !world_.dice.Percent(chances.unreadable);
  for (const Effect& effect : effects_) {
    if (!first_page || !effect.spec.order_id.empty() || effect.indexed > world_.now()) continue;
    common::v1::Order& order = *result.add_orders();
    order.set_id(effect.id.ToString());
    order.set_merchant_order_id(effect.spec.operation.ToString());
    result.set_search_after(order.id());
  }
  co_await world_.SleepUntil(world_.now() + world_.dice.Between(1, 300));
  if (!readable) co_return absl::UnavailableError("the service does not answer");
  co_return result;
}

}  // namespace tollbridge::model
