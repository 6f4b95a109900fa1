#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_DISTURBANCES_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_DISTURBANCES_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/chaos/events_driver/cluster.h"
#include "tests/chaos/events_driver/faults.h"
#include "tests/chaos/events_driver/ledgers.h"
#include "tests/chaos/events_driver/options.h"
#include "tests/chaos/lines/json_lines.h"
#include "tests/support/redis_server.h"

namespace tollbridge::pipeline {

/// What goes wrong between webhook and event, one thing after the other; which comes when follows
/// from the seed. Beside that, all the time: a process or the broker is killed, hints are poisoned,
/// and reads of some orders go wrong. For the thread that made the cluster.
class Disturbances {
 public:
  /// `ledgers`: consumers that die now and then; nullptr: none.
  Disturbances(Cluster* cluster, Ledgers* ledgers, const Options& options, chaos::LineWriter* log);

  /// Does what is due: ends what has lasted long enough, or begins the next.
  void Step();
  /// Next all readers go away, if they are to. Their short baseline begins then.
  void SendReadersAway();
  /// Ends all, for good: everything is up, and nothing goes wrong any more.
  void End();
  /// What goes wrong now, in a few words.
  const std::string& now() const { return name_; }
  bool kafka_is_there() const { return kafka_up_; }
  /// A run goes on until they are back.
  bool readers_are_away() const { return readers_away_; }
  /// How often each was there.
  const std::map<std::string, int>& counts() const { return counts_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Undo = std::function<void()>;
  struct Kind {
    const char* name;
    int weight;
    std::int64_t least_ms;
    std::int64_t most_ms;
    std::function<Undo()> begin;
    bool takes_memory = false;
    /// Nothing is published meanwhile.
    bool stops = false;
    /// Not soon after memory went: what is found again only then would be noticed too late.
    bool wants_memory = false;
  };

  const Kind& NextKind();
  void AddProcesses();
  void AddRedis();
  /// Of what stops Redis, and what lets it go on.
  Undo StopRedis(void (test::RedisServer::*stop)(), void (test::RedisServer::*go_on)());
  // Kafka's (disturbances_kafka.cc).
  void AddKafka();
  void AddBrokers();
  /// A kind during which Kafka does not answer, or not all of it.
  void AddKafka(const char* name, int weight, std::int64_t least_ms, std::int64_t most_ms,
                std::function<Undo()> begin);
  Undo PauseKafka();
  Undo RestartBrokers(std::size_t first, std::size_t count);
  /// One of several, after which all partitions are in sync again.
  test::KafkaBroker& AnyBroker();
  void StepKills();
  void Revive();
  Undo KillOne(std::string_view role);
  Undo KillBroker();
  Undo AddReader();
  Undo FlushRedis();
  Undo RollBack();
  /// Webhooks that the payment service never sent: of a wrong token, of no order, of no sense.
  void Forge();
  void Poison();
  /// The one that goes on.
  void EndDisturbance();
  /// All but what the service does by its faults.
  void EndWhatGoesOn();
  /// The order, and all that was made of it.
  std::vector<std::string> FamilyOf(const std::string& hung) const;
  /// No order is one whose reads hang. The family of what was one; empty when there was none. While
  /// nothing goes wrong at the service, whose search it asks.
  std::vector<std::string> EndHang();
  void LetAnotherHang();
  /// A webhook of each of them.
  void TellOf(const std::vector<std::string>& family);
  /// Takes orders whose reads are to go wrong from those that there are.
  void PickOrders();
  void PlanFaults();
  /// Until the next PlanFaults() reads are right; webhooks are as the run has them.
  void PlanNoFaults();
  void Note(std::string_view what);
  /// That something is over that began at `at`.
  void NoteOver(std::string_view what, TimeMs at, bool stops, const std::string& order = "");
  std::int64_t Draw(std::int64_t from, std::int64_t to);

  Cluster& cluster_;
  Ledgers* ledgers_;
  Options options_;
  chaos::LineWriter& log_;
  std::mt19937_64 random_;
  std::vector<Kind> kinds_;
  /// Kinds that have not been there yet: each comes once before any comes twice.
  std::vector<std::size_t> first_;
  std::string name_{"nothing"};
  Undo undo_;
  TimeMs begun_at_ = 0;
  bool stops_ = false;
  Clock::time_point next_;
  Clock::time_point next_poison_;
  /// Until when Redis' memory is left alone after it was lost, and longer while the sweep has not
  /// been through all orders: with a short baseline, what nobody had noticed would not be told.
  Clock::time_point flush_again_;
  /// What was killed is started again.
  Undo revive_;
  std::string killed_;
  TimeMs killed_at_ = 0;
  Clock::time_point next_kill_;
  /// Each role comes once before any is drawn, as StepKills draws them: a short run may kill few.
  std::vector<std::int64_t> first_kills_ = {0, 15, 30, 60};
  /// Processes are started only while both answer.
  bool redis_up_ = true;
  bool kafka_up_ = true;
  bool broker_killed_ = false;
  bool readers_away_ = false;
  /// From when they went. Redis loses no memory then: what was noticed longer ago than the
  /// baseline, and is forgotten before it is told, is counted and not told.
  bool baseline_is_short_ = false;
  FaultedOrders orders_;
  TimeMs hangs_since_ = 0;
  TimeMs garbled_since_ = 0;
  int added_ = 0;
  std::map<std::string, int> counts_;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_DISTURBANCES_H_
