#include "tests/unit/base/wire/wire_server.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_future.hpp>
#include <functional>
#include <future>
#include <utility>
#include <vector>

namespace tollbridge::wire {
namespace {

namespace asio = boost::asio;
using Call = std::shared_ptr<ServerCall>;

asio::awaitable<void> Echo(WireServer& server, Call call) {
  server.Remember(call->peer().address);
  const std::string request = call->TakeRequest();
  call->Finish({}, &request, {}, {});
  co_return;
}

asio::awaitable<void> Fail(Call call) {
  const std::size_t size = std::stoul(call->TakeRequest());
  call->Finish({absl::StatusCode::kInvalidArgument, "bad", std::string(size, 'x')}, nullptr, {},
               {});
  co_return;
}

asio::awaitable<void> Large(Call call) {
  const std::string answer(std::stoul(call->TakeRequest()), 'x');
  call->Finish({}, &answer, {}, {});
  co_return;
}

asio::awaitable<void> Stay(Call call) {
  for (;;) co_await call->WaitForNews();
}

asio::awaitable<void> Wait(WireServer& server, Call call) {
  while (!call->cancelled()) co_await call->WaitForNews();
  ++server.gone;
  call->Finish({}, nullptr, {}, {});
}

asio::awaitable<void> Count(WireServer& server, Call call) {
  const std::string message(std::stoul(call->TakeRequest()), 'x');
  absl::Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) {
    status = co_await call->Write(message, {});
    ++server.written;
  }
  call->Finish({}, nullptr, {}, {});
}

asio::awaitable<void> Chat(Call call) {
  for (;;) {
    const auto message = co_await call->Read();
    if (!message.ok() || !message->has_value()) break;
    const absl::Status status = co_await call->Write(**message, {});
    if (!status.ok()) break;
  }
  call->Finish({}, nullptr, {}, {{"said", "all"}});
}

}  // namespace

Methods WireServer::MakeMethods() {
  const auto spawn = [this](auto method) {
    return [this, method](Call call) {
      ++started;
      const auto executor = call->executor();
      asio::co_spawn(executor, method(std::move(call)), asio::detached);
    };
  };
  Methods methods;
  methods["/t.T/Echo"] = {false, spawn([this](Call call) { return Echo(*this, std::move(call)); })};
  methods["/t.T/Wait"] = {false, spawn([this](Call call) { return Wait(*this, std::move(call)); })};
  methods["/t.T/Fail"] = {false, spawn([](Call call) { return Fail(std::move(call)); })};
  methods["/t.T/Large"] = {false, spawn([](Call call) { return Large(std::move(call)); })};
  methods["/t.T/Stay"] = {false, spawn([](Call call) { return Stay(std::move(call)); })};
  methods["/t.T/Count"] = {false,
                           spawn([this](Call call) { return Count(*this, std::move(call)); })};
  methods["/t.T/Block"] = {false, [this](const Call& call) {
                             ++blocking;
                             unblock.acquire();
                             call->Finish({}, nullptr, {}, {});
                           }};
  methods["/t.T/Chat"] = {true, spawn([](Call call) { return Chat(std::move(call)); })};
  return methods;
}

WireServer::WireServer(Limits limits, std::shared_ptr<const net::TlsContext> tls) {
  ServerOptions options;
  options.tls = std::move(tls);
  options.limits = limits;
  options.methods = MakeMethods();
  auto server =
      Server::Start({shards_.at(0).executor(), shards_.at(1).executor()}, std::move(options));
  EXPECT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
  shards_.Start();
}

WireServer::~WireServer() {
  if (!stopped_) Stop(std::chrono::seconds(10));
  shards_.Stop();
}

bool WireServer::Stop(std::chrono::milliseconds within) {
  stopped_ = true;
  return asio::co_spawn(shards_.at(0).executor(), server_->Stop(BootClock::now() + within),
                        asio::use_future)
      .get();
}

}  // namespace tollbridge::wire
