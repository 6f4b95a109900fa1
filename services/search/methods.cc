#include "services/search/methods.h"

#include "services/search/export_orders.h"
#include "services/search/rules.h"
#include "services/search/search_orders.h"
#include "services/search/stream_orders.h"

namespace tollbridge::search {
namespace {

AsyncStatus StreamAll(const operations::MethodPorts& ports, const domain::Project& project,
                      const v1::StreamOrdersRequest& request, const ports::Context& context,
                      const StreamSink<v1::StreamOrdersResponse>& sink) {
  return StreamOrders(ports.service, ports.clock, project, request, context, sink);
}

}  // namespace

std::vector<operations::Method> SearchMethods() {
  return {operations::Read(&SearchOrders, &SearchOrdersViolations),
          operations::ServerStream(&StreamAll, &StreamOrdersViolations),
          operations::ServerStream(&ExportOrders, &ExportOrdersViolations)};
}

}  // namespace tollbridge::search
