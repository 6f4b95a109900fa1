#ifndef TOLLBRIDGE_SERVICES_DOMAIN_ORDER_VIEW_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_ORDER_VIEW_H_

#include <string>
#include <string_view>

#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::domain {

/// The order as callers see it: without our mark in `extra`, with webhook_url masked, and without
/// CARD_DATA that the service may return (docs/design/operations.md#rule-17).
common::v1::Order ForCaller(common::v1::Order order);

/// Makes it so where it is.
void MakeForCaller(common::v1::Order& order);

/// A URL whose path may be a secret, cut to scheme and host: `https://example.com/***`.
std::string MaskUrl(std::string_view url);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_ORDER_VIEW_H_
