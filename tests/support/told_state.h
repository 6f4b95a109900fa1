#ifndef TOLLBRIDGE_TESTS_SUPPORT_TOLD_STATE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_TOLD_STATE_H_

#include <initializer_list>

#include "services/domain/published.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::test {

/// What a snapshot has of a completed payment of which this was told, each once.
inline storage::v1::OrderState ToldState(std::initializer_list<events::v1::EventWhat> told) {
  storage::v1::OrderState state;
  state.set_status(common::v1::ORDER_STATUS_COMPLETED);
  state.set_kind(events::v1::EVENT_KIND_PAYMENT);
  for (const events::v1::EventWhat what : told) {
    domain::SetPublished(&state, what, 1);
  }
  return state;
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_TOLD_STATE_H_
