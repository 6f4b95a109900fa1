#include "services/payments/transaction_rules.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>

#include "services/domain/errors.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::payments {
namespace {

void CheckExternal3ds(const v1::AuthenticateTransactionRequest& request, Violations& out) {
  if (!request.has_cavv() && !request.has_three_ds_version() &&
      !request.has_three_ds_method_used() && !request.has_ds_transaction_id()) {
    return;
  }
  const std::pair<std::string_view, const std::string&> needed[] = {
      {"cavv", request.cavv()},
      {"three_ds_version", request.three_ds_version()},
      {"three_ds_method_used", request.three_ds_method_used()},
      {"ds_transaction_id", request.ds_transaction_id()},
  };
  for (const auto& [name, value] : needed) {
    if (!value.empty()) continue;
    out.push_back({std::string(name), "is required with the other values of external 3-D Secure"});
  }
}

template <typename Request>
Violations OfPart(const Request& request) {
  Violations out;
  if (request.has_description() && !request.has_amount()) {
    out.push_back({"description", "must be absent without an amount"});
  }
  orders::CheckDescription(request.description(), out);
  return out;
}

absl::Status PaysOutNothing(const common::v1::Order& order) {
  const bool pays_out =
      std::ranges::any_of(order.transactions(), [](const common::v1::Transaction& transaction) {
        return transaction.payment_method() == "credit-card-oct" ||
               transaction.transaction_type() == "oct";
      });
  if (!pays_out) return absl::OkStatus();
  return domain::InvalidRequest({{.field = "order_id",
                                  .rule = "must not be of a payout: payouts are made by "
                                          "tollbridge.payouts.v1.Payouts/CreatePayout"}});
}

}  // namespace

Violations AuthenticateTransactionViolations(const v1::AuthenticateTransactionRequest& request,
                                             const domain::Project* /*project*/) {
  Violations out;
  CheckExternal3ds(request, out);
  return out;
}

Violations CaptureTransactionViolations(const v1::CaptureTransactionRequest& request,
                                        const domain::Project* /*project*/) {
  return OfPart(request);
}

Violations VoidTransactionViolations(const v1::VoidTransactionRequest& request,
                                     const domain::Project* /*project*/) {
  return OfPart(request);
}

Violations CreateRefundViolations(const v1::CreateRefundRequest& request,
                                  const domain::Project* /*project*/) {
  Violations out;
  orders::CheckDescription(request.description(), out);
  return out;
}

operations::MoneyMoved NoPayout() {
  return {.kind = operations::MoneyKind::kPayouts,
          .amount = 0,
          .currency = {},
          .moves_none = &PaysOutNothing};
}

}  // namespace tollbridge::payments
