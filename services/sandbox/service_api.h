#ifndef TOLLBRIDGE_SERVICES_SANDBOX_SERVICE_API_H_
#define TOLLBRIDGE_SERVICES_SANDBOX_SERVICE_API_H_

#include <string>
#include <vector>

#include "adapters/http/message.h"
#include "adapters/http/url.h"
#include "services/sandbox/order_book.h"
#include "services/sandbox/projects.h"

namespace tollbridge::sandbox {

/// The endpoints below /v1 (interface document, section Endpoints), for merchants' servers.
class ServiceApi {
 public:
  /// All outlive this. `base_url` is that of the hosted pages.
  ServiceApi(const std::vector<Project>* projects, OrderBook* orders, const std::string* base_url)
      : projects_(projects), orders_(orders), base_url_(base_url) {}

  /// Answers a request whose target begins with /v1.
  http::Response Handle(const http::Request& request, const http::Target& target);

 private:
  http::Response CreateOrder(const Project& project, const http::Request& request);
  http::Response GetOrder(const Project& project, const std::string& id);

  const std::vector<Project>* projects_;
  OrderBook* orders_;
  const std::string* base_url_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SERVICES_SANDBOX_SERVICE_API_H_
