#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_CLIENT_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_CLIENT_H_

#include <absl/status/statusor.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/payment_service/codec.h"
#include "adapters/payment_service/order_checks.h"
#include "adapters/payment_service/transport.h"
#include "adapters/payment_service/wallet_names.h"
#include "base/telemetry/metric_definitions.h"
#include "services/ports/payment_service.h"

namespace tollbridge::common::v1 {
class UnreadableOrder;
}

namespace tollbridge::payment_service {

/// The API key that is in force for a project, read when a call is made so that it can rotate.
using ApiKeySource = std::function<std::string(const domain::Project&)>;

/// Told of each order that a search passes over because it cannot be read.
using OnUnreadable =
    std::function<void(const domain::Project&, const common::v1::UnreadableOrder&)>;

/// The name of a client function in metrics and spans. One that is none of
/// telemetry::kOutboundOperations does not compile.
class OperationName {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): text that is checked takes the place of text.
  consteval OperationName(const char* text) : text_(text) {
    if (std::ranges::count(telemetry::kOutboundOperations, text_) != 1) NoSuchOperation();
  }
  std::string_view text() const { return text_; }

 private:
  static void NoSuchOperation() {}

  std::string_view text_;
};

/// The payment service over HTTPS (docs/interface.md#endpoints). Per shard. One function an
/// endpoint: path, body, what the answer must be; all else is in the pipe. client.cc has the
/// orders, client_links.cc, client_report.cc, client_search.cc, client_vault.cc and
/// client_wallets.cc the rest.
class Client : public ports::PaymentService {
 public:
  Client(TransportChain pipe, ApiKeySource api_keys, WalletNames wallet_names,
         OnUnreadable on_unreadable = {});

  boost::asio::awaitable<ports::Answer> CreateOrder(const domain::Project& project,
                                                    const payments::v1::CreateOrderRequest& request,
                                                    const ports::Context& context,
                                                    const ports::SendGuard& guard) override;
  boost::asio::awaitable<ports::Answer> InitiateTransaction(
      const domain::Project& project, const payments::v1::InitiateTransactionRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  boost::asio::awaitable<ports::Answer> AuthenticateTransaction(
      const domain::Project& project, const payments::v1::AuthenticateTransactionRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  boost::asio::awaitable<ports::Answer> CaptureTransaction(
      const domain::Project& project, const payments::v1::CaptureTransactionRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  boost::asio::awaitable<ports::Answer> VoidTransaction(
      const domain::Project& project, const payments::v1::VoidTransactionRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  boost::asio::awaitable<ports::Answer> CreateRefund(
      const domain::Project& project, const payments::v1::CreateRefundRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  boost::asio::awaitable<ports::Answer> ExecuteWalletBPayment(
      const domain::Project& project, const payments::v1::ExecuteWalletBPaymentRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  boost::asio::awaitable<ports::Answer> CreatePaymentLink(
      const domain::Project& project, const payments::v1::CreatePaymentLinkRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;
  boost::asio::awaitable<ports::Answer> StoreCard(const domain::Project& project,
                                                  const vault::v1::StoreCardRequest& request,
                                                  const ports::Context& context,
                                                  const ports::SendGuard& guard) override;
  boost::asio::awaitable<ports::Answer> ExchangeWalletBToken(
      const domain::Project& project, const vault::v1::ExchangeWalletBTokenRequest& request,
      const ports::Context& context, const ports::SendGuard& guard) override;

  Async<payments::v1::CreateWalletASessionResponse> CreateWalletASession(
      const domain::Project& project, const payments::v1::WalletASessionOrder& request,
      const ports::Context& context) override;
  Async<common::v1::Order> GetOrder(const domain::Project& project, std::string_view order_id,
                                    const ports::Context& context) override;
  Async<common::v1::RefundList> ListRefunds(const domain::Project& project,
                                            std::string_view order_id,
                                            const ports::Context& context) override;
  Async<common::v1::PaymentLink> GetPaymentLink(const domain::Project& project,
                                                std::string_view payment_link_id,
                                                const ports::Context& context) override;
  Async<payments::v1::CurrencyList> ListCurrencies(const domain::Project& project,
                                                   const ports::Context& context) override;
  Async<common::v1::OrderSearchResult> SearchOrders(const domain::Project& project,
                                                    const common::v1::OrderSearch& search,
                                                    const ports::Context& context) override;
  Async<ports::OrderPage> ListOrders(const domain::Project& project,
                                     const common::v1::OrderSearch& search,
                                     const ports::Context& context) override;
  AsyncStatus ReadReport(const domain::Project& project, const common::v1::OrderSearch& search,
                         const ports::ReportSink& sink, const ports::Context& context) override;

 private:
  /// Where an exchange goes.
  struct Endpoint {
    std::string target;
    Origin origin = Origin::kService;
    /// The API key goes with it (docs/interface.md#authentication, 1 and 4).
    bool authenticated = true;
  };
  /// Why a message is not what was asked for, for a log; empty when it is.
  using MessageCheck = std::string_view (*)(const google::protobuf::Message&);

  /// What was answered to a search, of fewer orders where so many are too large to be read.
  struct SearchAnswer {
    ExchangeResult result;
    /// Set when it is of fewer.
    std::optional<std::int64_t> asked_size;
  };

  boost::asio::awaitable<absl::StatusOr<SearchAnswer>> AskForPage(
      const domain::Project& project, const common::v1::OrderSearch& search,
      const ports::Context& context);
  absl::StatusOr<common::v1::OrderSearchResult> ReadFound(const domain::Project& project,
                                                          const SearchAnswer& answer) const;
  Exchange NewExchange(OperationName operation, Effect effect, std::string_view method,
                       Endpoint endpoint, const domain::Project& project,
                       const ports::Context& context) const;
  /// A POST that changes something. `body`: what ToWire made of `request`; empty for none. Its
  /// error is passed on: nothing can be sent then.
  absl::StatusOr<Exchange> NewMutation(OperationName operation, Endpoint endpoint,
                                       const google::protobuf::Message& request,
                                       absl::StatusOr<std::string> body,
                                       const domain::Project& project,
                                       const ports::Context& context,
                                       const ports::SendGuard& guard) const;
  /// Sends a mutation that is answered with an order.
  boost::asio::awaitable<ports::Answer> SendForOrder(absl::StatusOr<Exchange> exchange,
                                                     ExpectedOrder expected);
  /// Sends a mutation that is answered with another message, which is read into `message`.
  boost::asio::awaitable<ports::Answer> SendForMessage(
      absl::StatusOr<Exchange> exchange, std::shared_ptr<google::protobuf::Message> message,
      MessageCheck mismatch);
  /// Reads the order of a mutation's answer.
  ports::Answer ReadOrder(const ExchangeResult& result, const ExpectedOrder& expected) const;

  TransportChain pipe_;
  ApiKeySource api_keys_;
  WalletNames wallet_names_;
  ReadForm for_caller_;
  OnUnreadable on_unreadable_;
};

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_CLIENT_H_
