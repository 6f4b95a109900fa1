// What is wrong is refused with all its faults named, and leaves no trace.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/e2e/support/payments.h"
#include "tests/support/http_call.h"
#include "tests/support/stack.h"
#include "tests/support/webhook.h"

namespace tollbridge::test {
namespace {

using testing::_;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

constexpr int kInvalidArgument = 3;
constexpr int kResourceExhausted = 8;
constexpr int kUnavailable = 14;

/// One stack for all tests of this suite: each of them leaves it as it was.
class BadInputTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    stack_ = std::make_unique<Stack>(StackOptions{.settings = {{"kafka", {{"partitions", "1"}}}}});
  }
  static void TearDownTestSuite() { stack_.reset(); }

  static Stack& stack() { return *stack_; }

 private:
  static inline std::unique_ptr<Stack> stack_;
};

class BadRequestTest : public BadInputTest {
 protected:
  void SetUp() override {
    keys_before_ = stack().RedisCommand({"DBSIZE"});
    orders_before_ = stack().SandboxOrders().size();
  }
  void TearDown() override {
    EXPECT_EQ(stack().RedisCommand({"DBSIZE"}), keys_before_);
    EXPECT_THAT(stack().SandboxOrders(), SizeIs(orders_before_));
  }

 private:
  std::string keys_before_;
  std::size_t orders_before_ = 0;
};

TEST_F(BadRequestTest, EveryViolationIsNamedAtOnceWithItsFieldPath) {
  payments::v1::CreateOrderRequest request;
  request.set_amount(-1);
  request.set_currency("EURO");
  request.set_description(std::string(std::size_t{128} << 10, 'x'));
  request.set_return_url("not a URL");
  auto& transaction = *request.add_transactions();
  transaction.set_payment_method("credit-card");
  transaction.mutable_payment_method_details()->set_vault_token(
      "123e4567-e89b-12d3-a456-42661417400");

  const RpcStatus status = CreateOrder(stack(), request).status;
  EXPECT_EQ(status.code, kInvalidArgument) << status.message;
  EXPECT_EQ(status.reason, "INVALID_REQUEST");
  for (const char* field : {"idempotency_key", "amount", "currency", "description", "return_url",
                            "transactions[0].payment_method_details.vault_token"}) {
    EXPECT_TRUE(status.names_field(field)) << field << " is not named";
  }
  EXPECT_THAT(status.violations, SizeIs(6));
}

TEST_F(BadRequestTest, TheOrderToReadMustBeAUuid) {
  const RpcStatus status = GetOrder(stack(), "../v1/orders/1").status;
  EXPECT_EQ(status.code, kInvalidArgument);
  EXPECT_TRUE(status.names_field("order_id"));
}

TEST_F(BadRequestTest, InvalidUtf8IsRefusedAndTheFieldIsNamed) {
  std::string bytes = OrderRequest("utf8").SerializeAsString();
  bytes += std::string("\x22\x02\xc3\x28", 4);  // description = 4: a broken two-byte sequence
  const RpcStatus status = stack().grpc().CallBytes(kCreateOrder, bytes).status;
  EXPECT_EQ(status.code, kInvalidArgument) << status.message;
  EXPECT_EQ(status.reason, "UNPARSABLE_REQUEST");
  EXPECT_TRUE(status.names_field("description")) << status.message;
}

TEST_F(BadRequestTest, ATruncatedFieldIsRefusedAndNamed) {
  std::string bytes = OrderRequest("truncated").SerializeAsString();
  bytes += std::string("\x22\x7f short", 8);  // description = 4: 127 bytes that do not come
  const RpcStatus status = stack().grpc().CallBytes(kCreateOrder, bytes).status;
  EXPECT_EQ(status.code, kInvalidArgument) << status.message;
  EXPECT_EQ(status.reason, "UNPARSABLE_REQUEST");
  EXPECT_TRUE(status.names_field("description")) << status.message;
}

TEST_F(BadRequestTest, GarbageIsRefused) {
  const RpcStatus status =
      stack().grpc().CallBytes(kCreateOrder, std::string("\xff\xff\xff\xff\x00\x01", 6)).status;
  EXPECT_EQ(status.code, kInvalidArgument) << status.message;
  EXPECT_EQ(status.reason, "UNPARSABLE_REQUEST");
}

TEST_F(BadRequestTest, AMessageOfEightMebibytesIsRefused) {
  payments::v1::CreateOrderRequest request = OrderRequest("huge");
  request.set_description(std::string(std::size_t{8} << 20, 'x'));
  const RpcStatus status = CreateOrder(stack(), request).status;
  EXPECT_EQ(status.code, kResourceExhausted) << status.message;
  EXPECT_THAT(status.message, HasSubstr("longer than the 262144 that are taken"));
}

TEST_F(BadRequestTest, MoreMetadataThanIsTakenIsRefused) {
  RpcOptions options;
  for (int i = 0; i < 500; ++i) options.metadata.emplace_back("x-" + std::to_string(i), "v");
  const RpcStatus status = CreateOrder(stack(), OrderRequest("many"), options).status;
  EXPECT_EQ(status.code, kResourceExhausted) << status.message;
  EXPECT_THAT(status.message, HasSubstr("headers"));
}

TEST_F(BadRequestTest, TenThousandMetadataEntriesAreRefused) {
  RpcOptions options;
  for (int i = 0; i < 10'000; ++i) options.metadata.emplace_back("x-" + std::to_string(i), "v");
  const RpcStatus status = CreateOrder(stack(), OrderRequest("entries"), options).status;
  // Of so many no more is read than it takes to know, and the call is reset, which has no text. A
  // caller that still writes may find the connection closed before it has read why.
  if (status.code != kUnavailable) EXPECT_EQ(status.code, kResourceExhausted) << status.message;
  EXPECT_TRUE(Eventually([&] {
    return stack().grpc().Call(kGetOrder, payments::v1::GetOrderRequest()).status.code ==
           kInvalidArgument;
  }));
}

TEST_F(BadRequestTest, AStructThatIsNestedTooDeepIsRefusedAndNamed) {
  payments::v1::CreateOrderRequest request = OrderRequest("deep");
  google::protobuf::Struct* level = request.mutable_extra();
  for (int i = 0; i < 200; ++i) {
    level = (*level->mutable_fields())["deeper"].mutable_struct_value();
  }
  const RpcStatus status = CreateOrder(stack(), request).status;
  EXPECT_EQ(status.code, kInvalidArgument) << status.message;
  EXPECT_EQ(status.reason, "UNPARSABLE_REQUEST");
  EXPECT_THAT(status.violations, Contains(Pair(StartsWith("extra"), _))) << status.message;
}

class BadWebhookTest : public BadInputTest {
 protected:
  void SetUp() override { hints_before_ = stack().OpenTopic("hints")->ReadAll().size(); }
  void TearDown() override {
    EXPECT_THAT(stack().OpenTopic("hints")->ReadAll(), SizeIs(hints_before_));
  }

  static int Post(const std::string& url, const std::string& body) {
    return HttpCall("POST", url, body, {{"Content-Type", "application/json"}}).status;
  }
  const std::string good_ = WebhookBody("99999999-9999-4999-8999-999999999999");

 private:
  std::size_t hints_before_ = 0;
};

TEST_F(BadWebhookTest, AWrongTokenFindsNothing) {
  std::string url = stack().webhook_url();
  url.back() = url.back() == 'x' ? 'y' : 'x';
  EXPECT_EQ(Post(url, good_), 404);
  EXPECT_EQ(Post(stack().ingress_origin() + "/webhooks/", good_), 404);
  EXPECT_EQ(Post(stack().ingress_origin() + "/", good_), 404);
}

TEST_F(BadWebhookTest, OnlyPostIsTaken) {
  EXPECT_EQ(HttpCall("GET", stack().webhook_url()).status, 405);
}

TEST_F(BadWebhookTest, AnOverLongBodyIsRefused) {
  EXPECT_EQ(Post(stack().webhook_url(), good_ + std::string(4096, ' ')), 413);
}

TEST_F(BadWebhookTest, WhatIsNoNotificationIsRefused) {
  for (const std::string& body :
       {std::string(), std::string("order_id=1"), std::string("[]"), std::string("{}"),
        std::string(2000, '['), good_.substr(0, good_.size() - 1), WebhookBody("not-a-uuid")}) {
    EXPECT_EQ(Post(stack().webhook_url(), body), 400) << body;
  }
}

TEST_F(BadWebhookTest, AnotherProjectsNotificationIsRefused) {
  std::string body = good_;
  body.replace(body.find("11111111"), 8, "22222222");
  EXPECT_EQ(Post(stack().webhook_url(), body), 400);
}

TEST_F(BadInputTest, GarbageOnTheHintsTopicGoesToTheDeadLettersAndTheReaderGoesOn) {
  const std::string garbage("\xff\xfe not a hint \x00", 15);
  ProduceTo(stack().brokers(), stack().TopicName("hints"), "some-key", garbage);
  const auto order = OrderOf(CreateOrder(stack(), OrderRequest("after-garbage")));
  PayOnHostedPage(stack(), order);
  EXPECT_TRUE(AwaitEvent(*stack().OpenTopic("events"), order.id(), kPaymentCompleted));

  const auto dead_letters = stack().OpenTopic("dlq");
  // Nothing waits for a dead letter: it may come after the next hint's event.
  ASSERT_TRUE(Eventually([&] { return !dead_letters->ReadAll().empty(); }));
  ASSERT_THAT(dead_letters->records(), SizeIs(1));
  const TopicRecord& letter = dead_letters->records().front();
  EXPECT_EQ(letter.key, "some-key");
  EXPECT_EQ(letter.value, garbage);
  EXPECT_EQ(letter.header("cause"), "unparsable");
  EXPECT_EQ(letter.header("tries"), "1");
  EXPECT_EQ(letter.header("original_topic"), stack().TopicName("hints"));
  EXPECT_TRUE(Eventually([&] {
    return stack().Metric("tollbridge_hints_dead_lettered_total{cause=\"unparsable\"}") == 1;
  }));
}

}  // namespace
}  // namespace tollbridge::test
