// ./dev bench events still runs: a short round of it, without bounds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <map>
#include <string>

#include "tests/support/process.h"
#include "tests/support/read_file.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using testing::Contains;
using testing::Gt;
using testing::Key;
using testing::Pair;

TEST(EventsBenchTest, AShortRunMeasuresEverySection) {
  const TempFolder folder;
  const Finished bench = test::Run({ProgramBeside("events_bench"), folder.PathOf("."), "--short"},
                                   {}, std::chrono::minutes(3));
  ASSERT_EQ(bench.code, 0) << bench.output << bench.error;
  const std::string text = ReadFile(folder.PathOf("events.json"));
  std::map<std::string, double> measured;
  const boost::json::value measures = boost::json::parse(text);
  for (const boost::json::value& measure : measures.as_array()) {
    measured[std::string(measure.at("name").as_string())] = measure.at("value").to_number<double>();
  }
  for (const char* name :
       {"ingest : floor, per second and core", "ingest, p99", "events, per second",
        "the same while the read of one more order hangs : without, p99",
        "memory of a snapshot with its due entry", "honest webhooks among them, p99"}) {
    EXPECT_THAT(measured, Contains(Pair(name, Gt(0)))) << bench.output;
  }
  EXPECT_THAT(measured, Contains(Key("webhook to event less the read, p99")));
}

TEST(EventsBenchTest, ASettingThatTheGatewayRefusesFailsTheRun) {
  const TempFolder folder;
  const Finished bench = test::Run({ProgramBeside("events_bench"), folder.PathOf("."), "--short",
                                    "--only", "ingest", "--set", "process.shards=none"},
                                   {}, std::chrono::minutes(1));
  EXPECT_EQ(bench.code, 1) << bench.output;
  EXPECT_THAT(bench.error, testing::HasSubstr("shards"));
}

}  // namespace
}  // namespace tollbridge::test
