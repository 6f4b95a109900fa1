#include "tests/events_model/run.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/telemetry/log.h"
#include "tests/events_model/faults.h"
#include "tests/events_model/scenario.h"
#include "tests/events_model/stage.h"

namespace tollbridge::events_model {

namespace {

constexpr Time kNever = std::numeric_limits<Time>::max();
/// Between two polls of one process and project.
constexpr Time kPollInterval = kSecond;
/// Until then the search is swept: what was created is seen by several passes that go back a day.
constexpr Time kSwept = kActive + 3 * kHour;
/// By then nothing is due any more: the last read is 30 days after the last end.
constexpr Time kLongest = 60 * kDay;

class Run {
 public:
  Run(std::uint64_t seed, test::MiniRedis& server, const Planted& planted, bool keep_history)
      : stage_(seed, server, planted, keep_history), scenario_(stage_), faults_(stage_) {
    if (stage_.world.dice.Percent(80)) stage_.processes.front()->InitializeStore();
    scenario_.Plan();
    faults_.Plan();
  }

  model::RunResult Play() {
    Drive(kActive);
    if (Holds()) faults_.Heal();
    Drive(kActive + kHour);
    if (Holds()) {
      stage_.reference.CheckSweeps(stage_.traits.projects);
      stage_.reference.CheckPartitions(kActive + 10 * kMinute);
    }
    Drive(kSwept);
    if (Holds()) stage_.reference.CheckSweeps(stage_.traits.projects);
    for (const auto& process : stage_.processes) process->StopSweeps();
    Drive(std::max(scenario_.ends(), kSwept));
    Drive(kLongest);
    if (Holds()) stage_.reference.CheckSettled();
    return {stage_.world.failure(), stage_.world.history()};
  }

 private:
  struct NextPoll {
    Time at = kNever;
    std::size_t process = 0;
    std::size_t project = 0;
  };

  bool Holds() const { return stage_.world.failure().empty(); }

  /// The order that is due first.
  std::string FirstDue(std::size_t project) {
    const auto* due = stage_.redis.server.data().Get<test::SortedSet>(DueKey(project));
    return Uuid::FromBytes(due->ordered().begin()->second)->ToString();
  }

  /// When the next family is due, by the clock of the process that sees it first.
  NextPoll FindPoll() {
    NextPoll next;
    for (std::size_t project = 0; project < stage_.traits.projects; ++project) {
      const auto* due = stage_.redis.server.data().Get<test::SortedSet>(DueKey(project));
      if (due == nullptr || due->empty()) continue;
      const auto score = static_cast<Time>(due->ordered().begin()->first);
      for (std::size_t i = 0; i < kProcesses; ++i) {
        Process* process = stage_.Awake(i);
        if (process == nullptr) continue;
        if (process->projects().Find(AllProjects().all().at(project).name) == nullptr) continue;
        const Time due_at =
            score - model::Civil(0).time_since_epoch().count() - process->clock().jump().count();
        const Time at =
            std::max({due_at, polled_.at(i).at(project) + kPollInterval, stage_.world.now()});
        if (at < next.at) next = {.at = at, .process = i, .project = project};
      }
    }
    return next;
  }

  /// Lets everything happen until `end`.
  void Drive(Time end) {
    while (Holds()) {
      const NextPoll poll = FindPoll();
      if (stage_.world.Step(std::min(poll.at - 1, end))) continue;
      if (poll.at > end) break;
      polled_.at(poll.process).at(poll.project) = poll.at;
      stage_.world.At(poll.at, [this, poll] {
        Process* process = stage_.Awake(poll.process);
        if (process != nullptr) process->Poll(AllProjects().all().at(poll.project).name);
      });
      stage_.world.Step(end);
    }
    if (end != kLongest || !Holds()) return;
    const NextPoll left = FindPoll();
    if (left.at == kNever) return;
    stage_.world.Fail("the due queue is never empty: " + FirstDue(left.project));
  }

  Stage stage_;
  Scenario scenario_;
  Faults faults_;
  std::array<std::array<Time, kProjects>, kProcesses> polled_{};
};

}  // namespace

model::RunResult RunOnce(std::uint64_t seed, test::MiniRedis& redis, const Planted& planted,
                         bool keep_history) {
  // What the processes say of what goes wrong is not what is tested.
  const telemetry::LogCapture unheard;
  Run run(seed, redis, planted, keep_history);
  return run.Play();
}

}  // namespace tollbridge::events_model
