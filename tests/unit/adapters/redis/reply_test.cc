#include "adapters/redis/reply.h"

#include <gtest/gtest.h>

#include "adapters/redis/errors.h"
#include "services/domain/errors.h"

namespace tollbridge::redis {
namespace {

using std::string_literals::operator""s;

TEST(ReplyReader, GivesWholeRepliesFromAnyCutOfTheStream) {
  const std::string stream = "*3\r\n$3\r\na\0b\r\n:42\r\n$-1\r\n+OK\r\n"s;
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    ReplyReader reader;
    std::vector<Reply> replies;
    for (const std::string& part : {stream.substr(0, cut), stream.substr(cut)}) {
      reader.Feed(part);
      for (;;) {
        absl::StatusOr<std::optional<Reply>> next = reader.Next();
        ASSERT_TRUE(next.ok());
        if (!next->has_value()) break;
        replies.push_back(**next);
      }
    }
    ASSERT_EQ(replies.size(), 2U) << cut;
    ASSERT_EQ(replies[0].elements.size(), 3U);
    EXPECT_EQ(replies[0].elements[0].text, std::string("a\0b", 3));
    EXPECT_EQ(replies[0].elements[1].AsInteger(), 42);
    EXPECT_TRUE(replies[0].elements[2].is_nil());
    EXPECT_EQ(replies[1].type, Reply::Type::kStatus);
  }
}

TEST(ReplyReader, BytesThatAreNotRespBreakTheStream) {
  ReplyReader reader;
  reader.Feed("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_EQ(reader.Next().status().code(), absl::StatusCode::kDataLoss);
}

TEST(FormatCommand, KeepsEveryByte) {
  EXPECT_EQ(FormatCommand({"SET", std::string("k\0", 2), ""}),
            "*3\r\n$3\r\nSET\r\n$2\r\nk\0\r\n$0\r\n\r\n"s);
}

TEST(Reply, OnlyDecimalDigitsAreANumber) {
  EXPECT_EQ(ParseInteger("-17"), -17);
  for (const char* text : {"", "1.5", "17 ", "abc", "99999999999999999999"}) {
    EXPECT_EQ(ParseInteger(text), std::nullopt) << text;
  }
}

TEST(StatusOf, AServerThatDoesNotServeIsUnavailableAndAnyOtherErrorIsOurs) {
  const auto status = [](std::string text) {
    return StatusOf({.type = Reply::Type::kError, .text = std::move(text)});
  };
  for (const char* text :
       {"LOADING Redis is loading", "READONLY replica", "-OOM command not allowed", "MISCONF x"}) {
    EXPECT_EQ(domain::ReasonOf(status(text)), domain::reason::kStoreUnavailable) << text;
  }
  EXPECT_EQ(status("WRONGTYPE Operation against a key").code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(StatusOf({.type = Reply::Type::kNil}).ok());
}

}  // namespace
}  // namespace tollbridge::redis
