#ifndef TOLLBRIDGE_TESTS_EVENTS_MODEL_SCENARIO_H_
#define TOLLBRIDGE_TESTS_EVENTS_MODEL_SCENARIO_H_

#include <functional>

#include "tests/events_model/stage.h"

namespace tollbridge::events_model {

/// What becomes of orders at the payment service, and who is told of it.
class Scenario {
 public:
  explicit Scenario(Stage& stage) : stage_(stage) {}

  /// Plans it all.
  void Plan();
  /// After this nothing changes any more.
  Time ends() const { return ends_; }

 private:
  using Status = common::v1::OrderStatus;

  void PlanFamily(std::size_t project, Time at);
  void PlanLargeFamily(std::size_t project, Time at);
  /// In so long, and nothing changes after the last of these.
  void After(Time wait, std::function<void()> action);
  SimOrder& AddRoot(std::size_t project, events::v1::EventKind kind, common::v1::Order first);
  /// What a payment, a payout or an authorization comes to.
  void Live(SimOrder& root);
  void End(SimOrder& order, Status status, Time wait);
  void PlanMembers(SimOrder& root);
  SimOrder& AddMember(SimOrder& parent, events::v1::EventKind kind);
  /// The parent, and mostly the root, show it.
  void Link(SimOrder& parent, SimOrder& member, bool always);
  void PlanSickness();

  /// The payment service tells of a change: once, late, more than once, or not at all.
  void Webhook(SimOrder& order);
  void Deliver(SimOrder& order, int attempt);
  /// What an operation of ours leaves with its order (scripts/effects.lua).
  void EnterOrder(SimOrder& order);
  void PlanNoise();

  Stage& stage_;
  Time ends_ = 0;
};

}  // namespace tollbridge::events_model

#endif  // TOLLBRIDGE_TESTS_EVENTS_MODEL_SCENARIO_H_
