// Each field of a payout reaches the payment service, in one of the steps.

#include <string>

#include <google/protobuf/text_format.h>

#include "services/domain/mark.h"
#include "services/payouts/get_payout.h"
#include "tests/support/full_order.h"
#include "tests/unit/services/payouts/payouts_fixture.h"

namespace tollbridge::payouts {
namespace {

namespace pb = google::protobuf;

class PayoutFieldsTest : public PayoutTest {
 protected:
  /// With every field that a request can have beside this destination.
  static v1::CreatePayoutRequest Full(bool with_card) {
    v1::CreatePayoutRequest request = Request(with_card);
    request.set_project("shop");
    v1::CreatePayoutRequest filled = request;
    test::FillEveryField(filled);
    if (with_card) *filled.mutable_card() = request.card();
    if (!with_card) filled.set_vault_token(request.vault_token());
    return filled;
  }
};

/// The fields that both messages have under one name are equal; returns how many `sent` has.
int ExpectSameFields(const pb::Message& sent, const pb::Message& asked) {
  int fields = 0;
  for (int i = 0; i < asked.GetDescriptor()->field_count(); ++i) {
    const pb::FieldDescriptor& field = *asked.GetDescriptor()->field(i);
    const pb::FieldDescriptor* other = sent.GetDescriptor()->FindFieldByName(field.name());
    if (other == nullptr) continue;
    if (field.name() == "project" || field.name() == "idempotency_key") continue;
    ++fields;
    std::string got;
    std::string want;
    pb::TextFormat::PrintFieldValueToString(sent, other, -1, &got);
    pb::TextFormat::PrintFieldValueToString(asked, &field, -1, &want);
    EXPECT_EQ(got, want) << field.full_name();
  }
  return fields;
}

TEST_F(PayoutFieldsTest, EachIsSentInOneOfTheSteps) {
  const v1::CreatePayoutRequest request = Full(true);
  Result(Pay(request));
  payments::v1::CreateOrderRequest order = payout_service_.created().back().request;
  EXPECT_EQ(order.mutable_extra()->mutable_fields()->erase(std::string(domain::kMarkField)), 1U);
  // merchant_order_id, description, currency, amount, customer, merchant_name, expiration_period,
  // client, extra.
  EXPECT_EQ(ExpectSameFields(order, request), 9);
  EXPECT_EQ(
      ExpectSameFields(Last<vault::v1::StoreCardRequest>(Function::kStoreCard), request.card()), 3);
  EXPECT_EQ(Last<payments::v1::AuthenticateTransactionRequest>(Function::kAuthenticate).cvc(),
            request.cvc());
}

TEST_F(PayoutFieldsTest, AStoredCardIsNamedInTheLastStep) {
  const v1::CreatePayoutRequest request = Full(false);
  Result(Pay(request));
  // vault_token, cvc.
  EXPECT_EQ(
      ExpectSameFields(Last<payments::v1::AuthenticateTransactionRequest>(Function::kAuthenticate),
                       request),
      2);
}

TEST_F(PayoutFieldsTest, EachOfTheOrderReachesTheCaller) {
  common::v1::Order order = test::FullOrder(kToken);
  order.mutable_transactions(0)->set_payment_method("credit-card-oct");
  payout_service_.PutOrder(order);
  v1::GetPayoutRequest request;
  request.set_order_id(kToken);
  const auto read = test::Await(
      context_, GetPayout(payout_service_, operations::TestProject(), request, CallContext()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(test::IsSame(read->order(), test::ShownToCallers(order)));

  payments::v1::AuthenticateAnswer answer;
  *answer.mutable_order() = order;
  const auto made =
      Registration().result(operations::TestProject(), answer, operations::v1::KNOWLEDGE_ANSWERED);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(test::IsSame(dynamic_cast<const v1::CreatePayoutResponse&>(*made->response).order(),
                           test::ShownToCallers(order)));
}

}  // namespace
}  // namespace tollbridge::payouts
