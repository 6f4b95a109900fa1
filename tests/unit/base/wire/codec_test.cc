#include "base/wire/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tollbridge::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

TEST(Timeout, HasDigitsAndAUnit) {
  EXPECT_EQ(ParseTimeout("1H"), 1h);
  EXPECT_EQ(ParseTimeout("2M"), 2min);
  EXPECT_EQ(ParseTimeout("3S"), 3s);
  EXPECT_EQ(ParseTimeout("4m"), 4ms);
  EXPECT_EQ(ParseTimeout("5u"), 5us);
  EXPECT_EQ(ParseTimeout("99999999n"), 99'999'999ns);
  EXPECT_EQ(ParseTimeout("0m"), 0ns);
}

TEST(Timeout, OfAGeologicalAgeIsAYear) {
  EXPECT_EQ(ParseTimeout("99999999H"), std::chrono::hours(24 * 365));
}

TEST(Timeout, IsNothingElse) {
  for (const char* text : {"", "S", "1", "1s", "1h", "-1S", "+1S", "1.5S", " 1S", "1S ",
                           "123456789S", "1SS", "0x1S"}) {
    EXPECT_EQ(ParseTimeout(text), std::nullopt) << text;
  }
}

TEST(PercentEncoding, LeavesPrintableAsciiAsItIs) {
  EXPECT_EQ(PercentEncode("all is well, 100%"), "all is well, 100%25");
  EXPECT_EQ(PercentEncode("\t\n\xE2\x98\xBA"), "%09%0A%E2%98%BA");
}

TEST(Binary, TravelsWithoutPaddingAndComesWithOrWithout) {
  EXPECT_EQ(EncodeBinary(std::string("\xab\xab\xab\xab", 4)), "q6urqw");
  EXPECT_EQ(DecodeBinary("q6urqw"), "\xab\xab\xab\xab");
  EXPECT_EQ(DecodeBinary("q6urqw=="), "\xab\xab\xab\xab");
  EXPECT_EQ(DecodeBinary("q6!"), std::nullopt);
}

TEST(ContentType, IsGrpcWithProtobufOrWithNothingSaid) {
  for (const char* type : {"application/grpc", "application/grpc+proto",
                           "application/grpc;charset=utf-8", "application/grpc+proto;x=y"}) {
    EXPECT_TRUE(IsGrpcContentType(type)) << type;
  }
  for (const char* type : {"", "application/json", "application/grpc-web", "application/grpc+json",
                           "application/grpcx", "text/plain"}) {
    EXPECT_FALSE(IsGrpcContentType(type)) << type;
  }
}

TEST(Messages, ComeInWhateverPieces) {
  std::string bytes;
  for (const char* message : {"one", "", "three"}) AppendMessage(message, &bytes);
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    MessageReader reader(100);
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      EXPECT_FALSE(reader.Add(std::string_view(bytes).substr(at, piece)).has_value());
    }
    EXPECT_TRUE(reader.AtBoundary());
    EXPECT_EQ(reader.partial_bytes(), 0u);
    EXPECT_THAT(reader.messages(), ElementsAre("one", "", "three"));
  }
}

TEST(Messages, ThatAreNotThereInWholeAreTold) {
  std::string bytes;
  AppendMessage("one", &bytes);
  MessageReader reader(100);
  reader.Add(std::string_view(bytes).substr(0, 7));
  EXPECT_FALSE(reader.AtBoundary());
  EXPECT_GE(reader.partial_bytes(), 7u);
  EXPECT_THAT(reader.messages(), IsEmpty());
}

TEST(Messages, ThatAreTooLongAreRefusedBeforeTheyCome) {
  MessageReader reader(3);
  const auto bad = reader.Add(std::string_view("\0\0\0\0\4", 5));
  ASSERT_TRUE(bad.has_value());
  EXPECT_EQ(bad->status.code, absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(bad->refusal, Refusal::kRequestBytes);
}

TEST(Messages, ThatSayTheyAreCompressedAreRefused) {
  MessageReader reader(100);
  const auto bad = reader.Add(std::string_view("\1\0\0\0\1x", 6));
  ASSERT_TRUE(bad.has_value());
  EXPECT_EQ(bad->refusal, Refusal::kCompressed);
}

}  // namespace
}  // namespace tollbridge::wire
