#include "tests/e2e/ledger_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <chrono>

#include "tests/support/process.h"

namespace tollbridge::test {

using testing::IsEmpty;

namespace {

constexpr std::chrono::seconds kLimit{120};

}  // namespace

std::map<std::string, std::int64_t> MovedByOrder(const Stack& stack) {
  const std::map<std::string, int> direction = {{"charge", 1},  {"capture", 1},
                                                {"refund", -1}, {"chargeback", -1},
                                                {"payout", -1}, {"reversal", -1}};
  std::map<std::string, std::int64_t> moved;
  for (const auto& entry : stack.SandboxLedger()) {
    const auto found = direction.find(std::string(entry.at("effect").as_string()));
    if (found == direction.end()) continue;
    moved[std::string(entry.at("result_order_id").as_string())] +=
        found->second * entry.at("amount").to_number<std::int64_t>();
  }
  return moved;
}

std::vector<std::string> LedgerRun::Command(const std::vector<std::string>& arguments,
                                            const std::string& group) const {
  std::vector<std::string> command = program_.command;
  command.insert(command.end(),
                 {"--brokers", stack_.brokers(), "--topic", stack_.TopicName("events"), "--group",
                  stack_.TopicName(group + "-" + program_.language), "--database",
                  folder_.PathOf("ledger"), "--instance", "ledger-1", "--test-orders"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

void LedgerRun::ToEnd(const std::string& group) const {
  const Finished finished = test::Run(Command({"--until-end"}, group), {}, kLimit);
  ASSERT_EQ(finished.code, 0) << finished.output << finished.error;
}

boost::json::object LedgerRun::Report() const {
  const Finished finished = test::Run(Command({"--report"}), {}, kLimit);
  EXPECT_EQ(finished.code, 0) << finished.error;
  return boost::json::parse(finished.output).as_object();
}

void LedgerRun::ExpectThatOfThePaymentService() const {
  const boost::json::object report = Report();
  std::map<std::string, std::int64_t> booked;
  std::int64_t sum = 0;
  for (const auto& [order, entry] : report.at("orders").as_object()) {
    const auto amount = entry.at("booked").to_number<std::int64_t>();
    if (amount != 0) booked.emplace(order, amount);
    sum += amount;
  }
  EXPECT_EQ(booked, MovedByOrder(stack_));
  EXPECT_EQ(report.at("balances").at("EUR").to_number<std::int64_t>(), sum);
  EXPECT_THAT(report.at("gaps").as_array(), IsEmpty());
  EXPECT_THAT(report.at("alarms").as_array(), IsEmpty());
  EXPECT_THAT(report.at("review").as_array(), IsEmpty());
}

}  // namespace tollbridge::test
