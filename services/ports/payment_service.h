#ifndef TOLLBRIDGE_SERVICES_PORTS_PAYMENT_SERVICE_H_
#define TOLLBRIDGE_SERVICES_PORTS_PAYMENT_SERVICE_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <google/protobuf/message.h>
#include <boost/asio/awaitable.hpp>

#include "base/core/async.h"
#include "base/core/boot_clock.h"
#include "base/core/wall_time.h"
#include "services/domain/project.h"
#include "services/domain/refusal.h"
#include "services/ports/context.h"
#include "services/ports/order_page.h"

namespace tollbridge::common::v1 {
class Order;
class OrderSearch;
class PaymentLink;
class RefundList;
}  // namespace tollbridge::common::v1
namespace tollbridge::payments::v1 {
class AuthenticateTransactionRequest;
class CaptureTransactionRequest;
class CreateOrderRequest;
class CreatePaymentLinkRequest;
class CreateRefundRequest;
class CreateWalletASessionResponse;
class CurrencyList;
class ExecuteWalletBPaymentRequest;
class InitiateTransactionRequest;
class VoidTransactionRequest;
class WalletASessionOrder;
}  // namespace tollbridge::payments::v1
namespace tollbridge::vault::v1 {
class ExchangeWalletBTokenRequest;
class StoreCardRequest;
}  // namespace tollbridge::vault::v1

namespace tollbridge::ports {

/// What became of one mutating call.
struct Answer {
  enum class Fate {
    kNotSent,   ///< proven that no byte left
    kAnswered,  ///< 2xx, well formed: `result` is set
    kRefused,   ///< a non-2xx answer with an error object, or 401, 403, 429: `refusal` is set
    kUnknown,   ///< everything else; there may be an effect
  };
  Fate fate = Fate::kUnknown;
  /// The answer as a message of the type that the method names. Set when kAnswered.
  std::shared_ptr<const google::protobuf::Message> result;
  /// Set when kRefused; when kUnknown its http_status tells what came, if anything did.
  domain::Refusal refusal;
  /// Why it was not sent or is not known: for logs and the operation's evidence. No foreign text,
  /// no address, no card data: callers who read the operation see it.
  std::string cause;
  /// What the system or a library said of it, with addresses: for logs alone.
  std::string heard;
  /// Set when kNotSent because our own pipe holds calls back (breaker open, rate limit of the
  /// service, too many under way): when it may be tried again.
  std::optional<std::chrono::milliseconds> retry_after;
};

/// What a mutating call must respect beside its context.
struct SendGuard {
  /// The send window's end: past it, at the socket write, nothing is sent
  /// (docs/design/operations.md#rule-2).
  BootTime write_before;
  /// The same by civil time: past either nothing is sent.
  std::optional<WallTime> write_before_civil;
};

/// Takes the next bytes of a report; returns when it can take more. An error ends the reading.
using ReportSink = std::function<AsyncStatus(std::string_view bytes)>;

/// The payment service (docs/interface.md#endpoints): one function an endpoint. Per shard.
/// Mutations answer an Answer and never an error: what cannot be proven is kUnknown. Reads answer
/// the message, or an error made by domain::MakeError.
class PaymentService {
 public:
  virtual ~PaymentService() = default;

  /// POST /v1/orders/. `request` carries the mark in `extra` already. Answer.result is a
  /// common.v1.Order.
  virtual boost::asio::awaitable<Answer> CreateOrder(
      const domain::Project& project, const payments::v1::CreateOrderRequest& request,
      const Context& context, const SendGuard& guard) = 0;

  /// POST .../initiate/. Answer.result is the common.v1.Order.
  virtual boost::asio::awaitable<Answer> InitiateTransaction(
      const domain::Project& project, const payments::v1::InitiateTransactionRequest& request,
      const Context& context, const SendGuard& guard) = 0;

  /// POST .../authenticate/. Answer.result is a payments.v1.AuthenticateAnswer with its order set.
  virtual boost::asio::awaitable<Answer> AuthenticateTransaction(
      const domain::Project& project, const payments::v1::AuthenticateTransactionRequest& request,
      const Context& context, const SendGuard& guard) = 0;

  /// POST .../captures/ without a body; with an amount .../captures/amount/ (extension
  /// partial_capture). Answer.result is the capture order.
  virtual boost::asio::awaitable<Answer> CaptureTransaction(
      const domain::Project& project, const payments::v1::CaptureTransactionRequest& request,
      const Context& context, const SendGuard& guard) = 0;

  /// POST .../voids/ without a body; with an amount .../voids/amount/ (extension partial_void).
  /// Answer.result is the void order.
  virtual boost::asio::awaitable<Answer> VoidTransaction(
      const domain::Project& project, const payments::v1::VoidTransactionRequest& request,
      const Context& context, const SendGuard& guard) = 0;

  /// POST /v1/orders/{order_id}/refunds/ (extension create_refund). Answer.result is the refund
  /// order.
  virtual boost::asio::awaitable<Answer> CreateRefund(
      const domain::Project& project, const payments::v1::CreateRefundRequest& request,
      const Context& context, const SendGuard& guard) = 0;

  /// POST /pay/{order_id}/select-payment-method/wallet-b-pay/{transaction_id}/, without
  /// credentials. Answer.result is a payments.v1.WalletBPayment.
  virtual boost::asio::awaitable<Answer> ExecuteWalletBPayment(
      const domain::Project& project, const payments::v1::ExecuteWalletBPaymentRequest& request,
      const Context& context, const SendGuard& guard) = 0;

  /// POST /v1/paymentlinks/ (extension create_payment_link). Answer.result is a
  /// common.v1.PaymentLink.
  virtual boost::asio::awaitable<Answer> CreatePaymentLink(
      const domain::Project& project, const payments::v1::CreatePaymentLinkRequest& request,
      const Context& context, const SendGuard& guard) = 0;

  /// POST {vault_url}/v1/cards/. Answer.result is a vault.v1.StoredCard.
  virtual boost::asio::awaitable<Answer> StoreCard(const domain::Project& project,
                                                   const vault::v1::StoreCardRequest& request,
                                                   const Context& context,
                                                   const SendGuard& guard) = 0;

  /// POST {wallet_token_url}/tokens/, of a test project {wallet_token_url}/test/tokens/, without
  /// credentials. Answer.result is a vault.v1.WalletBToken.
  virtual boost::asio::awaitable<Answer> ExchangeWalletBToken(
      const domain::Project& project, const vault::v1::ExchangeWalletBTokenRequest& request,
      const Context& context, const SendGuard& guard) = 0;

  /// POST /v1/wallet-a-pay/sessions/. Changes nothing, but is not repeated once a byte has left.
  virtual Async<payments::v1::CreateWalletASessionResponse> CreateWalletASession(
      const domain::Project& project, const payments::v1::WalletASessionOrder& request,
      const Context& context) = 0;

  /// GET /v1/orders/{order_id}/. NOT_FOUND reason ORDER_NOT_FOUND when the service does not know
  /// the order.
  virtual Async<common::v1::Order> GetOrder(const domain::Project& project,
                                            std::string_view order_id, const Context& context) = 0;

  /// GET /v1/orders/{order_id}/refunds/. NOT_FOUND reason ORDER_NOT_FOUND.
  virtual Async<common::v1::RefundList> ListRefunds(const domain::Project& project,
                                                    std::string_view order_id,
                                                    const Context& context) = 0;

  /// GET /v1/paymentlinks/{payment_link_id}/. NOT_FOUND reason PAYMENT_LINK_NOT_FOUND.
  virtual Async<common::v1::PaymentLink> GetPaymentLink(const domain::Project& project,
                                                        std::string_view payment_link_id,
                                                        const Context& context) = 0;

  /// GET /v1/merchants/self/projects/self/currencies/ (extension list_currencies).
  virtual Async<payments::v1::CurrencyList> ListCurrencies(const domain::Project& project,
                                                           const Context& context) = 0;

  /// POST /v1/search/orders/, one page. The index may lag behind the orders (setting
  /// search_index_lag).
  virtual Async<common::v1::OrderSearchResult> SearchOrders(const domain::Project& project,
                                                            const common::v1::OrderSearch& search,
                                                            const Context& context) = 0;

  /// The same for callers. By default it is made of what SearchOrders has found.
  virtual Async<OrderPage> ListOrders(const domain::Project& project,
                                      const common::v1::OrderSearch& search,
                                      const Context& context);

  /// POST /v1/search/orders/?format=csv: the report, given to `sink` as it arrives, each piece when
  /// the one before was taken. Not repeated once a piece was given. DATA_LOSS reason
  /// UPSTREAM_UNREADABLE when the answer ends before its end; the sink's error when it has one.
  virtual AsyncStatus ReadReport(const domain::Project& project,
                                 const common::v1::OrderSearch& search, const ReportSink& sink,
                                 const Context& context) = 0;
};

}  // namespace tollbridge::ports

#endif  // TOLLBRIDGE_SERVICES_PORTS_PAYMENT_SERVICE_H_
