#include "services/payouts/payout_evidence.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <boost/asio/awaitable.hpp>

#include "services/orders/create_order_evidence.h"
#include "services/orders/order_evidence.h"
#include "services/orders/start_evidence.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payouts {
namespace {

using common::v1::Order;
using common::v1::Transaction;
using operations::Finding;
using operations::LookRequest;
using operations::Presence;

Finding Found(const Order& order, std::size_t others) {
  auto answer = std::make_shared<payments::v1::AuthenticateAnswer>();
  *answer->mutable_order() = order;
  std::string reason = absl::StrCat("the payout of order ", order.id(), " was started");
  if (others > 0) absl::StrAppend(&reason, ", and of ", others, " more");
  return orders::Present(std::move(answer), std::move(reason));
}

/// What an order of ours says of its payout.
Presence PresenceIn(const Order& order) {
  const Transaction* transaction = PayoutTransaction(order);
  if (transaction == nullptr) return Presence::kUndecided;
  if (orders::WasStarted(*transaction)) return Presence::kPresent;
  return orders::ShowsStatus(*transaction) ? Presence::kAbsent : Presence::kUndecided;
}

/// Over the orders of all attempts.
boost::asio::awaitable<Finding> LookInAll(ports::PaymentService& service,
                                          const LookRequest& request) {
  orders::MarkedOrders found = co_await orders::FindMarkedOrders(service, request);
  std::vector<Order> started;
  std::string undecided = std::move(found.unread);
  for (Order& order : found.ours) {
    const Presence presence = PresenceIn(order);
    if (presence == Presence::kUndecided) {
      undecided = absl::StrCat("order ", order.id(), " shows no status of its payout");
    }
    if (presence == Presence::kPresent) started.push_back(std::move(order));
  }
  if (!started.empty()) co_return Found(orders::OldestOpen(started), started.size() - 1);
  if (!undecided.empty()) co_return orders::Undecided(std::move(undecided));
  co_return orders::Absent(
      absl::StrCat("no payout of ", found.ours.size(), " orders with the mark was started"));
}

boost::asio::awaitable<Finding> LookForPayout(ports::PaymentService& service,
                                              const LookRequest& request) {
  const std::string& order_id = request.step.order_id;
  if (!order_id.empty()) {
    const absl::StatusOr<Order> order = co_await orders::ReadOrder(service, request, order_id);
    if (!order.ok()) co_return orders::Undecided(orders::CannotRead(order_id, order.status()));
    const Presence presence = PresenceIn(*order);
    if (presence == Presence::kPresent) co_return Found(*order, 0);
    if (presence == Presence::kUndecided) {
      co_return orders::Undecided(
          absl::StrCat("order ", order_id, " shows no status of its payout"));
    }
    // The first run of the key has no other order.
    if (request.attempt == 1 && request.seen_orders.empty()) {
      co_return orders::Absent(absl::StrCat("the payout of order ", order_id, " is new"));
    }
  }
  co_return co_await LookInAll(service, request);
}

operations::StepKind Preparing(std::string name) {
  operations::StepKind kind;
  kind.name = std::move(name);
  kind.completes = false;
  // Where it went on from here is found by the mark of its order.
  kind.by_search = true;
  kind.late_effect_is_orphan = true;
  return kind;
}

}  // namespace

const Transaction* PayoutTransaction(const Order& order) {
  const auto found = std::ranges::find_if(order.transactions(), [](const Transaction& transaction) {
    return transaction.payment_method() == kPayoutMethod || transaction.transaction_type() == "oct";
  });
  return found == order.transactions().end() ? nullptr : &*found;
}

const operations::StepKind& PayoutOrderStep() {
  static const operations::StepKind kind = Preparing("payout_order");
  return kind;
}

const operations::StepKind& PayoutCardStep() {
  static const operations::StepKind kind = Preparing("payout_card");
  return kind;
}

const operations::StepKind& PayoutAuthenticateStep() {
  static const operations::StepKind kind{
      .name = "payout_authenticate",
      .look = LookForPayout,
      .on_absence = operations::OnAbsence::kNotExecuted,
      .service_guards_repeat = true,
  };
  return kind;
}

}  // namespace tollbridge::payouts
