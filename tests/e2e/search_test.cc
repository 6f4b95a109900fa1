// Searches through the whole product. What a large result costs is measured by ./dev bench export.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/e2e/support/exports.h"
#include "tests/support/process.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kOrders = 100'000;
constexpr std::int64_t kMaxGrowthKiB = 16 * 1024;

/// A line of /proc/PID/status, in KiB.
std::int64_t Memory(const Process& process, std::string_view name) {
  std::ifstream status("/proc/" + std::to_string(process.pid()) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    std::int64_t kib = -1;
    std::from_chars(line.data() + digits, line.data() + line.size(), kib);
    return kib;
  }
  return -1;
}

/// From here on VmHWM counts anew.
void ForgetPeak(const Process& process) {
  std::ofstream("/proc/" + std::to_string(process.pid()) + "/clear_refs") << "5";
}

TEST(SearchE2eTest, AReportOfAHundredThousandOrdersPassesThroughInConstantMemory) {
  Stack stack;
  Seed(stack, 10);
  ASSERT_TRUE(ExportAll(stack).end.ok()) << "what is made once is there now";
  Seed(stack, kOrders - 10);
  ForgetPeak(stack.gateway());
  const std::int64_t before = Memory(stack.gateway(), "VmRSS:");
  const Export exported = ExportAll(stack);
  const std::int64_t peak = Memory(stack.gateway(), "VmHWM:");
  ASSERT_TRUE(exported.end.ok()) << exported.end.message;
  ASSERT_GT(before, 0);
  EXPECT_LT(peak - before, kMaxGrowthKiB);
  std::cout << "grown by " << peak - before << " KiB of " << before << "\n";

  const TempFolder folder;
  const std::string path = folder.PathOf("report.csv");
  const DirectReport direct = ReadDirectly(stack, path);
  EXPECT_EQ(exported.bytes, direct.bytes);
  EXPECT_EQ(exported.summary.bytes(), direct.bytes);
  EXPECT_EQ(exported.summary.orders(), kOrders);
  EXPECT_THAT(test::Run({"sha256sum", path}).output, StartsWith(exported.summary.sha256() + " "));
  // The sandbox's values have no line ends in them.
  std::ifstream file(path);
  const auto lines = std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  EXPECT_EQ(exported.summary.rows(), lines - 1);
  std::cout << "export " << exported.seconds << " s, curl " << direct.seconds
            << " s, speed of the direct reading reached: " << direct.seconds / exported.seconds
            << "\n";
}

TEST(SearchE2eTest, TheCommandPrintsEachMessageOfAStreamAsALine) {
  Stack stack;
  Seed(stack, 3);
  const auto call = [&stack](const std::string& method, const std::string& request) {
    return stack.Tollbridge({"call", method, request, "--address", stack.grpc_address()});
  };
  const Finished streamed = call("Search.StreamOrders", "{}");
  ASSERT_EQ(streamed.code, 0) << streamed.error;
  EXPECT_EQ(std::ranges::count(streamed.output, '\n'), 3) << streamed.output;
  EXPECT_THAT(streamed.output, StartsWith("{\"order\":{"));

  const Finished exported = call("Search.ExportOrders", "{}");
  ASSERT_EQ(exported.code, 0) << exported.error;
  EXPECT_THAT(exported.output, HasSubstr("\"sha256\":"));

  const Finished refused = call("Search.StreamOrders", R"({"query": {"raw": ""}})");
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.output, "");
  EXPECT_THAT(refused.error, HasSubstr("query.raw"));
}

}  // namespace
}  // namespace tollbridge::test
