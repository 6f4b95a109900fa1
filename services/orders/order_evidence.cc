#include "services/orders/order_evidence.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>

#include "base/core/status_macros.h"
#include "base/core/uuid.h"
#include "services/domain/errors.h"
#include "services/domain/refusal.h"
#include "services/domain/timestamps.h"

namespace tollbridge::orders {
namespace {

using operations::Finding;
using operations::Presence;

/// Clocks of two systems that are set by the network do not differ by more.
constexpr std::chrono::minutes kClocksDiffer{1};

}  // namespace

Finding Present(std::shared_ptr<const google::protobuf::Message> result, std::string reason) {
  return {Presence::kPresent, std::move(result), std::move(reason)};
}

Finding Absent(std::string reason) { return {Presence::kAbsent, nullptr, std::move(reason)}; }

Finding NoTarget(std::string reason) { return {Presence::kNoTarget, nullptr, std::move(reason)}; }

Finding Undecided(std::string reason) { return {Presence::kUndecided, nullptr, std::move(reason)}; }

Finding Ambiguous(std::string reason) { return {Presence::kAmbiguous, nullptr, std::move(reason)}; }

std::string CannotRead(std::string_view order_id, const absl::Status& error) {
  std::string words =
      absl::StrCat("order ", std::string(order_id),
                   " cannot be read: ", std::string(absl::StatusCodeToString(error.code())));
  if (const std::string reason = domain::ReasonOf(error); !reason.empty()) words += " " + reason;
  return words;
}

Finding Unread(std::string_view order_id, const absl::Status& error) {
  std::string words = CannotRead(order_id, error);
  return domain::SaysOrderNotFound(error) ? NoTarget(std::move(words))
                                          : Undecided(std::move(words));
}

bool SameId(std::string_view a, std::string_view b) {
  const std::optional<Uuid> one = Uuid::Parse(a);
  return one.has_value() && one == Uuid::Parse(b);
}

Async<common::v1::Order> ReadOrder(ports::PaymentService& service,
                                   const operations::LookRequest& request,
                                   const std::string& order_id) {
  TB_CO_ASSIGN_OR_RETURN(common::v1::Order order,
                         co_await service.GetOrder(*request.project, order_id, request.context));
  if (!SameId(order.id(), order_id)) {
    co_return absl::DataLossError("the answer does not hold the order that was asked for");
  }
  co_return order;
}

const common::v1::Transaction* FindTransaction(const common::v1::Order& order,
                                               std::string_view transaction_id) {
  const auto found =
      std::ranges::find_if(order.transactions(), [&](const common::v1::Transaction& transaction) {
        return SameId(transaction.id(), transaction_id);
      });
  return found == order.transactions().end() ? nullptr : &*found;
}

Finding WithoutTransaction(const common::v1::Order& order, std::string_view transaction_id) {
  std::string words =
      absl::StrCat("transaction ", std::string(transaction_id), " is not in its order");
  const bool readable =
      order.transactions_size() > 0 &&
      std::ranges::all_of(order.transactions(), [](const common::v1::Transaction& transaction) {
        return Uuid::Parse(transaction.id()).has_value();
      });
  return readable ? NoTarget(std::move(words)) : Undecided(std::move(words));
}

Age AgeOf(const common::v1::Order& order, std::optional<WallTime> sent_at) {
  if (!order.has_created() || !sent_at.has_value()) return Age::kUnknown;
  const WallTime created = domain::ToWallTime(order.created());
  const bool whole_seconds = order.created().nanos() == 0;
  const WallTime sent =
      whole_seconds ? WallTime(std::chrono::floor<std::chrono::seconds>(*sent_at)) : *sent_at;
  if (created >= sent) return Age::kSince;
  return created >= sent - kClocksDiffer ? Age::kJustBefore : Age::kBefore;
}

}  // namespace tollbridge::orders
