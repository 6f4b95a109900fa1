#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_PAYMENT_SERVICE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_PAYMENT_SERVICE_H_

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "services/ports/payment_service.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::test {

/// A payment service in memory, which does what a test tells it. Without instructions it creates
/// orders and shows them. Used on one shard.
class FakePaymentService final : public ports::PaymentService {
 public:
  /// A CreateOrder call as it arrived.
  struct Created {
    std::string project;
    payments::v1::CreateOrderRequest request;
    ports::Context context;
    ports::SendGuard guard;
  };

  /// What the next calls of CreateOrder answer, in order. An order is made only for kAnswered, and
  /// it is the one in `result`; make effects without an answer with PutOrder.
  void AnswerNext(ports::Answer answer) { answers_.push_back(std::move(answer)); }
  /// The answers of the name: proven not sent; refused with an error object; no definite answer.
  static ports::Answer NotSent(std::string cause);
  static ports::Answer Refused(int http_status, std::string type);
  static ports::Answer NoAnswer(std::string cause);
  static ports::Answer Answered(const common::v1::Order& order);

  /// The order that a request makes, with the next id and status new.
  common::v1::Order MakeOrder(const payments::v1::CreateOrderRequest& request);
  void PutOrder(const common::v1::Order& order) { orders_[order.id()] = order; }

  /// From now on CreateOrder waits, after it has taken the request, until Release.
  void Hold() { held_ = true; }
  void Release();
  /// What GetOrder answers from now on; OK: the orders that are there.
  void FailReads(absl::Status status) { read_error_ = std::move(status); }

  const std::vector<Created>& created() const { return created_; }
  std::size_t orders() const { return orders_.size(); }

  boost::asio::awaitable<ports::Answer> CreateOrder(const domain::Project& project,
                                                    const payments::v1::CreateOrderRequest& request,
                                                    const ports::Context& context,
                                                    const ports::SendGuard& guard) override;
  Async<common::v1::Order> GetOrder(const domain::Project& project, std::string_view order_id,
                                    const ports::Context& context) override;

 private:
  std::deque<ports::Answer> answers_;
  std::vector<Created> created_;
  std::map<std::string, common::v1::Order, std::less<>> orders_;
  absl::Status read_error_;
  bool held_ = false;
  std::vector<std::shared_ptr<boost::asio::steady_timer>> waiting_;
  std::size_t made_ = 0;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_PAYMENT_SERVICE_H_
