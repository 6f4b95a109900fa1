#include "tests/integration/rpc/echo_server.h"

#include <functional>
#include <stdexcept>

#include <gtest/gtest.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "services/rpc/authenticate.h"
#include "services/rpc/authorize.h"
#include "services/rpc/limit.h"
#include "services/rpc/log.h"
#include "services/rpc/meter.h"
#include "services/rpc/parse.h"
#include "services/rpc/trace.h"
#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::rpc {
namespace {

using namespace tollbridge::testing::v1;  // NOLINT(google-build-using-namespace): only the test
                                          // messages

class SystemClock : public ports::Clock {
 public:
  WallTime WallNow() const override {
    return std::chrono::time_point_cast<ports::Millis>(std::chrono::system_clock::now());
  }
  BootTime BootNow() const override { return BootClock::now(); }
  boost::asio::awaitable<void> Sleep(ports::Millis) override { co_return; }
};

// Where Durable stands in the gateway: answers mutations, passes on the rest.
class FakeDurable : public Middleware {
 public:
  explicit FakeDurable(EchoServer& server) : server_(server) {}
  AsyncStatus Handle(Call& call, Next next) override {
    if (call.method().effect != options::v1::EFFECT_MUTATION) {
      co_return co_await next(call);
    }
    const auto& request = static_cast<const ChangeRequest&>(call.request());
    if (request.text() == "wait") co_await server_.gate.Pass();
    ++server_.changed;
    call.AddInitialMetadata("tollbridge-replayed", "true");
    ChangeResponse response;
    response.set_text(request.text());
    call.Answer(response);
    co_return absl::OkStatus();
  }

 private:
  EchoServer& server_;
};

AsyncStatus Say(EchoServer& server, Call& call) {
  const auto& request = static_cast<const EchoRequest&>(call.request());
  const ports::Context context = call.context();
  if (request.text() == "wait") co_await server.gate.Pass();
  if (request.text() == "throw") throw std::runtime_error("as asked");
  if (request.text() == "raw") co_return absl::InternalError("a secret of the inside");
  EchoResponse response;
  response.set_text(request.text());
  if (request.has_extra()) *response.mutable_extra() = request.extra();
  response.set_trace_id(context.trace.TraceIdHex());
  response.set_caller(call.caller().identity);
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(context.deadline - BootClock::now());
  response.mutable_time_left()->set_seconds(left.count() / 1000);
  call.Answer(response);
  co_return absl::OkStatus();
}

AsyncStatus Count(EchoServer& server, Call& call) {
  const auto& request = static_cast<const CountRequest&>(call.request());
  CountResponse message;
  message.set_filling(std::string(static_cast<std::size_t>(request.filling_bytes()), 'x'));
  absl::Status written;
  for (int i = 0; i < request.messages() && written.ok(); ++i) {
    message.set_index(i);
    written = co_await call.Write(message);
    if (written.ok()) ++server.written;
  }
  server.stream_ended = true;
  co_return written;
}

class EchoHandler final : public Handler {
 public:
  EchoHandler(EchoServer& server, AsyncStatus (*answer)(EchoServer&, Call&))
      : server_(server), answer_(answer) {}
  AsyncStatus Handle(Call& call) override { return answer_(server_, call); }

 private:
  EchoServer& server_;
  AsyncStatus (*answer_)(EchoServer&, Call&);
};

}  // namespace

boost::asio::awaitable<void> Gate::Pass() {
  const auto executor = co_await boost::asio::this_coro::executor;
  co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void()>(
      [this, executor](auto handler) {
        auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        std::function<void()> go_on = [executor, shared] {
          boost::asio::post(executor, [shared] { std::move (*shared)(); });
        };
        const std::lock_guard lock(mutex_);
        ++arrivals_;
        arrived_.notify_all();
        if (open_) return go_on();
        waiting_.push_back(std::move(go_on));
      },
      boost::asio::use_awaitable);
}

void Gate::Open() {
  std::vector<std::function<void()>> waiting;
  {
    const std::lock_guard lock(mutex_);
    open_ = true;
    waiting.swap(waiting_);
  }
  for (const auto& go_on : waiting) go_on();
}

bool Gate::WaitForArrivals(int count) {
  std::unique_lock lock(mutex_);
  return arrived_.wait_for(lock, std::chrono::seconds(30), [&] { return arrivals_ >= count; });
}

EchoServer::EchoServer(ServerSettings settings, std::int64_t max_in_flight, AccessSettings access)
    : clock_(std::make_unique<SystemClock>()),
      methods_(*MethodTable::Of({"tollbridge.testing.v1.Echo"})),
      rules_(methods_, {}),
      access_(std::move(access)),
      projects_({{.name = "shop", .id = *Uuid::Parse("11111111-1111-4111-8111-111111111111")},
                 {.name = "travel", .id = *Uuid::Parse("22222222-2222-4222-8222-222222222222")}}) {
  std::vector<Dispatcher*> dispatchers;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    std::vector<std::unique_ptr<Middleware>> links;
    links.push_back(std::make_unique<Trace>());
    links.push_back(std::make_unique<Meter>(metrics_, *clock_));
    links.push_back(std::make_unique<Log>(*clock_));
    links.push_back(std::make_unique<Authenticate>(access_, metrics_, *clock_));
    links.push_back(
        std::make_unique<Limit>(LimitSettings{.max_in_flight = max_in_flight}, drain_, *clock_));
    links.push_back(std::make_unique<Parse>(metrics_));
    links.push_back(std::make_unique<Authorize>(access_, projects_, metrics_, *clock_));
    links.push_back(std::make_unique<Validate>(rules_));
    links.push_back(std::make_unique<FakeDurable>(*this));
    dispatchers_.push_back(std::make_unique<Dispatcher>(std::move(links)));
    Register(*dispatchers_.back());
    dispatchers.push_back(dispatchers_.back().get());
  }
  shards_.Start();
  auto server = Server::Start(settings, methods_, shards_, std::move(dispatchers), drain_, *clock_);
  EXPECT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
}

EchoServer::~EchoServer() {
  gate.Open();
  server_->Stop(BootClock::now() + std::chrono::seconds(20));
  shards_.Stop();
}

void EchoServer::Register(Dispatcher& dispatcher) {
  dispatcher.Handle(*methods_.Find("tollbridge.testing.v1.Echo.Say"),
                    std::make_unique<EchoHandler>(*this, &Say));
  dispatcher.Handle(*methods_.Find("tollbridge.testing.v1.Echo.Count"),
                    std::make_unique<EchoHandler>(*this, &Count));
}

std::string EchoServer::address() const { return "127.0.0.1:" + std::to_string(server_->port()); }

double EchoServer::Counter(const telemetry::CounterDef& def,
                           const std::vector<std::string>& labels) {
  for (const auto& family : metrics_.collectable().Collect()) {
    if (family.name != def.name) continue;
    for (const auto& metric : family.metric) {
      std::size_t found = 0;
      for (const auto& label : metric.label) {
        for (const std::string& wanted : labels) found += label.value == wanted ? 1 : 0;
      }
      if (found == labels.size()) return metric.counter.value;
    }
  }
  return 0;
}

}  // namespace tollbridge::rpc
