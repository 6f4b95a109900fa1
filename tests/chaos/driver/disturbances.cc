#include "tests/chaos/driver/disturbances.h"

#include <array>
#include <csignal>
#include <exception>
#include <iostream>
#include <utility>
#include <vector>

#include "tests/chaos/driver/fault_plans.h"

namespace tollbridge::chaos {
namespace {

/// Between two disturbances, so that what waits can get done.
constexpr Millis kCalmLeast{500};
constexpr Millis kCalmMost{2'000};

std::int64_t Draw(std::mt19937_64& random, std::int64_t from, std::int64_t to) {
  return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
}

}  // namespace

/// A disturbance: how often it is drawn, how long it lasts, whether Redis loses memory by it.
struct Disturbances::Kind {
  const char* name;
  int weight;
  std::int64_t least_ms;
  std::int64_t most_ms;
  bool doubt;
  bool with_late_effects;
  std::function<void()> (Disturbances::*begin)();
};

Disturbances::Disturbances(Cluster* cluster, const Options& options, LineWriter* log)
    : cluster_(*cluster),
      options_(options),
      intervals_(IntervalsFor(options)),
      log_(*log),
      random_(options.seed),
      next_(Clock::now() + Millis(1'000)),
      memory_again_(Clock::now() + Millis(10'000)) {
  PlanFaults();
}

void Disturbances::Note(std::string_view what) {
  log_.Write(ToJson(Disturbance{.at = NowMs(), .what = std::string(what)}));
}

void Disturbances::PlanFaults() {
  cluster_.stack().SandboxFaults(options_.late_beyond_bound ? LateFaultPlan(intervals_)
                                                            : DrawFaultPlan(random_, intervals_));
}

void Disturbances::Step() {
  // Kinds that are listed twice differ in how long they last.
  static constexpr std::array<Kind, 12> kKinds{{
      {"a gateway killed", 24, 500, 2'500, false, true, &Disturbances::KillGateway},
      {"a gateway stopped", 16, 300, 900, false, true, &Disturbances::StopGateway},
      {"a gateway stopped past the send window", 16, 1'000, 4'500, false, true,
       &Disturbances::StopGateway},
      {"Redis stopped", 10, 200, 2'500, false, false, &Disturbances::PauseRedis},
      {"Redis slow", 10, 1'000, 3'000, false, false, &Disturbances::SlowRedis},
      {"Redis full", 8, 500, 2'000, false, false, &Disturbances::FillRedis},
      {"connections to Redis cut", 10, 100, 100, false, false, &Disturbances::CutRedis},
      {"Kafka stopped", 6, 500, 2'500, false, false, &Disturbances::StopKafka},
      {"Redis restarted", 12, 200, 1'500, true, false, &Disturbances::RestartRedis},
      {"Redis without its last writes", 12, 600, 900, true, false, &Disturbances::RollRedisBack},
      {"Redis flushed", 12, 100, 100, true, false, &Disturbances::FlushRedis},
      {"Redis restarted empty", 12, 100, 1'000, true, false, &Disturbances::LoseRedis},
  }};
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  if (end_) {
    std::exchange(end_, nullptr)();
    name_ = "nothing but the service's faults";
    next_ = Clock::now() + Millis(Draw(random_, kCalmLeast.count(), kCalmMost.count()));
    PlanFaults();
    return;
  }
  std::vector<const Kind*> drawn;
  for (const Kind& kind : kKinds) {
    if (kind.doubt && now < memory_again_) continue;
    if (options_.late_beyond_bound && !kind.with_late_effects) continue;
    drawn.insert(drawn.end(), static_cast<std::size_t>(kind.weight), &kind);
  }
  Begin(*drawn[static_cast<std::size_t>(random_() % drawn.size())]);
}

void Disturbances::Begin(const Kind& kind) {
  name_ = kind.name;
  ++counts_[kind.name];
  end_ = (this->*kind.begin)();
  next_ = Clock::now() + Millis(Draw(random_, kind.least_ms, kind.most_ms));
  // As long as the doubt, and as long again without.
  if (kind.doubt) memory_again_ = Clock::now() + 2 * intervals_.doubt;
}

void Disturbances::End() {
  if (end_) std::exchange(end_, nullptr)();
  cluster_.stack().SandboxFaults("{}");
  name_ = "nothing";
}

void Disturbances::Redis(std::vector<std::string> command) {
  cluster_.stack().RedisCommand(std::move(command));
}

std::function<void()> Disturbances::KillGateway() {
  const auto gateway = static_cast<std::size_t>(Draw(random_, 0, kGateways - 1));
  Note("gateway_killed");
  cluster_.KillGateway(gateway);
  return [this, gateway] { cluster_.StartGateway(gateway); };
}

std::function<void()> Disturbances::StopGateway() {
  const auto gateway = static_cast<std::size_t>(Draw(random_, 0, kGateways - 1));
  Note("gateway_stopped");
  cluster_.SignalGateway(gateway, SIGSTOP);
  return [this, gateway] { cluster_.SignalGateway(gateway, SIGCONT); };
}

std::function<void()> Disturbances::PauseRedis() {
  Note("store_failed");
  cluster_.stack().redis().Pause();
  return [this] {
    cluster_.stack().redis().Resume();
    Note("store_failed");
  };
}

std::function<void()> Disturbances::SlowRedis() {
  Note("store_failed");
  cluster_.proxy().SetDelay(Millis(50));  // each way
  return [this] {
    cluster_.proxy().SetDelay(Millis(0));
    Note("store_failed");
  };
}

std::function<void()> Disturbances::FillRedis() {
  Note("store_failed");
  Redis({"CONFIG", "SET", "maxmemory", "1mb"});
  return [this] {
    Redis({"CONFIG", "SET", "maxmemory", "0"});
    Note("store_failed");
  };
}

std::function<void()> Disturbances::CutRedis() {
  Note("store_failed");
  cluster_.proxy().Cut();
  return [] {};
}

std::function<void()> Disturbances::RestartRedis() {
  Note("store_failed");
  cluster_.stack().redis().Stop();
  return [this] {
    cluster_.stack().redis().Restart();
    Note("store_failed");
  };
}

// What is written from here on is not kept: as after a failover to a replica that lags.
std::function<void()> Disturbances::RollRedisBack() {
  Redis({"CONFIG", "SET", "appendonly", "no"});
  return [this] {
    cluster_.stack().redis().Restart();
    Note("store_rolled_back");
  };
}

std::function<void()> Disturbances::FlushRedis() {
  Note("memory_lost");
  Redis({"FLUSHALL"});
  Note("memory_lost");
  return [] {};
}

std::function<void()> Disturbances::LoseRedis() {
  Note("memory_lost");
  cluster_.proxy().SetUpstream(0);
  cluster_.proxy().Cut();
  Redis({"FLUSHALL"});
  cluster_.stack().redis().Stop();
  return [this] {
    cluster_.stack().redis().Restart();
    cluster_.proxy().SetUpstream(cluster_.stack().redis().port());
    Note("memory_lost");
  };
}

std::function<void()> Disturbances::StopKafka() {
  Note("log_stopped");
  cluster_.kafka().Pause();
  return [this] { cluster_.kafka().Resume(); };
}

}  // namespace tollbridge::chaos
