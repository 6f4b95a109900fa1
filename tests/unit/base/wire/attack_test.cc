// What anybody who can connect may try. Each time honest calls go on, from another address and on
// a connection that was there before, and the refusal is counted.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "tests/support/grpc_client.h"
#include "tests/unit/base/wire/attack_fixture.h"
#include "tests/unit/base/wire/raw_client.h"
#include "tests/unit/base/wire/wire_server.h"

namespace tollbridge::wire {
namespace {

std::uint32_t Number(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

/// Windows as large as they may be.
std::string WidestWindows() {
  return FrameBytes(frame::kSettings, 0, 0, std::string("\0\x4", 2) + NumberBytes(0x7fffffff)) +
         FrameBytes(frame::kWindowUpdate, 0, 0, NumberBytes(0x7fffffff - 65'535));
}

TEST_F(AttackTest, RapidResets) {
  Serve({});
  RawClient client(server_->port(), true, kElsewhere);
  const std::string block = HeaderBlock(CallHeaders("/t.T/Wait"));
  std::string bytes;
  for (std::uint32_t stream = 1; stream < 20'000; stream += 2) {
    bytes += FrameBytes(frame::kHeaders, frame::kEndHeaders, stream, block) +
             FrameBytes(frame::kReset, 0, stream, std::string("\0\0\0\x8", 4));
  }
  client.Send(bytes);
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kResets) == 1; }));
  client.AwaitClose();
  ExpectHonestCalls();
}

TEST_F(AttackTest, CallsThatWereCancelledCountUntilTheyHaveEnded) {
  Serve({.max_streams = 3});
  const int before = server_->started;
  RawClient client(server_->port(), true, kElsewhere);
  for (std::uint32_t stream = 1; stream <= 5; stream += 2) {
    client.Send(CallBytes(stream, "/t.T/Stay", "x"));
  }
  ASSERT_TRUE(Eventually([&] { return server_->started == before + 3; }));
  for (std::uint32_t stream = 1; stream <= 5; stream += 2) {
    client.Send(FrameBytes(frame::kReset, 0, stream, std::string("\0\0\0\x8", 4)));
  }
  client.Send(CallBytes(7, "/t.T/Echo", "x"));
  // REFUSED_STREAM: nothing was done.
  EXPECT_EQ(client.Await(7).reset, 7u);
  EXPECT_EQ(server_->refused(Refusal::kStreams), 1u);
  ExpectHonestCalls();
}

TEST_F(AttackTest, CallsThatBeginBeforeOthersHaveEndedCountWithThem) {
  Serve({.max_streams = 3});
  const int before = server_->started;
  RawClient client(server_->port(), true, kElsewhere);
  client.Send(CallBytes(1, "/t.T/Stay", "x") + CallBytes(3, "/t.T/Stay", "x"));
  ASSERT_TRUE(Eventually([&] { return server_->started == before + 2; }));
  // Their streams are free again, their handlers are not.
  std::string bytes = FrameBytes(frame::kReset, 0, 1, std::string("\0\0\0\x8", 4)) +
                      FrameBytes(frame::kReset, 0, 3, std::string("\0\0\0\x8", 4));
  const std::string block = HeaderBlock(CallHeaders("/t.T/Stay"));
  for (std::uint32_t stream = 5; stream <= 9; stream += 2) {
    bytes += FrameBytes(frame::kHeaders, frame::kEndHeaders, stream, block);
  }
  client.Send(bytes);
  EXPECT_EQ(client.Await(9).reset, 7u);
  EXPECT_EQ(server_->refused(Refusal::kStreams), 2u);
  ExpectHonestCalls();
}

TEST_F(AttackTest, PingsWithoutEnd) {
  Serve({});
  Flood(FrameBytes(frame::kPing, 0, 0, std::string(8, 'x')));
  EXPECT_EQ(server_->refused(Refusal::kPings), 1u);
  ExpectHonestCalls();
}

TEST_F(AttackTest, SettingsWithoutEnd) {
  Serve({});
  Flood(FrameBytes(frame::kSettings, 0, 0, ""));
  EXPECT_EQ(server_->refused(Refusal::kSettings), 1u);
  ExpectHonestCalls();
}

TEST_F(AttackTest, EmptyFramesWithoutEnd) {
  Serve({});
  RawClient client(server_->port(), true, kElsewhere);
  client.Send(BeginCall(1));
  std::string many;
  for (int i = 0; i < 1'000; ++i) many += FrameBytes(frame::kData, 0, 1, "");
  client.Send(many);
  EXPECT_EQ(client.AwaitGoAway(), kCalm);
  EXPECT_EQ(server_->refused(Refusal::kEmptyFrames), 1u);
  ExpectHonestCalls();
}

TEST_F(AttackTest, FramesOfPaddingAlone) {
  Serve({});
  RawClient client(server_->port(), true, kElsewhere);
  client.Send(BeginCall(1));
  std::string many;
  for (int i = 0; i < 1'000; ++i) {
    many += FrameBytes(frame::kData, frame::kPadded, 1, std::string("\2\0\0", 3));
  }
  client.Send(many);
  EXPECT_EQ(client.AwaitGoAway(), kCalm);
  EXPECT_EQ(server_->refused(Refusal::kEmptyFrames), 1u);
  ExpectHonestCalls();
}

TEST_F(AttackTest, SettingsThatMakeWindowsOverflow) {
  Serve({.max_resets_per_second = 20});
  RawClient client(server_->port(), true, kElsewhere);
  std::string bytes;
  for (std::uint32_t stream = 1; stream < 120; stream += 2) {
    bytes += BeginCall(stream) +
             FrameBytes(frame::kWindowUpdate, 0, stream, NumberBytes(0x7fffffff - 65'535));
  }
  client.Send(bytes + FrameBytes(frame::kSettings, 0, 0,
                                 std::string("\0\x4", 2) + NumberBytes(0x7fffffff)));
  EXPECT_EQ(client.AwaitGoAway(), kCalm);
  EXPECT_EQ(server_->refused(Refusal::kResets), 1u);
  ExpectHonestCalls();
}

TEST_F(AttackTest, SmallHalfSentRequestsCountWhatTheyTake) {
  Serve({.max_held_bytes = 1 << 20});
  std::deque<RawClient> clients;
  // Each with a byte of a message that says it is long.
  SendHalf(Message(std::string(200'000, 'x')).substr(0, 6), clients);
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kHeldBytes) >= 40; }));
  // A connection with 12 KiB or less loses none.
  EXPECT_TRUE(Eventually([&] { return server_->held() <= (1 << 20) + 5 * (12 << 10); }));
  ExpectHonestCalls();
}

TEST_F(AttackTest, HalfSentRequestsOnAllConnectionsThatThereMayBe) {
  Serve({.max_connections = 20});
  std::deque<RawClient> clients;
  for (int i = 0; i < 100; ++i) {
    RawClient& client = clients.emplace_back(server_->port(), true, kElsewhere);
    client.Send(BeginCall(1));
  }
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kConnections) >= 80; }));
  ExpectHonestCalls();
}

TEST_F(AttackTest, ConnectionsThatDoNotGoKeepNobodyOut) {
  // More than may be on their way out, of clients that were answered and do not read any more.
  Serve({.max_connections = 16,
         .max_unsent_bytes = std::size_t{1} << 30,
         .write_timeout = std::chrono::minutes(10)});
  std::deque<RawClient> clients;
  for (int i = 0; i < 14; ++i) {
    RawClient& client = clients.emplace_back(server_->port(), true, kElsewhere);
    // Its windows are as large as they may be: the socket is what is full.
    client.Send(WidestWindows() + CallBytes(1, "/t.T/Large", "8000000"));
  }
  EXPECT_TRUE(Eventually([&] { return server_->unsent() >= 14 * 1'000'000; }));
  for (int i = 0; i < 40; ++i) {
    RawClient& client = clients.emplace_back(server_->port(), true, "127.0.0.3");
    client.Send(CallBytes(1, "/t.T/Echo", "x"));
    EXPECT_EQ(client.Await(1).status(), "0");
  }
  ExpectHonestCalls();
}

TEST_F(AttackTest, RequestsThatTheServerHasToReset) {
  Serve({});
  RawClient client(server_->port(), true, kElsewhere);
  bool open = true;
  for (std::uint32_t stream = 1; open && stream < 200'000; stream += 2) {
    open = client.Send(BeginCall(stream) +
                       FrameBytes(frame::kWindowUpdate, 0, stream, NumberBytes(0x7fffffff)));
  }
  EXPECT_EQ(client.AwaitGoAway(), kCalm);
  EXPECT_EQ(server_->refused(Refusal::kResets), 1u);
  ExpectHonestCalls();
}

TEST_F(AttackTest, WhatIsAnsweredAndServedNowhereIsCounted) {
  Serve({});
  RawClient client(server_->port(), true, kElsewhere);
  client.Send(CallBytes(1, "/t.T/None", "x"));
  EXPECT_EQ(client.Await(1).status(), "12");
  EXPECT_EQ(server_->refused(Refusal::kMalformed), 1u);
  Fields fields = CallHeaders("/t.T/Echo");
  fields.emplace_back("content-length", "3");
  client.Send(FrameBytes(frame::kHeaders, frame::kEndHeaders, 3, HeaderBlock(fields)) +
              FrameBytes(frame::kData, frame::kEndStream, 3, Message("hello")));
  EXPECT_EQ(client.Await(3).reset, 1u);
  EXPECT_EQ(server_->refused(Refusal::kProtocol), 1u);
  ExpectHonestCalls();
}

TEST_F(AttackTest, MessagesOfNothing) {
  Serve({.max_held_bytes = 100'000});
  RawClient client(server_->port(), true, kElsewhere);
  client.Send(
      FrameBytes(frame::kHeaders, frame::kEndHeaders, 1, HeaderBlock(CallHeaders("/t.T/Chat"))));
  // Nobody takes its answers, so that in the end no message is read.
  const std::string text(10'000, 'x');
  std::string bytes;
  for (int i = 0; i < 14; ++i) bytes += Message(text);
  for (int i = 0; i < 4'000; ++i) bytes += Message("");
  std::size_t window = 65'535;
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>({16'000, window, bytes.size()});
    client.Send(FrameBytes(frame::kData, 0, 1, bytes.substr(0, size)));
    bytes.erase(0, size);
    window -= size;
    while (window == 0) {
      const auto next = client.Next();
      ASSERT_TRUE(next.has_value());
      if (next->type == frame::kWindowUpdate && next->stream == 1) window = Number(next->payload);
    }
  }
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kHeldBytes) == 1; }));
  ExpectHonestCalls();
}

TEST_F(AttackTest, HalfSentRequestsBeyondWhatIsHeld) {
  Serve({.max_held_bytes = 1 << 20});
  std::deque<RawClient> clients;
  // 16,000 bytes of 64 KiB each: 4.8 MB.
  SendHalf(Message(std::string(65'000, 'x')).substr(0, 16'000), clients);
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kHeldBytes) >= 200; }));
  // What a read brings in counts before it is refused.
  EXPECT_TRUE(Eventually([&] { return server_->held() <= 1 << 20; }));
  ExpectHonestCalls();
  clients.clear();
  EXPECT_TRUE(Eventually([&] { return server_->held() == 0; }));
}

TEST_F(AttackTest, ARequestThatDoesNotEnd) {
  Serve({.request_timeout = std::chrono::milliseconds(50)});
  RawClient client(server_->port(), true, kElsewhere);
  client.Send(BeginCall(1) + FrameBytes(frame::kData, 0, 1, Message("hello").substr(0, 7)));
  EXPECT_EQ(client.Await(1).status(), "4");
  EXPECT_EQ(server_->refused(Refusal::kRequestTimeout), 1u);
  // Though nothing more comes on this connection.
  EXPECT_TRUE(Eventually([&] { return server_->held() == 0; }));
  // The honest ones.
  EXPECT_EQ(server_->started, 11);
  ExpectHonestCalls();
}

TEST_F(AttackTest, IdleConnectionsOfOneAddress) {
  Serve({.max_connections_per_address = 20});
  std::deque<RawClient> clients;
  for (int i = 0; i < 100; ++i) clients.emplace_back(server_->port(), true, kElsewhere);
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kAddress) == 80; }));
  ExpectHonestCalls();
  clients.clear();
  EXPECT_TRUE(Eventually([&] { return server_->open() <= 2; }));
  RawClient again(server_->port(), true, kElsewhere);
  again.Send(CallBytes(1, "/t.T/Echo", "x"));
  EXPECT_EQ(again.Await(1).status(), "0");
}

TEST_F(AttackTest, IdleConnectionsBeyondAllThatThereMayBe) {
  Serve({.max_connections = 20});
  std::deque<RawClient> clients;
  for (int i = 0; i < 100; ++i) clients.emplace_back(server_->port(), true, kElsewhere);
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kConnections) >= 80; }));
  ExpectHonestCalls();
}

/// Who has most gives way, though each of his connections has been answered a call.
TEST_F(AttackTest, WhoFillsTheTableGivesWayToThoseWhoCome) {
  Serve({.max_connections = 40});
  std::deque<RawClient> fill;
  for (int i = 0; i < 36; ++i) {
    RawClient& client = fill.emplace_back(server_->port(), true, kElsewhere);
    client.Send(CallBytes(1, "/t.T/Echo", "x"));
    EXPECT_EQ(client.Await(1).status(), "0");
  }
  // Honest ones, which have made no call yet.
  std::deque<RawClient> come;
  for (int i = 0; i < 10; ++i) come.emplace_back(server_->port());
  for (int i = 0; i < 20; ++i) {
    RawClient& client = fill.emplace_back(server_->port(), true, kElsewhere);
    client.Send(CallBytes(1, "/t.T/Echo", "x"));
    EXPECT_EQ(client.Await(1).status(), "0");
  }
  for (RawClient& client : come) {
    client.Send(CallBytes(1, "/t.T/Echo", "x"));
    EXPECT_EQ(client.Await(1).status(), "0");
  }
  EXPECT_GE(server_->refused(Refusal::kConnections), 20u);
}

TEST_F(AttackTest, WhoHasHisShareShedsNobody) {
  Serve({.max_connections = 20, .max_connections_per_address = 10});
  ASSERT_TRUE(Eventually([&] { return server_->open() == 1; }));
  std::deque<RawClient> clients;
  for (int i = 0; i < 19; ++i) {
    clients.emplace_back(server_->port(), true, i < 10 ? kElsewhere : "127.0.0.3");
  }
  ASSERT_TRUE(Eventually([&] { return server_->open() == 20; }));
  for (int i = 0; i < 50; ++i) clients.emplace_back(server_->port(), true, kElsewhere);
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kAddress) == 50; }));
  EXPECT_EQ(server_->refused(Refusal::kConnections), 0u);
}

TEST_F(AttackTest, ConnectionsThatCannotGoAtOnceLetNoFurtherOnesIn) {
  WireServer server({.max_connections = 16});
  // Connections are dealt in turn: one here, one there.
  RawClient honest(server.port());
  RawClient holds(server.port(), true, kElsewhere);
  std::uint32_t stream = 1;
  const auto call = [&] {
    honest.Send(CallBytes(stream, "/t.T/Echo", "x"));
    EXPECT_EQ(honest.Await(stream).status(), "0");
    stream += 2;
  };
  call();
  holds.Send(CallBytes(1, "/t.T/Block", "x"));
  ASSERT_TRUE(Eventually([&] { return server.blocking == 1; }));
  std::deque<RawClient> clients;
  for (int i = 0; i < 200; ++i) clients.emplace_back(server.port(), true, kElsewhere);
  ASSERT_TRUE(Eventually([&] { return server.refused(Refusal::kConnections) > 8; }));
  for (int i = 0; i < 200; ++i) call();
  EXPECT_LE(server.refused(Refusal::kConnections), 40u);
  server.unblock.release();
  EXPECT_TRUE(Eventually([&] { return server.refused(Refusal::kConnections) >= 180; }));
  call();
}

TEST_F(AttackTest, ConnectionsThatNeverSayAnything) {
  Serve({.handshake_timeout = std::chrono::milliseconds(50)});
  RawClient silent(server_->port(), false, kElsewhere);
  silent.AwaitClose();
  RawClient half(server_->port(), false, kElsewhere);
  half.Send(Preface().substr(0, 20));
  half.AwaitClose();
  EXPECT_EQ(server_->refused(Refusal::kHandshake), 2u);
}

TEST_F(AttackTest, APeerThatHasGoneWithoutAWord) {
  Serve({.keepalive_time = std::chrono::milliseconds(50),
         .keepalive_timeout = std::chrono::milliseconds(50)});
  RawClient deaf(server_->port(), true, kElsewhere);
  // It is asked, does not answer, and is cut off.
  deaf.AwaitClose();
  EXPECT_GE(server_->refused(Refusal::kKeepalive), 1u);
  test::GrpcClient anew(server_->address());
  EXPECT_TRUE(anew.CallBytes("t.T.Echo", "honest").status.ok());
}

TEST_F(AttackTest, AnswersBeyondWhatMayWait) {
  Serve({.max_unsent_bytes = 1 << 20, .hurried_write_timeout = std::chrono::milliseconds(50)});
  // Of 100,000 bytes each, for which there is one window of 64 KiB on each connection.
  std::deque<RawClient> clients;
  for (int i = 0; i < 4; ++i) {
    RawClient& client = clients.emplace_back(server_->port(), true, kElsewhere);
    for (std::uint32_t stream = 1; stream < 20; stream += 2) {
      client.Send(CallBytes(stream, "/t.T/Large", "100000"));
    }
  }
  // 40 answers, less what the windows and the bound hold: how many wait at once is a matter of
  // time.
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kUnsentBytes) > 20; }));
  AwaitUnsentAtMost(1 << 20);
  ExpectHonestCalls();
  clients.clear();
  EXPECT_TRUE(Eventually([&] { return server_->unsent() == 0; }));
  EXPECT_EQ(server_->refused(Refusal::kStalled), 0u);
}

TEST_F(AttackTest, AnswersForACallerThatDoesNotEvenTakeItsResets) {
  Serve({.max_unsent_bytes = 1 << 20, .hurried_write_timeout = std::chrono::milliseconds(50)});
  RawClient client(server_->port(), true, kElsewhere);
  // Its windows are as large as they may be: the socket is what is full.
  std::string bytes = WidestWindows();
  for (std::uint32_t stream = 1; stream < 120; stream += 2) {
    bytes += CallBytes(stream, "/t.T/Large", "1000000");
  }
  client.Send(bytes);
  // The socket takes the first of them: below the bound is also what waits before the others come.
  // How many are reset before the connection is ended is a matter of time.
  EXPECT_TRUE(Eventually([&] {
    AwaitUnsentAtMost(1 << 20);
    return server_->refused(Refusal::kUnsentBytes) > 0;
  }));
  ExpectHonestCalls();
}

/// Of an empty answer nothing but the call waits, and its frames are more than nothing.
TEST_F(AttackTest, CallsOfCallersWithoutAWindow) {
  Serve({.max_unsent_bytes = 1 << 20, .hurried_write_timeout = std::chrono::milliseconds(500)});
  std::deque<RawClient> clients;
  std::string bytes = FrameBytes(frame::kSettings, 0, 0, std::string("\0\x4", 2) + NumberBytes(0));
  for (std::uint32_t stream = 1; stream < 200; stream += 2) {
    bytes += CallBytes(stream, "/t.T/Echo", "");
  }
  for (int i = 0; i < 5; ++i) {
    clients.emplace_back(server_->port(), true, kElsewhere).Send(bytes);
  }
  EXPECT_TRUE(Eventually([&] { return server_->refused(Refusal::kUnsentBytes) > 100; }));
  AwaitUnsentAtMost(1 << 20);
  ExpectHonestCalls();
}

TEST_F(AttackTest, AnAnswerThatNobodyTakes) {
  Serve({.write_timeout = std::chrono::milliseconds(50)});
  RawClient client(server_->port(), true, kElsewhere);
  // Its window is full with the first message of the answer.
  client.Send(CallBytes(1, "/t.T/Echo", std::string(60'000, 'x')));
  client.Send(CallBytes(3, "/t.T/Echo", std::string(60'000, 'x')));
  EXPECT_EQ(client.Await(1).status(), "0");
  EXPECT_EQ(client.Await(3).reset, 8u);
  EXPECT_EQ(server_->refused(Refusal::kStalled), 1u);
  ExpectHonestCalls();
}

TEST_F(AttackTest, ACompressedRequest) {
  Serve({});
  RawClient client(server_->port(), true, kElsewhere);
  Fields fields = CallHeaders("/t.T/Echo");
  fields.emplace_back("grpc-encoding", "gzip");
  client.Send(
      FrameBytes(frame::kHeaders, frame::kEndHeaders, 1, HeaderBlock(fields)) +
      FrameBytes(frame::kData, 0, 1, std::string("\1\0\3\0\0", 5) + std::string(16'000, 'x')));
  EXPECT_EQ(client.Await(1).status(), "12");
  EXPECT_EQ(server_->refused(Refusal::kCompressed), 1u);
  EXPECT_EQ(server_->held(), 0);
  ExpectHonestCalls();
}

}  // namespace
}  // namespace tollbridge::wire
