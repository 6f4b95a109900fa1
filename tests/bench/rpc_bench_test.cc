// ./dev bench rpc still runs: a short round of it, without bounds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <set>
#include <string>
#include <tuple>

#include "tests/support/process.h"
#include "tests/support/read_file.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using Measured = std::tuple<std::string, std::string, int>;

std::string Text(const boost::json::value& value) { return std::string(value.as_string()); }

/// Those of the report that made calls, and whose numbers are there.
std::set<Measured> WithNumbers(const boost::json::value& report) {
  std::set<Measured> measured;
  for (const boost::json::value& result : report.at("results").as_array()) {
    bool whole = true;
    for (const char* name : {"calls", "cpu_us_per_call", "p50_us", "p99_us", "calls_per_second"}) {
      whole = whole && result.at(name).as_double() > 0;
    }
    if (!whole) continue;
    measured.emplace(Text(result.at("call")), Text(result.at("server")),
                     static_cast<int>(result.at("in_flight").as_int64()));
  }
  return measured;
}

TEST(RpcBenchTest, AShortRunMeasuresEveryCallOfFloorsAndGatewaysAndNoneFails) {
  const TempFolder folder;
  const Finished bench =
      test::Run({ProgramBeside("rpc_bench"), folder.PathOf("."), "--short", "--shards", "2"}, {},
                std::chrono::minutes(2));
  ASSERT_EQ(bench.code, 0) << bench.output << bench.error;
  const std::string text = ReadFile(folder.PathOf("rpc.json"));
  const boost::json::value report = boost::json::parse(text);
  std::set<Measured> expected;
  for (const char* call : {"GetOrder", "CreateOrder", "SearchOrders", "ExportOrders"}) {
    for (const char* server : {"floor", "wire", "gateway", "tls", "shards"}) {
      for (const int in_flight : {1, 64}) expected.emplace(call, server, in_flight);
    }
  }
  EXPECT_EQ(WithNumbers(report), expected);
}

TEST(RpcBenchTest, AnOlderGatewayIsAFourthServerOfTheSameRounds) {
  const TempFolder folder;
  const Finished bench =
      test::Run({ProgramBeside("rpc_bench"), folder.PathOf("."), "--short", "--only",
                 "gateway,older", "--call", "CreateOrder", "--beside", ProgramBeside("tollbridge")},
                {}, std::chrono::minutes(2));
  ASSERT_EQ(bench.code, 0) << bench.output << bench.error;
  const boost::json::value report = boost::json::parse(ReadFile(folder.PathOf("rpc.json")));
  std::set<Measured> expected;
  for (const char* server : {"gateway", "older"}) {
    for (const int in_flight : {1, 64}) expected.emplace("CreateOrder", server, in_flight);
  }
  EXPECT_EQ(WithNumbers(report), expected);
  const boost::json::array& ratios = report.at("ratios").as_array();
  ASSERT_EQ(ratios.size(), 2U);
  for (const boost::json::value& ratio : ratios) {
    EXPECT_EQ(ratio.at("server"), "gateway");
    EXPECT_EQ(ratio.at("of"), "older");
    EXPECT_GT(ratio.at("cpu").as_double(), 0);
  }
}

TEST(RpcBenchTest, ASettingThatTheGatewayRefusesFailsTheRun) {
  const TempFolder folder;
  const Finished bench = test::Run(
      {ProgramBeside("rpc_bench"), folder.PathOf("."), "--short", "--set", "process.shards=none"},
      {}, std::chrono::minutes(1));
  EXPECT_EQ(bench.code, 1) << bench.output;
  EXPECT_THAT(bench.error, testing::HasSubstr("shards"));
}

}  // namespace
}  // namespace tollbridge::test
