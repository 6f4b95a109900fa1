#include "base/wire/header_blocks.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/base/wire/raw_client.h"

namespace tollbridge::wire {
namespace {

constexpr std::size_t kMost = 100;

std::string Begun(std::size_t size) {
  return Preface() + FrameBytes(frame::kHeaders, 0, 1, std::string(size, 'x'));
}
std::string Rest(std::uint8_t flags, std::size_t size) {
  return FrameBytes(frame::kContinuation, flags, 1, std::string(size, 'x'));
}

TEST(HeaderBlocks, CountWhatCameOfABlockUntilItIsWhole) {
  HeaderBlocks blocks(kMost);
  EXPECT_TRUE(blocks.Take(Begun(30)));
  EXPECT_EQ(blocks.bytes(), 30u);
  const std::string rest = Rest(frame::kEndHeaders, 20);
  EXPECT_TRUE(blocks.Take(rest.substr(0, rest.size() - 5)));
  EXPECT_EQ(blocks.bytes(), 45u) << "what came, and not what the frame says";
  EXPECT_TRUE(blocks.Take(rest.substr(rest.size() - 5)));
  EXPECT_EQ(blocks.bytes(), 0u);
}

TEST(HeaderBlocks, AreTheSameByteByByte) {
  HeaderBlocks blocks(kMost);
  const std::string bytes = Begun(30) + Rest(0, 0) + Rest(frame::kEndHeaders, 0) +
                            FrameBytes(frame::kData, 0, 1, std::string(500, 'x')) +
                            FrameBytes(frame::kHeaders, 0, 3, std::string(7, 'x'));
  for (const char byte : bytes) EXPECT_TRUE(blocks.Take({&byte, 1}));
  EXPECT_EQ(blocks.bytes(), 7u);
}

TEST(HeaderBlocks, MayBeSoLongAndNoLonger) {
  HeaderBlocks fits(kMost);
  EXPECT_TRUE(fits.Take(Begun(60) + Rest(0, 40)));
  HeaderBlocks longer(kMost);
  EXPECT_FALSE(longer.Take(Begun(60) + Rest(frame::kEndHeaders, 41)));
}

TEST(HeaderBlocks, DoNotAddUp) {
  HeaderBlocks blocks(kMost);
  EXPECT_TRUE(blocks.Take(Begun(60)));
  EXPECT_TRUE(blocks.Take(FrameBytes(frame::kHeaders, 0, 3, std::string(60, 'x'))));
  EXPECT_EQ(blocks.bytes(), 60u);
  EXPECT_EQ(blocks.begun(), 2u);
}

}  // namespace
}  // namespace tollbridge::wire
