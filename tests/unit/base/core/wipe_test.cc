#include "base/core/wipe.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace tollbridge {
namespace {

TEST(Wipe, OverwritesTheBytesWhereTheyAre) {
  std::string text(40, '4');
  const char* bytes = text.data();
  Wipe(text);
  EXPECT_TRUE(text.empty());
  ASSERT_EQ(text.data(), bytes) << "the buffer is still the text's";
  EXPECT_TRUE(std::all_of(bytes, bytes + text.capacity(), [](char c) { return c != '4'; }));
}

}  // namespace
}  // namespace tollbridge
