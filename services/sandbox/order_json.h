#ifndef TOLLBRIDGE_SERVICES_SANDBOX_ORDER_JSON_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_ORDER_JSON_H_

#include <boost/json/object.hpp>
#include <string_view>

#include "services/sandbox/model.h"

namespace tollbridge::sandbox {

/// An order as the service answers it (interface document, sections Order and Transaction).
/// `base_url`: scheme, host and port of the hosted pages.
boost::json::object ToJson(const Order& order, std::string_view base_url);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_ORDER_JSON_H_
