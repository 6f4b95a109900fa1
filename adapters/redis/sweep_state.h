#ifndef TOLLBRIDGE_ADAPTERS_REDIS_SWEEP_STATE_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_SWEEP_STATE_H_

#include <optional>
#include <string>

#include "adapters/redis/script_runner.h"
#include "services/ports/sweep_state.h"

namespace tollbridge::redis {

/// The progress of sweeps in one Redis primary: the hash `sweep` of each project. One round trip
/// a call, besides what ScriptRunner::LearnEpoch makes.
class RedisSweepState : public ports::SweepState {
 public:
  explicit RedisSweepState(ScriptRunner& scripts) : scripts_(scripts) {}

  Async<std::optional<storage::v1::SweepProgress>> Take(const std::string& project,
                                                        const std::string& token,
                                                        ports::Millis lease,
                                                        const ports::Context& context) override;
  Async<bool> Save(const std::string& project, const std::string& token, ports::Millis lease,
                   const storage::v1::SweepProgress& progress,
                   const ports::Context& context) override;
  Async<storage::v1::SweepProgress> Load(const std::string& project,
                                         const ports::Context& context) override;

 private:
  ScriptRunner& scripts_;
};

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_SWEEP_STATE_H_
