#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_CLIENT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_CLIENT_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/payment_service/transport.h"
#include "adapters/payment_service/wallet_names.h"
#include "services/ports/payment_service.h"

namespace tollbridge::payment_service {

/// The API key that is in force for a project, read when a call is made so that it can rotate.
using ApiKeySource = std::function<std::string(const domain::Project&)>;

/// The payment service over HTTPS (interface document, section Endpoints). Per shard. One function
/// an endpoint: path, body, credentials; all else is in the pipe.
class Client : public ports::PaymentService {
 public:
  Client(TransportChain pipe, ApiKeySource api_keys, WalletNames wallet_names);

  boost::asio::awaitable<ports::Answer> CreateOrder(const domain::Project& project,
                                                    const payments::v1::CreateOrderRequest& request,
                                                    const ports::Context& context,
                                                    const ports::SendGuard& guard) override;

  Async<common::v1::Order> GetOrder(const domain::Project& project, std::string_view order_id,
                                    const ports::Context& context) override;

 private:
  Exchange NewExchange(std::string_view operation, Effect effect, std::string_view method,
                       std::string target, const domain::Project& project,
                       const ports::Context& context) const;

  TransportChain pipe_;
  ApiKeySource api_keys_;
  WalletNames wallet_names_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_CLIENT_H_
