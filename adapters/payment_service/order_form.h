#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ORDER_FORM_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ORDER_FORM_H_

#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/wallet_names.h"

namespace tollbridge::payment_service {

/// In which an order is read for callers: as domain::MakeForCaller makes it, with the wallets'
/// names of the interface.
ReadForm FormForCaller(const WalletNames& names);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_ORDER_FORM_H_
