#include "services/ports/payment_service.h"

#include <utility>

#include "base/core/status_macros.h"

namespace tollbridge::ports {

Async<OrderPage> PaymentService::ListOrders(const domain::Project& project,
                                            const common::v1::OrderSearch& search,
                                            const Context& context) {
  TB_CO_ASSIGN_OR_RETURN(common::v1::OrderSearchResult found,
                         co_await SearchOrders(project, search, context));
  co_return ToPage(std::move(found));
}

}  // namespace tollbridge::ports
