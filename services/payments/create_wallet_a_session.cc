#include "services/payments/create_wallet_a_session.h"

#include <string>

#include <absl/status/statusor.h>

#include "services/domain/formats.h"

namespace tollbridge::payments {
namespace {

v1::WalletASessionOrder Ask(const v1::CreateWalletASessionRequest& request,
                            const domain::Project& project) {
  std::string identifier = project.id.ToString();
  std::erase(identifier, '-');
  v1::WalletASessionOrder order;
  order.set_validation_url(request.validation_url());
  order.set_merchant_identifier(identifier);
  order.set_display_name(request.display_name());
  order.set_initiative_context(request.initiative_context());
  return order;
}

}  // namespace

Async<v1::CreateWalletASessionResponse> CreateWalletASession(
    ports::PaymentService& service, const domain::Project& project,
    const v1::CreateWalletASessionRequest& request, ports::Context context) {
  const v1::WalletASessionOrder order = Ask(request, project);
  co_return co_await service.CreateWalletASession(project, order, context);
}

orders::Violations CreateWalletASessionViolations(const v1::CreateWalletASessionRequest& request,
                                                  const domain::Project* project) {
  orders::Violations out;
  // What is no URI at all breaks the field's own rule.
  if (project == nullptr || !domain::IsHttpUri(request.validation_url())) return out;
  const domain::UrlProblem problem = project->wallet_a_hosts.Check(request.validation_url());
  if (problem == domain::UrlProblem::kNotHttps) {
    out.push_back({"validation_url", "must be an https URI"});
  } else if (problem == domain::UrlProblem::kUserInfo) {
    out.push_back({"validation_url", "must have no user info"});
  } else if (problem == domain::UrlProblem::kHost) {
    out.push_back({"validation_url", "must be at a host that the project allows"});
  }
  return out;
}

}  // namespace tollbridge::payments
