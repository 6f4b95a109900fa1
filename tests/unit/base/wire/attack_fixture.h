#ifndef TOLLBRIDGE_TESTS_UNIT_BASE_WIRE_ATTACK_FIXTURE_H_
#define TOLLBRIDGE_TESTS_UNIT_BASE_WIRE_ATTACK_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "tests/support/grpc_client.h"
#include "tests/unit/base/wire/raw_client.h"
#include "tests/unit/base/wire/wire_server.h"

namespace tollbridge::wire {

inline constexpr const char* kElsewhere = "127.0.0.2";
inline constexpr std::uint32_t kCalm = 0xb;

/// The headers of a call of Echo, whose message is still to come.
inline std::string BeginCall(std::uint32_t stream) {
  return FrameBytes(frame::kHeaders, frame::kEndHeaders, stream,
                    HeaderBlock(CallHeaders("/t.T/Echo")));
}

class AttackTest : public ::testing::Test {
 protected:
  void Serve(Limits limits) {
    server_ = std::make_unique<WireServer>(limits);
    honest_ = std::make_unique<test::GrpcClient>(server_->address());
    ExpectHonestCalls();
  }
  void ExpectHonestCalls() {
    for (int i = 0; i < 10; ++i) {
      const test::RpcReply reply = honest_->CallBytes("t.T.Echo", "honest");
      EXPECT_TRUE(reply.status.ok()) << reply.status.message;
      EXPECT_EQ(reply.bytes, "honest");
    }
    test::GrpcClient anew(server_->address());
    EXPECT_TRUE(anew.CallBytes("t.T.Echo", "honest").status.ok());
  }
  /// Answers that wait are looked at when more comes: honest calls go on until few enough wait.
  void AwaitUnsentAtMost(std::int64_t bytes) {
    EXPECT_TRUE(Eventually([&] {
      EXPECT_TRUE(honest_->CallBytes("t.T.Large", "500000").status.ok());
      return server_->unsent() <= bytes;
    }));
  }
  /// Begins 60 requests on each of 5 further clients, each with `begun` of its message.
  void SendHalf(const std::string& begun, std::deque<RawClient>& clients) {
    for (int i = 0; i < 5; ++i) {
      RawClient& client = clients.emplace_back(server_->port(), true, kElsewhere);
      for (std::uint32_t stream = 1; stream < 120; stream += 2) {
        client.Send(BeginCall(stream) + FrameBytes(frame::kData, 0, stream, begun));
      }
    }
  }
  /// Sends `bytes` over and over, until the server has ended the connection.
  std::optional<std::uint32_t> Flood(const std::string& bytes) {
    RawClient client(server_->port(), true, kElsewhere);
    std::string many;
    for (int i = 0; i < 100; ++i) many += bytes;
    for (int i = 0; i < 1'000 && client.Send(many); ++i) {
    }
    return client.AwaitGoAway();
  }

  std::unique_ptr<WireServer> server_;
  std::unique_ptr<test::GrpcClient> honest_;
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_TESTS_UNIT_BASE_WIRE_ATTACK_FIXTURE_H_
