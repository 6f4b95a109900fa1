// Each status of the interface, by its name there (docs/interface.md#states-and-transitions).

#include <string>
#include <utility>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "adapters/payment_service/codec.h"
#include "tests/unit/adapters/payment_service/codec_support.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/payment_link.pb.h"

namespace tollbridge::payment_service {
namespace {

/// The name of the enum's value that `status` is read as, and what its JSON is written as.
template <typename Message>
std::pair<std::string, std::string> ReadAndWritten(const std::string& status) {
  const std::string json = R"({"status":")" + status + R"("})";
  Message message;
  DecodeReport report;
  EXPECT_TRUE(FromWire(json, &message, &report).ok()) << status;
  EXPECT_FALSE(message.has_status_text()) << status << " is not known";
  const auto* type = Message::descriptor()->FindFieldByName("status")->enum_type();
  return {type->FindValueByNumber(message.status())->name(), *ToWire(message)};
}

template <typename Message>
void ExpectRead(const std::string& status, const std::string& name) {
  const auto [read, written] = ReadAndWritten<Message>(status);
  EXPECT_EQ(read, name);
  EXPECT_EQ(written, R"({"status":")" + status + R"("})");
}

TEST(CodecStatuses, EachOfAnOrderIsKnown) {
  ExpectRead<common::v1::Order>("new", "ORDER_STATUS_NEW");
  ExpectRead<common::v1::Order>("processing", "ORDER_STATUS_PROCESSING");
  ExpectRead<common::v1::Order>("completed", "ORDER_STATUS_COMPLETED");
  ExpectRead<common::v1::Order>("cancelled", "ORDER_STATUS_CANCELLED");
  ExpectRead<common::v1::Order>("expired", "ORDER_STATUS_EXPIRED");
  ExpectRead<common::v1::Order>("error", "ORDER_STATUS_ERROR");
  ExpectRead<common::v1::Order>("see-transactions", "ORDER_STATUS_SEE_TRANSACTIONS");
}

TEST(CodecStatuses, EachOfATransactionIsKnown) {
  using common::v1::Transaction;
  ExpectRead<Transaction>("new", "TRANSACTION_STATUS_NEW");
  ExpectRead<Transaction>("accepted", "TRANSACTION_STATUS_ACCEPTED");
  ExpectRead<Transaction>("completed", "TRANSACTION_STATUS_COMPLETED");
  ExpectRead<Transaction>("declined", "TRANSACTION_STATUS_DECLINED");
  // Of the family of interfaces (docs/interface.md#5-more-transaction-statuses).
  ExpectRead<Transaction>("pending", "TRANSACTION_STATUS_PENDING");
  ExpectRead<Transaction>("processing", "TRANSACTION_STATUS_PROCESSING");
  ExpectRead<Transaction>("error", "TRANSACTION_STATUS_ERROR");
  ExpectRead<Transaction>("cancelled", "TRANSACTION_STATUS_CANCELLED");
  ExpectRead<Transaction>("expired", "TRANSACTION_STATUS_EXPIRED");
  ExpectRead<Transaction>("captured", "TRANSACTION_STATUS_CAPTURED");
}

TEST(CodecStatuses, EachOfAPaymentLinkIsKnown) {
  using common::v1::PaymentLink;
  ExpectRead<PaymentLink>("new", "PAYMENT_LINK_STATUS_NEW");
  ExpectRead<PaymentLink>("processing", "PAYMENT_LINK_STATUS_PROCESSING");
  ExpectRead<PaymentLink>("all_unsuccessful", "PAYMENT_LINK_STATUS_ALL_UNSUCCESSFUL");
  ExpectRead<PaymentLink>("completed", "PAYMENT_LINK_STATUS_COMPLETED");
  ExpectRead<PaymentLink>("expired", "PAYMENT_LINK_STATUS_EXPIRED");
}

}  // namespace
}  // namespace tollbridge::payment_service
