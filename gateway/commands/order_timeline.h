#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_ORDER_TIMELINE_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_ORDER_TIMELINE_H_

#include <absl/status/status.h>

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/uuid.h"
#include "services/domain/project.h"
#include "services/ports/clock.h"
#include "services/ports/snapshot_store.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/events/v1/hint.pb.h"
#include "tollbridge/operations/v1/operations.pb.h"

/// What several sources tell of one order, as one story. Text from outside is shown without control
/// characters and card numbers, and nothing of customers.
namespace tollbridge::gateway {

struct TimelineEntry {
  /// Of what happened; nullopt for what is only known to be so: it comes last.
  std::optional<WallTime> time;
  std::string source;
  std::string text;
  /// The same for programs.
  boost::json::object details;
};

/// A source, and why it has not told everything.
struct TimelineSource {
  std::string name;
  absl::Status asked;
};

/// Where a record lies in its topic.
struct TopicPlace {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
};

class OrderTimeline {
 public:
  OrderTimeline(const domain::Project& project, const Uuid& order)
      : project_(project.name), project_id_(project.id), order_(order), root_(order) {}

  /// Root of the order's family, once it is known to be a member.
  void SetRoot(const Uuid& root) { root_ = root; }
  const Uuid& root() const { return root_; }

  /// That the source was asked, or why it could not be.
  void AddSource(std::string name, absl::Status asked);
  void Add(const operations::v1::Operation& operation);
  /// The family's: what was known at the last read of the order, and what is under way.
  void Add(const ports::FamilyState& family);
  void Add(const events::v1::Hint& hint, const TopicPlace& place);
  /// One of another project is left out: on the same topic its order may have the same id. Its name
  /// does not tell, since the project may have had another.
  void Add(const events::v1::PaymentEvent& event, const TopicPlace& place);
  /// What the payment service answers now.
  void Add(const common::v1::Order& order);

  /// Whether any source has told anything.
  bool known() const { return !entries_.empty(); }
  /// Whether each source was asked, and told everything.
  bool whole() const;

  std::string Text() const;
  std::string Json() const;

 private:
  void Append(std::optional<WallTime> time, std::string_view source, std::string text,
              boost::json::object details);
  std::vector<TimelineEntry> Sorted() const;

  const std::string project_;
  const Uuid project_id_;
  const Uuid order_;
  Uuid root_;
  std::vector<TimelineSource> sources_;
  std::vector<TimelineEntry> entries_;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_ORDER_TIMELINE_H_
