#ifndef TOLLBRIDGE_SERVICES_SANDBOX_APP_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_APP_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/http/message.h"
#include "adapters/http/server.h"
#include "services/sandbox/admin_api.h"
#include "services/sandbox/hosted_pages.h"
#include "services/sandbox/service_api.h"
#include "services/sandbox/webhooks.h"

namespace tollbridge::sandbox {

/// The whole stand-in behind one HTTP handler. Lives on the executor's thread.
class App {
 public:
  App(boost::asio::any_io_executor executor, std::uint64_t seed, std::vector<Project> projects,
      WebhookPolicy policy);

  /// What hosted pages' URLs begin with, e.g. `http://127.0.0.1:8080`. Known once a port is bound.
  void SetBaseUrl(std::string base_url) { base_url_ = std::move(base_url); }

  /// Answers any request: by the first segment of its path.
  http::Response Handle(const http::Request& request, const http::ConnectionInfo& connection);

 private:
  std::string base_url_;
  std::vector<Project> projects_;
  Clock clock_;
  Random random_;
  Ledger ledger_;
  WebhookSender webhooks_;
  OrderBook orders_;
  ServiceApi service_api_;
  HostedPages hosted_pages_;
  AdminApi admin_api_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_APP_H_
