#include "services/payments/create_wallet_a_session.h"

#include <string>

#include <absl/status/statusor.h>

#include "base/core/status_macros.h"
#include "services/orders/find_project.h"

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
    ports::PaymentService& service, const domain::Projects& projects,
    const v1::CreateWalletASessionRequest& request, ports::Context context) {
  TB_CO_ASSIGN_OR_RETURN(const domain::Project* project,
                         orders::FindProject(projects, request.project()));
  const v1::WalletASessionOrder order = Ask(request, *project);
  co_return co_await service.CreateWalletASession(*project, order, context);
}

}  // namespace tollbridge::payments
