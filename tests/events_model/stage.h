#ifndef TOLLBRIDGE_TESTS_EVENTS_MODEL_STAGE_H_
#define TOLLBRIDGE_TESTS_EVENTS_MODEL_STAGE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "tests/events_model/event_topic.h"
#include "tests/events_model/hint_topic.h"
#include "tests/events_model/planted.h"
#include "tests/events_model/process.h"
#include "tests/events_model/reference.h"
#include "tests/events_model/service.h"
#include "tests/events_model/traits.h"

namespace tollbridge::events_model {

/// Orders change and things fail until then.
inline constexpr Time kActive = 30 * kMinute;
inline constexpr std::size_t kProcesses = 3;

/// All parts of one run.
struct Stage {
  Stage(std::uint64_t seed_in, test::MiniRedis& server, const Planted& planted_in,
        bool keep_history);

  void StartProcess(std::size_t i);
  void Crash(std::size_t i);
  /// The process that may do something now; nullptr while it is away or stands still.
  Process* Awake(std::size_t i) const;
  std::size_t AnyProcess() {
    return static_cast<std::size_t>(world.dice.Between(0, kProcesses - 1));
  }
  std::size_t AnyProject() {
    return static_cast<std::size_t>(
        world.dice.Between(0, static_cast<std::int64_t>(traits.projects) - 1));
  }
  Time Within(Time least, Time most) { return world.dice.Between(least, most); }
  void Note(const std::string& line) { world.Note(line); }

  std::uint64_t seed;
  const Planted& planted;
  Traits traits;
  World world;
  RedisState redis;
  KafkaState kafka;
  DeadLetters letters;
  Reference reference;
  Service service;
  HintTopic hints;
  EventTopic events;
  /// Which projects each process is configured with when it starts, by bits.
  std::array<unsigned, kProcesses> configured{};
  std::uint64_t lives = 0;
  /// The first to go.
  std::array<std::unique_ptr<Process>, kProcesses> processes;

 private:
  void RollTraits();
};

/// The key of the project's due queue.
const std::string& DueKey(std::size_t project);

}  // namespace tollbridge::events_model

#endif  // TOLLBRIDGE_TESTS_EVENTS_MODEL_STAGE_H_
