#ifndef TOLLBRIDGE_SERVICES_PAYMENTS_LIST_CURRENCIES_H_
#define TOLLBRIDGE_SERVICES_PAYMENTS_LIST_CURRENCIES_H_

#include "base/core/async.h"
#include "services/domain/project.h"
#include "services/payments/options.h"
#include "services/ports/context.h"
#include "services/ports/payment_service.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payments {

/// Payments.ListCurrencies: the currencies that the project can use. UNIMPLEMENTED, reason
/// EXTENSION_DISABLED, unless options.list_currencies; else what PaymentService::ListCurrencies
/// answers.
Async<v1::ListCurrenciesResponse> ListCurrencies(ports::PaymentService& service,
                                                 const domain::Project& project,
                                                 const PaymentOptions& options,
                                                 const v1::ListCurrenciesRequest& request,
                                                 ports::Context context);

}  // namespace tollbridge::payments

#endif  // TOLLBRIDGE_SERVICES_PAYMENTS_LIST_CURRENCIES_H_
