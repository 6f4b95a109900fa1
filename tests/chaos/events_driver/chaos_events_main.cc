// tollbridge_chaos_events [--orders N] [--seed S] [--topology single|cluster] [--readers-away]
//                         [--planted NAME] [--other-program PATH] [--folder PATH]
//
// Lets N orders happen in every way at the sandbox, half of them through the gateway, while
// webhooks are lost, repeated, late and forged, processes die, Redis and Kafka fail and reads lag;
// then waits until nothing is pending, and has it audited. The last line is the auditor's. Exit 0:
// nothing was found. The folder with all records and logs stays when something was, or when it was
// named.

#include <gtest/gtest.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

#include "tests/chaos/events_driver/options.h"
#include "tests/chaos/events_driver/run.h"

namespace tollbridge::pipeline {
namespace {

constexpr std::size_t kLinesOfARule = 10;
constexpr int kUsage = 2;

void Say(const std::string& text) { std::cout << "[chaos] " << text << std::endl; }

bool RunAndTell(const Options& options) {
  EventsRun run(options, Say);
  const Report report = run.Go();
  std::cout << Text(report, kLinesOfARule);
  if (report.ok() && options.folder.empty()) {
    std::filesystem::remove_all(run.folder());
  } else {
    Say("everything is kept in " + run.folder());
  }
  std::cout << LastLine(report) << std::endl;
  return report.ok();
}

}  // namespace
}  // namespace tollbridge::pipeline

int main(int argc, char** argv) {
  // The support of the tests reports by way of gtest.
  int no_arguments = 1;
  testing::InitGoogleTest(&no_arguments, argv);
  try {
    auto options = tollbridge::pipeline::ReadOptions({argv + 1, argv + argc});
    options.ledgers = true;
    return tollbridge::pipeline::RunAndTell(options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "tollbridge_chaos_events: " << error.what() << "\n";
    return tollbridge::pipeline::kUsage;
  }
}
