#include "services/sandbox/model.h"

namespace tollbridge::sandbox {

bool IsFinal(const Order& order) {
  return order.status == "completed" || order.status == "cancelled" || order.status == "expired" ||
         order.status == "error";
}

}  // namespace tollbridge::sandbox
