#ifndef TOLLBRIDGE_SERVICES_DOMAIN_PUBLISHED_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_PUBLISHED_H_

#include <cstdint>
#include <vector>

#include "tollbridge/events/v1/events.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::domain {

/// What was published of an order, and how often: one of OrderState's `published`.
struct Published {
  events::v1::EventWhat what;
  std::uint32_t times;
};

/// All that was published of an order, in the order in which each first was.
std::vector<Published> PublishedOf(const storage::v1::OrderState& state);

/// How often `what` was published of an order; 0: never.
std::uint32_t TimesPublished(const storage::v1::OrderState& state, events::v1::EventWhat what);

/// Notes that `what` was published `times` times, whatever was noted of it before.
void SetPublished(storage::v1::OrderState* state, events::v1::EventWhat what, std::uint32_t times);

/// Notes that `what` is published once more. How often it then was.
std::uint32_t CountPublished(storage::v1::OrderState* state, events::v1::EventWhat what);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_PUBLISHED_H_
