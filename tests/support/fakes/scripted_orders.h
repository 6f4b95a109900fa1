#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_SCRIPTED_ORDERS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_SCRIPTED_ORDERS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/domain/errors.h"
#include "services/ports/payment_service.h"
#include "tests/support/fakes/unasked_payment_service.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/common/v1/search.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::test {

/// A payment service whose every read is what a test says, so that what a look-up reads and what it
/// makes of that can be told apart. Mutations are only taken down, and answered with `answer`.
class ScriptedOrders final : public UnaskedPaymentService {
 public:
  // What there is.
  std::map<std::string, common::v1::Order, std::less<>> orders;
  std::map<std::string, absl::Status, std::less<>> unreadable;  ///< by order id
  std::vector<common::v1::Order> refunds;
  absl::Status refunds_error;
  /// What every search finds, in pages.
  std::vector<common::v1::Order> found;
  std::optional<std::int64_t> hits;  ///< shown as they are; nullopt: as many as were found
  bool show_hits = true;
  bool show_cursor = true;
  std::size_t largest_page = 1000;
  std::size_t failing_page = static_cast<std::size_t>(-1);
  ports::Answer answer;

  // What was asked.
  std::vector<std::string> reads;
  std::vector<common::v1::OrderSearch> searches;
  std::string sent_to;  ///< name of the mutation
  std::shared_ptr<google::protobuf::Message> sent;
  ports::SendGuard guard;

  template <typename Request>
  const Request& Sent() const {
    return static_cast<const Request&>(*sent);
  }

  boost::asio::awaitable<ports::Answer> CreateOrder(const domain::Project&,
                                                    const payments::v1::CreateOrderRequest& request,
                                                    const ports::Context&,
                                                    const ports::SendGuard& until) override {
    return Take("create", request, until);
  }
  boost::asio::awaitable<ports::Answer> InitiateTransaction(
      const domain::Project&, const payments::v1::InitiateTransactionRequest& request,
      const ports::Context&, const ports::SendGuard& until) override {
    return Take("initiate", request, until);
  }
  boost::asio::awaitable<ports::Answer> AuthenticateTransaction(
      const domain::Project&, const payments::v1::AuthenticateTransactionRequest& request,
      const ports::Context&, const ports::SendGuard& until) override {
    return Take("authenticate", request, until);
  }
  boost::asio::awaitable<ports::Answer> CaptureTransaction(
      const domain::Project&, const payments::v1::CaptureTransactionRequest& request,
      const ports::Context&, const ports::SendGuard& until) override {
    return Take("capture", request, until);
  }
  boost::asio::awaitable<ports::Answer> VoidTransaction(
      const domain::Project&, const payments::v1::VoidTransactionRequest& request,
      const ports::Context&, const ports::SendGuard& until) override {
    return Take("void", request, until);
  }
  boost::asio::awaitable<ports::Answer> CreateRefund(
      const domain::Project&, const payments::v1::CreateRefundRequest& request,
      const ports::Context&, const ports::SendGuard& until) override {
    return Take("refund", request, until);
  }
  boost::asio::awaitable<ports::Answer> ExecuteWalletBPayment(
      const domain::Project&, const payments::v1::ExecuteWalletBPaymentRequest& request,
      const ports::Context&, const ports::SendGuard& until) override {
    return Take("execute_wallet_b", request, until);
  }
  boost::asio::awaitable<ports::Answer> CreatePaymentLink(
      const domain::Project&, const payments::v1::CreatePaymentLinkRequest& request,
      const ports::Context&, const ports::SendGuard& until) override {
    return Take("create_payment_link", request, until);
  }

  Async<common::v1::Order> GetOrder(const domain::Project&, std::string_view order_id,
                                    const ports::Context&) override {
    reads.emplace_back(order_id);
    if (const auto error = unreadable.find(order_id); error != unreadable.end()) {
      co_return error->second;
    }
    const auto known = orders.find(order_id);
    if (known == orders.end()) co_return NotFound();
    co_return known->second;
  }
  Async<common::v1::RefundList> ListRefunds(const domain::Project&, std::string_view order_id,
                                            const ports::Context&) override {
    reads.emplace_back(order_id);
    if (!refunds_error.ok()) co_return refunds_error;
    common::v1::RefundList list;
    for (const common::v1::Order& refund : refunds) *list.add_orders() = refund;
    co_return list;
  }
  Async<common::v1::OrderSearchResult> SearchOrders(const domain::Project&,
                                                    const common::v1::OrderSearch& search,
                                                    const ports::Context&) override {
    const std::size_t page = searches.size();
    searches.push_back(search);
    if (page == failing_page) co_return absl::UnavailableError("no answer");
    const std::size_t size = std::min(static_cast<std::size_t>(search.size()), largest_page);
    common::v1::OrderSearchResult result;
    if (show_hits) result.set_hits(hits.value_or(static_cast<std::int64_t>(found.size())));
    for (std::size_t i = page * size; i < std::min(found.size(), (page + 1) * size); ++i) {
      *result.add_orders() = found[i];
    }
    if (show_cursor && result.orders_size() > 0) {
      result.set_search_after("after " + std::to_string(page));
    }
    co_return result;
  }

 private:
  static absl::Status NotFound() {
    domain::ErrorDetail detail;
    detail.reason = domain::reason::kOrderNotFound;
    return domain::MakeError(absl::StatusCode::kNotFound, "no such order", detail);
  }

  template <typename Request>
  boost::asio::awaitable<ports::Answer> Take(std::string name, const Request& request,
                                             ports::SendGuard until) {
    sent_to = std::move(name);
    sent = std::make_shared<Request>(request);
    guard = until;
    co_return answer;
  }
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_SCRIPTED_ORDERS_H_
