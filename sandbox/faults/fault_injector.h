#ifndef TOLLBRIDGE_SANDBOX_FAULTS_FAULT_INJECTOR_H_
#define TOLLBRIDGE_SANDBOX_FAULTS_FAULT_INJECTOR_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message.h"
#include "sandbox/core/model.h"
#include "sandbox/core/random.h"
#include "sandbox/core/result.h"
#include "sandbox/core/simulation.h"
#include "sandbox/faults/fault_plan.h"

namespace tollbridge::sandbox {

/// What a call is about, as rules name it; empty where it is about no order.
struct FaultSubject {
  std::string order;
  std::string merchant_order_id;
};

/// Makes happen what the fault plan says. Latency and slow bodies pass in real time, everything
/// else on the sandbox's clock. Lives on the executor's thread.
class FaultInjector {
 public:
  /// Carries the call out and gives its answer; reads show the state of `read_lag` ago. Owns what
  /// it needs, since it may be called long after the connection died, and sets Simulation::cause.
  using Serve = std::function<http::Response(Millis read_lag)>;

  FaultInjector(Simulation* simulation, boost::asio::any_io_executor executor);
  FaultInjector(const FaultInjector&) = delete;
  FaultInjector& operator=(const FaultInjector&) = delete;

  /// Puts a plan in place of the one in force, and counts from the start.
  void SetPlan(FaultPlan plan);
  /// As above for what ReadFaultPlan makes of it. A plan that is refused changes nothing.
  Result<void> SetPlan(const boost::json::object& plan,
                       std::span<const std::string_view> operations);
  /// Keeps the plan; counts and chance begin anew.
  void Restart();

  /// Whether there are no faults.
  bool empty() const { return plan_.rules.empty(); }
  /// The longest that read_lag can ask for: so long must states be kept.
  Millis longest_read_lag() const;
  /// {"plan": as it was set, "hits": [{"rule": index, "name"?, "matched", "hits"}]}: how many calls
  /// a rule's `on` fitted but for nth, probability and times, and how often its fault happened.
  boost::json::object ToJson() const;

  /// Carries a call out with the faults that match it. Latencies and read lags of all rules that
  /// match add up; of the other faults, that of the first rule that matches happens. The call is
  /// carried out at once also where its answer is held back.
  boost::asio::awaitable<http::Response> Around(std::string_view operation, FaultSubject subject,
                                                Serve serve);

  /// What becomes of a webhook: the fault of the first rule that matches; nullopt: none. To be
  /// asked once a notification, not once an attempt.
  std::optional<Fault> OnWebhook(const Order& order);

 private:
  struct Counts {
    std::int64_t matched = 0;
    std::int64_t hits = 0;
  };
  struct Verdict {
    Millis latency{0};
    Millis read_lag{0};
    std::optional<Fault> fault;
  };

  Verdict Decide(std::string_view operation, const FaultSubject& subject);
  bool Fires(const FaultRule& rule, Counts& counts);
  boost::asio::awaitable<http::Response> Answer(Fault fault, Millis read_lag, Serve serve);
  http::Response ExecuteLater(const Fault& fault, Millis read_lag, Serve serve);

  Simulation* simulation_;
  boost::asio::any_io_executor executor_;
  FaultPlan plan_;
  /// One a rule.
  std::vector<Counts> counts_;
  /// Its own, so that faults do not shift the ids.
  Random random_;
  /// A copy lives in each effect that is still to come.
  std::shared_ptr<const bool> late_effects_ = std::make_shared<const bool>(true);
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_FAULTS_FAULT_INJECTOR_H_
