#ifndef TOLLBRIDGE_SERVICES_EVENTS_EVENT_BUILDER_H_
#define TOLLBRIDGE_SERVICES_EVENTS_EVENT_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/uuid.h"
#include "base/telemetry/span.h"
#include "services/domain/family_diff.h"
#include "services/domain/project.h"
#include "services/events/settings.h"
#include "services/ports/clock.h"
#include "services/ports/family.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::events {

/// A value over this leaves the order out (docs/design/events.md#events).
inline constexpr std::size_t kMaxEventBytes = std::size_t{512} * 1024;
/// A text of an event outside of its order is cut to this: without the order the event always fits
/// then, also where JSON needs six characters for one.
inline constexpr std::size_t kMaxEventText = std::size_t{4} * 1024;

/// The order as events carry it: without CARD_DATA and CREDENTIAL fields, without the operation's
/// mark, without customer data unless configured, card numbers in foreign text masked.
common::v1::Order OrderForEvents(const common::v1::Order& order, CustomerData customer_data);

/// The order is in a test project: flag is-test.
bool IsTestOrder(const common::v1::Order& order);

/// What all events of one order in one read have in common.
struct ReadFacts {
  const domain::Project& project;
  const ports::FamilyKey& key;
  /// Made by OrderForEvents.
  const common::v1::Order& order;
  /// What was known of the order before this read, with its previous status; nullptr when nothing
  /// was.
  const storage::v1::OrderState* previous;
  /// The id of the snapshot's life, 16 bytes.
  const std::string& stream;
  WallTime noticed_at;
};

/// The whole event, its order included.
events::v1::PaymentEvent MakeEvent(const domain::DecidedEvent& decided, const ReadFacts& facts);

/// The traces that an event travels with; empty when there are none.
struct EventTraces {
  std::string traceparent;         ///< the event's own span, in the hint's trace
  std::string tracestate;          ///< that trace's
  std::string origin_traceparent;  ///< the call that created the order
};

/// The event's own span: below that of the read that led to it, with a link to the call that
/// created the order.
telemetry::Span StartCreation(const events::v1::PaymentEvent& event,
                              const telemetry::TraceContext& read,
                              const std::optional<telemetry::TraceContext>& origin);

/// What a record is like, whichever event is in it.
struct RecordForm {
  Encoding encoding{};
  /// Of Encoding::kConfluent.
  std::int64_t schema_id{};
  std::string topic;
};

/// The finished record: CloudEvents 1.0 binary mode headers, key = root order id, value in the
/// encoding. The same event gives the same bytes. Cuts texts to kMaxEventText, and leaves the order
/// out when the value would be over kMaxEventBytes.
storage::v1::OutboxEntry MakeOutboxEntry(events::v1::PaymentEvent event, const EventTraces& traces,
                                         const RecordForm& form);

/// The finished heartbeat: headers and value as those of events, in the same encoding, and no key.
storage::v1::OutboxEntry MakeHeartbeatEntry(const events::v1::Heartbeat& heartbeat, const Uuid& id,
                                            const RecordForm& form);

/// When what a record tells of happened; nullopt when it does not say.
std::optional<WallTime> HappenedAt(const storage::v1::OutboxEntry& entry);

/// Kind and what of such a record, from its type.
std::pair<std::string, std::string> KindAndWhat(const storage::v1::OutboxEntry& entry);

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_SERVICES_EVENTS_EVENT_BUILDER_H_
