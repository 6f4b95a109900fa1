// The broker that all programs of a test run share, and the program that keeps it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/support/process.h"
#include "tests/support/shared_kafka.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

TEST(SharedKafkaTest, TheProgramTellsItsAddressAndLeavesNothingBehind) {
  // Its standard input has ended before it begins.
  const Finished finished =
      test::Run({ProgramBeside("test_kafka_broker")}, {}, std::chrono::minutes(2));
  ASSERT_EQ(finished.code, 0) << finished.error;
  const KafkaAddress address = ParseKafkaAddress(finished.output);
  EXPECT_NE(address.brokers, address.tls_brokers);
  EXPECT_EQ(finished.output, ToJson(address) + "\n");
  for (const std::string& file : {address.ca_file, address.certificate_file, address.key_file}) {
    EXPECT_FALSE(std::filesystem::exists(file)) << file;
  }
  boost::asio::ip::tcp::iostream late("127.0.0.1",
                                      address.brokers.substr(address.brokers.rfind(':') + 1));
  EXPECT_FALSE(late) << "somebody still serves there";
}

TEST(SharedKafkaTest, WhatIsNoAddressIsRefused) {
  for (const char* text : {"", "127.0.0.1:9092", "[]", R"({"brokers":"127.0.0.1:9092"})"}) {
    EXPECT_THROW(ParseKafkaAddress(text), std::runtime_error) << text;
  }
}

TEST(SharedKafkaTest, TwoStacksAtOneBrokerHaveTopicsOfTheirOwn) {
  const Stack one;
  const Stack other;
  EXPECT_EQ(one.brokers(), SharedKafka().brokers);
  EXPECT_EQ(other.brokers(), SharedKafka().brokers);
  EXPECT_NE(one.TopicName("events"), other.TopicName("events"));
}

}  // namespace
}  // namespace tollbridge::test
