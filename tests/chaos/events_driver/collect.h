#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_COLLECT_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_COLLECT_H_

#include <boost/json/array.hpp>
#include <memory>
#include <string>

#include "tests/chaos/events_auditor/history.h"
#include "tests/chaos/events_driver/cluster.h"
#include "tests/support/topic.h"

namespace tollbridge::pipeline {

/// Reads what a run has left at the payment service and on the topics. Each read of a topic goes on
/// where the last one ended.
class Collector {
 public:
  explicit Collector(Cluster* cluster);

  /// Whether something will still change at the payment service by itself: a payment is under way,
  /// or a paid order is held. Throws std::runtime_error when it does not answer.
  bool ChangesAreComing() const;
  /// All but what the driver itself has written, to the folder for the auditor.
  void Collect(const std::string& folder);

 private:
  boost::json::array AdminList(const std::string& name) const;
  void AddOrders(History* history) const;
  void AddChanges(History* history) const;
  void AddDeliveries(History* history) const;
  void AddMoney(History* history) const;
  void AddReads(History* history) const;
  void AddHints(History* history);
  void AddEvents(History* history);

  Cluster& cluster_;
  std::unique_ptr<test::Topic> hints_;
  std::unique_ptr<test::Topic> events_;
};

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_DRIVER_COLLECT_H_
