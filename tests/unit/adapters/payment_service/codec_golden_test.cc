// The JSON of docs/interface.md, and the messages it stands for: tests/data/codec/<type>/.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "adapters/payment_service/codec.h"
#include "tests/support/read_file.h"
#include "tests/unit/adapters/payment_service/codec_support.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/payment_link.pb.h"
#include "tollbridge/common/v1/search.pb.h"
#include "tollbridge/options/v1/options.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::payment_service {
namespace {

namespace fs = std::filesystem;
namespace pb = google::protobuf;

using Fields = std::set<std::string>;

// The full names of all fields that are set in the message and below it.
void CollectFields(const pb::Message& message, Fields* seen) {
  std::vector<const pb::FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const pb::FieldDescriptor* const field : fields) {
    seen->insert(field->full_name());
    if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const pb::Reflection& reflection = *message.GetReflection();
    if (!field->is_repeated()) {
      CollectFields(reflection.GetMessage(message, field), seen);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      CollectFields(reflection.GetRepeatedMessage(message, field, i), seen);
    }
  }
}

// Reads each <name>.json of the folder and compares it with <name>.txtpb; writes that and compares
// it with the JSON, which leaves nothing that was not read.
void CheckFolder(const std::string& folder, const pb::Descriptor* type, Fields* seen) {
  int files = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(TOLLBRIDGE_SOURCE_DIR) / "tests/data/codec" / folder)) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++files;
    const std::string json = test::ReadFile(entry.path().string());
    const auto want = NewMessage(type);
    ParseText(test::ReadFile(fs::path(entry.path()).replace_extension(".txtpb").string()),
              want.get());

    const auto got = NewMessage(type);
    DecodeReport report;
    const absl::Status status = FromWire(json, got.get(), &report);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_TRUE(SameMessage(*got, *want));
    EXPECT_EQ(report.unknown_fields, 0U);
    EXPECT_EQ(report.unreadable_values, 0U);
    CollectFields(*got, seen);

    const auto written = ToWire(*want);
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_EQ(boost::json::parse(*written), boost::json::parse(json)) << *written;
  }
  EXPECT_GT(files, 0);
}

TEST(CodecGolden, FilesReadAsTheirMessagesAndBackAndShowEveryField) {
  Fields seen;
  CheckFolder("order", common::v1::Order::descriptor(), &seen);
  CheckFolder("payment_link", common::v1::PaymentLink::descriptor(), &seen);
  CheckFolder("create_order_request", payments::v1::CreateOrderRequest::descriptor(), &seen);
  CheckFolder("initiate_transaction_request",
              payments::v1::InitiateTransactionRequest::descriptor(), &seen);
  CheckFolder("authenticate_transaction_request",
              payments::v1::AuthenticateTransactionRequest::descriptor(), &seen);
  CheckFolder("authenticate_answer", payments::v1::AuthenticateAnswer::descriptor(), &seen);
  CheckFolder("capture_transaction_request", payments::v1::CaptureTransactionRequest::descriptor(),
              &seen);
  CheckFolder("void_transaction_request", payments::v1::VoidTransactionRequest::descriptor(),
              &seen);
  CheckFolder("create_refund_request", payments::v1::CreateRefundRequest::descriptor(), &seen);
  CheckFolder("execute_wallet_b_payment_request",
              payments::v1::ExecuteWalletBPaymentRequest::descriptor(), &seen);
  CheckFolder("wallet_b_payment", payments::v1::WalletBPayment::descriptor(), &seen);
  CheckFolder("wallet_a_session_order", payments::v1::WalletASessionOrder::descriptor(), &seen);
  CheckFolder("wallet_a_session", payments::v1::CreateWalletASessionResponse::descriptor(), &seen);
  CheckFolder("create_payment_link_request", payments::v1::CreatePaymentLinkRequest::descriptor(),
              &seen);
  CheckFolder("currency_list", payments::v1::CurrencyList::descriptor(), &seen);
  CheckFolder("store_card_request", vault::v1::StoreCardRequest::descriptor(), &seen);
  CheckFolder("stored_card", vault::v1::StoredCard::descriptor(), &seen);
  CheckFolder("exchange_wallet_b_token_request",
              vault::v1::ExchangeWalletBTokenRequest::descriptor(), &seen);
  CheckFolder("wallet_b_token", vault::v1::WalletBToken::descriptor(), &seen);
  CheckFolder("order_search", common::v1::OrderSearch::descriptor(), &seen);
  CheckFolder("order_search_result", common::v1::OrderSearchResult::descriptor(), &seen);
  CheckFolder("refund_list", common::v1::RefundList::descriptor(), &seen);

  for (const pb::Descriptor* const type : WireTypes()) {
    for (int i = 0; i < type->field_count(); ++i) {
      const pb::FieldDescriptor& field = *type->field(i);
      if (field.options().GetExtension(options::v1::field).local()) continue;
      EXPECT_TRUE(seen.contains(field.full_name()))
          << field.full_name() << " is in no file of tests/data/codec";
    }
  }
}

TEST(CodecGolden, FieldsAreWrittenInTheOrderOfTheProtoAndKeysSorted) {
  payments::v1::CreateOrderRequest request;
  ParseText(R"pb(
              extra {
                fields {
                  key: "b"
                  value { number_value: 2 }
                }
                fields {
                  key: "a"
                  value { list_value { values { null_value: NULL_VALUE } } }
                }
              }
              amount: 0
              currency: "EUR"
              transactions { payment_method: "credit-card" capture_mode: "manual" }
              project: "shop"
              idempotency_key: "key-1"
            )pb",
            &request);
  const auto json = ToWire(request);
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(*json, R"({"currency":"EUR","amount":0,)"
                   R"("transactions":[{"payment_method":"credit-card","capture_mode":"manual"}],)"
                   R"("extra":{"a":[null],"b":2}})");
}

}  // namespace
}  // namespace tollbridge::payment_service
