// tollbridge_chaos [--operations N] [--seed S] [--topology single|sentinel] [--late-beyond-bound]
//     [--planted NAME] [--other-program PATH] [--folder PATH]
//
// Drives operations of all kinds through three gateways while processes die, the store fails and
// the payment service misbehaves; then waits until nothing is unresolved, and has it audited. The
// last line is the auditor's. Exit 0: no contradiction. The folder with all records and logs stays
// when there is one, and its path is printed.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/chaos/auditor/audit.h"
#include "tests/chaos/auditor/history_file.h"
#include "tests/chaos/driver/callers.h"
#include "tests/chaos/driver/cluster.h"
#include "tests/chaos/driver/collect.h"
#include "tests/chaos/driver/disturbances.h"
#include "tests/chaos/driver/options.h"
#include "tests/chaos/driver/planted.h"
#include "tests/support/process.h"

namespace tollbridge::chaos {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kProgressEvery{5};
constexpr std::size_t kLinesOfAKind = 10;
/// What the last unresolved operation may take beyond its quarantine
/// (docs/design/operations.md#the-resolver).
constexpr std::chrono::seconds kAllowance{120};
/// The same with a planted bug: then nothing may come of waiting.
constexpr std::chrono::seconds kPlantedAllowance{30};
constexpr int kUsage = 2;

void Say(const std::string& text) { std::cout << "[chaos] " << text << std::endl; }

class Run {
 public:
  explicit Run(const Options& options)
      : options_(options),
        folder_(MakeRunFolder(options.folder)),
        told_(folder_, file::kTold),
        disturbed_(folder_, file::kDisturbances),
        begun_(Clock::now()),
        cluster_(options),
        collector_(&cluster_) {}

  /// Whether all was right.
  bool Go() {
    Drive();
    const Report report = Settle();
    std::ofstream(std::filesystem::path(folder_) / "report.txt") << Text(report, 0);
    cluster_.WriteLogs(folder_);
    std::cout << Text(report, kLinesOfAKind);
    if (report.ok() && options_.folder.empty()) {
      std::filesystem::remove_all(folder_);
    } else {
      Say("everything is kept in " + folder_);
    }
    std::cout << LastLine(report) << std::endl;
    return report.ok();
  }

 private:
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

  void Drive() {
    if (!options_.planted.empty()) {
      Say("planted: " + std::string(PlantedBugOf(options_.planted).about));
    }
    Say(std::to_string(options_.operations) + " operations, seed " + std::to_string(options_.seed) +
        ", files in " + folder_);
    Disturbances disturbances(&cluster_, options_, &disturbed_);
    Callers callers(&cluster_, options_, &told_);
    const Clock::time_point driving = Clock::now();
    Clock::time_point told = driving;
    while (!test::Eventually([&] { return callers.ended(); }, Millis(50))) {
      disturbances.Step();
      if (Clock::now() - told < kProgressEvery) continue;
      told = Clock::now();
      const Progress& progress = callers.progress();
      const double seconds = std::chrono::duration<double>(told - driving).count();
      Say(std::to_string(static_cast<int>(seconds)) + " s: " + std::to_string(progress.ended) +
          " ended, " + std::to_string(progress.started - progress.ended) + " under way, " +
          std::to_string(static_cast<int>(static_cast<double>(progress.ended) / seconds)) + "/s, " +
          std::to_string(progress.calls) + " calls, " + std::to_string(progress.results) +
          " results, " + std::to_string(progress.refused) + " refused, " +
          std::to_string(progress.given_up) + " given up; now: " + disturbances.now());
    }
    disturbances.End();
    told_.Flush();
    disturbed_.Flush();
    for (const auto& [name, count] : disturbances.counts()) {
      Say(std::to_string(count) + " times: " + name);
    }
    Say("all callers have ended after " + std::to_string(static_cast<int>(Seconds())) + " s");
  }

  /// Waits for what is unresolved, and for the topics, and audits until all is right or the time is
  /// over.
  Report Settle() {
    const Clock::time_point until = Clock::now() + IntervalsFor(options_).quarantine() +
                                    (options_.planted.empty() ? kAllowance : kPlantedAllowance);
    const bool settled = test::Eventually([&] { return Unresolved() == 0; },
                                          std::chrono::duration_cast<Millis>(until - Clock::now()));
    Say((settled ? "nothing is unresolved after " : "some are still unresolved after ") +
        std::to_string(static_cast<int>(Seconds())) + " s");
    std::optional<Report> report;
    do {
      collector_.Collect(folder_);
      report = Audit(ReadHistory(folder_), {.late_beyond_bound = options_.late_beyond_bound});
      // What is late is looked at again after a while, and records may be on their way.
    } while (!report->ok() && Clock::now() < until &&
             !test::Eventually([&] { return Clock::now() >= until; }, Millis(5'000)));
    Say("audited after " + std::to_string(static_cast<int>(Seconds())) + " s");
    return *report;
  }

  std::size_t Unresolved() {
    try {
      const std::vector<OpenLine> open = collector_.Open();
      return static_cast<std::size_t>(
          std::count_if(open.begin(), open.end(),
                        [](const OpenLine& line) { return line.state != "NEEDS_REVIEW"; }));
    } catch (const std::runtime_error&) {
      return 1;  // A gateway that has just been started may not answer yet.
    }
  }

  Options options_;
  std::string folder_;
  LineWriter told_;
  LineWriter disturbed_;
  Clock::time_point begun_;
  Cluster cluster_;
  Collector collector_;
};

}  // namespace
}  // namespace tollbridge::chaos

int main(int argc, char** argv) {
  // The support of the tests reports by way of gtest.
  int no_arguments = 1;
  testing::InitGoogleTest(&no_arguments, argv);
  try {
    const tollbridge::chaos::Options options =
        tollbridge::chaos::ReadOptions({argv + 1, argv + argc});
    tollbridge::chaos::Run run(options);
    return run.Go() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "tollbridge_chaos: " << error.what() << "\n";
    return tollbridge::chaos::kUsage;
  }
}
