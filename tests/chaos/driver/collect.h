#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_COLLECT_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_COLLECT_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/chaos/auditor/history.h"
#include "tests/chaos/driver/cluster.h"
#include "tests/support/topic.h"

namespace tollbridge::chaos {

/// Every order that the sandbox's search shows of the project, as the interface gives it. Throws
/// std::runtime_error when the sandbox does not answer.
void EachOrder(const test::Stack& stack,
               const std::function<void(const boost::json::object&)>& each,
               const test::StackProject& project = test::kDemoProject);

/// Reads what a run has left at the payment service, in the gateways and on the topics. Each read
/// goes on where the last one ended, as far as it can.
class Collector {
 public:
  explicit Collector(Cluster* cluster);

  /// Operations of all projects that are not closed. Throws std::runtime_error when no gateway
  /// tells.
  std::vector<OpenLine> Open();
  /// All of it, written to the folder for the auditor; the callers' log is there already.
  void Collect(const std::string& folder);

 private:
  std::vector<OpenLine> Open(const test::StackProject& project);
  /// With what moves no money: cards and payment links.
  std::vector<Effect> Ledger() const;
  boost::json::array AdminList(const std::string& name) const;
  std::vector<KnownOrder> Orders() const;
  std::vector<OperationLine> OperationLines();
  std::vector<EventLine> EventLines();

  Cluster& cluster_;
  std::unique_ptr<test::Topic> operations_;
  std::unique_ptr<test::Topic> events_;
};

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_COLLECT_H_
