// What HTTP/2 and gRPC prescribe, byte by byte.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/base/wire/raw_client.h"
#include "tests/unit/base/wire/wire_server.h"

namespace tollbridge::wire {
namespace {

using ::testing::HasSubstr;

std::string Headers(std::uint32_t stream, const Fields& fields, std::uint8_t flags = 0) {
  return FrameBytes(frame::kHeaders, static_cast<std::uint8_t>(flags | frame::kEndHeaders), stream,
                    HeaderBlock(fields));
}

std::string Data(std::uint32_t stream, std::string_view bytes, bool end = true) {
  return FrameBytes(frame::kData, end ? frame::kEndStream : 0, stream, bytes);
}

Fields With(Fields fields, const std::string& name, const std::string& value) {
  for (auto& field : fields) {
    if (field.first != name) continue;
    field.second = value;
    return fields;
  }
  fields.emplace_back(name, value);
  return fields;
}

const Fields kEcho = CallHeaders("/t.T/Echo");

class ProtocolTest : public ::testing::Test {
 protected:
  Answer Ask(const std::string& bytes) {
    client_.Send(bytes);
    return client_.Await(1);
  }
  /// The connection and the server are none the worse.
  void ExpectHonestCall() {
    client_.Send(CallBytes(101, "/t.T/Echo", "honest"));
    const Answer answer = client_.Await(101);
    EXPECT_EQ(answer.status(), "0");
    EXPECT_EQ(answer.data, Message("honest"));
  }

  WireServer server_;
  RawClient client_{server_.port()};
};

TEST_F(ProtocolTest, ACallIsAnswered) {
  const Answer answer = Ask(CallBytes(1, "/t.T/Echo", "hello"));
  EXPECT_EQ(answer.Header(":status"), "200");
  EXPECT_EQ(answer.Header("content-type"), "application/grpc");
  EXPECT_EQ(answer.data, Message("hello"));
  EXPECT_EQ(answer.status(), "0");
  EXPECT_EQ(answer.reset, std::nullopt);
}

TEST_F(ProtocolTest, AMessageInPiecesIsOneMessage) {
  client_.Send(Headers(1, kEcho));
  const std::string bytes = Message("hello");
  for (std::size_t i = 0; i < bytes.size(); ++i) client_.Send(Data(1, bytes.substr(i, 1), false));
  EXPECT_EQ(Ask(Data(1, "")).data, Message("hello"));
}

TEST_F(ProtocolTest, MessagesLongerThanTheWindowsComeAndGo) {
  const std::string text(200'000, 'x');
  std::string bytes = Headers(1, kEcho);
  const std::string message = Message(text);
  // As the server's window allows: it opens as the bytes are taken in.
  client_.Send(bytes);
  std::size_t at = 0;
  std::int64_t window = 65'535;
  while (at < message.size()) {
    const std::size_t size = std::min<std::size_t>(
        {16'384, message.size() - at, static_cast<std::size_t>(std::max<std::int64_t>(window, 0))});
    if (size == 0) {
      const auto next = client_.Next();
      ASSERT_TRUE(next.has_value());
      if (next->type == frame::kWindowUpdate && next->stream == 1) window += 32'768;
      continue;
    }
    client_.Send(Data(1, message.substr(at, size), at + size == message.size()));
    at += size;
    window -= static_cast<std::int64_t>(size);
  }
  client_.Send(FrameBytes(frame::kWindowUpdate, 0, 0, std::string("\0\x10\0\0", 4)));
  client_.Send(FrameBytes(frame::kWindowUpdate, 0, 1, std::string("\0\x10\0\0", 4)));
  EXPECT_EQ(client_.Await(1).data, message);
}

TEST_F(ProtocolTest, AMethodThatIsNotThereIsUnimplemented) {
  const Answer answer = Ask(CallBytes(1, "/t.T/Nothing", "x"));
  EXPECT_EQ(answer.Header(":status"), "200");
  EXPECT_EQ(answer.status(), "12");
  ExpectHonestCall();
}

TEST_F(ProtocolTest, APathThatIsNoTextLeadsNowhere) {
  EXPECT_EQ(Ask(CallBytes(1, "/t.T/\xff\xfe", "x")).status(), "12");
  ExpectHonestCall();
}

TEST_F(ProtocolTest, AnotherContentTypeIs415) {
  for (const char* type : {"application/json", "application/grpc-web", "application/grpc+json"}) {
    RawClient client(server_.port());
    client.Send(Headers(1, With(kEcho, "content-type", type)) + Data(1, Message("x")));
    EXPECT_EQ(client.Await(1).Header(":status"), "415") << type;
  }
  EXPECT_EQ(server_.refused(Refusal::kMalformed), 3u);
}

TEST_F(ProtocolTest, AnotherMethodThanPostIs405) {
  EXPECT_EQ(
      Ask(Headers(1, With(kEcho, ":method", "PUT")) + Data(1, Message("x"))).Header(":status"),
      "405");
  ExpectHonestCall();
}

TEST_F(ProtocolTest, WhatIsNoCallIsAnsweredWhenItHasEnded) {
  client_.Send(Headers(1, With(kEcho, ":method", "PUT")));
  // What is said before the second pong was said before the request's end.
  for (int i = 0; i < 2; ++i) {
    client_.Send(FrameBytes(frame::kPing, 0, 0, "eight by"));
    for (auto next = client_.Next(); next->type != frame::kPing; next = client_.Next()) {
      EXPECT_NE(next->type, frame::kHeaders);
    }
  }
  const Answer answer = Ask(Data(1, Message("x"), false) + Data(1, Message("y")));
  EXPECT_EQ(answer.Header(":status"), "405");
  EXPECT_EQ(answer.reset, std::nullopt);
  ExpectHonestCall();
}

TEST_F(ProtocolTest, ACompressedRequestIsUnimplementedAndToldWhatIsTaken) {
  const Answer answer = Ask(Headers(1, With(kEcho, "grpc-encoding", "gzip")) +
                            Data(1, std::string("\1\0\0\0\1x", 6)));
  EXPECT_EQ(answer.status(), "12");
  EXPECT_EQ(answer.Header("grpc-accept-encoding"), "identity");
  EXPECT_EQ(server_.refused(Refusal::kCompressed), 1u);
  ExpectHonestCall();
}

TEST_F(ProtocolTest, TheCompressedFlagWithoutACodingIsInternal) {
  EXPECT_EQ(Ask(Headers(1, kEcho) + Data(1, std::string("\1\0\0\0\1x", 6))).status(), "13");
  ExpectHonestCall();
}

TEST_F(ProtocolTest, ASecondMessageIsUnimplemented) {
  EXPECT_EQ(Ask(Headers(1, kEcho) + Data(1, Message("one") + Message("two"))).status(), "12");
  ExpectHonestCall();
}

TEST_F(ProtocolTest, NoMessageIsUnimplemented) {
  EXPECT_EQ(Ask(Headers(1, kEcho, frame::kEndStream)).status(), "12");
  ExpectHonestCall();
}

TEST_F(ProtocolTest, AMessageShorterThanItsPrefixSaysIsInternal) {
  EXPECT_EQ(Ask(Headers(1, kEcho) + Data(1, Message("hello").substr(0, 7))).status(), "13");
  ExpectHonestCall();
}

TEST_F(ProtocolTest, AMessageOverTheBoundIsRefusedBeforeItComes) {
  const Answer answer =
      Ask(Headers(1, kEcho) + Data(1, std::string("\0\x7f\xff\xff\xff", 5), false));
  EXPECT_EQ(answer.status(), "8");
  EXPECT_EQ(server_.refused(Refusal::kRequestBytes), 1u);
  ExpectHonestCall();
}

TEST_F(ProtocolTest, ABadTimeoutIsInternal) {
  const Answer answer = Ask(Headers(1, With(kEcho, "grpc-timeout", "1y")) + Data(1, Message("x")));
  EXPECT_EQ(answer.status(), "13");
  EXPECT_THAT(answer.Header("grpc-message"), HasSubstr("grpc-timeout"));
  ExpectHonestCall();
}

TEST_F(ProtocolTest, AHeaderGivenTwiceIsRefused) {
  Fields twice = kEcho;
  twice.emplace_back("grpc-timeout", "1S");
  twice.emplace_back("grpc-timeout", "2S");
  EXPECT_EQ(Ask(Headers(1, twice) + Data(1, Message("x"))).status(), "13");
  ExpectHonestCall();
}

TEST_F(ProtocolTest, HeadersOverTheBoundAreRefused) {
  Fields many = kEcho;
  for (int i = 0; i < 20; ++i) many.emplace_back("x-" + std::to_string(i), std::string(1000, 'x'));
  const std::string block = HeaderBlock(many);
  const std::string bytes =
      FrameBytes(frame::kHeaders, 0, 1, std::string_view(block).substr(0, 16'000)) +
      FrameBytes(frame::kContinuation, frame::kEndHeaders, 1,
                 std::string_view(block).substr(16'000));
  EXPECT_EQ(Ask(bytes + Data(1, Message("x"))).status(), "8");
  EXPECT_EQ(server_.refused(Refusal::kHeaderBytes), 1u);
  ExpectHonestCall();
}

TEST_F(ProtocolTest, AnAnswerBeforeTheRequestsEndAsksForNoMore) {
  client_.Send(Headers(1, CallHeaders("/t.T/Nothing")));
  EXPECT_EQ(client_.Await(1).status(), "12");
  const auto next = client_.Next();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->type, frame::kReset);
  EXPECT_EQ(next->payload, std::string(4, '\0'));
}

TEST_F(ProtocolTest, AnAnswerThatCannotBeSentIsNotSilence) {
  // HTTP/2 has no bound for headers; the codec has.
  EXPECT_EQ(Ask(CallBytes(1, "/t.T/Fail", "70000")).reset, 2u);
  ExpectHonestCall();
}

TEST_F(ProtocolTest, MessagesOfAChatAreAnsweredOneByOne) {
  client_.Send(Headers(1, CallHeaders("/t.T/Chat")) + Data(1, Message("one"), false));
  std::string got;
  while (got.size() < Message("one").size()) {
    const auto next = client_.Next();
    ASSERT_TRUE(next.has_value());
    if (next->type == frame::kData) got += next->payload;
  }
  EXPECT_EQ(got, Message("one"));
}

TEST_F(ProtocolTest, AResetEndsTheCallForItsHandler) {
  client_.Send(CallBytes(1, "/t.T/Wait", "x"));
  ASSERT_TRUE(Eventually([&] { return server_.started == 1; }));
  EXPECT_EQ(server_.gone, 0);
  client_.Send(FrameBytes(frame::kReset, 0, 1, std::string("\0\0\0\x8", 4)));
  EXPECT_TRUE(Eventually([&] { return server_.gone == 1; }));
  ExpectHonestCall();
}

TEST_F(ProtocolTest, ALostConnectionEndsItsCallsForTheirHandlers) {
  client_.Send(CallBytes(1, "/t.T/Wait", "x") + CallBytes(3, "/t.T/Wait", "x"));
  ASSERT_TRUE(Eventually([&] { return server_.started == 2; }));
  client_.Abort();
  EXPECT_TRUE(Eventually([&] { return server_.gone == 2; }));
}

TEST_F(ProtocolTest, ATimeoutThatIsOverEndsTheCall) {
  const Answer answer =
      Ask(Headers(1, With(CallHeaders("/t.T/Wait"), "grpc-timeout", "1m")) + Data(1, Message("x")));
  EXPECT_EQ(answer.status(), "4");
  EXPECT_TRUE(Eventually([&] { return server_.gone == 1; }));
}

TEST_F(ProtocolTest, AWriterWaitsForTheWindow) {
  // The connection's window is for all; that of the call stays as it is.
  client_.Send(FrameBytes(frame::kWindowUpdate, 0, 0, std::string("\0\x10\0\0", 4)));
  client_.Send(CallBytes(1, "/t.T/Count", "10000"));
  ASSERT_TRUE(Eventually([&] { return server_.written > 0; }));
  ExpectHonestCall();
  // 64 KiB of window and as much on its way.
  EXPECT_LT(server_.written, 20);
}

TEST_F(ProtocolTest, APriorityOfACallUnderWayChangesNothing) {
  client_.Send(CallBytes(1, "/t.T/Count", "100"));
  ASSERT_TRUE(Eventually([&] { return server_.written > 0; }));
  client_.Send(FrameBytes(frame::kPriority, 0, 1, std::string("\0\0\0\0\x10", 5)));
  client_.Send(FrameBytes(frame::kWindowUpdate, 0, 0, std::string("\0\x10\0\0", 4)));
  client_.Send(FrameBytes(frame::kWindowUpdate, 0, 1, std::string("\0\x10\0\0", 4)));
  EXPECT_EQ(client_.Await(1).status(), "0");
}

TEST_F(ProtocolTest, ACallTooManyIsRefused) {
  const auto most = static_cast<std::uint32_t>(2 * Limits().max_streams);
  std::string bytes;
  for (std::uint32_t stream = 1; stream < most + 2; stream += 2) {
    bytes += CallBytes(stream, "/t.T/Wait", "x");
  }
  client_.Send(bytes);
  EXPECT_EQ(client_.Await(most + 1).reset, 7u);
  EXPECT_EQ(server_.refused(Refusal::kStreams), 1u);
}

// gRPC's client in Go measures the bandwidth so, as often as it is answered.
TEST_F(ProtocolTest, APingForEachAnswerIsNoFlood) {
  const std::string ping = FrameBytes(frame::kPing, 0, 0, "eight by");
  const auto calls = static_cast<std::uint32_t>(3 * Limits().max_pings_per_second);
  for (std::uint32_t call = 0; call < calls; ++call) {
    client_.Send(CallBytes(2 * call + 1, "/t.T/Echo", "hello"));
    ASSERT_EQ(client_.Await(2 * call + 1).status(), "0") << "call " << call;
    client_.Send(ping);
  }
  EXPECT_EQ(server_.refused(Refusal::kPings), 0u);
}

TEST_F(ProtocolTest, AnotherProtocolIsToldSo) {
  for (const char* text : {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\x16\x03\x01\x02\x00",
                           "PRI * HTTP/2.0\r\n\r\nSM\r\n\rx plus some more bytes"}) {
    RawClient client(server_.port(), false);
    client.Send(text);
    EXPECT_EQ(client.AwaitGoAway(), 1u) << text;
    client.AwaitClose();
  }
  EXPECT_EQ(server_.refused(Refusal::kProtocol), 3u);
  ExpectHonestCall();
}

TEST_F(ProtocolTest, FramesThatBreakTheProtocolEndTheConnection) {
  // DATA on a stream that nobody has opened.
  client_.Send(Data(7, "x"));
  EXPECT_EQ(client_.AwaitGoAway(), 1u);
  client_.AwaitClose();
  EXPECT_EQ(server_.refused(Refusal::kProtocol), 1u);
}

TEST_F(ProtocolTest, WhatComesBehindTheEndOfARequestEndsTheConnection) {
  const std::string reset = FrameBytes(frame::kReset, 0, 1, std::string("\0\0\0\x8", 4));
  for (const std::string& more : {Data(1, "x"), Headers(1, kEcho, frame::kEndStream)}) {
    RawClient answered(server_.port());
    answered.Send(CallBytes(1, "/t.T/Echo", "hello"));
    EXPECT_EQ(answered.Await(1).status(), "0");
    answered.Send(more);
    EXPECT_EQ(answered.AwaitGoAway(), 5u);
    answered.AwaitClose();
    RawClient cancelled(server_.port());
    cancelled.Send(Headers(1, kEcho) + reset + more);
    EXPECT_EQ(cancelled.AwaitGoAway(), 5u);
    cancelled.AwaitClose();
  }
  EXPECT_EQ(server_.refused(Refusal::kProtocol), 4u);
  ExpectHonestCall();
}

TEST_F(ProtocolTest, WhatWasOnItsWayWhenACallWasRefusedIsIgnored) {
  client_.Send(Headers(1, CallHeaders("/t.T/Nothing")));
  EXPECT_EQ(client_.Await(1).status(), "12");
  client_.Send(Data(1, "x", false) + Headers(1, {{"trailer", "x"}}, frame::kEndStream));
  ExpectHonestCall();
  EXPECT_EQ(server_.refused(Refusal::kProtocol), 0u);
}

TEST_F(ProtocolTest, ACallOnANumberThatWasPassedOverEndsTheConnection) {
  client_.Send(CallBytes(3, "/t.T/Echo", "hello") + CallBytes(9, "/t.T/Echo", "hello"));
  EXPECT_EQ(client_.Await(9).status(), "0");
  client_.Send(CallBytes(5, "/t.T/Echo", "hello"));
  EXPECT_EQ(client_.AwaitGoAway(), 1u);
  client_.AwaitClose();
  EXPECT_EQ(server_.refused(Refusal::kProtocol), 1u);
}

}  // namespace
}  // namespace tollbridge::wire
