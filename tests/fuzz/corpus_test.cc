#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// What libFuzzer calls, given each file of the corpus once, in the order of their names. A finding
/// ends the process, as it does under libFuzzer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tollbridge::fuzz {
namespace {

using std::filesystem::path;

std::vector<path> Corpus() {
  std::vector<path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TOLLBRIDGE_CORPUS)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string TestName(const testing::TestParamInfo<path>& info) {
  std::string name = info.param.filename();
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class CorpusTest : public testing::TestWithParam<path> {};

TEST_P(CorpusTest, IsTakenWithoutAFinding) {
  std::ifstream in(GetParam(), std::ios::binary);
  ASSERT_TRUE(in.is_open());
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  ASSERT_FALSE(bytes.empty());
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  EXPECT_EQ(LLVMFuzzerTestOneInput(data, bytes.size()), 0);
}

INSTANTIATE_TEST_SUITE_P(Files, CorpusTest, testing::ValuesIn(Corpus()), TestName);

/// Without files the suite above has no tests, and would pass.
TEST(Corpus, HoldsInputs) { EXPECT_FALSE(Corpus().empty()); }

}  // namespace
}  // namespace tollbridge::fuzz
