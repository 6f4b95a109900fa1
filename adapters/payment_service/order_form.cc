#include "adapters/payment_service/order_form.h"

#include <google/protobuf/descriptor.h>

#include <string>
#include <string_view>

#include "services/domain/mark.h"
#include "services/domain/order_view.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/transaction.pb.h"

namespace tollbridge::payment_service {

ReadForm FormForCaller(const WalletNames& names) {
  using common::v1::Order;
  const auto of_order = [](int number) { return Order::descriptor()->FindFieldByNumber(number); };
  const auto name_of = [names](std::string_view method) {
    return std::string(names.FromService(method));
  };
  ReadForm form;
  form.left_out = options::v1::SENSITIVITY_CARD_DATA;
  form.texts = {{of_order(Order::kWebhookUrlFieldNumber), &domain::MaskUrl},
                {of_order(Order::kPaymentMethodsFieldNumber), name_of},
                {common::v1::Transaction::descriptor()->FindFieldByNumber(
                     common::v1::Transaction::kPaymentMethodFieldNumber),
                 name_of}};
  form.members = {{of_order(Order::kExtraFieldNumber), std::string(domain::kMarkField)}};
  return form;
}

}  // namespace tollbridge::payment_service
