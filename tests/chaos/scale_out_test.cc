// Processes with the role events share one consumer group: more of them, and fewer, under load.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/chaos/events_auditor/audit.h"
#include "tests/chaos/events_driver/run.h"
#include "tests/support/temp_folder.h"

namespace tollbridge::pipeline {
namespace {

using Clock = std::chrono::steady_clock;
using testing::IsEmpty;

constexpr Millis kBetweenSteps{2'000};

/// Brings readers and takes them away, one step now and then.
class Steps {
 public:
  explicit Steps(Cluster* cluster) : cluster_(*cluster) {}

  /// Whether there are more, or the last one was just now.
  bool operator()() {
    static const std::vector<std::string> kSteps = {"+events-1", "+events-2", "-events-0",
                                                    "+events-3", "-events-1", "+events-0"};
    if (Clock::now() < next_) return true;
    if (done_ == kSteps.size()) return false;
    const std::string& step = kSteps[done_++];
    if (step.front() == '+') {
      cluster_.Start(step.substr(1));
    } else {
      cluster_.Stop(step.substr(1));
    }
    next_ = Clock::now() + kBetweenSteps;
    return true;
  }

  std::size_t done() const { return done_; }

 private:
  Cluster& cluster_;
  Clock::time_point next_ = Clock::now() + kBetweenSteps;
  std::size_t done_ = 0;
};

TEST(ScaleOutTest, ReadersThatComeAndGoUnderLoadLoseNothingAndKeepTheOrder) {
  const test::TempFolder folder;
  EventsRun run({.orders = 100,
                 .seed = 21,
                 .readers = 1,
                 .webhooks = Webhooks::kOnce,
                 .disturbed = false,
                 .folder = folder.PathOf("run")},
                [](const std::string&) {});
  Steps steps(&run.cluster());
  const Report report = run.Go([&] { return steps(); });
  EXPECT_THAT(report.findings, IsEmpty()) << Text(report, 0);
  EXPECT_EQ(steps.done(), 6U) << "the load ended too early";
  // One that came while the others were at work has got a share of it.
  EXPECT_GT(run.cluster().EventsPublishedBy("events-2"), 0);
}

}  // namespace
}  // namespace tollbridge::pipeline
