#include "adapters/telemetry/metrics_page.h"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace tollbridge::telemetry_exporters {

std::string RenderMetrics(telemetry::Metrics& metrics) {
  metrics.RunCollectors();
  return prometheus::TextSerializer().Serialize(metrics.collectable().Collect());
}

http::Handler MetricsHandler(telemetry::Metrics& metrics) {
  return [&metrics](const http::Request& request,
                    const http::ConnectionInfo&) -> boost::asio::awaitable<http::Response> {
    http::Response response;
    const std::string_view target = request.target;
    if (target.substr(0, target.find('?')) != "/metrics") {
      response.status = 404;
    } else if (request.method != "GET" && request.method != "HEAD") {
      response.status = 405;
      response.headers.Add("Allow", "GET, HEAD");
    } else {
      response.headers.Add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
      response.body = RenderMetrics(metrics);
    }
    co_return response;
  };
}

}  // namespace tollbridge::telemetry_exporters
