#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_UNASKED_PAYMENT_SERVICE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_UNASKED_PAYMENT_SERVICE_H_

#include <string_view>

#include "services/domain/errors.h"
#include "services/ports/payment_service.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/payment_link.pb.h"
#include "tollbridge/common/v1/search.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::test {

/// For tests that ask the payment service for little or nothing: a fake overrides what its test
/// needs. All else has no answer.
class UnaskedPaymentService : public ports::PaymentService {
 public:
  boost::asio::awaitable<ports::Answer> CreateOrder(const domain::Project&,
                                                    const payments::v1::CreateOrderRequest&,
                                                    const ports::Context&,
                                                    const ports::SendGuard&) override {
    co_return ports::Answer{};
  }
  boost::asio::awaitable<ports::Answer> InitiateTransaction(
      const domain::Project&, const payments::v1::InitiateTransactionRequest&,
      const ports::Context&, const ports::SendGuard&) override {
    co_return ports::Answer{};
  }
  boost::asio::awaitable<ports::Answer> AuthenticateTransaction(
      const domain::Project&, const payments::v1::AuthenticateTransactionRequest&,
      const ports::Context&, const ports::SendGuard&) override {
    co_return ports::Answer{};
  }
  boost::asio::awaitable<ports::Answer> CaptureTransaction(
      const domain::Project&, const payments::v1::CaptureTransactionRequest&, const ports::Context&,
      const ports::SendGuard&) override {
    co_return ports::Answer{};
  }
  boost::asio::awaitable<ports::Answer> VoidTransaction(const domain::Project&,
                                                        const payments::v1::VoidTransactionRequest&,
                                                        const ports::Context&,
                                                        const ports::SendGuard&) override {
    co_return ports::Answer{};
  }
  boost::asio::awaitable<ports::Answer> CreateRefund(const domain::Project&,
                                                     const payments::v1::CreateRefundRequest&,
                                                     const ports::Context&,
                                                     const ports::SendGuard&) override {
    co_return ports::Answer{};
  }
  boost::asio::awaitable<ports::Answer> ExecuteWalletBPayment(
      const domain::Project&, const payments::v1::ExecuteWalletBPaymentRequest&,
      const ports::Context&, const ports::SendGuard&) override {
    co_return ports::Answer{};
  }
  boost::asio::awaitable<ports::Answer> CreatePaymentLink(
      const domain::Project&, const payments::v1::CreatePaymentLinkRequest&, const ports::Context&,
      const ports::SendGuard&) override {
    co_return ports::Answer{};
  }
  boost::asio::awaitable<ports::Answer> StoreCard(const domain::Project&,
                                                  const vault::v1::StoreCardRequest&,
                                                  const ports::Context&,
                                                  const ports::SendGuard&) override {
    co_return ports::Answer{};
  }
  boost::asio::awaitable<ports::Answer> ExchangeWalletBToken(
      const domain::Project&, const vault::v1::ExchangeWalletBTokenRequest&, const ports::Context&,
      const ports::SendGuard&) override {
    co_return ports::Answer{};
  }
  Async<payments::v1::CreateWalletASessionResponse> CreateWalletASession(
      const domain::Project&, const payments::v1::WalletASessionOrder&,
      const ports::Context&) override {
    co_return NoAnswer();
  }
  Async<common::v1::PaymentLink> GetPaymentLink(const domain::Project&, std::string_view,
                                                const ports::Context&) override {
    co_return NoAnswer();
  }
  Async<payments::v1::CurrencyList> ListCurrencies(const domain::Project&,
                                                   const ports::Context&) override {
    co_return NoAnswer();
  }
  AsyncStatus ReadReport(const domain::Project&, const common::v1::OrderSearch&,
                         const ports::ReportSink&, const ports::Context&) override {
    co_return NoAnswer();
  }
  Async<common::v1::Order> GetOrder(const domain::Project&, std::string_view,
                                    const ports::Context&) override {
    co_return NoAnswer();
  }
  Async<common::v1::RefundList> ListRefunds(const domain::Project&, std::string_view,
                                            const ports::Context&) override {
    co_return NoAnswer();
  }
  Async<common::v1::OrderSearchResult> SearchOrders(const domain::Project&,
                                                    const common::v1::OrderSearch&,
                                                    const ports::Context&) override {
    co_return NoAnswer();
  }

 private:
  static absl::Status NoAnswer() {
    return domain::MakeError(absl::StatusCode::kUnavailable, "it was not meant to be asked",
                             {.reason = domain::reason::kUpstreamUnavailable});
  }
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_UNASKED_PAYMENT_SERVICE_H_
