#include "adapters/telemetry/metrics_page.h"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/boot_clock.h"
#include "base/core/steady_time.h"

namespace tollbridge::telemetry_exporters {
namespace {

namespace asio = boost::asio;

/// Of the thread's time one part goes into rendering, and so many into what else it does.
constexpr int kPartsOfOthers = 9;
/// Copies of a page that are sent at a time.
constexpr std::uint64_t kAtATime = 16;
/// However long it took, as where the process was stopped in the midst of it.
constexpr std::chrono::seconds kLongestRest{1};

/// Renders again and again, with rests in between, for those who came before.
class Pages {
 public:
  explicit Pages(telemetry::Metrics& metrics) : metrics_(metrics) {}

  /// One that is rendered after this was called.
  asio::awaitable<std::string> Next() {
    if (!rest_.has_value()) rest_.emplace(co_await asio::this_coro::executor);
    const std::uint64_t number = asked_++;
    while (number >= answered_) {
      if (rest_->expiry() <= asio::steady_timer::clock_type::now()) {
        Render();
      } else {
        co_await rest_->async_wait(asio::as_tuple(asio::use_awaitable));
      }
    }
    co_return page_;
  }

 private:
  void Render() {
    const BootTime begin = BootClock::now();
    page_ = RenderMetrics(metrics_);
    const BootTime end = BootClock::now();
    answered_ = std::min(asked_, answered_ + kAtATime);
    // Wakes all who wait.
    const BootClock::duration rest = kPartsOfOthers * (end - begin);
    rest_->expires_at(SteadyTime(end + std::min<BootClock::duration>(rest, kLongestRest)));
  }

  telemetry::Metrics& metrics_;
  /// No Signal: those who wait for one until the same time wake each other.
  std::optional<asio::steady_timer> rest_;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  std::string page_;
};

/// The handler may go while it waits, the pages not.
asio::awaitable<http::Response> Answer(std::shared_ptr<Pages> pages, const http::Request& request) {
  http::Response response;
  const std::string_view target = request.target;
  if (target.substr(0, target.find('?')) != "/metrics") {
    response.status = 404;
  } else if (request.method != "GET" && request.method != "HEAD") {
    response.status = 405;
    response.headers.Add("Allow", "GET, HEAD");
  } else {
    response.headers.Add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    response.body = co_await pages->Next();
  }
  co_return response;
}

}  // namespace

std::string RenderMetrics(telemetry::Metrics& metrics) {
  metrics.RunCollectors();
  return prometheus::TextSerializer().Serialize(metrics.collectable().Collect());
}

http::Handler MetricsHandler(telemetry::Metrics& metrics) {
  return [pages = std::make_shared<Pages>(metrics)](const http::Request& request,
                                                    const http::ConnectionInfo&) {
    return Answer(pages, request);
  };
}

}  // namespace tollbridge::telemetry_exporters
