// Events of the encoding confluent, as a consumer with a schema registry's client reads them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/support/payments.h"
#include "tests/support/process.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

using testing::IsSubsetOf;

TEST(RegistryTest, ItsClientReadsEachEventAndWouldFrameItTheSame) {
  const char* python = std::getenv("TOLLBRIDGE_CLIENTS_PYTHON");
  ASSERT_NE(python, nullptr) << "./dev test says where it is";
  Stack stack(
      {.settings = {
           {"events",
            {{"encoding", "confluent"}, {"schema_id", "70000"}, {"heartbeat_interval", "1s"}}}}});
  const auto events = stack.OpenTopic("events");
  const auto order = OrderOf(CreateOrder(stack, OrderRequest("registry")));
  PayOnHostedPage(stack, order);
  ASSERT_TRUE(AwaitEvent(*events, order.id(), kPaymentCompleted));
  std::vector<std::string> published;
  for (const TopicRecord& record : EventsOf(events->ReadAll(), order.id())) {
    published.push_back(record.header("ce_type") + " " + record.header("ce_id"));
  }

  const Finished finished =
      test::Run({python, TOLLBRIDGE_SOURCE_DIR "/tests/e2e/clients/registry_client.py", "--brokers",
                 stack.brokers(), "--topic", stack.TopicName("events"), "--schema-id", "70000",
                 "--events", std::to_string(published.size())},
                {}, std::chrono::seconds(90));
  ASSERT_EQ(finished.code, 0) << finished.output << finished.error;
  std::vector<std::string> read;
  bool heartbeat = false;
  std::istringstream lines(finished.output);
  for (std::string line; std::getline(lines, line);) {
    const auto record = boost::json::parse(line);
    const std::string type(record.at("type").as_string());
    EXPECT_TRUE(record.at("frame_is_the_serializers").as_bool()) << line;
    heartbeat = heartbeat || type == "tollbridge.heartbeat.v1";
    read.push_back(type + " " + std::string(record.at("id").as_string()));
  }
  EXPECT_THAT(published, IsSubsetOf(read));
  EXPECT_TRUE(heartbeat);
}

}  // namespace
}  // namespace tollbridge::test
