#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_DISTURBANCES_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_DISTURBANCES_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/chaos/auditor/history_file.h"
#include "tests/chaos/driver/cluster.h"
#include "tests/chaos/driver/options.h"

namespace tollbridge::chaos {

/// What goes wrong during a run, up to two things at a time, of different parts: each is switched
/// on, lasts for a while and is switched off. Which comes when follows from the seed. For the
/// thread that made the cluster.
class Disturbances {
 public:
  Disturbances(Cluster* cluster, const Options& options, LineWriter* log);

  /// Does what is due: ends what has lasted long enough, or begins the next. Quick, but for the
  /// start of a process.
  void Step();
  /// Ends all, for good: everything is up, and nothing goes wrong any more.
  void End();
  /// What goes wrong now, in a few words.
  std::string now() const;
  /// How often each was there.
  const std::map<std::string, int>& counts() const { return counts_; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Part { kGateway, kWay, kKeys, kRedis, kKafka, kService };
  /// How often it is drawn, how long it lasts, whether Redis loses memory by it.
  struct Kind {
    const char* name;
    Part part;
    int weight;
    std::int64_t least_ms;
    std::int64_t most_ms;
    bool doubt;
    bool with_late_effects;
    std::function<void()> (Disturbances::*begin)();
  };
  /// One of those that may be there at a time.
  struct Place {
    const Kind* kind = nullptr;  ///< what is there now
    std::function<void()> end;
    Clock::time_point next;
  };

  static std::vector<Kind> KindsOf(const Options& options);
  void Step(Place& place);
  void Begin(const Kind& kind, Place& place);
  void PlanFaults();
  void Note(std::string_view what);
  void Redis(std::vector<std::string> command);

  // Each begins one disturbance and says how it ends.
  std::function<void()> KillGateway();
  std::function<void()> StopGateway();
  std::function<void()> CutOneOff();
  std::function<void()> HoldAnswersFromOne();
  std::function<void()> PauseRedis();
  std::function<void()> SlowRedis();
  std::function<void()> FillRedis();
  std::function<void()> CutRedis();
  std::function<void()> RestartRedis();
  std::function<void()> RollRedisBack();
  std::function<void()> FlushRedis();
  std::function<void()> LoseRedis();
  std::function<void()> PlantUnreadableRecord();
  std::function<void()> StopKafka();
  std::function<void()> RotateKeys();
  std::function<void()> FailReads();
  std::function<void()> KillPrimary();
  std::function<void()> StopPrimary();
  std::function<void()> FailOver();
  std::function<void()> KillReplica();

  Cluster& cluster_;
  Options options_;
  Intervals intervals_;
  std::vector<Kind> kinds_;
  LineWriter& log_;
  std::mt19937_64 random_;
  std::array<Place, 2> places_;
  bool reads_fail_ = false;
  /// Until when Redis' memory is left alone, so that there are times without doubt.
  Clock::time_point memory_again_;
  Clock::time_point doubted_until_;
  std::map<std::string, int> counts_;
};

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_DISTURBANCES_H_
