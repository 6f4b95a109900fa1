#ifndef TOLLBRIDGE_SANDBOX_CORE_CUSTOMER_TEXT_H_
#define TOLLBRIDGE_SANDBOX_CORE_CUSTOMER_TEXT_H_

#include <boost/json/object.hpp>
#include <optional>
#include <string_view>

#include "sandbox/core/model.h"

namespace tollbridge::sandbox {

/// The texts of an order's customer (docs/interface.md#customer). Orders keep it as JSON text,
/// which is taken apart when the first of them is asked for.
class CustomerText {
 public:
  explicit CustomerText(const Order& order) : order_(order) {}

  /// nullopt when the customer has no such field, or no text in it. Lives as long as this.
  std::optional<std::string_view> Find(std::string_view field);

 private:
  const Order& order_;
  std::optional<boost::json::object> customer_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_CORE_CUSTOMER_TEXT_H_
