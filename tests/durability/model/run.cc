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

#include "base/telemetry/log.h"
#include "services/operations/identity.h"
#include "tests/durability/model/kinds.h"
#include "tests/durability/model/process.h"
#include "tests/durability/model/reference.h"
#include "tests/durability/model/service.h"
#include "tests/durability/model/traits.h"
#include "tests/support/operation_records.h"
#include "tests/support/simulation/redis_link.h"
#include "tests/support/simulation/world.h"
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
constexpr const char* kTransaction = "10000000-0000-4000-8000-000000000001";
constexpr const char* kWrongTransaction = "10000000-0000-4000-8000-000000000009";

/// Each use has keys of its own.
operations::Key KeyNamed(const std::string& id) { return {id, std::string(30, '.') + id}; }

using Ring = std::shared_ptr<const operations::OperationKeys>;

Ring RingOf(const std::vector<std::string>& numbers) {
  auto ring = std::make_shared<operations::OperationKeys>();
  for (const std::string& number : numbers) {
    ring->fingerprints.keys.push_back(KeyNamed("f" + number));
    ring->outcomes.keys.push_back(KeyNamed("o" + number));
  }
  return ring;
}

class Run {
 public:
  Run(std::uint64_t seed, test::MiniRedis& server, const Model& model, bool keep_history)
      : seed_(seed),
        model_(model),
        settings_(model.settings),
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
    redis_.on_late_claim = [this](Time late) { reference_.OnLateClaim(late); };
    rings_.fill(RingOf({"1"}));
    service_.hides_not_found = model_.hides_not_found;
    RollTraits();
    for (std::size_t i = 0; i < kProcesses; ++i) StartProcess(i);
    PlanOrders();
    PlanCalls();
    PlanFaults();
    if (world_.dice.Percent(12)) PlanRotation();
    if (traits_.retires) PlanDrains();
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
  Shared Everything() {
    return {world_, redis_, service_, reference_, settings_, traits_, model_.tells_before_it_keeps};
  }

  void RollTraits() {
    Dice& dice = world_.dice;
    traits_.projects = dice.Percent(30) ? kProjects : 1;
    traits_.replicated = dice.Percent(30);
    traits_.retires = dice.Percent(12);
    if (traits_.replicated) redis_.server.set_replicas(1);
    reference_.SetTraits(traits_);
  }

  void StartProcess(std::size_t i) {
    if (processes_.at(i) != nullptr) return;
    processes_.at(i) = std::make_unique<Process>(Everything(), seed_ * 1000 + ++lives_,
                                                 [ring = &rings_.at(i)] { return *ring; });
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

  /// Some orders are of one project only.
  void PlanOrders() {
    for (std::size_t project = 0; project < traits_.projects; ++project) {
      for (const char* order : kOrders) {
        const bool first = project == 0 && order == kOrders.front();
        if (first || world_.dice.Percent(85)) service_.AddOrder(project, order, kTransaction);
      }
    }
  }

  void PlanCalls() {
    Dice& dice = world_.dice;
    const auto projects = static_cast<std::int64_t>(traits_.projects);
    const std::int64_t names = dice.Between(1, projects == 1 ? 3 : 2);
    for (std::int64_t name = 0; name < names; ++name) {
      for (std::size_t project = 0; project < traits_.projects; ++project) {
        // The same names in both, for different things.
        if (project == 0 || dice.Percent(75)) PlanKey(project, absl::StrCat("key", name));
      }
    }
  }

  /// With dice of its own, for the same reason.
  void PlanApprovals(Ask& ask) {
    if (ask.kind != Kind::kPayout) return;
    Dice dice(seed_ * 31 + ask.operation.bytes[0]);
    ask.needs_approval = dice.Percent(40);
    if (!ask.needs_approval) return;
    const std::int64_t looks = dice.Between(0, 6);
    for (std::int64_t look = 0; look < looks; ++look) {
      const Time at =
          dice.Percent(70) ? dice.Between(kSecond, 10 * kMinute) : dice.Between(kSecond, kLastCall);
      const auto i = static_cast<std::size_t>(dice.Between(0, kProcesses - 1));
      world_.At(at, [this, i, ask] {
        if (processes_.at(i) != nullptr) processes_.at(i)->Confirm(ask);
      });
    }
  }

  void PlanKey(std::size_t project, const std::string& name) {
    Dice& dice = world_.dice;
    Ask ask;
    ask.kind = static_cast<Kind>(dice.Between(0, kKinds - 1));
    ask.project = project;
    ask.idempotency_key = name;
    ask.operation = operations::OperationId(ProjectAt(project).id, name);
    bool there = true;
    if (HasGate(ask.kind)) {
      ask.order_id = kOrders.at(dice.Percent(70) ? 0 : 1);
      if (IsOfTransaction(ask.kind)) {
        ask.transaction_id = dice.Percent(92) ? kTransaction : kWrongTransaction;
      }
      there = service_.Has(
          project, ask.order_id,
          IsOfTransaction(ask.kind) ? std::optional(ask.transaction_id) : std::nullopt);
    }
    ask.amount = dice.Between(kWholeAmount, kWholeAmount + 1);
    ask.key = reference_.AddKey(ask, there);
    PlanApprovals(ask);
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
    PlanFailover(at, dice.Between(kSecond / 2, 3 * kSecond), 0);
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
    if (which <= 18) {
      Period(
          at, Within(kSecond, 30 * kSecond), [this, i] { Crash(i); },
          [this, i] { StartProcess(i); });
    } else if (which <= 32) {
      Period(
          at, Within(kSecond, 60 * kSecond), [this] { SetReachable(false); },
          [this] { SetReachable(true); });
    } else if (which <= 45) {
      Period(
          at, Within(kSecond, 4 * kMinute), [this, i] { Isolate(i, true); },
          [this, i] { Isolate(i, false); });
    } else if (which <= 58) {
      Period(
          at, Within(10 * kSecond, 90 * kSecond), [this] { SetLossy(true); },
          [this] { SetLossy(false); });
    } else if (which <= 66) {
      PlanFailover(at, Within(0, 3 * kSecond), world_.dice.Between(0, 5 * kMinute));
    } else if (which <= 69) {
      world_.At(at, [this] { LoseMemory(); });
    } else if (which <= 77) {
      Period(
          at, Within(5 * kSecond, kMinute), [this] { service_.down = true; },
          [this] { service_.down = false; });
    } else if (which <= 85) {
      const Time lag = Within(0, 20 * kSecond);
      Period(
          at, Within(kMinute, 5 * kMinute), [this, lag] { service_.read_lag = lag; },
          [this] { service_.read_lag = 0; });
    } else {
      PlanRareFault(which, at, i);
    }
  }

  void PlanRareFault(std::int64_t which, Time at, std::size_t i) {
    if (which <= 88) {
      const ports::Millis jump(Within(-2 * kHour, 2 * kHour));
      world_.At(at, [this, i, jump] {
        if (processes_.at(i) != nullptr) processes_.at(i)->clock().Jump(jump);
      });
    } else if (which <= 92) {
      const Time jump = Within(-5 * kMinute, 5 * kMinute);
      world_.At(at, [this, jump] { SetClock(jump); });
    } else if (which <= 97) {
      const Time length = Within(2 * kSecond, kMinute);
      world_.At(at, [this, length] { StandStill(length); });
    } else {
      const auto key = static_cast<std::size_t>(
          world_.dice.Between(0, static_cast<std::int64_t>(asks_.size()) - 1));
      const std::int64_t how = world_.dice.Between(1, 3);
      world_.At(at, [this, key, how] { Damage(asks_.at(key).key, how); });
    }
  }

  /// The new primary has what was replicated until `at`, and takes over so much later. Where its
  /// clock is ahead, the old one's was right.
  void PlanFailover(Time at, Time behind, Time ahead) {
    auto copy = std::make_shared<test::MiniRedis::Copy>();
    world_.At(at, [this, copy] {
      *copy = redis_.server.TakeCopy();
      redis_.server.set_replicas(0);
    });
    world_.At(at + behind, [this, copy, ahead] {
      world_.Note("Redis fails over to an older copy");
      redis_.server.FailOver(*copy);
      if (traits_.replicated) redis_.server.set_replicas(1);
      redis_.ahead += Minutes(ahead);
      redis_.SetClock(world_);
      reference_.OnLoss(false);
    });
  }

  void LoseMemory() {
    world_.Note("Redis loses its memory");
    redis_.server.LoseMemory();
    redis_.SetClock(world_);
    reference_.OnLoss(true);
  }

  /// By how much Redis' clock may go wrong at once: by less than a second where a refund is known
  /// by its time alone, which is compared with the service's clock.
  Time Minutes(Time jump) const {
    const bool by_time =
        std::ranges::any_of(asks_, [](const Ask& ask) { return ask.kind == Kind::kUnmarked; });
    return by_time ? jump % kSecond : jump;
  }

  /// Somebody sets Redis' clock.
  void SetClock(Time jump) {
    jump = Minutes(jump);
    if (world_.keeps_history()) world_.Note(absl::StrCat("Redis' clock is set by ", jump, " ms"));
    redis_.set_back = redis_.set_back || jump < 0;
    redis_.ahead += jump;
  }

  void StandStill(Time length) {
    if (world_.now() < redis_.stands_still_until) return;
    if (world_.keeps_history()) world_.Note(absl::StrCat("Redis stands still for ", length, " ms"));
    redis_.stands_still_from = world_.now();
    redis_.stands_still_until = world_.now() + length;
    const bool holds = redis_.Holds(redis_.stands_still_until - 1);
    world_.At(redis_.stands_still_until, [this, holds] {
      // Connections that were closed are made anew.
      if (!holds) ++redis_.standstills;
    });
  }

  /// A record of a later version, or bytes that are none.
  void Damage(int key, std::int64_t how) {
    const std::string& record = reference_.RecordKeyOf(key);
    if (redis_.server.data().Find(record) == nullptr) return;
    if (world_.keeps_history()) world_.Note(absl::StrCat("the record of key ", key, " is damaged"));
    redis_.server.Run(how <= 2 ? test::SetField(record, "V", "2")
                               : redis::Command{"SET", record, "no record"});
    reference_.OnDamage(key);
  }

  /// New keys of both kinds, in two rounds over the replicas as docs/guides/operators.md says; or
  /// by somebody who has not read it.
  void PlanRotation() {
    traits_.careless_rotation = world_.dice.Percent(25);
    reference_.SetTraits(traits_);
    Time at = Within(0, 5 * kMinute);
    for (const bool first_round : {true, false}) {
      if (first_round && traits_.careless_rotation) continue;
      for (Ring& ring : rings_) {
        at += Within(0, 2 * kMinute);
        world_.At(at, [this, &ring, first_round] {
          world_.Note(first_round ? "a replica gets another key" : "a replica uses another key");
          ring = first_round ? RingOf({"1", "2"}) : RingOf({"2", "1"});
        });
      }
    }
  }

  void PlanDrains() {
    for (Time at = Within(0, kMinute); at < kSettled; at += Within(kSecond, 10 * kMinute)) {
      const auto i = static_cast<std::size_t>(world_.dice.Between(0, kProcesses - 1));
      world_.At(at, [this, i] {
        if (processes_.at(i) != nullptr) processes_.at(i)->Drain();
      });
    }
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

  static const std::vector<std::vector<std::string>>& DueIndexes() {
    static const std::vector<std::vector<std::string>> kIndexes = [] {
      std::vector<std::vector<std::string>> indexes;
      for (std::size_t project = 0; project < kProjects; ++project) {
        const std::string keys = test::KeysOf(ProjectAt(project).name);
        indexes.push_back({keys + "operations:running", keys + "operations:due",
                           keys + "operations:awaits_approval"});
      }
      return indexes;
    }();
    return kIndexes;
  }

  /// When the resolvers have something to do next; each looks once an interval.
  Time NextPass() {
    constexpr Time kNever = std::numeric_limits<Time>::max();
    Time at = kNever;
    for (std::size_t project = 0; project < traits_.projects; ++project) {
      for (const std::string& index : DueIndexes().at(project)) {
        const test::SortedSet* due = redis_.server.data().Get<test::SortedSet>(index);
        if (due == nullptr || due->empty()) continue;
        const auto score = static_cast<Time>(due->ordered().begin()->first);
        at = std::min(at, score - Civil(redis_.ahead).time_since_epoch().count());
      }
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

  /// The same key once more, where it is closed: told from the record, or from what is left of it.
  void AskAgain() {
    for (const int key : reference_.ClosedKeys()) {
      Ask ask = asks_.at(static_cast<std::size_t>(key));
      ask.call = reference_.AddCall(ask);
      processes_.front()->Start(ask);
    }
    Drive(kSettled + kMinute);
  }

  std::uint64_t seed_;
  const Model& model_;
  const operations::Settings& settings_;
  Traits traits_;
  std::array<Ring, kProcesses> rings_;
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

RunResult RunOnce(std::uint64_t seed, test::MiniRedis& redis, const Model& model,
                  bool keep_history) {
  // What the processes say of what goes wrong is not what is tested.
  const telemetry::LogCapture unheard;
  Run run(seed, redis, model, keep_history);
  return run.Play();
}

}  // namespace tollbridge::model
