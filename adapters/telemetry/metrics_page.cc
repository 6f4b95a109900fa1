#include "adapters/telemetry/metrics_page.h"

#include <absl/cleanup/cleanup.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/core/boot_clock.h"
#include "base/core/steady_time.h"

namespace tollbridge::telemetry_exporters {
namespace {

namespace asio = boost::asio;

/// Of the thread's time one part goes into rendering, and so many into what else it does.
constexpr int kPartsOfOthers = 9;
/// Copies of a page that are sent at a time.
constexpr std::uint64_t kAtATime = 16;
/// Who waits for the next one, in all and of one address.
constexpr int kMostWaiting = 32;
constexpr int kMostOfAddress = 4;

/// Renders again and again, with rests in between, for those who came before.
class Pages {
 public:
  explicit Pages(telemetry::Metrics& metrics) : metrics_(metrics) {}

  /// One that is rendered after this was called; nullopt where enough wait for it.
  asio::awaitable<std::optional<std::string>> Next(std::string address) {
    if (!rest_.has_value()) rest_.emplace(co_await asio::this_coro::executor);
    const auto found = waiting_.find(address);
    const int of_address = found == waiting_.end() ? 0 : found->second;
    if (waits_ >= kMostWaiting || of_address >= kMostOfAddress) co_return std::nullopt;
    ++waits_;
    ++waiting_[address];
    const absl::Cleanup leave = [&] {
      --waits_;
      if (--waiting_[address] == 0) waiting_.erase(address);
    };
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
    rest_->expires_at(SteadyTime(end + kPartsOfOthers * (end - begin)));
  }

  telemetry::Metrics& metrics_;
  /// No Signal: those who wait for one until the same time wake each other.
  std::optional<asio::steady_timer> rest_;
  /// By address; none has none.
  std::unordered_map<std::string, int> waiting_;
  int waits_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  std::string page_;
};

/// The handler may go while it waits, the pages not.
asio::awaitable<http::Response> Answer(std::shared_ptr<Pages> pages, const http::Request& request,
                                       std::string peer) {
  http::Response response;
  const std::string_view target = request.target;
  if (target.substr(0, target.find('?')) != "/metrics") {
    response.status = 404;
  } else if (request.method != "GET" && request.method != "HEAD") {
    response.status = 405;
    response.headers.Add("Allow", "GET, HEAD");
  } else {
    peer.resize(std::min(peer.rfind(':'), peer.size()));
    auto page = co_await pages->Next(std::move(peer));
    if (page.has_value()) {
      response.headers.Add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
      response.body = *std::move(page);
    } else {
      response.status = 503;
      response.headers.Add("Retry-After", "1");
    }
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
                                                    const http::ConnectionInfo& connection) {
    return Answer(pages, request, connection.peer);
  };
}

}  // namespace tollbridge::telemetry_exporters
