#include "services/payments/follow_up_evidence.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <boost/asio/awaitable.hpp>

#include "base/core/uuid.h"
#include "services/domain/mark.h"
#include "services/domain/refusal.h"
#include "services/orders/order_evidence.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::payments {
namespace {

using boost::asio::awaitable;
using common::v1::Order;
using common::v1::Transaction;
using operations::Finding;
using operations::LookRequest;

enum class Relation { kCapture, kVoid };

/// What was read of the orders made from one.
struct FollowUps {
  std::vector<Order> orders;
  /// Why one of them could not be read; empty when all could.
  std::string unread;
  /// Of the transaction that they follow, where it shows one.
  std::optional<std::int64_t> whole_amount;
};

std::string_view TransactionLink(const Transaction& transaction, Relation relation) {
  return relation == Relation::kCapture ? transaction.capture_of_transaction_id()
                                        : transaction.void_of_transaction_id();
}

std::string_view OrderLink(const Order& order, Relation relation) {
  return relation == Relation::kCapture ? order.capture_of_order_id() : order.void_of_order_id();
}

/// Whether the order was made from the step's transaction. One that names no transaction follows
/// the only one that there is.
bool Follows(const Order& order, Relation relation, const ports::StepTarget& step,
             bool only_transaction) {
  bool names_one = false;
  for (const Transaction& transaction : order.transactions()) {
    const std::string_view link = TransactionLink(transaction, relation);
    if (orders::SameId(link, step.transaction_id)) return true;
    names_one = names_one || !link.empty();
  }
  return !names_one && only_transaction &&
         orders::SameId(OrderLink(order, relation), step.order_id);
}

/// Ids of related orders, each once, without those that are something else.
std::set<Uuid> RelatedIds(const Order& root) {
  std::set<Uuid> ids;
  for (const std::string& id : root.related_orders()) {
    if (const std::optional<Uuid> parsed = Uuid::Parse(id)) ids.insert(*parsed);
  }
  for (const auto* others :
       {&root.refund_orders(), &root.chargeback_orders(), &root.reversal_orders()}) {
    for (const std::string& id : *others) {
      if (const std::optional<Uuid> parsed = Uuid::Parse(id)) ids.erase(*parsed);
    }
  }
  return ids;
}

/// The captures or voids of the step's transaction; or what there is to say when the order itself
/// cannot tell.
awaitable<std::variant<FollowUps, Finding>> ReadFollowUps(ports::PaymentService& service,
                                                          const LookRequest& request,
                                                          Relation relation) {
  absl::StatusOr<Order> root = co_await orders::ReadOrder(service, request, request.step.order_id);
  if (!root.ok()) co_return orders::Unread(request.step.order_id, root.status());
  const Transaction* transaction = orders::FindTransaction(*root, request.step.transaction_id);
  if (transaction == nullptr) {
    co_return orders::WithoutTransaction(*root, request.step.transaction_id);
  }
  FollowUps found;
  if (transaction->has_amount()) found.whole_amount = transaction->amount();
  const bool only_transaction = root->transactions_size() == 1;
  const std::set<Uuid> ids = RelatedIds(*root);
  for (const Uuid& related : ids) {
    const std::string id = related.ToString();
    absl::StatusOr<Order> order = co_await orders::ReadOrder(service, request, id);
    if (!order.ok()) {
      found.unread = orders::CannotRead(id, order.status());
    } else if (Follows(*order, relation, request.step, only_transaction)) {
      found.orders.push_back(*std::move(order));
    }
  }
  co_return found;
}

Finding Made(const Order& order) {
  return orders::Present(std::make_shared<Order>(order),
                         absl::StrCat("order ", order.id(), " was made"));
}

/// Which of the orders is of the whole. A part is told by its mark, by being smaller, and by having
/// been there before.
Finding JudgeWhole(const FollowUps& found, const LookRequest& request) {
  const Order* doubtful = nullptr;
  for (const Order& order : found.orders) {
    if (domain::CarriesAnyMark(order.description())) continue;
    const bool whole = !order.has_amount() || !found.whole_amount.has_value() ||
                       order.amount() >= *found.whole_amount;
    const orders::Age age = orders::AgeOf(order, request.sent_at);
    if (request.only_since_sent && age == orders::Age::kBefore) continue;
    if (whole || age == orders::Age::kSince) return Made(order);
    if (age != orders::Age::kBefore) doubtful = &order;
  }
  if (!found.unread.empty()) return orders::Undecided(found.unread);
  if (doubtful != nullptr) {
    Finding ambiguous =
        orders::Ambiguous(absl::StrCat("order ", doubtful->id(), " may be of a part, made before"));
    ambiguous.result = std::make_shared<Order>(*doubtful);
    return ambiguous;
  }
  return orders::Absent("no related order is linked to the transaction");
}

/// Without a mark: by amount and time.
Finding JudgeUnmarked(const std::vector<Order>& orders, const LookRequest& request) {
  const Order* since = nullptr;
  std::size_t fitting = 0;
  bool all_before = true;
  for (const Order& order : orders) {
    // A mark says whose it is, and it is not ours.
    if (domain::CarriesAnyMark(order.description())) continue;
    if (order.has_amount() && order.amount() != request.step.amount) continue;
    ++fitting;
    const orders::Age age = orders::AgeOf(order, request.sent_at);
    if (age == orders::Age::kSince && order.has_amount()) since = &order;
    all_before = all_before && age == orders::Age::kBefore;
  }
  if (fitting == 1 && since != nullptr) return Made(*since);
  if (all_before) {
    Finding absent = orders::Absent("no new order of that amount");
    absent.by_time_alone = fitting > 0;
    if (fitting > 0) absl::StrAppend(&absent.reason, ", and ", fitting, " older");
    return absent;
  }
  return orders::Ambiguous(
      absl::StrCat(fitting, " orders of that amount, and none shows whose it is"));
}

/// A mark that was cut is none: an order of that amount without one, which may have come since.
const Order* FindUnmarked(const std::vector<Order>& orders, const LookRequest& request) {
  const auto found = std::ranges::find_if(orders, [&](const Order& order) {
    return !domain::CarriesAnyMark(order.description()) &&
           (!order.has_amount() || order.amount() == request.step.amount) &&
           orders::AgeOf(order, request.sent_at) != orders::Age::kBefore;
  });
  return found == orders.end() ? nullptr : &*found;
}

Finding JudgePart(const std::vector<Order>& orders, const std::string& unread,
                  const LookRequest& request) {
  const Order* ours = nullptr;
  std::size_t marked = 0;
  for (const Order& order : orders) {
    if (!domain::CarriesMark(order.description(), request.operation)) continue;
    ours = &order;
    ++marked;
  }
  // Twice is what must never happen: a person looks at it.
  if (marked > 1) return orders::Ambiguous(absl::StrCat(marked, " orders carry the mark"));
  if (marked == 1) return Made(*ours);
  if (!unread.empty()) return orders::Undecided(unread);
  if (!request.step.marked) return JudgeUnmarked(orders, request);
  Finding absent = orders::Absent("no order carries the mark");
  if (const Order* unmarked = FindUnmarked(orders, request)) {
    absent.perhaps_unmarked = true;
    absent.reason = absl::StrCat("order ", unmarked->id(), " of that amount carries no mark");
  }
  return absent;
}

awaitable<Finding> LookForWhole(ports::PaymentService& service, const LookRequest& request,
                                Relation relation) {
  std::variant<FollowUps, Finding> read = co_await ReadFollowUps(service, request, relation);
  if (Finding* unread = std::get_if<Finding>(&read)) co_return std::move(*unread);
  co_return JudgeWhole(std::get<FollowUps>(read), request);
}

awaitable<Finding> LookForPart(ports::PaymentService& service, const LookRequest& request,
                               Relation relation) {
  std::variant<FollowUps, Finding> read = co_await ReadFollowUps(service, request, relation);
  if (Finding* unread = std::get_if<Finding>(&read)) co_return std::move(*unread);
  const FollowUps& found = std::get<FollowUps>(read);
  co_return JudgePart(found.orders, found.unread, request);
}

awaitable<Finding> LookForRefund(ports::PaymentService& service, const LookRequest& request) {
  absl::StatusOr<common::v1::RefundList> refunds =
      co_await service.ListRefunds(*request.project, request.step.order_id, request.context);
  if (!refunds.ok()) {
    if (domain::SaysOrderNotFound(refunds.status())) {
      // Of the list; whether there is an order, the order itself says.
      const absl::StatusOr<Order> order =
          co_await orders::ReadOrder(service, request, request.step.order_id);
      if (!order.ok()) co_return orders::Unread(request.step.order_id, order.status());
    }
    co_return orders::Undecided("refunds of " +
                                orders::CannotRead(request.step.order_id, refunds.status()));
  }
  const std::vector<Order> orders(refunds->orders().begin(), refunds->orders().end());
  Finding finding = JudgePart(orders, "", request);
  if (finding.result != nullptr) {
    // The list shows less of an order than its own read does.
    const std::string id = static_cast<const Order&>(*finding.result).id();
    absl::StatusOr<Order> whole = co_await orders::ReadOrder(service, request, id);
    if (whole.ok()) finding.result = std::make_shared<Order>(*std::move(whole));
  }
  co_return finding;
}

template <Relation relation>
operations::StepKind Whole(std::string name) {
  operations::StepKind kind;
  kind.name = std::move(name);
  kind.look = [](ports::PaymentService& service, const LookRequest& request) {
    return LookForWhole(service, request, relation);
  };
  kind.on_absence = operations::OnAbsence::kNotExecuted;
  kind.service_guards_repeat = true;
  return kind;
}

operations::StepKind Part(std::string name, operations::Look look) {
  operations::StepKind kind;
  kind.name = std::move(name);
  kind.look = std::move(look);
  kind.on_absence = operations::OnAbsence::kNeedsReview;
  return kind;
}

template <Relation relation>
operations::StepKind PartOf(std::string name) {
  return Part(std::move(name), [](ports::PaymentService& service, const LookRequest& request) {
    return LookForPart(service, request, relation);
  });
}

}  // namespace

const operations::StepKind& CaptureStep() {
  static const operations::StepKind kind = Whole<Relation::kCapture>("capture");
  return kind;
}

const operations::StepKind& VoidStep() {
  static const operations::StepKind kind = Whole<Relation::kVoid>("void");
  return kind;
}

const operations::StepKind& PartialCaptureStep() {
  static const operations::StepKind kind = PartOf<Relation::kCapture>("partial_capture");
  return kind;
}

const operations::StepKind& PartialVoidStep() {
  static const operations::StepKind kind = PartOf<Relation::kVoid>("partial_void");
  return kind;
}

const operations::StepKind& RefundStep() {
  static const operations::StepKind kind = Part("refund", LookForRefund);
  return kind;
}

}  // namespace tollbridge::payments
