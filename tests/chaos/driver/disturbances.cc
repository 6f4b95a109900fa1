#include "tests/chaos/driver/disturbances.h"

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/chaos/driver/fault_plans.h"

namespace tollbridge::chaos {
namespace {

/// Between two disturbances, so that what waits can get done.
constexpr Millis kCalmLeast{300};
constexpr Millis kCalmMost{2'000};
/// Each claim carries a digest under each key that there ever was: nobody takes one away here.
constexpr int kMostRotations = 16;

std::int64_t Draw(std::mt19937_64& random, std::int64_t from, std::int64_t to) {
  return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
}

}  // namespace

Disturbances::Disturbances(Cluster* cluster, const Options& options, LineWriter* log)
    : cluster_(*cluster),
      options_(options),
      intervals_(IntervalsFor(options)),
      kinds_(KindsOf(options)),
      log_(*log),
      random_(options.seed),
      memory_again_(Clock::now() + Millis(10'000)) {
  for (Place& place : places_) place.next = Clock::now() + Millis(Draw(random_, 500, 1'500));
  PlanFaults();
}

std::vector<Disturbances::Kind> Disturbances::KindsOf(const Options& options) {
  // Kinds that are listed twice differ in how long they last.
  std::vector<Kind> kinds{
      {"a gateway killed", Part::kGateway, 24, 500, 2'500, false, true, &Disturbances::KillGateway},
      {"a gateway stopped", Part::kGateway, 16, 300, 900, false, true, &Disturbances::StopGateway},
      {"a gateway stopped past the send window", Part::kGateway, 16, 1'000, 4'500, false, true,
       &Disturbances::StopGateway},
      {"reads of the payment service fail", Part::kService, 6, 1'500, 4'000, false, false,
       &Disturbances::FailReads},
      {"keys rotated", Part::kKeys, 10, 2'000, 6'000, false, false, &Disturbances::RotateKeys},
      {"Kafka stopped", Part::kKafka, 6, 500, 2'500, false, false, &Disturbances::StopKafka}};
  const std::vector<Kind> of_one{
      {"a gateway cut off from Redis", Part::kWay, 12, 1'000, 8'000, false, false,
       &Disturbances::CutOneOff},
      {"a gateway without answers of Redis", Part::kWay, 12, 500, 9'000, false, false,
       &Disturbances::HoldAnswersFromOne},
      {"Redis stopped", Part::kRedis, 10, 200, 2'500, false, false, &Disturbances::PauseRedis},
      // Longer than connections are kept and than a lease.
      {"Redis stopped for longer than a lease", Part::kRedis, 5, 8'500, 10'000, false, false,
       &Disturbances::PauseRedis},
      {"Redis slow", Part::kRedis, 10, 1'000, 3'000, false, false, &Disturbances::SlowRedis},
      {"Redis full", Part::kRedis, 8, 500, 2'000, false, false, &Disturbances::FillRedis},
      {"connections to Redis cut", Part::kRedis, 10, 100, 100, false, false,
       &Disturbances::CutRedis},
      {"Redis restarted", Part::kRedis, 12, 200, 1'500, true, false, &Disturbances::RestartRedis},
      {"Redis without its last writes", Part::kRedis, 12, 600, 900, true, false,
       &Disturbances::RollRedisBack},
      {"Redis flushed", Part::kRedis, 12, 100, 100, true, false, &Disturbances::FlushRedis},
      {"Redis restarted empty", Part::kRedis, 12, 100, 1'000, true, false,
       &Disturbances::LoseRedis},
      {"a record that no version can read", Part::kRedis, 6, 100, 100, false, false,
       &Disturbances::PlantUnreadableRecord}};
  const std::vector<Kind> of_sentinels{
      {"the primary killed", Part::kRedis, 40, 2'000, 8'000, true, false,
       &Disturbances::KillPrimary},
      {"the primary stopped until another took its place", Part::kRedis, 40, 4'000, 9'000, true,
       false, &Disturbances::StopPrimary},
      {"a failover asked for", Part::kRedis, 20, 2'000, 4'000, true, false,
       &Disturbances::FailOver},
      {"a replica killed", Part::kRedis, 12, 500, 5'000, false, false, &Disturbances::KillReplica}};
  const std::vector<Kind>& of_redis = options.sentinels ? of_sentinels : of_one;
  kinds.insert(kinds.end(), of_redis.begin(), of_redis.end());
  return kinds;
}

void Disturbances::Note(std::string_view what) {
  log_.Write(ToJson(Disturbance{.at = NowMs(), .what = std::string(what)}));
}

void Disturbances::PlanFaults() {
  cluster_.stack().SandboxFaults(options_.late_beyond_bound
                                     ? LateFaultPlan(intervals_)
                                     : DrawFaultPlan(random_, intervals_, reads_fail_));
}

std::string Disturbances::now() const {
  std::string names;
  for (const Place& place : places_) {
    if (place.kind == nullptr) continue;
    names += (names.empty() ? "" : ", ") + std::string(place.kind->name);
  }
  return names.empty() ? "nothing but the service's faults" : names;
}

void Disturbances::Step() {
  for (Place& place : places_) Step(place);
}

void Disturbances::Step(Place& place) {
  const Clock::time_point now = Clock::now();
  if (now < place.next) return;
  if (place.kind != nullptr) {
    std::exchange(place.end, nullptr)();
    place.kind = nullptr;
    place.next = Clock::now() + Millis(Draw(random_, kCalmLeast.count(), kCalmMost.count()));
    PlanFaults();
    return;
  }
  std::vector<const Kind*> drawn;
  for (const Kind& kind : kinds_) {
    if (kind.doubt && now < memory_again_) continue;
    if (options_.late_beyond_bound && !kind.with_late_effects) continue;
    if (kind.part == Part::kKeys && cluster_.key_rings().rotations() == kMostRotations) continue;
    if (std::ranges::any_of(places_, [&](const Place& other) {
          return other.kind != nullptr && other.kind->part == kind.part;
        })) {
      continue;
    }
    // What a doubtful store has to look for is what cannot be read then.
    const bool unread = kind.part == Part::kService && now < doubted_until_;
    int weight = unread ? 2 * kind.weight : kind.weight;
    if (options_.showing.reads_fail_in_doubt && (unread || kind.doubt)) weight *= 30;
    drawn.insert(drawn.end(), static_cast<std::size_t>(weight), &kind);
  }
  if (drawn.empty()) return;
  Begin(*drawn[static_cast<std::size_t>(random_() % drawn.size())], place);
}

void Disturbances::Begin(const Kind& kind, Place& place) {
  place.kind = &kind;
  ++counts_[kind.name];
  place.end = (this->*kind.begin)();
  place.next = Clock::now() + Millis(Draw(random_, kind.least_ms, kind.most_ms));
  // As long as the doubt, and as long again without; failovers come more often.
  if (!kind.doubt) return;
  doubted_until_ = Clock::now() + intervals_.doubt;
  memory_again_ = Clock::now() + (options_.sentinels ? 1 : 2) * intervals_.doubt;
}

void Disturbances::End() {
  for (Place& place : places_) {
    if (place.kind != nullptr) std::exchange(place.end, nullptr)();
    place.kind = nullptr;
  }
  cluster_.stack().SandboxFaults("{}");
  if (cluster_.sentinels() != nullptr && !cluster_.sentinels()->Heal()) {
    throw std::runtime_error("the Sentinels did not bring all servers together again");
  }
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

std::function<void()> Disturbances::CutOneOff() {
  const auto gateway = static_cast<std::size_t>(Draw(random_, 0, kGateways - 1));
  Note("store_failed");
  cluster_.redis_ways().CutOff(gateway);
  return [this, gateway] {
    cluster_.redis_ways().Rejoin(gateway);
    Note("store_failed");
  };
}

std::function<void()> Disturbances::HoldAnswersFromOne() {
  const auto gateway = static_cast<std::size_t>(Draw(random_, 0, kGateways - 1));
  Note("store_failed");
  cluster_.redis_ways().HoldAnswers(gateway);
  return [this, gateway] {
    cluster_.redis_ways().Rejoin(gateway);
    Note("store_failed");
  };
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
  cluster_.redis_ways().SetDelay(Millis(50));  // each way
  return [this] {
    cluster_.redis_ways().SetDelay(Millis(0));
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
  cluster_.redis_ways().Cut();
  return [] {};
}

std::function<void()> Disturbances::RestartRedis() {
  Note("store_failed");
  cluster_.stack().redis().Stop();
  return [this] {
    cluster_.stack().redis().Restart();
    Note("store_restarted");
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
  cluster_.redis_ways().Lead(0);
  cluster_.redis_ways().Cut();
  Redis({"FLUSHALL"});
  cluster_.stack().redis().Stop();
  return [this] {
    cluster_.stack().redis().Restart();
    cluster_.redis_ways().Lead(cluster_.stack().redis().port());
    Note("memory_lost");
  };
}

// It is due at once, and whenever it was put off: nothing else may wait for it.
std::function<void()> Disturbances::PlantUnreadableRecord() {
  static constexpr const char* kPlant =
      "local id = ARGV[2] .. string.format('%014d', ARGV[3])\n"
      "redis.call('SET', ARGV[1] .. 'o:' .. id, cmsgpack.pack({V = 99, s = 'U'}))\n"
      "for _, index in ipairs({'unknown', 'due'}) do\n"
      "  redis.call('ZADD', ARGV[1] .. 'operations:' .. index, 1, id)\n"
      "end";
  const int number = counts_["a record that no version can read"];
  Redis({"EVAL", kPlant, "0", test::DemoKey(""), kUnreadableBytes, std::to_string(number)});
  return [] {};
}

// What the primary had not told a replica is gone, unless a claim waited for it.
std::function<void()> Disturbances::KillPrimary() {
  Note("store_failed_over");
  return [this, end = cluster_.sentinels()->KillPrimary()] {
    end();
    Note("store_failed_over");
  };
}

// Who still is connected to it writes to it for a while when it goes on, and it forgets that.
std::function<void()> Disturbances::StopPrimary() {
  Note("store_failed_over");
  return [this, end = cluster_.sentinels()->StopPrimary()] {
    end();
    Note("store_failed_over");
  };
}

std::function<void()> Disturbances::FailOver() {
  Note("store_failed_over");
  return [this, end = cluster_.sentinels()->FailOver()] {
    end();
    Note("store_failed_over");
  };
}

std::function<void()> Disturbances::KillReplica() {
  Note("store_failed");
  return [this, end = cluster_.sentinels()->KillReplica()] {
    end();
    Note("store_failed");
  };
}

std::function<void()> Disturbances::FailReads() {
  reads_fail_ = true;
  PlanFaults();
  return [this] { reads_fail_ = false; };
}

// In no order that a person should choose: for a while one gateway alone has the new keys.
std::function<void()> Disturbances::RotateKeys() {
  cluster_.key_rings().Begin(static_cast<std::size_t>(Draw(random_, 0, kGateways - 1)));
  return [this] { cluster_.key_rings().End(); };
}

std::function<void()> Disturbances::StopKafka() {
  Note("log_stopped");
  cluster_.kafka().Pause();
  return [this] { cluster_.kafka().Resume(); };
}

}  // namespace tollbridge::chaos
