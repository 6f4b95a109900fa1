#include "services/sandbox/webhooks.h"

#include <absl/status/statusor.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <utility>

#include "adapters/http/client.h"
#include "adapters/http/url.h"

namespace tollbridge::sandbox {
namespace {

constexpr std::size_t kMaxLogRows = 10'000;

struct Attempt {
  Uuid order_id;
  int number = 1;
  Time at;
  std::string origin;
  std::string result;
};

std::string Body(const Uuid& order, const Uuid& project) {
  boost::json::object body;
  body["event"] = "status_changed";
  body["order_id"] = order.ToString();
  body["project_id"] = project.ToString();
  return boost::json::serialize(body);
}

}  // namespace

struct WebhookSender::State : std::enable_shared_from_this<WebhookSender::State> {
  State(boost::asio::any_io_executor executor_in, Clock* clock_in, WebhookPolicy policy_in)
      : executor(std::move(executor_in)), clock(clock_in), policy(policy_in) {}

  /// One client an origin, so that a receiver's connections are kept alive.
  std::shared_ptr<http::Client> ClientFor(const http::Url& url) {
    const std::string origin = url.Origin();
    auto& client = clients[origin];
    if (!client) {
      http::ClientOptions options;
      options.base_url = url;
      options.base_url.path.clear();
      options.base_url.query.clear();
      if (url.tls) {
        auto tls = http::TlsContext::ForClient({});
        if (!tls.ok()) return nullptr;
        options.tls = *tls;
      }
      options.user_agent = "payment-service-sandbox";
      client = std::make_shared<http::Client>(executor, options);
    }
    return client;
  }

  void Record(Attempt attempt) {
    log.push_back(std::move(attempt));
    if (log.size() > kMaxLogRows) log.pop_front();
  }

  boost::asio::awaitable<void> Deliver(Uuid order, Uuid project, http::Url url) {
    const auto self = shared_from_this();
    const std::shared_ptr<http::Client> client = ClientFor(url);
    if (!client) co_return;
    for (int number = 1; number <= policy.max_attempts; ++number) {
      http::Request request;
      request.method = "POST";
      request.target =
          (url.path.empty() ? "/" : url.path) + (url.query.empty() ? "" : "?" + url.query);
      request.headers.Set("Content-Type", "application/json");
      request.body = Body(order, project);
      const auto timeout = number == 1 ? policy.first_timeout : policy.retry_timeout;
      const Time at = clock->Now();
      const http::SendResult result =
          co_await client->Send(std::move(request), {.deadline = BootClock::now() + timeout});
      if (stopped) co_return;
      const bool delivered = result.fate == http::Fate::kAnswered && result.response.status < 400;
      Record({.order_id = order,
              .number = number,
              .at = at,
              .origin = url.Origin(),
              .result = result.fate == http::Fate::kAnswered
                            ? std::to_string(result.response.status)
                            : std::string(result.error.message())});
      if (delivered) co_return;
      boost::asio::steady_timer pause(executor, policy.pause);
      boost::system::error_code ignored;
      co_await pause.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
      if (stopped) co_return;
    }
  }

  boost::asio::any_io_executor executor;
  Clock* clock;
  WebhookPolicy policy;
  std::map<std::string, std::shared_ptr<http::Client>> clients;
  std::deque<Attempt> log;
  bool stopped = false;
};

WebhookSender::WebhookSender(boost::asio::any_io_executor executor, Clock* clock,
                             WebhookPolicy policy)
    : state_(std::make_shared<State>(std::move(executor), clock, policy)) {}

WebhookSender::~WebhookSender() { state_->stopped = true; }

void WebhookSender::Notify(const Order& order) {
  if (order.webhook_url.empty()) return;
  absl::StatusOr<http::Url> url = http::ParseUrl(order.webhook_url);
  if (!url.ok()) {
    state_->Record({.order_id = order.id,
                    .at = state_->clock->Now(),
                    .result = "the order's webhook_url is not a URL"});
    return;
  }
  boost::asio::co_spawn(state_->executor,
                        state_->Deliver(order.id, order.project_id, *std::move(url)),
                        boost::asio::detached);
}

boost::json::array WebhookSender::Log() const {
  boost::json::array out;
  for (const Attempt& attempt : state_->log) {
    boost::json::object row;
    row["order_id"] = attempt.order_id.ToString();
    row["attempt"] = attempt.number;
    row["at"] = FormatTime(attempt.at);
    row["url_origin"] = attempt.origin;
    row["result"] = attempt.result;
    out.push_back(std::move(row));
  }
  return out;
}

void WebhookSender::ClearLog() { state_->log.clear(); }

}  // namespace tollbridge::sandbox
