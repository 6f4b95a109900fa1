// What is written reads back as the same message, for messages of every wire type filled at random.

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include "adapters/payment_service/codec.h"
#include "tests/support/random_message.h"
#include "tests/unit/adapters/payment_service/codec_support.h"

namespace tollbridge::payment_service {
namespace {

constexpr std::uint64_t kSeeds = 150;

TEST(CodecRoundTrip, RandomMessagesOfEveryWireTypeReadBackEqual) {
  const auto types = WireTypes();
  ASSERT_GE(types.size(), 10U);
  for (const auto* const type : types) {
    bool written_any = false;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      SCOPED_TRACE(type->full_name() + " seed " + std::to_string(seed));
      std::mt19937_64 random(seed);
      const auto message = NewMessage(type);
      testing::FillRandom(message.get(), &random);
      written_any = written_any || message->ByteSizeLong() > 0;

      const auto json = ToWire(*message);
      ASSERT_TRUE(json.ok()) << json.status();
      const auto read = NewMessage(type);
      DecodeReport report;
      const absl::Status status = FromWire(*json, read.get(), &report);
      ASSERT_TRUE(status.ok()) << status << "\n" << *json;
      ASSERT_TRUE(SameMessage(*read, *message)) << *json;
      EXPECT_EQ(report.unknown_fields, 0U);
      EXPECT_EQ(report.unreadable_values, 0U);

      const auto again = ToWire(*read);
      ASSERT_TRUE(again.ok()) << again.status();
      ASSERT_EQ(*again, *json);
    }
    EXPECT_TRUE(written_any) << type->full_name();
  }
}

// The tables are built at first use, whoever comes first.
TEST(CodecRoundTrip, ThreadsShareTheTables) {
  const auto types = WireTypes();
  std::vector<std::jthread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&types, thread] {
      for (std::size_t i = 0; i < types.size(); ++i) {
        std::mt19937_64 random(thread);
        const auto message = NewMessage(types[(i + thread) % types.size()]);
        testing::FillRandom(message.get(), &random);
        const auto json = ToWire(*message);
        const auto read = NewMessage(message->GetDescriptor());
        EXPECT_TRUE(json.ok() && FromWire(*json, read.get()).ok());
        EXPECT_TRUE(SameMessage(*read, *message));
      }
    });
  }
}

}  // namespace
}  // namespace tollbridge::payment_service
