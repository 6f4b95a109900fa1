#include "gateway/wiring/search.h"

#include "services/search/export_orders.h"
#include "services/search/search_orders.h"
#include "services/search/stream_orders.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::gateway {
namespace {

namespace pb = search::v1;

AsyncStatus StreamOrders(ShardParts& parts, const domain::Projects& projects,
                         const pb::StreamOrdersRequest& request, const ports::Context& context,
                         rpc::StreamWriter<pb::StreamOrdersResponse> writer) {
  const search::StreamSink<pb::StreamOrdersResponse> sink =
      [&writer](const pb::StreamOrdersResponse& response) { return writer.Write(response); };
  co_return co_await search::StreamOrders(*parts.payment_service, parts.clock, projects, request,
                                          context, sink);
}

AsyncStatus ExportOrders(ShardParts& parts, const domain::Projects& projects,
                         const pb::ExportOrdersRequest& request, const ports::Context& context,
                         rpc::StreamWriter<pb::ExportOrdersResponse> writer) {
  const search::StreamSink<pb::ExportOrdersResponse> sink =
      [&writer](const pb::ExportOrdersResponse& response) { return writer.Write(response); };
  co_return co_await search::ExportOrders(*parts.payment_service, projects, request, context, sink);
}

}  // namespace

void RegisterSearch(ShardParts& parts, const domain::Projects& projects) {
  rpc::Dispatcher& dispatcher = *parts.dispatcher;
  dispatcher.HandleRead<pb::SearchOrdersRequest, pb::SearchOrdersResponse>(
      "tollbridge.search.v1.Search.SearchOrders",
      [&parts, &projects](const pb::SearchOrdersRequest& request, const ports::Context& context) {
        return search::SearchOrders(*parts.payment_service, projects, request, context);
      });
  dispatcher.HandleStream<pb::StreamOrdersRequest, pb::StreamOrdersResponse>(
      "tollbridge.search.v1.Search.StreamOrders",
      [&parts, &projects](const pb::StreamOrdersRequest& request, const ports::Context& context,
                          rpc::StreamWriter<pb::StreamOrdersResponse> writer) {
        return StreamOrders(parts, projects, request, context, writer);
      });
  dispatcher.HandleStream<pb::ExportOrdersRequest, pb::ExportOrdersResponse>(
      "tollbridge.search.v1.Search.ExportOrders",
      [&parts, &projects](const pb::ExportOrdersRequest& request, const ports::Context& context,
                          rpc::StreamWriter<pb::ExportOrdersResponse> writer) {
        return ExportOrders(parts, projects, request, context, writer);
      });
}

}  // namespace tollbridge::gateway
