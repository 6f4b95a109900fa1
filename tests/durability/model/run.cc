#include "tests/durability/model/run.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/operations/identity.h"
#include "tests/durability/model/kinds.h"
#include "tests/durability/model/process.h"
#include "tests/durability/model/redis_link.h"
#include "tests/durability/model/reference.h"
#include "tests/durability/model/service.h"
#include "tests/durability/model/world.h"
#include "tests/support/test_keyspace.h"

namespace tollbridge::model {

namespace {

/// Callers are at work and things fail until then. Shorter than the doubt after a failover.
constexpr Time kActive = 20 * kMinute;
/// Until then a caller may come back to its key: the doubt of a failover has ended by then. Later
/// looks at what is closed need the rest of the time.
constexpr Time kLastCall = kActive + 2 * kHour;
/// Late looks come an hour after an operation was closed.
constexpr Time kSettled = kActive + 4 * kHour;
/// Between two passes of the resolver.
constexpr Time kPassInterval = kSecond;
constexpr std::size_t kProcesses = 2;
constexpr std::array<const char*, 2> kOrders = {"00000000-0000-4000-8000-000000000001",
                                                "00000000-0000-4000-8000-000000000002"};

class Run {
 public:
  Run(std::uint64_t seed, test::MiniRedis& server, const operations::Settings& settings,
      bool keep_history)
      : seed_(seed),
        settings_(settings),
        world_(seed, keep_history),
        redis_(server),
        reference_(world_, server),
        service_(world_, settings_,
                 {.on_write = [this](SendSpec& spec) { reference_.OnWrite(spec); },
                  .on_effect = [this](const Effect& effect) { reference_.OnEffect(effect); },
                  .on_success =
                      [this](const SendSpec& spec, bool other_amount) {
                        reference_.OnSuccess(spec, other_amount);
                      }}) {
    server.Reset();
    redis_.SetClock(world_);
    redis_.after_command = [this] { reference_.CheckRecords(); };
    for (std::size_t i = 0; i < kProcesses; ++i) StartProcess(i);
    PlanCalls();
    PlanFaults();
    // Dice of its own, so that what comes before follows from the seed as ever.
    Dice dice(~seed_);
    PlanLateCalls(dice);
    if (dice.Percent(5)) PlanForgottenCall(dice);
  }

  RunResult Play() {
    Initialize();
    Drive(kActive);
    Heal();
    Drive(kSettled);
    if (world_.failure().empty()) AskAgain();
    if (world_.failure().empty()) reference_.CheckSettled();
    return {world_.failure(), world_.history()};
  }

 private:
  Shared Everything() { return {world_, redis_, service_, reference_, settings_}; }

  void StartProcess(std::size_t i) {
    if (processes_.at(i) != nullptr) return;
    processes_.at(i) = std::make_unique<Process>(Everything(), seed_ * 1000 + ++lives_);
  }

  void Crash(std::size_t i) {
    if (world_.keeps_history()) world_.Note(absl::StrCat("process ", i, " dies"));
    processes_.at(i).reset();
  }

  /// `tollbridge init-store`.
  void Initialize() {
    Process& process = *processes_.front();
    Uuid epoch;
    epoch.bytes.fill(7);
    const auto initialize = [](Process* on, Uuid id) -> boost::asio::awaitable<void> {
      const ports::Context context{on->clock().BootNow() + std::chrono::seconds(1), {}};
      const absl::StatusOr<bool> made = co_await on->store().InitializeEpoch(id, context);
      static_cast<void>(made);
    };
    boost::asio::co_spawn(process.context(), initialize(&process, epoch), boost::asio::detached);
    process.context().restart();
    process.context().poll();
    while (world_.Step(kSecond / 100)) {
    }
  }

  Time Within(Time least, Time most) { return world_.dice.Between(least, most); }

  void PlanCalls() {
    Dice& dice = world_.dice;
    const int keys = static_cast<int>(dice.Between(1, 3));
    for (int i = 0; i < keys; ++i) {
      Ask ask;
      ask.kind = static_cast<Kind>(dice.Between(0, kKinds - 1));
      ask.idempotency_key = absl::StrCat("key", i);
      ask.operation = operations::OperationId(TheProject().id, ask.idempotency_key);
      if (HasGate(ask.kind)) ask.order_id = kOrders.at(dice.Percent(70) ? 0 : 1);
      ask.amount = dice.Between(1000, 1001);
      ask.key = reference_.AddKey(ask.kind, ask.operation);
      asks_.push_back(ask);
      Time at = Within(kSecond, kMinute);
      const std::int64_t calls = dice.Between(1, 5);
      for (std::int64_t j = 0; j < calls; ++j) {
        Ask call = ask;
        if (dice.Percent(3)) call.amount += 10;
        call.call = reference_.AddCall(call);
        call_times_.push_back(at);
        PlanCall(at, call);
        const std::int64_t wait = dice.Between(1, 100);
        at += wait <= 50   ? Within(0, 5 * kSecond)
              : wait <= 75 ? Within(5 * kSecond, 2 * kMinute)
                           : Within(2 * kMinute, 5 * kMinute);
      }
    }
  }

  void PlanCall(Time at, const Ask& ask) {
    const auto i = static_cast<std::size_t>(world_.dice.Between(0, kProcesses - 1));
    world_.At(at, [this, ask, i] {
      Process* process = processes_.at(i).get();
      if (process == nullptr) return;
      if (world_.keeps_history()) {
        world_.Note(absl::StrCat("call ", ask.call, " of key ", ask.key, " (",
                                 std::string(NameOf(ask.kind)), ") on process ", i));
      }
      process->Start(ask);
    });
  }

  /// Keys that are used once more, when nothing fails any more: before and after the doubt ends.
  void PlanLateCalls(Dice& dice) {
    for (const Ask& ask : asks_) {
      // What nothing at the service would show to be ours may run again when nobody doubts.
      if (ask.kind == Kind::kUnmarked || !dice.Percent(50)) continue;
      Ask call = ask;
      call.call = reference_.AddCall(call);
      const auto i = static_cast<std::size_t>(dice.Between(0, kProcesses - 1));
      world_.At(dice.Between(kActive + kMinute, kLastCall), [this, call, i] {
        // Of a key that was not used since a loss nobody promises anything once the doubt is over.
        if (!reference_.UsedSinceLoss(call.key)) return;
        if (world_.keeps_history()) {
          world_.Note(absl::StrCat("call ", call.call, " comes back to key ", call.key));
        }
        processes_.at(i)->Start(call);
      });
    }
  }

  /// A failover that loses a call's claim, while nothing can be read.
  void PlanForgottenCall(Dice& dice) {
    const auto last = static_cast<std::int64_t>(call_times_.size()) - 1;
    const Time at = call_times_.at(static_cast<std::size_t>(dice.Between(0, last)));
    PlanFailover(at, dice.Between(kSecond / 2, 3 * kSecond));
    world_.At(at, [this] { service_.chances.unreadable = 100; });
  }

  void PlanFaults() {
    const std::int64_t count = world_.dice.Between(0, 4);
    for (std::int64_t i = 0; i < count; ++i) {
      PlanFault(world_.dice.Between(1, 100),
                Within(0, world_.dice.Percent(70) ? 2 * kMinute : 10 * kMinute));
    }
  }

  /// Something that begins at `at` and ends after a while.
  template <typename Begin, typename End>
  void Period(Time at, Time length, Begin begin, End end) {
    world_.At(at, begin);
    world_.At(at + length, end);
  }

  void PlanFault(std::int64_t which, Time at) {
    const auto i = static_cast<std::size_t>(world_.dice.Between(0, kProcesses - 1));
    if (which <= 20) {
      Period(
          at, Within(kSecond, 30 * kSecond), [this, i] { Crash(i); },
          [this, i] { StartProcess(i); });
    } else if (which <= 35) {
      Period(
          at, Within(kSecond, 60 * kSecond), [this] { SetReachable(false); },
          [this] { SetReachable(true); });
    } else if (which <= 50) {
      Period(
          at, Within(kSecond, 4 * kMinute), [this, i] { Isolate(i, true); },
          [this, i] { Isolate(i, false); });
    } else if (which <= 65) {
      Period(
          at, Within(10 * kSecond, 90 * kSecond), [this] { SetLossy(true); },
          [this] { SetLossy(false); });
    } else if (which <= 72) {
      PlanFailover(at, Within(0, 3 * kSecond));
    } else if (which <= 75) {
      world_.At(at, [this] { LoseMemory(); });
    } else if (which <= 84) {
      Period(
          at, Within(5 * kSecond, kMinute), [this] { service_.down = true; },
          [this] { service_.down = false; });
    } else if (which <= 92) {
      const Time lag = Within(0, 20 * kSecond);
      Period(
          at, Within(kMinute, 5 * kMinute), [this, lag] { service_.read_lag = lag; },
          [this] { service_.read_lag = 0; });
    } else if (which <= 96) {
      const ports::Millis jump(Within(-2 * kHour, 2 * kHour));
      world_.At(at, [this, i, jump] {
        if (processes_.at(i) != nullptr) processes_.at(i)->clock().Jump(jump);
      });
    } else {
      const Time jump = Within(0, kSecond);
      world_.At(at, [this, jump] { redis_.ahead += jump; });
    }
  }

  /// The new primary has what was replicated until `at`, and takes over so much later.
  void PlanFailover(Time at, Time behind) {
    auto copy = std::make_shared<test::MiniRedis::Copy>();
    world_.At(at, [this, copy] { *copy = redis_.server.TakeCopy(); });
    world_.At(at + behind, [this, copy] {
      world_.Note("Redis fails over to an older copy");
      redis_.server.FailOver(*copy);
      redis_.SetClock(world_);
      reference_.OnLoss();
    });
  }

  void LoseMemory() {
    world_.Note("Redis loses its memory");
    redis_.server.LoseMemory();
    redis_.SetClock(world_);
    reference_.OnLoss();
  }

  void SetReachable(bool reachable) {
    world_.Note(reachable ? "Redis is reached again" : "Redis is not reached");
    redis_.reachable = reachable;
  }

  void SetLossy(bool lossy) {
    world_.Note(lossy ? "Redis loses replies" : "Redis loses no replies any more");
    redis_.lost_replies = lossy ? 25 : 0;
    redis_.lost_commands = lossy ? 15 : 0;
    redis_.slow_commands = lossy ? 25 : 0;
  }

  void Isolate(std::size_t i, bool isolated) {
    if (processes_.at(i) == nullptr) return;
    if (world_.keeps_history()) {
      world_.Note(absl::StrCat("process ", i, isolated ? " does not reach" : " reaches", " Redis"));
    }
    processes_.at(i)->link().set_reachable(!isolated);
  }

  void Heal() {
    SetReachable(true);
    SetLossy(false);
    service_.down = false;
    service_.read_lag = 0;
    service_.chances = {.not_sent = 0,
                        .refused = 0,
                        .rate_limited = 0,
                        .effect_unanswered = 0,
                        .nothing_unanswered = 0,
                        .delayed = 0,
                        .other_amount = 0,
                        .slow = 0,
                        .unreadable = 0};
    for (std::size_t i = 0; i < kProcesses; ++i) {
      StartProcess(i);
      Isolate(i, false);
    }
  }

  /// When the resolvers have something to do next; each looks once an interval.
  Time NextPass() {
    constexpr Time kNever = std::numeric_limits<Time>::max();
    Time at = kNever;
    for (const char* index : {"running", "due"}) {
      const test::SortedSet* due =
          redis_.server.data().Get<test::SortedSet>(test::ShopKeys() + "operations:" + index);
      if (due == nullptr || due->empty()) continue;
      const auto score = static_cast<Time>(due->ordered().begin()->first);
      at = std::min(at, score - Civil(redis_.ahead).time_since_epoch().count());
    }
    if (at == kNever) return kNever;
    return std::max({at, last_pass_ + kPassInterval, world_.now()});
  }

  /// Lets everything happen until `end`.
  void Drive(Time end) {
    while (world_.failure().empty()) {
      const Time pass = NextPass();
      if (world_.Step(std::min(pass - 1, end))) continue;
      if (pass > end) return;
      last_pass_ = pass;
      world_.At(pass, [this] { Resolve(); });
      world_.Step(end);
    }
  }

  void Resolve() {
    const std::size_t first = world_.dice.Percent(50) ? 0 : 1;
    const bool both = world_.dice.Percent(20);
    for (std::size_t i = 0; i < (both ? kProcesses : 1); ++i) {
      Process* process = processes_.at((first + i) % kProcesses).get();
      if (process != nullptr && process->link().ready()) process->Resolve();
    }
  }

  /// The same key once more, where the outcome is there: told from the record.
  void AskAgain() {
    for (const int key : reference_.DoneKeys()) {
      Ask ask = asks_.at(static_cast<std::size_t>(key));
      ask.call = reference_.AddCall(ask);
      processes_.front()->Start(ask);
    }
    Drive(kSettled + kMinute);
  }

  std::uint64_t seed_;
  const operations::Settings& settings_;
  World world_;
  RedisState redis_;
  Reference reference_;
  Service service_;
  std::vector<Ask> asks_;
  std::vector<Time> call_times_;
  Time last_pass_ = 0;
  std::uint64_t lives_ = 0;
  /// The first to go.
  std::array<std::unique_ptr<Process>, kProcesses> processes_;
};

}  // namespace

operations::Settings ModelSettings() {
  operations::Settings settings;
  settings.look_backoff = {ports::Millis(5'000), ports::Millis(60'000)};
  return settings;
}

RunResult RunOnce(std::uint64_t seed, test::MiniRedis& redis, const operations::Settings& settings,
                  bool keep_history) {
  Run run(seed, redis, settings, keep_history);
  return run.Play();
}

}  // namespace tollbridge::model
