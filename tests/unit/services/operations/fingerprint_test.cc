#include "services/operations/fingerprint.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "google/rpc/error_details.pb.h"
#include "services/domain/errors.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::operations {
namespace {

constexpr std::string_view kRpc = "tollbridge.payments.v1.Payments/CreateOrder";

KeyRing Keys(const std::string& ids) {
  KeyRing ring;
  for (const char id : ids) ring.keys.push_back({std::string(1, id), std::string(32, id)});
  return ring;
}

payments::v1::CreateOrderRequest Request() {
  payments::v1::CreateOrderRequest request;
  request.set_idempotency_key("key");
  request.set_amount(500);
  auto* details = request.add_transactions()->mutable_payment_method_details();
  details->set_cvc("123");
  details->set_receiver_account_number("5555555555554444");
  return request;
}

std::string Digest(const payments::v1::CreateOrderRequest& request, std::string_view rpc = kRpc) {
  const auto fingerprints = Fingerprints(rpc, request, Keys("a"));
  EXPECT_TRUE(fingerprints.ok());
  return fingerprints.ok() ? fingerprints->front().digest : "";
}

TEST(Fingerprints, LeaveOutTheKeyAndTheSecurityCode) {
  payments::v1::CreateOrderRequest other = Request();
  other.set_idempotency_key("another");
  other.mutable_transactions(0)->mutable_payment_method_details()->set_cvc("999");
  EXPECT_EQ(Digest(other), Digest(Request()));
  other.mutable_transactions(0)->mutable_payment_method_details()->clear_cvc();
  EXPECT_EQ(Digest(other), Digest(Request()));
}

TEST(Fingerprints, TellApartAllElse) {
  payments::v1::CreateOrderRequest amount = Request();
  amount.set_amount(501);
  payments::v1::CreateOrderRequest card = Request();
  card.mutable_transactions(0)->mutable_payment_method_details()->set_receiver_account_number(
      "4111111111111111");
  payments::v1::CreateOrderRequest empty = Request();
  empty.set_description("");
  EXPECT_NE(Digest(amount), Digest(Request()));
  EXPECT_NE(Digest(card), Digest(Request()));
  EXPECT_NE(Digest(empty), Digest(Request()));
  EXPECT_NE(Digest(Request(), "tollbridge.payments.v1.Payments/Other"), Digest(Request()));
}

TEST(Fingerprints, DoNotDependOnTheOrderOfMapEntries) {
  payments::v1::CreateOrderRequest forward = Request();
  payments::v1::CreateOrderRequest backward = Request();
  for (int i = 0; i < 50; ++i) {
    (*forward.mutable_extra()->mutable_fields())["f" + std::to_string(i)].set_number_value(1);
    (*backward.mutable_extra()->mutable_fields())["f" + std::to_string(49 - i)].set_number_value(1);
  }
  EXPECT_EQ(Digest(forward), Digest(backward));
}

TEST(Fingerprints, HoldOneForEachLiveKeySoThatARotationKeepsReplays) {
  const auto before = Fingerprints(kRpc, Request(), Keys("a"));
  const auto after = Fingerprints(kRpc, Request(), Keys("ba"));
  ASSERT_TRUE(before.ok() && after.ok());
  ASSERT_EQ(after->size(), 2U);
  EXPECT_EQ(after->at(0).key_id, "b");
  EXPECT_EQ(after->at(1).key_id, "a");
  EXPECT_EQ(after->at(1).digest, before->at(0).digest);
  EXPECT_NE(after->at(0).digest, after->at(1).digest);
  EXPECT_EQ(after->at(0).digest.size(), 32U);
}

/// What other builds keep in Redis is of this form.
TEST(Fingerprints, AreTheHmacOfTheRpcAndTheRequest) {
  payments::v1::CreateOrderRequest request;
  request.set_idempotency_key("key");
  request.set_amount(500);
  payments::v1::CreateOrderRequest kept = request;
  kept.clear_idempotency_key();
  const std::string data = std::string(kRpc) + '\0' + kept.SerializeAsString();
  for (int i = 0; i < 3; ++i) {
    const auto fingerprints = Fingerprints(kRpc, request, Keys("abc"));
    ASSERT_TRUE(fingerprints.ok());
    for (std::size_t key = 0; key < 3; ++key) {
      const std::string secret = Keys("abc").keys[key].secret;
      std::string expected(EVP_MAX_MD_SIZE, '\0');
      unsigned int size = 0;
      HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(data.data()), data.size(),
           reinterpret_cast<unsigned char*>(expected.data()), &size);
      expected.resize(size);
      EXPECT_EQ(fingerprints->at(key).digest, expected);
    }
  }
}

TEST(Fingerprints, LeaveTheRequestAsItIs) {
  const payments::v1::CreateOrderRequest request = Request();
  Digest(request);
  EXPECT_EQ(request.SerializeAsString(), Request().SerializeAsString());
}

TEST(Fingerprints, RefuseRequestsWithUnknownFieldsAtAnyDepth) {
  payments::v1::CreateOrderRequest request = Request();
  auto* transaction = request.mutable_transactions(0);
  transaction->GetReflection()->MutableUnknownFields(transaction)->AddVarint(5000, 1);
  const auto fingerprints = Fingerprints(kRpc, request, Keys("a"));
  ASSERT_FALSE(fingerprints.ok());
  EXPECT_EQ(fingerprints.status().code(), absl::StatusCode::kInvalidArgument);
  google::rpc::BadRequest bad;
  const auto payload = fingerprints.status().GetPayload(std::string(domain::kBadRequestUrl));
  ASSERT_TRUE(payload.has_value() && bad.ParseFromString(std::string(*payload)));
  ASSERT_EQ(bad.field_violations_size(), 1);
  EXPECT_EQ(bad.field_violations(0).field(), "transactions[0]");
}

/// A project that is renamed keeps its outcomes, and the operation's id says already which it is.
TEST(Fingerprints, LeaveOutTheNameOfTheProject) {
  payments::v1::CreateOrderRequest before = Request();
  before.set_project("shop");
  payments::v1::CreateOrderRequest after = Request();
  after.set_project("shop-eu");
  EXPECT_EQ(Digest(before), Digest(after));
}

}  // namespace
}  // namespace tollbridge::operations
