#ifndef TOLLBRIDGE_SANDBOX_SEARCH_QUERY_FIELDS_H_
#define TOLLBRIDGE_SANDBOX_SEARCH_QUERY_FIELDS_H_

#include <string_view>

namespace tollbridge::sandbox {

/// What a query can ask about. A transaction field holds when any transaction of the order has the
/// value.
enum class QueryField {
  kId,
  kMerchantOrderId,
  kStatus,
  kCurrency,
  kAmount,
  kDescription,
  kCreated,
  kModified,
  kCompleted,
  kProjectId,
  kFlags,
  kReason,
  kRelatedPaymentLinkId,
  kRelatedOrderId,
  kRefundOfOrderId,
  kCaptureOfOrderId,
  kVoidOfOrderId,
  kChargebackOfOrderId,
  kReversalOfOrderId,
  kTransactionId,
  kTransactionStatus,
  kTransactionPaymentMethod,
  kTransactionPaymentMethodBrand,
  kTransactionAmount,
  kTransactionCreditDebit,
  kTransactionType,
  kCustomerMerchantId,
  kCustomerEmail,
  kCustomerLastName,
};

/// What a value of a field must look like. Those that are one of a few words know no ranges and no
/// prefixes.
enum class QueryFieldType {
  kUuid,
  kNumber,  ///< whole, in the smallest currency unit
  kDate,    ///< date or date-time
  kText,    ///< compared byte by byte, case matters
  kOrderStatus,
  kTransactionStatus,
  kCreditDebit,
};

struct QueryFieldInfo {
  std::string_view name;  ///< as in a query: `transaction.status`
  QueryField field;
  QueryFieldType type;
};

/// nullptr when no field has that name.
const QueryFieldInfo* FindQueryField(std::string_view name);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_SEARCH_QUERY_FIELDS_H_
