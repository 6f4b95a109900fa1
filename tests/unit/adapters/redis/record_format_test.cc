#include "adapters/redis/record_format.h"

#include <gtest/gtest.h>

#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::redis {
namespace {

TEST(RecordFormat, EachStateHasALetterOfItsOwn) {
  for (const ports::OperationState state :
       {ports::OperationState::kRunning, ports::OperationState::kDone,
        ports::OperationState::kUnknown, ports::OperationState::kNotExecuted,
        ports::OperationState::kNeedsReview}) {
    EXPECT_EQ(StateOf(std::string(1, StateLetter(state))), state);
  }
  EXPECT_EQ(StateOf("Z"), std::nullopt);
  EXPECT_EQ(StateOf(""), std::nullopt);
}

TEST(RecordFormat, ATraceparentTakes25BytesAndComesBackAsItWas) {
  const std::string text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_EQ(PackTraceparent(text).size(), 25U);
  EXPECT_EQ(UnpackTraceparent(PackTraceparent(text)), text);
}

TEST(RecordFormat, TextThatIsNoPlainTraceparentIsKeptAsItIs) {
  for (const std::string text :
       {"", "something else", "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"}) {
    EXPECT_EQ(UnpackTraceparent(PackTraceparent(text)), text);
  }
}

TEST(RecordFormat, AFamilyComesBackWhateverTheProjectIsCalled) {
  for (const std::string project : {"shop", "a:b", ""}) {
    const ports::FamilyKey key{.project = project, .root = Uuid::V4({1, 2, 3})};
    EXPECT_EQ(UnpackFamily(PackFamily(key)), key);
  }
  EXPECT_EQ(UnpackFamily("short"), std::nullopt);
}

TEST(RecordFormat, ABrokenRecordIsRefused) {
  const auto unpack = [](std::vector<std::string> fields) {
    std::vector<Reply> reply;
    for (std::string& field : fields) {
      reply.push_back({.type = Reply::Type::kString, .text = std::move(field)});
    }
    return UnpackOperation(Uuid{}, reply).has_value();
  };
  EXPECT_TRUE(unpack({"s", "R"}));
  EXPECT_TRUE(unpack({"s", "R", "pn", "1", "p1", "S17\n", "tn", "1", "t1", "-R17\nme\nwhy"}));
  EXPECT_FALSE(unpack({}));
  EXPECT_FALSE(unpack({"s", "?"}));
  EXPECT_FALSE(unpack({"s", "R", "pn", "1"}));
  EXPECT_FALSE(unpack({"s", "R", "pn", "1", "p1", "Sxx\n"}));
  EXPECT_FALSE(unpack({"s", "R", "pn", "1", "p1", "S17\n\xff\xff"}));
  EXPECT_FALSE(unpack({"s", "R", "tn", "1", "t1", "x"}));
}

}  // namespace
}  // namespace tollbridge::redis
