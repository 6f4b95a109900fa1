#include "tests/e2e/wrong_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <sstream>

#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

/// Five seconds for the program, and as many for an interpreter that starts on a busy machine.
constexpr std::chrono::seconds kEndsWithin{10};
constexpr std::size_t kMostLines = 3;

}  // namespace

WrongAddress::WrongAddress(const std::string& kind)
    : text_((kind == "unknown" ? "nowhere.invalid:" : "127.0.0.1:") +
            std::to_string(port_.port())) {
  if (kind == "silent") port_.Listen();
}

void ExpectSaysThatItCannotReach(const WrongAddress& address,
                                 const std::vector<std::string>& command) {
  const Finished finished = Run(command, {}, kEndsWithin);
  const std::string written = finished.output + finished.error;
  // -1: it was killed at the limit.
  EXPECT_GT(finished.code, 0) << command.front() << "\n" << written.substr(0, 2000);
  EXPECT_THAT(finished.error, testing::ContainsRegex("cannot reach .*" + address.text() + ": "));
  std::size_t lines = 0;
  std::istringstream text(written);
  for (std::string line; std::getline(text, line);) lines += line.empty() ? 0 : 1;
  EXPECT_LE(lines, kMostLines) << written.substr(0, 2000);
}

}  // namespace tollbridge::test
