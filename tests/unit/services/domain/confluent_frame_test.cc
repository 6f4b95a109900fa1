// The bytes before an event as clients of a schema registry expect them: a zero, the schema's id in
// four bytes, the most significant one first, and the message's indexes as zigzag varints.
#include "services/domain/confluent_frame.h"

#include <google/protobuf/struct.pb.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>

#include "tollbridge/events/v1/events.pb.h"

namespace tollbridge::domain {
namespace {

using events::v1::PaymentEvent;
using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

std::string Bytes(std::initializer_list<unsigned char> bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST(ConfluentFrameTest, TheFirstMessageOfAFileIsASingleZero) {
  EXPECT_EQ(ConfluentFrame(0x01020304, *PaymentEvent::descriptor()), Bytes({0, 1, 2, 3, 4, 0}));
  EXPECT_EQ(ConfluentFrame(2'147'483'647, *PaymentEvent::descriptor()),
            Bytes({0, 0x7f, 0xff, 0xff, 0xff, 0}));
}

TEST(ConfluentFrameTest, AnyOtherIsNamedByItsIndexesBehindTheirNumber) {
  EXPECT_EQ(ConfluentFrame(7, *Value::descriptor()), Bytes({0, 0, 0, 0, 7, 2, 2}));
  EXPECT_EQ(ConfluentFrame(7, *ListValue::descriptor()), Bytes({0, 0, 0, 0, 7, 2, 4}));
  EXPECT_EQ(ConfluentFrame(7, *Struct::descriptor()->nested_type(0)),
            Bytes({0, 0, 0, 0, 7, 4, 0, 0}));
}

TEST(ConfluentFrameTest, WhatIsBehindItIsFoundWhateverTheIndexes) {
  for (const auto* type :
       {PaymentEvent::descriptor(), Value::descriptor(), Struct::descriptor()->nested_type(0)}) {
    EXPECT_EQ(BehindConfluentFrame(ConfluentFrame(300, *type) + "message"), "message");
    EXPECT_EQ(BehindConfluentFrame(ConfluentFrame(300, *type)), "") << "a message without fields";
  }
  for (const std::string& none : {std::string(), Bytes({0, 0, 0, 0, 7}), Bytes({1, 0, 0, 0, 7, 0}),
                                  Bytes({0, 0, 0, 0, 7, 4, 0}), Bytes({0, 0, 0, 0, 7, 0x80})}) {
    EXPECT_EQ(BehindConfluentFrame(none), std::nullopt);
  }
}

}  // namespace
}  // namespace tollbridge::domain
