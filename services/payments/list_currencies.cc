#include "services/payments/list_currencies.h"

#include <utility>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "services/orders/one_step_plan.h"

namespace tollbridge::payments {

Async<v1::ListCurrenciesResponse> ListCurrencies(ports::PaymentService& service,
                                                 const domain::Project& project,
                                                 const PaymentOptions& options,
                                                 const v1::ListCurrenciesRequest& /*request*/,
                                                 ports::Context context) {
  if (!options.list_currencies) co_return orders::ExtensionDisabled("list_currencies");
  TB_CO_ASSIGN_OR_RETURN(v1::CurrencyList list, co_await service.ListCurrencies(project, context));
  v1::ListCurrenciesResponse response;
  *response.mutable_currencies() = std::move(*list.mutable_currencies());
  co_return response;
}

}  // namespace tollbridge::payments
