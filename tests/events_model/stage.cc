#include "tests/events_model/stage.h"

#include <absl/strings/str_cat.h>

#include "tests/support/test_keyspace.h"

namespace tollbridge::events_model {

Stage::Stage(std::uint64_t seed_in, test::MiniRedis& server, const Planted& planted_in,
             bool keep_history)
    : seed(seed_in),
      planted(planted_in),
      world(seed_in, keep_history),
      redis(server),
      letters(world, kafka),
      reference(world, server, letters),
      service(world, {.on_read = [this](SimOrder& order) { reference.OnRead(order); },
                      .on_search = [this](std::size_t project) { reference.OnSearch(project); }}),
      hints(world, kafka,
            [this](const HintTopic::Record& record) { reference.OnCommitted(record); }),
      events(world, kafka,
             [this](const storage::v1::OutboxEntry& entry) { reference.OnEvent(entry); }) {
  server.Reset();
  redis.SetClock(world);
  redis.on_late_claim = [](Time) {};
  reference.SetService(service);
  reference.SetTopic(hints);
  RollTraits();
  configured.fill((1U << traits.projects) - 1);
  for (std::size_t i = 0; i < kProcesses; ++i) StartProcess(i);
}

void Stage::RollTraits() {
  Dice& dice = world.dice;
  traits.projects = dice.Percent(40) ? kProjects : 1;
  traits.neighbour_alone = traits.projects > 1 && dice.Percent(15);
  traits.large_family = !traits.neighbour_alone && dice.Percent(4);
  traits.whole_seconds = dice.Percent(15);
  traits.max_reads = dice.Percent(50) ? 4 : 64;
  service.whole_seconds = traits.whole_seconds;
}

void Stage::StartProcess(std::size_t i) {
  if (processes.at(i) != nullptr) return;
  processes.at(i) = std::make_unique<Process>(
      Shared{world, redis, service, hints, events, letters, traits, planted}, seed * 1000 + ++lives,
      ProjectsOf(configured.at(i), traits.projects));
}

void Stage::Crash(std::size_t i) {
  if (processes.at(i) == nullptr) return;
  if (world.keeps_history()) Note(absl::StrCat("process ", i, " dies"));
  processes.at(i).reset();
}

Process* Stage::Awake(std::size_t i) const {
  Process* process = processes.at(i).get();
  return process == nullptr || process->IsFrozen() ? nullptr : process;
}

const std::string& DueKey(std::size_t project) {
  static const std::array<std::string, kProjects> keys = {test::KeysOf("shop") + "due",
                                                          test::KeysOf("stall") + "due"};
  return keys.at(project);
}

}  // namespace tollbridge::events_model
