#include "services/orders/start_evidence.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <boost/asio/awaitable.hpp>

#include "services/domain/wire_names.h"
#include "services/orders/order_evidence.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::orders {
namespace {

using common::v1::Order;
using common::v1::Transaction;
using operations::Finding;
using operations::LookRequest;

constexpr char kInitiate[] = "initiate";
constexpr char kAuthenticate[] = "authenticate";
constexpr char kExecuteWalletB[] = "execute_wallet_b";

/// The name of a status that a transaction has after its start. Events have other names too, and
/// those prove nothing.
bool NamesAStart(std::string_view event) {
  const auto status = domain::FromWireName<common::v1::TransactionStatus>(event);
  return status && *status != common::v1::TRANSACTION_STATUS_NEW;
}

bool HasLeftNew(const Transaction& transaction) {
  // A status that we do not know is not `new` either.
  if (transaction.status() == common::v1::TRANSACTION_STATUS_UNSPECIFIED) {
    return !transaction.status_text().empty();
  }
  return transaction.status() != common::v1::TRANSACTION_STATUS_NEW;
}

/// The order in Finding::result.
boost::asio::awaitable<Finding> LookForStart(ports::PaymentService& service,
                                             const LookRequest& request) {
  absl::StatusOr<Order> order = co_await ReadOrder(service, request, request.step.order_id);
  if (!order.ok()) co_return Unread(request.step.order_id, order.status());
  const std::string words = absl::StrCat("transaction ", request.step.transaction_id);
  const Transaction* transaction = FindTransaction(*order, request.step.transaction_id);
  if (transaction == nullptr) co_return WithoutTransaction(*order, request.step.transaction_id);
  if (WasStarted(*transaction)) {
    co_return Present(std::make_shared<Order>(*std::move(order)), words + " was started");
  }
  if (!ShowsStatus(*transaction)) co_return Undecided(words + " shows no status");
  co_return Absent(words + " is new");
}

/// The order in an Answer, which has the field `order`, in Finding::result.
template <typename Answer>
boost::asio::awaitable<Finding> LookForStartIn(ports::PaymentService& service,
                                               const LookRequest& request) {
  Finding finding = co_await LookForStart(service, request);
  if (finding.result != nullptr) {
    auto answer = std::make_shared<Answer>();
    *answer->mutable_order() = static_cast<const Order&>(*finding.result);
    finding.result = std::move(answer);
  }
  co_return finding;
}

operations::StepKind Starting(std::string name, operations::Look look) {
  operations::StepKind kind;
  kind.name = std::move(name);
  kind.look = std::move(look);
  kind.on_absence = operations::OnAbsence::kNotExecuted;
  kind.service_guards_repeat = true;
  kind.others_may_do_it = true;
  kind.same_effect = {kInitiate, kAuthenticate, kExecuteWalletB};
  return kind;
}

}  // namespace

bool WasStarted(const Transaction& transaction) {
  return HasLeftNew(transaction) ||
         std::ranges::any_of(transaction.events(), [](const common::v1::EventRecord& record) {
           return NamesAStart(record.event());
         });
}

bool ShowsStatus(const Transaction& transaction) {
  return transaction.status() != common::v1::TRANSACTION_STATUS_UNSPECIFIED ||
         !transaction.status_text().empty();
}

const operations::StepKind& InitiateStep() {
  static const operations::StepKind kind = Starting(kInitiate, LookForStart);
  return kind;
}

const operations::StepKind& AuthenticateStep() {
  static const operations::StepKind kind =
      Starting(kAuthenticate, LookForStartIn<payments::v1::AuthenticateAnswer>);
  return kind;
}

const operations::StepKind& ExecuteWalletBStep() {
  static const operations::StepKind kind =
      Starting(kExecuteWalletB, LookForStartIn<payments::v1::WalletBPayment>);
  return kind;
}

}  // namespace tollbridge::orders
