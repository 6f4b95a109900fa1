#include "services/sandbox/app.h"

#include <utility>

#include "services/sandbox/error_response.h"

namespace tollbridge::sandbox {
namespace {

bool IsLoopback(const std::string& peer) {
  return peer.starts_with("127.") || peer.starts_with("[::1]");
}

}  // namespace

App::App(boost::asio::any_io_executor executor, std::uint64_t seed, std::vector<Project> projects,
         WebhookPolicy policy)
    : projects_(std::move(projects)),
      random_(seed),
      webhooks_(std::move(executor), &clock_, policy),
      orders_(&clock_, &random_, &ledger_, [this](const Order& order) { webhooks_.Notify(order); }),
      service_api_(&projects_, &orders_, &base_url_),
      hosted_pages_(&orders_),
      admin_api_(&orders_, &ledger_, &webhooks_, &base_url_) {}

http::Response App::Handle(const http::Request& request, const http::ConnectionInfo& connection) {
  const absl::StatusOr<http::Target> target = http::ParseTarget(request.target);
  if (!target.ok()) return ToResponse({400, "ValidationError", "the path cannot be read"});
  const std::string first = target->segments.empty() ? "" : target->segments.front();
  if (first == "v1") return service_api_.Handle(request, *target);
  if (first == "pay") return hosted_pages_.Handle(request, *target);
  if (first == "_sandbox") {
    if (!IsLoopback(connection.peer)) {
      return ToResponse({403, "PermissionDenied", "the admin calls answer to loopback only"});
    }
    return admin_api_.Handle(request, *target);
  }
  return ToResponse({404, "NotFound", "the resource does not exist"});
}

}  // namespace tollbridge::sandbox
