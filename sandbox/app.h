#ifndef TOLLBRIDGE_SANDBOX_APP_H_
#define TOLLBRIDGE_SANDBOX_APP_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http/message.h"
#include "base/http/server.h"
#include "base/http/url.h"
#include "sandbox/core/result.h"
#include "sandbox/core/world.h"
#include "sandbox/faults/fault_injector.h"
#include "sandbox/rate_limit.h"
#include "sandbox/time_control.h"
#include "sandbox/webhooks/webhook_sender.h"
#include "sandbox/wire/order_json.h"
#include "sandbox/wire/route.h"

namespace tollbridge::sandbox {

struct AppOptions {
  Settings settings;
  /// Of the ids and of what is random.
  std::uint64_t seed = 1;
  /// Where the clock stands; nullopt: it runs.
  std::optional<Time> start;
  /// The admin calls answer to anyone, not to loopback only.
  bool admin_anywhere = false;
};

/// The whole stand-in behind one HTTP handler. Lives on the executor's thread.
class App {
 public:
  App(boost::asio::any_io_executor executor, AppOptions options);
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// What URLs in answers begin with. Known once the ports are bound.
  void SetAddresses(Addresses addresses) { addresses_ = std::move(addresses); }
  /// Replaces the fault plan (docs/guides/sandbox.md); {} clears it.
  Result<void> SetFaults(const boost::json::object& plan);
  /// Makes that many orders of the project, as POST /_sandbox/seed does; gives how many there was
  /// room for.
  std::size_t Seed(const Project& project, std::size_t orders);

  /// Answers any request. Every 4xx and 5xx carries the error object, but for those of pages.
  /// `prefix` goes before the path: the vault and wallet B's token service may listen on ports of
  /// their own, where their paths have none.
  boost::asio::awaitable<http::Response> Handle(const http::Request& request,
                                                const http::ConnectionInfo& connection,
                                                std::string_view prefix = "");

  World& world() { return world_; }
  const std::vector<Route>& routes() const { return router_.routes(); }

 private:
  /// A request that outlives its connection, for effects that come late.
  struct Held {
    http::Request request;
    http::Target target;
    const Project* project = nullptr;
    std::uint64_t number = 0;
  };

  boost::asio::awaitable<http::Response> Answer(const http::Request& request,
                                                const http::ConnectionInfo& connection,
                                                std::string_view prefix);
  std::vector<Route> MakeRoutes();
  std::optional<http::Response> Refuse(const Match& match, const http::Request& request,
                                       const http::Target& target,
                                       const http::ConnectionInfo& connection,
                                       const Project** project);
  http::Response Serve(const Route& route, const Call& call, std::uint64_t number);
  http::Response ServeHeld(std::shared_ptr<const Held> held, Millis read_lag);
  FaultSubject SubjectOf(const Match& match, const http::Request& request) const;
  std::vector<std::string_view> Operations() const;

  AppOptions options_;
  Addresses addresses_;
  World world_;
  FaultInjector faults_;
  WebhookSender webhooks_;
  TimeControl time_;
  RateLimit rate_limit_;
  Router router_;
  std::uint64_t requests_ = 0;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_APP_H_
