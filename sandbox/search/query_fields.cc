#include "sandbox/search/query_fields.h"

#include <algorithm>
#include <array>

namespace tollbridge::sandbox {
namespace {

using enum QueryField;
using Type = QueryFieldType;

constexpr auto kFields = std::to_array<QueryFieldInfo>({
    {"id", kId, Type::kUuid},
    {"merchant_order_id", kMerchantOrderId, Type::kText},
    {"status", kStatus, Type::kOrderStatus},
    {"currency", kCurrency, Type::kText},
    {"amount", kAmount, Type::kNumber},
    {"description", kDescription, Type::kText},
    {"created", kCreated, Type::kDate},
    {"modified", kModified, Type::kDate},
    {"completed", kCompleted, Type::kDate},
    {"project_id", kProjectId, Type::kUuid},
    {"flags", kFlags, Type::kText},
    {"reason", kReason, Type::kText},
    {"related_payment_link_id", kRelatedPaymentLinkId, Type::kUuid},
    {"related_order_id", kRelatedOrderId, Type::kUuid},
    {"refund_of_order_id", kRefundOfOrderId, Type::kUuid},
    {"capture_of_order_id", kCaptureOfOrderId, Type::kUuid},
    {"void_of_order_id", kVoidOfOrderId, Type::kUuid},
    {"chargeback_of_order_id", kChargebackOfOrderId, Type::kUuid},
    {"reversal_of_order_id", kReversalOfOrderId, Type::kUuid},
    {"transaction.id", kTransactionId, Type::kUuid},
    {"transaction.status", QueryField::kTransactionStatus, Type::kTransactionStatus},
    {"transaction.payment_method", kTransactionPaymentMethod, Type::kText},
    {"transaction.payment_method_brand", kTransactionPaymentMethodBrand, Type::kText},
    {"transaction.amount", kTransactionAmount, Type::kNumber},
    {"transaction.credit_debit", kTransactionCreditDebit, Type::kCreditDebit},
    {"transaction.transaction_type", kTransactionType, Type::kText},
    {"customer.merchant_customer_id", kCustomerMerchantId, Type::kText},
    {"customer.email_address", kCustomerEmail, Type::kText},
    {"customer.last_name", kCustomerLastName, Type::kText},
});

}  // namespace

const QueryFieldInfo* FindQueryField(std::string_view name) {
  const auto found = std::ranges::find(kFields, name, &QueryFieldInfo::name);
  return found == kFields.end() ? nullptr : &*found;
}

}  // namespace tollbridge::sandbox
