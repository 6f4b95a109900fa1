#include "adapters/telemetry/metrics_page.h"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/core/boot_clock.h"
#include "base/core/signal.h"

namespace tollbridge::telemetry_exporters {
namespace {

namespace asio = boost::asio;

/// Of the thread's time one part goes into rendering, and so many into what else it does.
constexpr int kPartsOfOthers = 9;
/// Copies of a page that are sent at a time.
constexpr std::size_t kAtATime = 16;
/// However long it took, as where the process was stopped in the midst of it.
constexpr std::chrono::seconds kLongestRest{1};
/// Who wait for a page, from one address.
constexpr std::size_t kWaitersOfAddress = 4;

/// Renders again and again, with rests in between, for those who came before.
class Pages {
 public:
  enum class Outcome { kPage, kTooMany, kGivenUp };

  Pages(telemetry::Metrics& metrics, std::function<BootTime()> now)
      : metrics_(metrics), now_(std::move(now)) {}

  /// Waits for a page that is rendered after this was called.
  asio::awaitable<Outcome> Next(const http::ConnectionInfo& connection) {
    const auto found = of_address_.find(connection.source);
    if (found != of_address_.end() && found->second >= kWaitersOfAddress) {
      co_return Outcome::kTooMany;
    }
    Waiter waiter(*this, connection, co_await asio::this_coro::executor);
    while (!waiter.outcome.has_value()) {
      if (rest_until_ <= now_()) {
        Render();
      } else {
        co_await waiter.signal.Wait(rest_until_);
      }
    }
    co_return *waiter.outcome;
  }

  /// The last one.
  const std::string& page() const { return page_; }

 private:
  struct Waiter {
    Waiter(Pages& p, const http::ConnectionInfo& c, const asio::any_io_executor& executor)
        : pages(p), connection(c), signal(executor) {
      place = pages.waiting_.insert(pages.waiting_.end(), this);
      ++pages.of_address_[connection.source];
      if (connection.waits) connection.waits([this] { End(Outcome::kGivenUp); });
    }
    ~Waiter() {
      if (connection.waits) connection.waits({});
      if (!outcome.has_value()) pages.waiting_.erase(place);
      const auto found = pages.of_address_.find(connection.source);
      if (--found->second == 0) pages.of_address_.erase(found);
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    void End(Outcome how) {
      // It may have its page, and be told of that by and by.
      if (outcome.has_value()) return;
      pages.waiting_.erase(place);
      outcome = how;
      signal.Fire();
    }

    Pages& pages;
    const http::ConnectionInfo& connection;
    Signal signal;
    std::list<Waiter*>::iterator place;
    std::optional<Outcome> outcome;
  };

  void Render() {
    const BootTime begin = now_();
    page_ = RenderMetrics(metrics_);
    const BootTime end = now_();
    for (std::size_t i = 0; i < kAtATime && !waiting_.empty(); ++i) {
      waiting_.front()->End(Outcome::kPage);
    }
    const BootClock::duration rest = kPartsOfOthers * (end - begin);
    rest_until_ = end + std::min<BootClock::duration>(rest, kLongestRest);
  }

  telemetry::Metrics& metrics_;
  std::function<BootTime()> now_;
  BootTime rest_until_{};
  std::list<Waiter*> waiting_;
  /// How many there are, by address; never none.
  std::unordered_map<std::string, std::size_t> of_address_;
  std::string page_;
};

/// The handler may go while it waits, the pages not.
asio::awaitable<http::Response> Answer(std::shared_ptr<Pages> pages, const http::Request& request,
                                       const http::ConnectionInfo& connection) {
  http::Response response;
  const std::string_view target = request.target;
  if (target.substr(0, target.find('?')) != "/metrics") {
    response.status = 404;
  } else if (request.method != "GET" && request.method != "HEAD") {
    response.status = 405;
    response.headers.Add("Allow", "GET, HEAD");
  } else {
    const Pages::Outcome outcome = co_await pages->Next(connection);
    if (outcome == Pages::Outcome::kPage) {
      response.headers.Add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
      response.body = pages->page();
    } else {
      response.status = 503;
      response.headers.Add("Content-Type", "text/plain; charset=utf-8");
      response.headers.Add("Connection", "close");
      response.body = "too many scrapes from this address wait for a page\n";
    }
  }
  co_return response;
}

}  // namespace

std::string RenderMetrics(telemetry::Metrics& metrics) {
  metrics.RunCollectors();
  return prometheus::TextSerializer().Serialize(metrics.collectable().Collect());
}

http::Handler MetricsHandler(telemetry::Metrics& metrics, std::function<BootTime()> now) {
  auto pages = std::make_shared<Pages>(metrics, std::move(now));
  return [pages = std::move(pages)](const http::Request& request,
                                    const http::ConnectionInfo& connection) {
    return Answer(pages, request, connection);
  };
}

}  // namespace tollbridge::telemetry_exporters
