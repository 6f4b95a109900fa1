#include "adapters/redis/record_format.h"

#include <gtest/gtest.h>

#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::redis {
namespace {

TEST(RecordFormat, EachStateHasALetterOfItsOwn) {
  for (const ports::OperationState state :
       {operations::v1::OPERATION_STATE_RUNNING, operations::v1::OPERATION_STATE_DONE,
        operations::v1::OPERATION_STATE_UNKNOWN, operations::v1::OPERATION_STATE_NOT_EXECUTED,
        operations::v1::OPERATION_STATE_NEEDS_REVIEW}) {
    EXPECT_EQ(StateOf(std::string(1, StateLetter(state))), state);
  }
  EXPECT_EQ(StateOf("Z"), std::nullopt);
  EXPECT_EQ(StateOf(""), std::nullopt);
}

TEST(RecordFormat, ATraceparentTakes25BytesAndComesBackAsItWas) {
  const std::string text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_EQ(PackTraceparent(text).size(), 25U);
  EXPECT_EQ(UnpackTraceparent(PackTraceparent(text)), text);
}

TEST(RecordFormat, TextThatIsNoPlainTraceparentIsKeptAsItIs) {
  for (const std::string text :
       {"", "something else", "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"}) {
    EXPECT_EQ(UnpackTraceparent(PackTraceparent(text)), text);
  }
}

TEST(RecordFormat, ABrokenRecordIsRefused) {
  const auto unpack = [](std::vector<std::string> fields) {
    std::vector<Reply> reply;
    for (std::string& field : fields) {
      reply.push_back({.type = Reply::Type::kString, .text = std::move(field)});
    }
    return UnpackOperation("shop", Uuid{}, reply).has_value();
  };
  EXPECT_TRUE(unpack({"s", "R"}));
  EXPECT_TRUE(
      unpack({"s", "R", "pn", "1", "p1", "S17\n", "tn", "1", "t1", "-R17\n1\nme\n\n\n\n\nwhy"}));
  EXPECT_FALSE(unpack({}));
  EXPECT_FALSE(unpack({"s", "?"}));
  EXPECT_FALSE(unpack({"s", "R", "pn", "1"}));
  EXPECT_FALSE(unpack({"s", "R", "pn", "1", "p1", "Sxx\n"}));
  EXPECT_FALSE(unpack({"s", "R", "pn", "1", "p1", "S17\n\xff\xff"}));
  EXPECT_FALSE(unpack({"s", "R", "tn", "1", "t1", "x"}));
  EXPECT_FALSE(unpack({"s", "R", "tn", "1", "t1", "-R17\nx\nme\n\n\n\n\nwhy"}));
}

TEST(RecordFormat, AnRpcComesBackAsItIs) {
  for (const char* rpc :
       {"tollbridge.payments.v1.Payments/CreateOrder", "other.v1.Payments/CreateOrder", "",
        "tollbridge", "tollbridges.v1.X/Y"}) {
    EXPECT_EQ(UnpackRpc(PackRpc(rpc)), rpc);
  }
  EXPECT_EQ(PackRpc("tollbridge.payments.v1.Payments/CreateOrder"),
            ".payments.v1.Payments/CreateOrder");
}

TEST(RecordFormat, ATransitionIsARecordOfTheTopic) {
  const std::optional<operations::v1::OperationRecord> record = UnpackOperationRecord(
      "7\ntollbridge.payments.v1.Payments/"
      "CreateOrder\nNV1700000000123\n3\nme\norder-1\nLATE_EFFECT\norder-2\n\nfirst line\nsecond");
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->transition().from(), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  EXPECT_EQ(record->transition().to(), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(record->transition().time().seconds(), 1'700'000'000);
  EXPECT_EQ(record->transition().time().nanos(), 123'000'000);
  EXPECT_EQ(record->transition().attempt(), 3U);
  EXPECT_EQ(record->transition().number(), 7U);
  EXPECT_EQ(record->transition().owner(), "me");
  EXPECT_EQ(record->transition().evidence(), "first line\nsecond");
  EXPECT_EQ(record->order_id(), "order-1");
  EXPECT_EQ(record->review_reason(), "LATE_EFFECT");
  EXPECT_EQ(record->orphan_order_id(), "order-2");
  EXPECT_EQ(record->rpc(), "tollbridge.payments.v1.Payments/CreateOrder");
  EXPECT_EQ(UnpackOperationRecord(""), std::nullopt);
}

TEST(RecordFormat, ADueRecordComesBackAsTheClaimMeantIt) {
  const std::string order = "5f1c3a52-7a3e-4a53-9e0c-0d7d1f6f0001";
  const ports::StepTarget target{.name = "refund",
                                 .order_id = order,
                                 .transaction_id = "t",
                                 .amount = 5,
                                 .currency = "EUR",
                                 .merchant_order_id = "m",
                                 .marked = true};
  const Uuid id = Uuid::V4({7});
  std::vector<Reply> fields;
  for (const std::string& text : std::vector<std::string>{
           "id",     id.ToBytes(), "s",        "U",  "a",
           "2",      "h",          "0123abcd", "r",  "rpc",
           "k",      "k1",         "f",        "d",  "c",
           "manual", "x",          "tp",       "g",  PackOrderId(order),
           "m",      "1",          "ps",       "4",  "e",
           "99",     "pn",         "1",        "p1", "U17\n" + PackStep(target)}) {
    fields.push_back({.type = Reply::Type::kString, .text = text});
  }
  const WallTime now{ports::Millis(100)};
  const std::optional<ports::DueOperation> due = UnpackDueOperation("shop", fields, now);
  ASSERT_TRUE(due.has_value());
  EXPECT_EQ(due->identity.id, id);
  EXPECT_EQ(due->identity.gate_order, order);
  EXPECT_EQ(due->identity.fingerprints.at(0).digest, "d");
  EXPECT_EQ(due->identity.traceparent, "tp");
  EXPECT_EQ(due->attempt, 2U);
  EXPECT_EQ(due->epoch, "0123abcd");
  EXPECT_EQ(due->misses, 1U);
  EXPECT_EQ(due->passes, 4U);
  EXPECT_EQ(due->since, WallTime(ports::Millis(99)));
  EXPECT_EQ(due->now, now);
  ASSERT_EQ(due->steps.size(), 1U);
  EXPECT_EQ(due->steps[0].target, target);
  EXPECT_EQ(due->steps[0].state, operations::v1::STEP_STATE_UNKNOWN);
  EXPECT_EQ(due->steps[0].sent_at, WallTime(ports::Millis(17)));
  fields[3].text = "?";
  EXPECT_FALSE(UnpackDueOperation("shop", fields, now).has_value());
}

TEST(RecordFormat, WhatIsKeptOfATextIsBounded) {
  const std::string long_text(1000, 'x');
  EXPECT_EQ(ShortenReason(long_text).size(), 256U);
  EXPECT_EQ(ShortenOwner(long_text).size(), 128U);
}

TEST(RecordFormat, ReviewRecordsHaveAnIdForEachAttemptAndOrder) {
  const Uuid id = Uuid::V4({7});
  EXPECT_EQ(LateEffectId(id, "0123abcd", 1), Uuid::V5(id, "review.0123abcd.1"));
  EXPECT_EQ(OrphanId(id, "order-1"), Uuid::V5(id, "orphan.order-1"));
}

}  // namespace
}  // namespace tollbridge::redis
