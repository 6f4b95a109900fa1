#include "services/reconcile/seen_order.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>

#include "services/domain/statuses.h"
#include "services/domain/timestamps.h"
#include "tollbridge/options/v1/options.pb.h"

namespace tollbridge::reconcile {

using common::v1::OrderStatus;
using ports::WallTime;

std::optional<WallTime> SeenOrder::LastChange() const {
  return std::max({created, completed, modified});
}

std::optional<SeenOrder> Seen(const common::v1::Order& order) {
  const std::optional<Uuid> id = Uuid::Parse(order.id());
  if (!id) return std::nullopt;
  SeenOrder seen{.id = *id, .status = order.status(), .status_text = order.status_text()};
  if (order.has_created()) seen.created = domain::ToInstant(order.created());
  if (order.has_completed()) seen.completed = domain::ToInstant(order.completed());
  if (order.has_modified()) seen.modified = domain::ToInstant(order.modified());
  return seen;
}

OrderStatus StatusOfText(std::string_view text) {
  const google::protobuf::EnumDescriptor& statuses = *common::v1::OrderStatus_descriptor();
  for (int i = 0; i < statuses.value_count(); ++i) {
    const google::protobuf::EnumValueDescriptor& status = *statuses.value(i);
    if (!text.empty() && status.options().GetExtension(options::v1::wire_value) == text) {
      return static_cast<OrderStatus>(status.number());
    }
  }
  return common::v1::ORDER_STATUS_UNSPECIFIED;
}

std::string TextOfStatus(OrderStatus status, std::string_view otherwise) {
  const google::protobuf::EnumValueDescriptor* value =
      common::v1::OrderStatus_descriptor()->FindValueByNumber(status);
  if (value == nullptr || status == common::v1::ORDER_STATUS_UNSPECIFIED) {
    return std::string(otherwise);
  }
  return value->options().GetExtension(options::v1::wire_value);
}

Comparison Compare(const SeenOrder& seen, const ports::KnownOrder& known) {
  if (!known.recorded) return Comparison::kMissing;
  const bool same = seen.status == known.status && seen.status_text == known.status_text;
  if (seen.modified && known.modified) {
    if (*seen.modified < *known.modified) return Comparison::kOlder;
    if (*seen.modified > *known.modified) return Comparison::kDifferent;
  }
  if (same) return Comparison::kSame;
  const bool comes_back = domain::IsFinalOrSeeTransactions(known.status) &&
                          !domain::IsFinalOrSeeTransactions(seen.status);
  return comes_back ? Comparison::kOlder : Comparison::kDifferent;
}

}  // namespace tollbridge::reconcile
