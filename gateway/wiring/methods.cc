#include "gateway/wiring/methods.h"

#include <algorithm>
#include <iterator>

#include "gateway/config/payment_service_settings.h"
#include "services/operations/methods.h"
#include "services/payments/methods.h"
#include "services/payouts/methods.h"
#include "services/search/methods.h"
#include "services/vault/methods.h"

namespace tollbridge::gateway {

std::vector<operations::Method> PublishedMethods(const Config& config, const rpc::Drain& drain) {
  std::vector<operations::Method> all;
  const auto add = [&all](std::vector<operations::Method> methods) {
    std::ranges::move(methods, std::back_inserter(all));
  };
  add(payments::PaymentMethods(MakePaymentOptions(config.payment_service), config.rpc.watch,
                               [&drain] { return drain.draining(); }));
  add(vault::VaultMethods());
  add(payouts::PayoutMethods());
  add(search::SearchMethods());
  add(operations::OperationMethods(config.operations.settings));
  return all;
}

}  // namespace tollbridge::gateway
