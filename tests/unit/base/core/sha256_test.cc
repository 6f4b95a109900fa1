#include "base/core/sha256.h"

#include <gtest/gtest.h>

#include "base/core/encoding.h"

namespace tollbridge {
namespace {

// FIPS 180-4, example values.
TEST(Sha256, OfKnownTextsIsAsPublished) {
  Sha256 of_nothing;
  EXPECT_EQ(HexEncode(of_nothing.Finish()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 of_pieces;
  of_pieces.Update("a");
  of_pieces.Update("");
  of_pieces.Update("bc");
  EXPECT_EQ(HexEncode(of_pieces.Finish()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace tollbridge
