#include "services/events/event_builder.h"

#include <absl/strings/ascii.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include "services/domain/mark.h"
#include "services/domain/timestamps.h"
#include "tests/unit/services/events/fixture.h"

namespace tollbridge::events {
namespace {

class EventBuilderTest : public EventsFixture {
 protected:
  v1::PaymentEvent Build(const common::v1::Order& order, const std::string& order_id = kOrderId,
                         v1::EventWhat what = v1::EVENT_WHAT_NEEDS_REVIEW) {
    const domain::DecidedEvent decided{.order = *Uuid::Parse(order_id),
                                       .kind = v1::EVENT_KIND_PAYMENT,
                                       .what = what,
                                       .occurrence = 2,
                                       .sequence = 5,
                                       .occurred_at = clock_.WallNow() - ports::Millis(1250),
                                       .decided_by = v1::DECIDED_BY_ORDER,
                                       .published_what = v1::EVENT_WHAT_CANCELLED,
                                       .observed_what = v1::EVENT_WHAT_COMPLETED};
    storage::v1::OrderState previous;
    previous.set_status(common::v1::ORDER_STATUS_CANCELLED);
    const std::string stream = Uuid::Parse("99999999-93b1-4f7a-8a53-1d0f6a4c2b10")->ToBytes();
    const ports::FamilyKey key = Key();
    return MakeEvent(decided, {.project = projects_.all().front(),
                               .key = key,
                               .order = order,
                               .previous = &previous,
                               .stream = stream,
                               .noticed_at = clock_.WallNow()});
  }
};

TEST_F(EventBuilderTest, TheRecordIsACloudEventInBinaryMode) {
  common::v1::Order order = MakeOrder(common::v1::ORDER_STATUS_COMPLETED);
  order.add_flags("is-test");
  const v1::PaymentEvent event = Build(order);
  const storage::v1::OutboxEntry entry =
      MakeOutboxEntry(event, {.traceparent = kTraceparent, .origin_traceparent = kTraceparent}, {});
  EXPECT_EQ(entry.key(), kOrderId);
  EXPECT_EQ(entry.sequence(), 5U);
  EXPECT_EQ(entry.id(), event.id());
  std::vector<std::pair<std::string, std::string>> headers;
  for (const auto& header : entry.headers()) headers.emplace_back(header.name(), header.value());
  EXPECT_EQ(headers,
            (std::vector<std::pair<std::string, std::string>>{
                {"content-type", "application/protobuf"},
                {"ce_specversion", "1.0"},
                {"ce_id", event.id()},
                {"ce_type", "tollbridge.payment.needs_review.v1"},
                {"ce_source", "/tollbridge/shop"},
                {"ce_subject", kOrderId},
                {"ce_time", "2025-12-31T23:59:58.750Z"},
                {"ce_dataschema", "urn:tollbridge:proto:tollbridge.events.v1.PaymentEvent"},
                {"ce_sequence", "00000000000000000005"},
                {"ce_partitionkey", kOrderId},
                {"ce_stream", "99999999-93b1-4f7a-8a53-1d0f6a4c2b10"},
                {"ce_root", kOrderId},
                {"ce_isoutcome", "true"},
                {"traceparent", kTraceparent},
                {"origin_traceparent", kTraceparent},
                {"test", "true"}}));
  v1::PaymentEvent parsed;
  ASSERT_TRUE(parsed.ParseFromString(entry.payload()));
  EXPECT_EQ(parsed.SerializeAsString(), event.SerializeAsString());
}

TEST_F(EventBuilderTest, TheEventSaysWhatWasDecidedAndWhatTheOrderShows) {
  common::v1::Order order = MakeOrder(common::v1::ORDER_STATUS_COMPLETED);
  order.set_reason("because");
  order.set_refunded_amount(0);
  order.set_related_payment_link_id(kOtherOrderId);
  order.add_transactions();
  order.add_transactions()->set_transaction_type("aft");
  const v1::PaymentEvent event = Build(order);
  EXPECT_EQ(event.stream(), "99999999-93b1-4f7a-8a53-1d0f6a4c2b10");
  EXPECT_EQ(event.occurrence(), 2U);
  EXPECT_EQ(event.previous_status(), common::v1::ORDER_STATUS_CANCELLED);
  EXPECT_EQ(event.status(), common::v1::ORDER_STATUS_COMPLETED);
  EXPECT_EQ(event.published_what(), v1::EVENT_WHAT_CANCELLED);
  EXPECT_EQ(event.observed_what(), v1::EVENT_WHAT_COMPLETED);
  EXPECT_EQ(event.transaction_type(), "aft");
  EXPECT_EQ(event.reason(), "because");
  EXPECT_EQ(event.payment_link_id(), kOtherOrderId);
  EXPECT_EQ(event.amount(), 1250);
  EXPECT_TRUE(event.has_refunded_amount());
  EXPECT_FALSE(event.test());
  EXPECT_EQ(domain::ToWallTime(event.noticed_at()), clock_.WallNow());
}

TEST_F(EventBuilderTest, WhatConsumersJoinWithStandsBesideTheAmount) {
  common::v1::Order order = MakeOrder(common::v1::ORDER_STATUS_COMPLETED, kOtherOrderId);
  order.set_merchant_order_id("order 42");
  order.set_refund_of_order_id(absl::AsciiStrToUpper(kOrderId));
  order.set_description(std::string(kMaxEventBytes, 'x'));
  auto* transaction = order.add_transactions();
  transaction->set_id("11111111-93b1-4f7a-8a53-1d0f6a4c2b10");
  transaction->set_payment_method("credit-card");
  const storage::v1::OutboxEntry entry = MakeOutboxEntry(Build(order, kOtherOrderId), {}, {});
  v1::PaymentEvent event;
  ASSERT_TRUE(event.ParseFromString(entry.payload()));
  EXPECT_TRUE(event.order_omitted());
  EXPECT_EQ(event.merchant_order_id(), "order 42");
  EXPECT_EQ(event.parent_order_id(), kOrderId);
  EXPECT_EQ(event.transaction_id(), "11111111-93b1-4f7a-8a53-1d0f6a4c2b10");
  EXPECT_EQ(event.payment_method(), "credit-card");

  const v1::PaymentEvent bare = Build(MakeOrder(common::v1::ORDER_STATUS_COMPLETED));
  EXPECT_FALSE(bare.has_merchant_order_id());
  EXPECT_FALSE(bare.has_parent_order_id());
  EXPECT_FALSE(bare.has_transaction_id());
  EXPECT_FALSE(bare.has_payment_method());
}

TEST_F(EventBuilderTest, GoesByTheAttemptThatCompletedElseTheLatest) {
  common::v1::Order order = MakeOrder(common::v1::ORDER_STATUS_PROCESSING);
  const auto attempt = [&](const char* id, common::v1::TransactionStatus status,
                           std::int64_t created) {
    auto* transaction = order.add_transactions();
    transaction->set_id(id);
    transaction->set_status(status);
    transaction->mutable_created()->set_seconds(created);
  };
  attempt("first", common::v1::TRANSACTION_STATUS_DECLINED, 10);
  attempt("latest", common::v1::TRANSACTION_STATUS_DECLINED, 30);
  attempt("second", common::v1::TRANSACTION_STATUS_PENDING, 20);
  EXPECT_EQ(Build(order).transaction_id(), "latest");
  order.mutable_transactions(2)->set_status(common::v1::TRANSACTION_STATUS_COMPLETED);
  EXPECT_EQ(Build(order).transaction_id(), "second");
  order.mutable_transactions(0)->set_status(common::v1::TRANSACTION_STATUS_CAPTURED);
  EXPECT_FALSE(Build(order).has_transaction_id()) << "paid twice";
}

TEST_F(EventBuilderTest, EachOutcomeSaysThatItIsOne) {
  const common::v1::Order order = MakeOrder(common::v1::ORDER_STATUS_COMPLETED);
  const google::protobuf::EnumDescriptor& whats = *v1::EventWhat_descriptor();
  std::vector<std::string> outcomes;
  for (int i = 1; i < whats.value_count(); ++i) {
    const auto what = static_cast<v1::EventWhat>(whats.value(i)->number());
    if (Build(order, kOrderId, what).is_outcome()) outcomes.push_back(whats.value(i)->name());
  }
  EXPECT_EQ(outcomes, (std::vector<std::string>{"EVENT_WHAT_COMPLETED", "EVENT_WHAT_CANCELLED",
                                                "EVENT_WHAT_EXPIRED", "EVENT_WHAT_FAILED",
                                                "EVENT_WHAT_NEEDS_REVIEW"}));
}

TEST_F(EventBuilderTest, AMembersEventIsKeyedByTheRootAndAboutTheMember) {
  const common::v1::Order order = MakeOrder(common::v1::ORDER_STATUS_COMPLETED, kOtherOrderId);
  const v1::PaymentEvent event = Build(order, kOtherOrderId);
  const storage::v1::OutboxEntry entry = MakeOutboxEntry(event, {}, {});
  EXPECT_EQ(entry.key(), kOrderId);
  EXPECT_EQ(event.root_order_id(), kOrderId);
  EXPECT_EQ(event.order_id(), kOtherOrderId);
  EXPECT_EQ(HeaderOf(entry, "ce_subject"), kOtherOrderId);
  EXPECT_EQ(HeaderOf(entry, "ce_root"), kOrderId);
  EXPECT_EQ(HeaderOf(entry, "ce_partitionkey"), kOrderId);
  EXPECT_NE(event.id(), Build(order).id());
}

TEST_F(EventBuilderTest, JsonIsThatOfTheSameMessage) {
  const v1::PaymentEvent event = Build(MakeOrder(common::v1::ORDER_STATUS_COMPLETED));
  const storage::v1::OutboxEntry entry = MakeOutboxEntry(event, {}, {.encoding = Encoding::kJson});
  EXPECT_EQ(HeaderOf(entry, "content-type"), "application/json");
  EXPECT_EQ(HeaderOf(entry, "traceparent"), "(none)");
  v1::PaymentEvent parsed;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(entry.payload(), &parsed).ok());
  EXPECT_EQ(parsed.SerializeAsString(), event.SerializeAsString());
}

TEST_F(EventBuilderTest, AnEventOver512KiBLeavesTheOrderOut) {
  common::v1::Order order = MakeOrder(common::v1::ORDER_STATUS_COMPLETED);
  order.set_description(std::string(kMaxEventBytes - 2000, 'x'));
  EXPECT_FALSE([&] {
    v1::PaymentEvent parsed;
    parsed.ParseFromString(MakeOutboxEntry(Build(order), {}, {}).payload());
    return parsed.order_omitted();
  }());
  order.set_description(std::string(kMaxEventBytes, 'x'));
  const storage::v1::OutboxEntry entry = MakeOutboxEntry(Build(order), {}, {});
  EXPECT_LT(entry.payload().size(), 2000U);
  v1::PaymentEvent parsed;
  ASSERT_TRUE(parsed.ParseFromString(entry.payload()));
  EXPECT_TRUE(parsed.order_omitted());
  EXPECT_FALSE(parsed.has_order());
  EXPECT_EQ(parsed.amount(), 1250);
}

TEST_F(EventBuilderTest, AnEventFitsWhateverTheServiceSays) {
  common::v1::Order order = MakeOrder(common::v1::ORDER_STATUS_COMPLETED);
  order.set_reason(std::string(2'000'000, '\x01'));
  order.set_status_text(std::string(2'000'000, '\x01'));
  v1::PaymentEvent event = Build(order);
  const auto* reflection = event.GetReflection();
  for (int i = 0; i < event.GetDescriptor()->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* field = event.GetDescriptor()->field(i);
    if (field->type() != google::protobuf::FieldDescriptor::TYPE_STRING) continue;
    reflection->SetString(&event, field, std::string(100'000, '\x01'));
  }
  for (const Encoding encoding : {Encoding::kProtobuf, Encoding::kJson, Encoding::kConfluent}) {
    const storage::v1::OutboxEntry entry = MakeOutboxEntry(event, {}, {.encoding = encoding});
    EXPECT_LE(entry.ByteSizeLong(), kMaxEventBytes) << "headers and all";
  }
}

TEST_F(EventBuilderTest, ATextIsCutBetweenCharacters) {
  common::v1::Order order = MakeOrder(common::v1::ORDER_STATUS_COMPLETED);
  order.set_reason("x" + [] {
    std::string text;
    for (int i = 0; i < 3000; ++i) text += "\xc3\xa9";
    return text;
  }());
  v1::PaymentEvent parsed;
  ASSERT_TRUE(parsed.ParseFromString(MakeOutboxEntry(Build(order), {}, {}).payload()));
  EXPECT_EQ(parsed.reason(), order.reason().substr(0, kMaxEventText - 1));
  EXPECT_EQ(parsed.order().reason(), order.reason()) << "the order is as read";
}

common::v1::Order OrderFullOfSecrets() {
  common::v1::Order order;
  order.set_webhook_url("SECRET");
  order.set_order_url("SECRET");
  order.set_reason("card 4111111111111111");
  order.mutable_customer()->set_last_name("CUSTOMER");
  (*order.mutable_extra()->mutable_fields())["x"].set_string_value("CUSTOMER");
  auto* transaction = order.add_transactions();
  transaction->set_payment_url("SECRET");
  auto* details = transaction->mutable_payment_method_details();
  details->set_setup_token("SECRET");
  details->set_vault_token("SECRET");
  details->set_cvc("SECRET");
  details->set_receiver_account_number("SECRET");
  details->set_cardholder_name("CUSTOMER");
  details->mutable_external_authentication_details()->set_authentication_value("SECRET");
  details->set_truncated_pan("411111******1111");
  return order;
}

TEST(OrderForEventsTest, LeavesOutCardDataCredentialsAndByDefaultTheCustomer) {
  const std::string bytes =
      OrderForEvents(OrderFullOfSecrets(), CustomerData::kNone).SerializeAsString();
  EXPECT_EQ(bytes.find("SECRET"), std::string::npos);
  EXPECT_EQ(bytes.find("CUSTOMER"), std::string::npos);
  EXPECT_EQ(bytes.find("4111111111111111"), std::string::npos);
  EXPECT_NE(bytes.find("411111******1111"), std::string::npos);
}

TEST(OrderForEventsTest, TheMarkOfTheOperationIsNoDataOfTheMerchant) {
  common::v1::Order order = OrderFullOfSecrets();
  auto& extra = *order.mutable_extra()->mutable_fields();
  extra[std::string(domain::kMarkField)].set_string_value("MARK");
  const common::v1::Order with_extra = OrderForEvents(order, CustomerData::kFull);
  EXPECT_EQ(with_extra.SerializeAsString().find("MARK"), std::string::npos);
  EXPECT_EQ(with_extra.extra().fields_size(), 1);
  extra.erase("x");
  EXPECT_FALSE(OrderForEvents(order, CustomerData::kFull).has_extra())
      << "an extra that was there for the mark alone is not shown";
}

TEST(OrderForEventsTest, KeepsTheCustomerWhenConfiguredButNoSecrets) {
  const common::v1::Order order = OrderForEvents(OrderFullOfSecrets(), CustomerData::kFull);
  EXPECT_EQ(order.customer().last_name(), "CUSTOMER");
  EXPECT_EQ(order.transactions(0).payment_method_details().cardholder_name(), "CUSTOMER");
  EXPECT_TRUE(order.has_extra());
  EXPECT_EQ(order.SerializeAsString().find("SECRET"), std::string::npos);
}

}  // namespace
}  // namespace tollbridge::events
