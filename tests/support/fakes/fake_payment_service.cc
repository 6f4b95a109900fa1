#include "tests/support/fakes/fake_payment_service.h"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "services/base/uuid.h"
#include "services/domain/errors.h"

namespace tollbridge::test {

namespace asio = boost::asio;
using ports::Answer;

Answer FakePaymentService::NotSent(std::string cause) {
  Answer answer;
  answer.fate = Answer::Fate::kNotSent;
  answer.cause = std::move(cause);
  return answer;
}

Answer FakePaymentService::Refused(int http_status, std::string type) {
  Answer answer;
  answer.fate = Answer::Fate::kRefused;
  answer.refusal.http_status = http_status;
  answer.refusal.type = std::move(type);
  return answer;
}

Answer FakePaymentService::NoAnswer(std::string cause) {
  Answer answer;
  answer.fate = Answer::Fate::kUnknown;
  answer.cause = std::move(cause);
  return answer;
}

Answer FakePaymentService::Answered(const common::v1::Order& order) {
  Answer answer;
  answer.fate = Answer::Fate::kAnswered;
  answer.result = std::make_shared<common::v1::Order>(order);
  return answer;
}

common::v1::Order FakePaymentService::MakeOrder(const payments::v1::CreateOrderRequest& request) {
  common::v1::Order order;
  order.set_id(Uuid::V5(Uuid{}, "order " + std::to_string(++made_)).ToString());
  order.set_merchant_order_id(request.merchant_order_id());
  order.set_amount(request.amount());
  order.set_currency(request.currency());
  order.set_status(common::v1::ORDER_STATUS_NEW);
  order.set_order_url("https://pay.example/" + order.id());
  if (request.has_webhook_url()) order.set_webhook_url(request.webhook_url());
  if (request.has_extra()) *order.mutable_extra() = request.extra();
  return order;
}

asio::awaitable<Answer> FakePaymentService::CreateOrder(
    const domain::Project& project, const payments::v1::CreateOrderRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  created_.push_back({project.name, request, context, guard});
  if (held_) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    auto gate =
        std::make_shared<asio::steady_timer>(executor, asio::steady_timer::time_point::max());
    waiting_.push_back(gate);
    co_await gate->async_wait(asio::as_tuple(asio::use_awaitable));
  }
  Answer answer;
  if (answers_.empty()) {
    answer = Answered(MakeOrder(request));
  } else {
    answer = std::move(answers_.front());
    answers_.pop_front();
  }
  if (answer.fate == Answer::Fate::kAnswered && answer.result != nullptr) {
    PutOrder(static_cast<const common::v1::Order&>(*answer.result));
  }
  co_return answer;
}

void FakePaymentService::Release() {
  held_ = false;
  for (const auto& gate : std::exchange(waiting_, {})) gate->cancel();
}

Async<common::v1::Order> FakePaymentService::GetOrder(const domain::Project&,
                                                      std::string_view order_id,
                                                      const ports::Context&) {
  if (!read_error_.ok()) co_return read_error_;
  const auto found = orders_.find(order_id);
  if (found == orders_.end()) {
    domain::ErrorDetail detail;
    detail.reason = domain::reason::kOrderNotFound;
    detail.retry = domain::Retry::kAfterChange;
    co_return domain::MakeError(absl::StatusCode::kNotFound, "no such order", detail);
  }
  co_return found->second;
}

}  // namespace tollbridge::test
