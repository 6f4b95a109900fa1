#ifndef TOLLBRIDGE_TESTS_EVENTS_MODEL_REFERENCE_H_
#define TOLLBRIDGE_TESTS_EVENTS_MODEL_REFERENCE_H_

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/events_model/consumer.h"
#include "tests/events_model/hint_topic.h"
#include "tests/events_model/service.h"
#include "tests/events_model/traits.h"
#include "tests/support/mini_redis/mini_redis.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::events_model {

/// What docs/guides/consumers.md and docs/design/events.md promise, by plain means: what was
/// published, beside what the payment service was.
class Reference {
 public:
  Reference(World& world, test::MiniRedis& redis, const DeadLetters& letters)
      : world_(world), redis_(redis), letters_(letters) {}

  void SetService(Service& service) { service_ = &service; }
  void SetTopic(const HintTopic& topic) { topic_ = &topic; }

  /// The order is asked for.
  void OnRead(SimOrder& order);
  /// The project's orders are searched for.
  void OnSearch(std::size_t project) { searched_.at(project) = world_.now(); }
  /// The topic of events has taken one more.
  void OnEvent(const storage::v1::OutboxEntry& entry);
  /// The group will never see the record again.
  void OnCommitted(const HintTopic::Record& record);
  /// Redis lost writes or the log of hints records, or more.
  void OnLoss() { lost_ = world_.now(); }
  /// Nothing fails any more.
  void OnHealed() { healed_ = world_.now(); }

  /// Of a webhook that was answered 200 just now, of another project than the one in trouble.
  void ExpectRead(SimOrder& order, Time within);
  /// All sweeps have come back by now.
  void CheckSweeps(std::size_t projects);
  /// Everything that was written by `until` is finished.
  void CheckPartitions(Time until);
  /// In the end.
  void CheckSettled();

 private:
  using Place = std::tuple<std::string, std::string, std::uint64_t>;
  struct Written {
    std::string payload;
    std::uint64_t copies = 0;
  };

  void Fail(const std::string& why) { world_.Fail(why); }
  /// Whether this is at its place: false for a repeat.
  bool IsNew(const events::v1::PaymentEvent& event, const std::string& payload);
  void CheckTrue(const events::v1::PaymentEvent& event, const SimOrder& order);
  void CheckOrder(const SimOrder& order);
  bool IsEnded(const HintTopic::Record& record, const SimOrder& order) const;
  /// The due queue has the order, or its root.
  bool IsDue(const SimOrder& order) const;

  World& world_;
  test::MiniRedis& redis_;
  const DeadLetters& letters_;
  Service* service_ = nullptr;
  const HintTopic* topic_ = nullptr;
  Time lost_ = -1;
  Time healed_ = -1;
  std::array<Time, kProjects> searched_{};
  std::map<Place, Written> written_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> ends_;
  /// Families, streams and ids: within a stream an event has one number.
  std::set<std::tuple<std::string, std::string, std::string>> places_;
  std::map<std::string, std::string> meanings_;  ///< by id
  std::set<std::string> begun_;                  ///< families that were told of
  std::vector<events::v1::PaymentEvent> told_;
  Consumer consumer_;
};

}  // namespace tollbridge::events_model

#endif  // TOLLBRIDGE_TESTS_EVENTS_MODEL_REFERENCE_H_
