#ifndef TOLLBRIDGE_TESTS_EVENTS_MODEL_FAULTS_H_
#define TOLLBRIDGE_TESTS_EVENTS_MODEL_FAULTS_H_

#include "tests/events_model/stage.h"

namespace tollbridge::events_model {

/// What goes wrong in a run until kActive, and how it is made good.
class Faults {
 public:
  explicit Faults(Stage& stage) : stage_(stage) {}

  void Plan();
  /// Nothing is wrong any more: all processes are there, with all projects and the right time.
  void Heal();

 private:
  void PlanOne(std::int64_t which, Time at);
  void PlanOfProcess(std::int64_t which, Time at);
  void PlanOfRedis(std::int64_t which, Time at);
  void PlanOfService(std::int64_t which, Time at);
  void PlanOfKafka(std::int64_t which, Time at);
  void PlanNeighbour();

  /// Something that begins at `at` and ends after a while.
  template <typename Begin, typename End>
  void Period(Time at, Time length, Begin begin, End end) {
    stage_.world.At(at, begin);
    stage_.world.At(at + length, end);
  }
  void Isolate(std::size_t i, bool isolated);
  /// Each process is started again with the project, or without it.
  void Configure(Time at, std::size_t project, bool has);
  void PlanFailover(Time at, Time behind, Time ahead);
  void ForgetFamily();

  Stage& stage_;
};

}  // namespace tollbridge::events_model

#endif  // TOLLBRIDGE_TESTS_EVENTS_MODEL_FAULTS_H_
