#include "gateway/commands/keys_command.h"

#include <gtest/gtest.h>

#include <string>

namespace tollbridge::gateway {
namespace {

operations::OperationKeys Keys() {
  operations::OperationKeys keys;
  keys.fingerprints.keys = {{"f2", std::string(32, 'a')}, {"f1", std::string(32, 'b')}};
  keys.outcomes.keys = {{"o1", std::string(32, 'c')}};
  return keys;
}

redis::KeyUsage Usage() {
  return {.fingerprints = {{"f2", {.open = 3, .closed = 12, .tombstones = 250}}},
          .outcomes = {{"", {.open = 0, .closed = 1}},
                       {"o0", {.open = 1, .closed = 2}},
                       {"o1", {.open = 0, .closed = 9}}}};
}

TEST(KeysCommandTest, TheTableHasEachKeyOfTheFilesAndWhatElseRecordsName) {
  EXPECT_EQ(KeyTable(KeyLines(Keys(), Usage())),
            "USE          KEY  OPEN  CLOSED  TOMBSTONES  REMARK\n"
            "fingerprint  f2   3     12      250         current\n"
            "fingerprint  f1   0     0       0           -\n"
            "outcome      o1   0     9       0           current\n"
            "outcome      -    0     1       0           cannot be read\n"
            "outcome      o0   1     2       0           unknown here\n");
}

TEST(KeysCommandTest, TheJsonSaysTheSame) {
  redis::KeyUsage usage = Usage();
  usage.outcomes.erase("");
  EXPECT_EQ(
      KeyJson(KeyLines(Keys(), usage)),
      R"({"keys":[)"
      R"({"use":"fingerprint","id":"f2","known":true,"current":true,"open":3,"closed":12,"tombstones":250},)"
      R"({"use":"fingerprint","id":"f1","known":true,"current":false,"open":0,"closed":0,"tombstones":0},)"
      R"({"use":"outcome","id":"o1","known":true,"current":true,"open":0,"closed":9,"tombstones":0},)"
      R"({"use":"outcome","id":"o0","known":false,"current":false,"open":1,"closed":2,"tombstones":0}]})"
      "\n");
}

}  // namespace
}  // namespace tollbridge::gateway
