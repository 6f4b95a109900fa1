#include "tests/events_model/faults.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <memory>

#include "tests/support/test_keyspace.h"

namespace tollbridge::events_model {

void Faults::Plan() {
  if (stage_.traits.neighbour_alone) return PlanNeighbour();
  Dice& dice = stage_.world.dice;
  const std::int64_t count = dice.Between(0, 5);
  for (std::int64_t i = 0; i < count; ++i) {
    PlanOne(dice.Between(1, 100), dice.Between(0, kActive - 5 * kMinute));
  }
}

void Faults::PlanOne(std::int64_t which, Time at) {
  if (which <= 26) return PlanOfProcess(which, at);
  if (which <= 60) return PlanOfRedis(which, at);
  if (which <= 78) return PlanOfService(which, at);
  PlanOfKafka(which, at);
}

void Faults::PlanOfProcess(std::int64_t which, Time at) {
  Stage& stage = stage_;
  const std::size_t i = stage.AnyProcess();
  if (which <= 9) {
    Period(
        at, stage.Within(kSecond, 40 * kSecond), [this, i] { stage_.Crash(i); },
        [this, i] { stage_.StartProcess(i); });
  } else if (which <= 18) {
    // Past the session's time it wakes as a zombie.
    const Time length = stage.Within(kSecond, kMinute);
    stage.world.At(at, [this, i, length] {
      Process* process = stage_.Awake(i);
      if (process == nullptr) return;
      if (stage_.world.keeps_history()) {
        stage_.Note(absl::StrCat("process ", i, " stands still for ", length, " ms"));
      }
      process->StandStill(length);
    });
  } else if (which <= 23) {
    const bool by_a_day = stage.world.dice.Percent(30);
    const ports::Millis jump(by_a_day ? stage.Within(20 * kHour, kDay)
                                      : stage.Within(-2 * kHour, 2 * kHour));
    stage.world.At(at, [this, i, jump] {
      if (stage_.processes.at(i) == nullptr) return;
      if (stage_.world.keeps_history()) {
        stage_.Note(absl::StrCat("the clock of process ", i, " is set by ", jump.count(), " ms"));
      }
      stage_.processes.at(i)->clock().Jump(jump);
    });
  } else if (stage.traits.projects > 1) {
    const std::size_t project = stage.AnyProject();
    Configure(at, project, false);
    if (stage.world.dice.Percent(60)) {
      Configure(at + stage.Within(kSecond, 10 * kMinute), project, true);
    }
  }
}

void Faults::Configure(Time at, std::size_t project, bool has) {
  for (std::size_t i = 0; i < kProcesses; ++i) {
    at += stage_.Within(0, kMinute);
    stage_.world.At(at, [this, i, project, has] {
      unsigned& bits = stage_.configured.at(i);
      const unsigned bit = 1U << project;
      // One has no configuration without any project.
      const unsigned next = has ? bits | bit : bits & ~bit;
      if (next == 0 || next == bits) return;
      bits = next;
      if (stage_.Awake(i) == nullptr) return;
      if (stage_.world.keeps_history()) {
        stage_.Note(absl::StrCat("process ", i, has ? " gets" : " loses", " project ", project));
      }
      stage_.Awake(i)->Stop();
      stage_.world.At(stage_.world.now() + 10 * kSecond, [this, i] {
        stage_.processes.at(i).reset();
        stage_.StartProcess(i);
      });
    });
  }
}

void Faults::PlanOfRedis(std::int64_t which, Time at) {
  Stage& stage = stage_;
  RedisState& redis = stage.redis;
  const std::size_t i = stage.AnyProcess();
  if (which <= 31) {
    Period(
        at, stage.Within(kSecond, kMinute), [&redis] { redis.reachable = false; },
        [&redis] { redis.reachable = true; });
  } else if (which <= 36) {
    Period(
        at, stage.Within(kSecond, 4 * kMinute), [this, i] { Isolate(i, true); },
        [this, i] { Isolate(i, false); });
  } else if (which <= 42) {
    const auto set = [&redis](std::int64_t percent) {
      redis.lost_replies = percent;
      redis.lost_commands = percent / 2;
      redis.slow_commands = percent;
    };
    Period(at, stage.Within(10 * kSecond, 90 * kSecond), [set] { set(25); }, [set] { set(0); });
  } else if (which <= 50) {
    PlanFailover(at, stage.Within(0, kMinute), stage.Within(0, 5 * kMinute));
  } else if (which <= 52) {
    stage.world.At(at, [this] {
      stage_.Note("Redis loses its memory");
      stage_.redis.server.LoseMemory();
      stage_.redis.SetClock(stage_.world);
      stage_.reference.OnLoss();
    });
  } else if (which <= 54) {
    const Time jump = stage.Within(-5 * kMinute, 5 * kMinute);
    stage.world.At(at, [this, jump] {
      stage_.redis.ahead += jump;
      stage_.redis.SetClock(stage_.world);
    });
  } else if (which <= 57) {
    const Time length = stage.Within(2 * kSecond, kMinute);
    stage.world.At(at, [this, length] {
      RedisState& still = stage_.redis;
      stage_.Note("Redis stands still");
      still.stands_still_from = stage_.world.now();
      still.stands_still_until = stage_.world.now() + length;
      ++still.standstills;
    });
  } else {
    // Somebody drops a family's hash, or it runs out, while its events wait.
    Period(
        at, stage.Within(kMinute, 4 * kMinute),
        [&stage] {
          for (const auto& family : stage.service.families()) {
            stage.events.refused.insert(family->root->text_id);
          }
        },
        [&stage] { stage.events.refused.clear(); });
    const std::int64_t times = stage.Within(1, 4);
    for (std::int64_t j = 0; j < times; ++j) {
      stage.world.At(at + stage.Within(10 * kSecond, kMinute), [this] { ForgetFamily(); });
    }
  }
}

void Faults::ForgetFamily() {
  const auto& families = stage_.service.families();
  if (families.empty()) return;
  const Family& family = *families.at(static_cast<std::size_t>(
      stage_.world.dice.Between(0, static_cast<std::int64_t>(families.size()) - 1)));
  if (stage_.world.keeps_history()) {
    stage_.Note(absl::StrCat("the family of ", family.root->text_id, " is dropped"));
  }
  const std::string project = family.project == 0 ? "shop" : "stall";
  stage_.redis.server.Run({"DEL", test::KeysOf(project) + "f:" + family.root->id.ToBytes()});
  stage_.reference.OnLoss();
}

void Faults::PlanFailover(Time at, Time behind, Time ahead) {
  auto copy = std::make_shared<test::MiniRedis::Copy>();
  stage_.world.At(at, [this, copy] { *copy = stage_.redis.server.TakeCopy(); });
  stage_.world.At(at + behind, [this, copy, ahead] {
    stage_.Note("Redis fails over to an older copy");
    stage_.redis.server.FailOver(*copy);
    stage_.redis.ahead += ahead;
    stage_.redis.SetClock(stage_.world);
    stage_.reference.OnLoss();
  });
}

void Faults::Isolate(std::size_t i, bool isolated) {
  if (stage_.processes.at(i) == nullptr) return;
  stage_.processes.at(i)->link().set_reachable(!isolated);
}

void Faults::PlanOfService(std::int64_t which, Time at) {
  Stage& stage = stage_;
  Trouble& trouble = stage.service.troubles.at(stage.AnyProject());
  Trouble wrong;
  if (which <= 65) {
    wrong.errors = stage.Within(0, 50);
    wrong.unreadable = stage.Within(0, 20);
    wrong.no_answer = stage.Within(0, 20);
    wrong.slow = stage.Within(0, 50);
    wrong.not_found = stage.Within(0, 10);
  } else if (which <= 68) {
    wrong.errors = 100;
  } else if (which <= 70) {
    wrong.not_sent = true;
  } else if (which <= 72) {
    wrong.limited = stage.Within(kSecond, 5 * kMinute);
  } else {
    wrong.lag = stage.Within(kSecond, 20 * kSecond);
  }
  Period(
      at, stage.Within(5 * kSecond, 5 * kMinute), [&trouble, wrong] { trouble = wrong; },
      [&trouble] { trouble = Trouble(); });
}

void Faults::PlanOfKafka(std::int64_t which, Time at) {
  Stage& stage = stage_;
  KafkaState& kafka = stage.kafka;
  if (which <= 83) {
    Period(
        at, stage.Within(5 * kSecond, 90 * kSecond), [&kafka] { kafka.reachable = false; },
        [&stage] {
          stage.kafka.reachable = true;
          stage.hints.WakeAll();
        });
  } else if (which <= 90) {
    const Time latest = stage.Within(0, 20 * kSecond);
    Period(
        at, stage.Within(10 * kSecond, 3 * kMinute),
        [&kafka, latest] {
          kafka.lost_answers = 25;
          kafka.lost_requests = 15;
          kafka.latest = latest;
        },
        [&kafka] {
          kafka.lost_answers = 0;
          kafka.lost_requests = 0;
          kafka.latest = 0;
        });
  } else if (which <= 95) {
    const auto partition = static_cast<std::size_t>(stage.Within(0, 2));
    const auto count =
        static_cast<std::size_t>(stage.world.dice.Percent(30) ? 1'000'000 : stage.Within(1, 10));
    stage.world.At(at, [this, partition, count] {
      if (stage_.world.keeps_history()) {
        stage_.Note(absl::StrCat("partition ", partition, " loses its last ", count, " records"));
      }
      stage_.hints.Truncate(partition, count);
      stage_.reference.OnLoss();
    });
  } else {
    // The topic takes none of a family's events.
    Period(
        at, stage.Within(10 * kSecond, 10 * kMinute),
        [this] {
          const auto& families = stage_.service.families();
          if (!families.empty()) stage_.events.refused.insert(families.front()->root->text_id);
        },
        [this] { stage_.events.refused.clear(); });
  }
}

void Faults::PlanNeighbour() {
  Trouble& trouble = stage_.service.troubles.at(1);
  for (Time at = kMinute; at < kActive - 6 * kMinute; at += stage_.Within(kMinute, 8 * kMinute)) {
    Trouble wrong;
    const std::int64_t which = stage_.Within(1, 5);
    if (which == 1) wrong.no_answer = 100;
    if (which == 2) wrong.errors = 100;
    if (which == 3) wrong.slow = 100;
    if (which == 4) wrong.limited = stage_.Within(kSecond, 5 * kMinute);
    if (which == 5) wrong.not_sent = true;
    Period(
        at, stage_.Within(10 * kSecond, 5 * kMinute),
        [this, &trouble, wrong, which] {
          if (stage_.world.keeps_history()) stage_.Note(absl::StrCat("trouble ", which));
          trouble = wrong;
        },
        [&trouble] { trouble = Trouble(); });
  }
}

void Faults::Heal() {
  stage_.Note("all is healed");
  stage_.redis.reachable = true;
  stage_.redis.lost_replies = 0;
  stage_.redis.lost_commands = 0;
  stage_.redis.slow_commands = 0;
  stage_.kafka = KafkaState();
  stage_.service.troubles.fill(Trouble());
  stage_.events.refused.clear();
  stage_.configured.fill((1U << stage_.traits.projects) - 1);
  for (std::size_t i = 0; i < kProcesses; ++i) {
    // One that stood still when its configuration was changed runs with the old one.
    const Process* process = stage_.processes.at(i).get();
    if (process != nullptr && process->projects().all().size() != stage_.traits.projects) {
      stage_.processes.at(i).reset();
    }
    stage_.StartProcess(i);
    Isolate(i, false);
    ProcessClock& clock = stage_.processes.at(i)->clock();
    clock.Jump(-clock.jump());
  }
  stage_.hints.WakeAll();
  // Somebody replays what a process without the project had buried.
  for (const ports::DeadLetter& letter : stage_.letters.letters()) {
    events::v1::Hint hint;
    if (letter.cause != "unknown_project" || !hint.ParseFromString(letter.record.value)) continue;
    hint.set_source(events::v1::HINT_SOURCE_OPERATOR);
    stage_.hints.Write(hint);
  }
  stage_.reference.OnHealed();
}

}  // namespace tollbridge::events_model
