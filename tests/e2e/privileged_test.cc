// What the topic of operations tells beside operations: who was refused, and what the command line
// changes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/core/uuid.h"
#include "tests/support/produce.h"
#include "tests/support/read_file.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {
namespace {

using operations::v1::OperationRecord;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

/// The caller may read operations and close none.
class PrivilegedTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    stack_ = std::make_unique<Stack>(
        StackOptions{.settings = {{"process", {{"shards", "1"}}},
                                  {"rpc",
                                   {{"callers",
                                     "[{identity: 'spiffe://shop.example/tests', projects: ['*'], "
                                     "permissions: ['payments.*', operations.read]}]"}}}},
                     .tls = true});
  }
  static void TearDownTestSuite() { stack_.reset(); }
  static Stack& stack() { return *stack_; }

  /// Records of privileged actions that are on the topic, each of them once.
  static std::vector<OperationRecord> Actions(Topic& topic) {
    std::vector<OperationRecord> actions;
    std::set<std::string> ids;
    for (const TopicRecord& record : topic.ReadAll()) {
      OperationRecord parsed;
      EXPECT_TRUE(parsed.ParseFromString(record.value));
      if (!parsed.has_privileged()) continue;
      EXPECT_EQ(record.key, parsed.privileged().id());
      if (ids.insert(record.key).second) actions.push_back(std::move(parsed));
    }
    return actions;
  }
  static std::vector<OperationRecord> RefusedCalls(Topic& topic) {
    std::vector<OperationRecord> refused = Actions(topic);
    std::erase_if(refused, [](const OperationRecord& record) {
      return !record.privileged().has_refused_call();
    });
    return refused;
  }
  static std::vector<OperationRecord> Commands(Topic& topic, const std::string& name) {
    std::vector<OperationRecord> commands = Actions(topic);
    std::erase_if(commands, [&](const OperationRecord& record) {
      return record.privileged().command().name() != name;
    });
    return commands;
  }
  /// The user and host of this test, by other means than the product's.
  static std::string Who() {
    return test::Run({"sh", "-c", "printf '%s@%s' \"$(id -un)\" \"$(uname -n)\""}).output;
  }
  TempFolder folder_;

 private:
  static inline std::unique_ptr<Stack> stack_;
};

TEST_F(PrivilegedTest, RefusedCallsAreOnTheTopicTenAMinuteAndNoTransitionIs) {
  operations::v1::ResolveOperationRequest request;
  request.set_project("demo");
  request.set_operation_id("5f1c3a52-7a3e-5a53-9e0c-0d7d1f6f0001");
  request.set_resolution(operations::v1::RESOLUTION_DONE);
  request.set_note("a note that nobody is to see");
  for (int i = 0; i < 30; ++i) {
    const RpcReply reply =
        stack().grpc().Call("tollbridge.operations.v1.Operations.ResolveOperation", request);
    ASSERT_EQ(reply.status.code_name(), "PERMISSION_DENIED") << reply.status.message;
    ASSERT_EQ(reply.status.reason, "PERMISSION_DENIED");
  }
  EXPECT_EQ(stack().Metric("tollbridge_rpc_refusals_unrecorded_total{cause=\"bound\"}"), 20);

  // Deleted once the broker has them.
  ASSERT_TRUE(Eventually(
      [] { return stack().RedisCommand({"XLEN", DemoKey("operations:refused")}) == "0\n"; }));
  const std::unique_ptr<Topic> topic = stack().OpenTopic("operations");
  const std::vector<OperationRecord> refused = RefusedCalls(*topic);
  ASSERT_THAT(refused, SizeIs(10));
  for (const OperationRecord& record : refused) {
    EXPECT_EQ(record.project(), "demo");
    EXPECT_EQ(record.operation_id(), "");
    const operations::v1::PrivilegedAction& action = record.privileged();
    EXPECT_EQ(action.who(), "spiffe://shop.example/tests");
    EXPECT_TRUE(action.has_time());
    EXPECT_EQ(action.refused_call().rpc(), "tollbridge.operations.v1.Operations/ResolveOperation");
    EXPECT_EQ(action.refused_call().permission(), "operations.resolve");
    EXPECT_THAT(action.refused_call().peer(), StartsWith("ipv4:127.0.0.1"));
  }
  for (const TopicRecord& record : topic->records()) {
    EXPECT_EQ(record.value.find("a note that nobody"), std::string::npos);
  }
  EXPECT_EQ(stack().RedisCommand({"EXISTS", DemoKey("operations:transitions")}), "0\n");
}

TEST_F(PrivilegedTest, WhatTheCommandLineDoesIsOnTheTopicWithWhoDoesIt) {
  const std::unique_ptr<Topic> topic = stack().OpenTopic("operations");
  const std::vector<std::string> replay = {"dlq", "replay", "--all", "--config",
                                           stack().config_path()};
  std::vector<std::string> dry = replay;
  dry.push_back("--dry-run");
  ASSERT_EQ(stack().Tollbridge(dry).code, 0);
  EXPECT_THAT(Commands(*topic, "dlq replay"), SizeIs(0));
  const Finished replayed = stack().Tollbridge(replay);
  ASSERT_EQ(replayed.code, 0) << replayed.error;

  const std::vector<OperationRecord> replays = Commands(*topic, "dlq replay");
  ASSERT_THAT(replays, SizeIs(1));
  EXPECT_EQ(replays[0].privileged().who(), Who());
  EXPECT_THAT(replays[0].privileged().command().what(), HasSubstr("all dead letters"));

  // As the stack was prepared.
  const std::vector<OperationRecord> topics = Commands(*topic, "topics create");
  ASSERT_THAT(topics, SizeIs(1));
  EXPECT_EQ(topics[0].privileged().who(), Who());
  EXPECT_THAT(topics[0].privileged().command().what(),
              AllOf(StartsWith("4 topics created: "), HasSubstr(stack().TopicName("operations"))));
  const std::vector<OperationRecord> stores = Commands(*topic, "init-store");
  ASSERT_THAT(stores, SizeIs(1));
  EXPECT_EQ(stores[0].privileged().who(), Who());
  EXPECT_THAT(stores[0].privileged().command().projects(), testing::ElementsAre("demo"));

  for (const char* command : {"topics create", "init-store --first-installation"}) {
    const Finished again = test::Run(
        {"sh", "-c",
         ProgramBeside("tollbridge") + " " + command + " --config " + stack().config_path()});
    EXPECT_EQ(again.code, 0) << again.error;
  }
  EXPECT_THAT(Commands(*topic, "topics create"), SizeIs(1)) << "nothing was created";
  EXPECT_THAT(Commands(*topic, "init-store"), SizeIs(1)) << "nothing was written";
}

/// The topic of operations is there, and takes no record of this size.
TEST_F(PrivilegedTest, TopicsThatCannotBeToldOfAreCreatedAllTheSameAndTheCommandFails) {
  const auto other = [&](std::string_view topic) { return stack().TopicName(topic) + "-other"; };
  std::string config = ReadFile(stack().config_path());
  for (const char* topic : {"hints", "events", "dlq", "operations"}) {
    const std::string name = stack().TopicName(topic);
    config.replace(config.find(name), name.size(), other(topic));
  }
  CreateTopicOf(stack().brokers(), other("operations"), {{"max.message.bytes", "100"}});
  const std::string path = folder_.Write("other.yaml", config);
  const Finished created = stack().Tollbridge({"topics", "create", "--config", path});
  EXPECT_EQ(created.code, 2) << created.output;
  EXPECT_THAT(created.output, HasSubstr("created " + other("hints")));
  EXPECT_THAT(created.error, HasSubstr("created, but topics create cannot be told on "));
}

}  // namespace
}  // namespace tollbridge::test
