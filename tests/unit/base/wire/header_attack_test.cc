// What anybody who can connect may try with the headers of a request. As attack_test.cc.

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <string>

#include "tests/unit/base/wire/attack_fixture.h"
#include "tests/unit/base/wire/raw_client.h"
#include "tests/unit/base/wire/wire_server.h"

namespace tollbridge::wire {
namespace {

using HeaderAttackTest = AttackTest;

TEST_F(HeaderAttackTest, ContinuationsWithoutEnd) {
  Serve({});
  RawClient client(server_->port(), true, kElsewhere);
  client.Send(FrameBytes(frame::kHeaders, 0, 1, HeaderBlock(CallHeaders("/t.T/Echo"))));
  const std::string more =
      FrameBytes(frame::kContinuation, 0, 1, HeaderBlock({{"x", std::string(8'000, 'x')}}));
  for (int i = 0; i < 1'000 && client.Send(more); ++i) {
  }
  client.AwaitClose();
  EXPECT_EQ(server_->refused(Refusal::kHeaderBytes), 1u);
  ExpectHonestCalls();
}

TEST_F(HeaderAttackTest, EmptyContinuationsWithoutEnd) {
  Serve({});
  RawClient client(server_->port(), true, kElsewhere);
  client.Send(FrameBytes(frame::kHeaders, 0, 1, HeaderBlock(CallHeaders("/t.T/Echo"))));
  for (int i = 0; i < 1'000 && client.Send(FrameBytes(frame::kContinuation, 0, 1, "")); ++i) {
  }
  client.AwaitClose();
  EXPECT_EQ(server_->refused(Refusal::kProtocol), 1u);
  ExpectHonestCalls();
}

/// What the decoder keeps of it is told to nobody.
TEST_F(HeaderAttackTest, HeadersThatAreNotWholeCountAndEndTheirConnections) {
  Serve({.request_timeout = std::chrono::milliseconds(1'000), .max_held_bytes = 200'000});
  std::deque<RawClient> clients;
  for (int i = 0; i < 10; ++i) {
    RawClient& client = clients.emplace_back(server_->port(), true, kElsewhere);
    const std::string block = HeaderBlock({{"x", std::string(30'000, 'x')}});
    client.Send(FrameBytes(frame::kHeaders, 0, 1, block.substr(0, 16'000)) +
                FrameBytes(frame::kContinuation, 0, 1, block.substr(16'000, 10'000)));
  }
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kHeldBytes) >= 6; }));
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kRequestTimeout) >= 3; }));
  EXPECT_TRUE(Eventually([&] { return server_->open() == 1 && server_->held() == 0; }));
  ExpectHonestCalls();
}

TEST_F(HeaderAttackTest, HeadersThatAreMany) {
  Serve({});
  RawClient client(server_->port(), true, kElsewhere);
  const auto call = [](std::uint32_t stream, std::size_t headers) {
    std::string kept = HeaderBlock({{"x", ""}});
    kept[0] = 0x40;
    return FrameBytes(frame::kHeaders, frame::kEndHeaders, stream,
                      HeaderBlock(CallHeaders("/t.T/Echo")) + kept + std::string(headers, '\xbe'));
  };
  client.Send(call(1, 130) + call(3, 300));
  EXPECT_EQ(client.Await(1).status(), "8");
  EXPECT_EQ(client.Await(3).status(), "8");
  EXPECT_EQ(server_->refused(Refusal::kHeaderBytes), 2u);
  ExpectHonestCalls();
}

TEST_F(HeaderAttackTest, AHeaderOfTheTableOverAndOver) {
  Serve({});
  RawClient client(server_->port(), true, kElsewhere);
  // 4,000 bytes that are kept, and then one byte for each time that they are meant.
  std::string kept = HeaderBlock({{"x", std::string(4'000, 'x')}});
  kept[0] = 0x40;
  client.Send(
      FrameBytes(frame::kHeaders, frame::kEndHeaders, 1,
                 HeaderBlock(CallHeaders("/t.T/Echo")) + kept + std::string(10'000, '\xbe')));
  EXPECT_EQ(client.Await(1).reset, kCalm);
  EXPECT_EQ(server_->refused(Refusal::kHeaderBytes), 1u);
  // The same as trailers.
  client.Send(
      FrameBytes(frame::kHeaders, frame::kEndHeaders, 3, HeaderBlock(CallHeaders("/t.T/Chat"))) +
      FrameBytes(frame::kHeaders, frame::kEndHeaders | frame::kEndStream, 3,
                 std::string(10'000, '\xbe')));
  EXPECT_EQ(client.Await(3).reset, kCalm);
  client.Send(CallBytes(5, "/t.T/Echo", "x"));
  EXPECT_EQ(client.Await(5).status(), "0");
  ExpectHonestCalls();
}

TEST_F(HeaderAttackTest, HeadersOfHalfSentRequestsBeyondWhatIsHeld) {
  Serve({.max_held_bytes = 100'000});
  RawClient client(server_->port(), true, kElsewhere);
  Fields fields = CallHeaders("/t.T/Echo");
  fields.emplace_back("x", std::string(10'000, 'x'));
  for (std::uint32_t stream = 1; stream < 40; stream += 2) {
    client.Send(FrameBytes(frame::kHeaders, frame::kEndHeaders, stream, HeaderBlock(fields)));
  }
  // About six of them fit.
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kHeldBytes) >= 12; }));
  EXPECT_TRUE(Eventually([&] { return server_->held() <= 100'000; }));
  ExpectHonestCalls();
}

TEST_F(HeaderAttackTest, ABinaryHeaderOfCommas) {
  Serve({});
  RawClient client(server_->port(), true, kElsewhere);
  Fields fields = CallHeaders("/t.T/Echo");
  // Each comma parts two values, and a value is a header of its own.
  fields.emplace_back("a-name-that-is-not-short-bin", std::string(12'000, ','));
  client.Send(FrameBytes(frame::kHeaders, frame::kEndHeaders, 1, HeaderBlock(fields)));
  EXPECT_EQ(client.Await(1).status(), "8");
  EXPECT_EQ(server_->refused(Refusal::kHeaderBytes), 1u);
  ExpectHonestCalls();
}

TEST_F(HeaderAttackTest, HeadersThatDoNotEnd) {
  Serve({.request_timeout = std::chrono::milliseconds(50)});
  RawClient client(server_->port(), true, kElsewhere);
  client.Send(FrameBytes(frame::kHeaders, 0, 1, HeaderBlock(CallHeaders("/t.T/Echo"))));
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kRequestTimeout) == 1; }));
  ExpectHonestCalls();
}

}  // namespace
}  // namespace tollbridge::wire
