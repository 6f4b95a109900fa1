#include "tests/support/fakes/fake_payment_service.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/core/uuid.h"
#include "services/domain/errors.h"
#include "tests/support/fakes/fake_search.h"

namespace tollbridge::test {

namespace asio = boost::asio;
using ports::Answer;

namespace {

constexpr std::int64_t kDefaultPage = 100;

absl::Status NoSuchOrder() {
  return domain::MakeError(
      absl::StatusCode::kNotFound, "no such order",
      {.reason = domain::reason::kOrderNotFound, .retry = domain::Retry::kAfterChange});
}

template <typename Message>
Answer AnsweredWith(Message message) {
  Answer answer;
  answer.fate = Answer::Fate::kAnswered;
  answer.result = std::make_shared<Message>(std::move(message));
  return answer;
}

Answer NotFound() { return FakePaymentService::Refused(404, "NotFound"); }

}  // namespace

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

Answer FakePaymentService::Answered(const Order& order) {
  Answer answer;
  answer.fate = Answer::Fate::kAnswered;
  answer.result = std::make_shared<Order>(order);
  return answer;
}

void FakePaymentService::AnswerNext(Function function, Answer answer) {
  instructions_[function].push_back({.answer = std::move(answer)});
}

void FakePaymentService::LoseNextAnswer(Function function) {
  instructions_[function].push_back({.answer = NoAnswer("connection reset"), .lose_answer = true});
}

void FakePaymentService::Release() {
  held_ = false;
  for (const auto& gate : std::exchange(waiting_, {})) gate->cancel();
}

void FakePaymentService::FailNextReads(Function function, absl::Status status, std::size_t times) {
  failures_[function] = {std::move(status), times};
}

void FakePaymentService::HideFromReads(std::string_view order_id, std::size_t times) {
  hidden_from_reads_[std::string(order_id)] = times;
}

void FakePaymentService::HideFromSearch(std::string_view order_id, std::size_t times) {
  hidden_from_search_[std::string(order_id)] = times;
}

void FakePaymentService::Show(std::string_view order_id) {
  hidden_from_reads_.erase(std::string(order_id));
  hidden_from_search_.erase(std::string(order_id));
}

std::size_t FakePaymentService::CallsOf(Function function) const {
  return static_cast<std::size_t>(std::ranges::count(calls_, function, &Call::function));
}

std::size_t FakePaymentService::EffectsOf(Function function) const {
  return static_cast<std::size_t>(std::ranges::count(effects_, function, &Effect::function));
}

FakePaymentService::Order* FakePaymentService::FindOrder(std::string_view order_id) {
  const auto found = orders_.find(order_id);
  return found == orders_.end() ? nullptr : &found->second;
}

FakePaymentService::Order FakePaymentService::NewOrder() {
  Order order;
  order.set_id(Uuid::V5(Uuid{}, "order " + std::to_string(++made_)).ToString());
  if (clock_ != nullptr) {
    const auto since_epoch = clock_->WallNow().time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
    order.mutable_created()->set_seconds(seconds.count());
    order.mutable_created()->set_nanos(
        static_cast<std::int32_t>(std::chrono::nanoseconds(since_epoch - seconds).count()));
  }
  return order;
}

FakePaymentService::Order FakePaymentService::MakeOrder(
    const payments::v1::CreateOrderRequest& request) {
  Order order = NewOrder();
  order.set_merchant_order_id(request.merchant_order_id());
  order.set_amount(request.amount());
  order.set_currency(request.currency());
  order.set_status(common::v1::ORDER_STATUS_NEW);
  order.set_order_url("https://pay.example/" + order.id());
  if (request.has_webhook_url()) order.set_webhook_url(request.webhook_url());
  if (request.has_extra()) *order.mutable_extra() = request.extra();
  for (const payments::v1::NewTransaction& asked : request.transactions()) {
    common::v1::Transaction& transaction = *order.add_transactions();
    transaction.set_id(Uuid::V5(Uuid{}, "transaction of " + order.id()).ToString());
    transaction.set_order_id(order.id());
    transaction.set_amount(request.amount());
    transaction.set_currency(request.currency());
    transaction.set_payment_method(asked.payment_method());
    transaction.set_status(common::v1::TRANSACTION_STATUS_NEW);
    if (asked.payment_method() == "credit-card-oct") {
      transaction.set_transaction_type("oct");
      transaction.mutable_payment_method_details()->set_setup_token(
          Uuid::V5(Uuid{}, "setup token of " + order.id()).ToString());
    }
    if (asked.has_capture_mode()) transaction.set_capture_mode(asked.capture_mode());
  }
  return order;
}

FakePaymentService::Order FakePaymentService::MakeRelated(const Order& original,
                                                          std::int64_t amount,
                                                          const std::string& description) {
  Order order = NewOrder();
  order.set_merchant_order_id(original.merchant_order_id());
  order.set_amount(amount);
  order.set_currency(original.currency());
  order.set_status(common::v1::ORDER_STATUS_COMPLETED);
  order.set_related_order_id(original.id());
  if (!description.empty()) order.set_description(description);
  common::v1::Transaction& transaction = *order.add_transactions();
  transaction.set_id(Uuid::V5(Uuid{}, "transaction of " + order.id()).ToString());
  transaction.set_order_id(order.id());
  transaction.set_amount(amount);
  transaction.set_currency(original.currency());
  transaction.set_status(common::v1::TRANSACTION_STATUS_COMPLETED);
  return order;
}

common::v1::Transaction* FakePaymentService::FindTransaction(Order* order,
                                                             std::string_view transaction_id) {
  if (order == nullptr) return nullptr;
  for (common::v1::Transaction& transaction : *order->mutable_transactions()) {
    if (transaction.id() == transaction_id) return &transaction;
  }
  return nullptr;
}

template <typename Act>
Answer FakePaymentService::Obey(Function function, const Act& act) {
  std::deque<Instruction>& script = instructions_[function];
  if (script.empty()) return act();
  const Instruction instruction = std::move(script.front());
  script.pop_front();
  if (instruction.lose_answer) {
    const Answer lost = act();
    return lost.fate == Answer::Fate::kAnswered ? instruction.answer : lost;
  }
  if (instruction.answer.fate == Answer::Fate::kAnswered && instruction.answer.result != nullptr) {
    const auto* order = dynamic_cast<const Order*>(instruction.answer.result.get());
    if (const auto* authenticated = dynamic_cast<const payments::v1::AuthenticateAnswer*>(
            instruction.answer.result.get())) {
      order = &authenticated->order();
    }
    if (order != nullptr) {
      PutOrder(*order);
      effects_.push_back({function, order->id(), "", order->amount()});
    }
  }
  return instruction.answer;
}

template <typename Request>
void FakePaymentService::Note(Function function, const domain::Project& project,
                              const Request& request, std::string_view order_id,
                              const ports::Context& context, const ports::SendGuard& guard) {
  calls_.push_back({function, project.name, std::string(order_id),
                    std::make_shared<Request>(request), context, guard});
}

asio::awaitable<Answer> FakePaymentService::CreateOrder(
    const domain::Project& project, const payments::v1::CreateOrderRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  Note(Function::kCreateOrder, project, request, "", context, guard);
  created_.push_back({project.name, request, context, guard});
  if (held_) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    auto gate =
        std::make_shared<asio::steady_timer>(executor, asio::steady_timer::time_point::max());
    waiting_.push_back(gate);
    co_await gate->async_wait(asio::as_tuple(asio::use_awaitable));
  }
  co_return Obey(Function::kCreateOrder, [&] {
    const Order order = MakeOrder(request);
    PutOrder(order);
    effects_.push_back({Function::kCreateOrder, order.id(), "", order.amount()});
    return Answered(order);
  });
}

Answer FakePaymentService::Start(Function function, const std::string& order_id,
                                 const std::string& transaction_id) {
  Order* const order = FindOrder(order_id);
  common::v1::Transaction* const transaction = FindTransaction(order, transaction_id);
  if (transaction == nullptr) return NotFound();
  if (transaction->status() != common::v1::TRANSACTION_STATUS_NEW) {
    return Refused(409, "TransactionAlreadyStarted");
  }
  transaction->set_status(common::v1::TRANSACTION_STATUS_ACCEPTED);
  transaction->add_events()->set_event("accepted");
  if (transaction->has_capture_mode()) transaction->set_is_capturable(true);
  order->set_status(common::v1::ORDER_STATUS_PROCESSING);
  effects_.push_back({function, order_id, "", transaction->amount()});
  return Answered(*order);
}

asio::awaitable<Answer> FakePaymentService::InitiateTransaction(
    const domain::Project& project, const payments::v1::InitiateTransactionRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  Note(Function::kInitiate, project, request, request.order_id(), context, guard);
  co_return Obey(Function::kInitiate, [&] {
    return Start(Function::kInitiate, request.order_id(), request.transaction_id());
  });
}

asio::awaitable<Answer> FakePaymentService::AuthenticateTransaction(
    const domain::Project& project, const payments::v1::AuthenticateTransactionRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  Note(Function::kAuthenticate, project, request, request.order_id(), context, guard);
  co_return Obey(Function::kAuthenticate, [&] {
    Answer answer = Start(Function::kAuthenticate, request.order_id(), request.transaction_id());
    if (answer.fate != Answer::Fate::kAnswered) return answer;
    const auto result = std::make_shared<payments::v1::AuthenticateAnswer>();
    *result->mutable_order() = static_cast<const Order&>(*answer.result);
    if (!request.has_cavv()) result->set_redirect_url("https://pay.example/go-on");
    answer.result = result;
    return answer;
  });
}

Answer FakePaymentService::FollowUp(Function function, const std::string& order_id,
                                    const std::string& transaction_id, std::int64_t amount,
                                    const std::string& description) {
  Order* const order = FindOrder(order_id);
  common::v1::Transaction* const transaction = FindTransaction(order, transaction_id);
  if (transaction == nullptr) return NotFound();
  if (!transaction->is_capturable()) return Refused(409, "CanNotCancelTransaction");
  const bool whole = amount == 0;
  Order made = MakeRelated(*order, whole ? transaction->amount() : amount, description);
  if (function == Function::kCapture) {
    made.set_capture_of_order_id(order_id);
    made.mutable_transactions(0)->set_capture_of_transaction_id(transaction_id);
  } else {
    made.set_void_of_order_id(order_id);
    made.mutable_transactions(0)->set_void_of_transaction_id(transaction_id);
  }
  if (whole) transaction->set_is_capturable(false);
  order->add_related_orders(made.id());
  effects_.push_back({function, order_id, made.id(), made.amount()});
  PutOrder(made);
  return Answered(made);
}

asio::awaitable<Answer> FakePaymentService::CaptureTransaction(
    const domain::Project& project, const payments::v1::CaptureTransactionRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  Note(Function::kCapture, project, request, request.order_id(), context, guard);
  co_return Obey(Function::kCapture, [&] {
    return FollowUp(Function::kCapture, request.order_id(), request.transaction_id(),
                    request.amount(), request.description());
  });
}

asio::awaitable<Answer> FakePaymentService::VoidTransaction(
    const domain::Project& project, const payments::v1::VoidTransactionRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  Note(Function::kVoid, project, request, request.order_id(), context, guard);
  co_return Obey(Function::kVoid, [&] {
    return FollowUp(Function::kVoid, request.order_id(), request.transaction_id(), request.amount(),
                    request.description());
  });
}

Answer FakePaymentService::Refund(const payments::v1::CreateRefundRequest& request) {
  Order* const order = FindOrder(request.order_id());
  if (order == nullptr) return NotFound();
  if (order->refunded_amount() + request.amount() > order->amount()) {
    return Refused(422, "RefundError");
  }
  Order made = MakeRelated(*order, request.amount(), request.description());
  made.set_refund_of_order_id(order->id());
  made.add_flags("is-refund");
  order->set_refunded_amount(order->refunded_amount() + request.amount());
  order->add_refund_orders(made.id());
  order->add_related_orders(made.id());
  effects_.push_back({Function::kRefund, order->id(), made.id(), made.amount()});
  PutOrder(made);
  return Answered(made);
}

asio::awaitable<Answer> FakePaymentService::CreateRefund(
    const domain::Project& project, const payments::v1::CreateRefundRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  Note(Function::kRefund, project, request, request.order_id(), context, guard);
  co_return Obey(Function::kRefund, [&] { return Refund(request); });
}

asio::awaitable<Answer> FakePaymentService::StoreCard(const domain::Project& project,
                                                      const vault::v1::StoreCardRequest& request,
                                                      const ports::Context& context,
                                                      const ports::SendGuard& guard) {
  Note(Function::kStoreCard, project, request, "", context, guard);
  co_return Obey(Function::kStoreCard, [&] {
    if (!spent_setup_tokens_.insert(request.setup_token()).second) {
      return Refused(422, "ValidationError");
    }
    effects_.push_back({Function::kStoreCard, "", "", 0});
    vault::v1::StoredCard card;
    card.set_vault_token(Uuid::V5(Uuid{}, "card of " + request.setup_token()).ToString());
    return AnsweredWith(std::move(card));
  });
}

asio::awaitable<Answer> FakePaymentService::ExchangeWalletBToken(
    const domain::Project& project, const vault::v1::ExchangeWalletBTokenRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  Note(Function::kExchange, project, request, "", context, guard);
  co_return Obey(Function::kExchange, [&] {
    if (!spent_setup_tokens_.insert(request.setup_token()).second) {
      return Refused(422, "ValidationError");
    }
    effects_.push_back({Function::kExchange, "", "", 0});
    vault::v1::WalletBToken token;
    token.set_vault_token(Uuid::V5(Uuid{}, "card of " + request.setup_token()).ToString());
    token.set_cryptogram("a cryptogram");
    return AnsweredWith(std::move(token));
  });
}

asio::awaitable<Answer> FakePaymentService::ExecuteWalletBPayment(
    const domain::Project& project, const payments::v1::ExecuteWalletBPaymentRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  Note(Function::kExecuteWalletB, project, request, request.order_id(), context, guard);
  co_return Obey(Function::kExecuteWalletB, [&] {
    Answer answer = Start(Function::kExecuteWalletB, request.order_id(), request.transaction_id());
    if (answer.fate != Answer::Fate::kAnswered) return answer;
    payments::v1::WalletBPayment payment;
    payment.set_is_successful(true);
    payment.set_redirect_url("https://pay.example/go-on");
    payment.set_reason("none");
    return AnsweredWith(std::move(payment));
  });
}

asio::awaitable<Answer> FakePaymentService::CreatePaymentLink(
    const domain::Project& project, const payments::v1::CreatePaymentLinkRequest& request,
    const ports::Context& context, const ports::SendGuard& guard) {
  Note(Function::kCreatePaymentLink, project, request, "", context, guard);
  co_return Obey(Function::kCreatePaymentLink, [&] {
    common::v1::PaymentLink link;
    link.set_id(Uuid::V5(Uuid{}, "link " + std::to_string(++made_)).ToString());
    link.set_merchant_order_id(request.merchant_order_id());
    link.set_amount(request.amount());
    link.set_currency(request.currency());
    link.set_payment_url("https://pay.example/links/" + link.id());
    link.set_status(common::v1::PAYMENT_LINK_STATUS_NEW);
    if (request.has_webhook_url()) link.set_webhook_url(request.webhook_url());
    links_[link.id()] = link;
    effects_.push_back({Function::kCreatePaymentLink, "", "", link.amount()});
    return AnsweredWith(std::move(link));
  });
}

absl::Status FakePaymentService::ReadFailure(Function function) {
  if (!read_error_.ok()) return read_error_;
  const auto failure = failures_.find(function);
  if (failure == failures_.end() || failure->second.times == 0) return absl::OkStatus();
  --failure->second.times;
  return failure->second.status;
}

bool FakePaymentService::Hide(Hidden& hidden, std::string_view order_id) {
  const auto found = hidden.find(order_id);
  if (found == hidden.end() || found->second == 0) return false;
  if (found->second != kForGood) --found->second;
  return true;
}

absl::StatusOr<FakePaymentService::Order> FakePaymentService::Read(std::string_view order_id) {
  const Order* const order = FindOrder(order_id);
  if (order == nullptr || Hide(hidden_from_reads_, order_id)) return NoSuchOrder();
  return *order;
}

Async<common::v1::Order> FakePaymentService::GetOrder(const domain::Project& project,
                                                      std::string_view order_id,
                                                      const ports::Context& context) {
  calls_.push_back(
      {Function::kGetOrder, project.name, std::string(order_id), nullptr, context, {}});
  const absl::Status failure = ReadFailure(Function::kGetOrder);
  if (!failure.ok()) co_return failure;
  co_return Read(order_id);
}

Async<common::v1::RefundList> FakePaymentService::ListRefunds(const domain::Project& project,
                                                              std::string_view order_id,
                                                              const ports::Context& context) {
  calls_.push_back(
      {Function::kListRefunds, project.name, std::string(order_id), nullptr, context, {}});
  const absl::Status failure = ReadFailure(Function::kListRefunds);
  if (!failure.ok()) co_return failure;
  const absl::StatusOr<Order> order = Read(order_id);
  if (!order.ok()) co_return order.status();
  common::v1::RefundList list;
  for (const std::string& id : order->refund_orders()) {
    const absl::StatusOr<Order> refund = Read(id);
    if (refund.ok()) *list.add_orders() = *refund;
  }
  co_return list;
}

Async<payments::v1::CreateWalletASessionResponse> FakePaymentService::CreateWalletASession(
    const domain::Project& project, const payments::v1::WalletASessionOrder& request,
    const ports::Context& context) {
  Note(Function::kCreateWalletASession, project, request, "", context, {});
  const absl::Status failure = ReadFailure(Function::kCreateWalletASession);
  if (!failure.ok()) co_return failure;
  payments::v1::CreateWalletASessionResponse session;
  (*session.mutable_session_data()->mutable_fields())["merchantIdentifier"].set_string_value(
      request.merchant_identifier());
  co_return session;
}

Async<common::v1::PaymentLink> FakePaymentService::GetPaymentLink(const domain::Project& project,
                                                                  std::string_view payment_link_id,
                                                                  const ports::Context& context) {
  calls_.push_back({Function::kGetPaymentLink, project.name, "", nullptr, context, {}});
  const absl::Status failure = ReadFailure(Function::kGetPaymentLink);
  if (!failure.ok()) co_return failure;
  const auto found = links_.find(payment_link_id);
  if (found == links_.end()) {
    co_return domain::MakeError(
        absl::StatusCode::kNotFound, "no such payment link",
        {.reason = domain::reason::kPaymentLinkNotFound, .retry = domain::Retry::kAfterChange});
  }
  co_return found->second;
}

Async<payments::v1::CurrencyList> FakePaymentService::ListCurrencies(
    const domain::Project& project, const ports::Context& context) {
  calls_.push_back({Function::kListCurrencies, project.name, "", nullptr, context, {}});
  const absl::Status failure = ReadFailure(Function::kListCurrencies);
  if (!failure.ok()) co_return failure;
  payments::v1::CurrencyList list;
  list.add_currencies("EUR");
  list.add_currencies("JPY");
  co_return list;
}

Async<common::v1::OrderSearchResult> FakePaymentService::SearchOrders(
    const domain::Project& project, const common::v1::OrderSearch& search,
    const ports::Context& context) {
  Note(Function::kSearchOrders, project, search, "", context, {});
  const absl::Status failure = ReadFailure(Function::kSearchOrders);
  if (!failure.ok()) co_return failure;
  const std::int64_t size = search.has_size() ? search.size() : kDefaultPage;
  const std::string after = search.search_after() == "-1" ? "" : search.search_after();
  common::v1::OrderSearchResult result;
  std::int64_t hits = 0;
  // By id, as `sort` says: the product relies on no other sort
  // (docs/interface.md#8-what-can-be-searched).
  for (const auto& [id, order] : orders_) {
    if (!Matches(order, search.query()) || Hide(hidden_from_search_, id)) continue;
    ++hits;
    if (id <= after || result.orders_size() >= size) continue;
    *result.add_orders() = order;
    result.set_search_after(id);
  }
  result.set_hits(hits);
  co_return result;
}

}  // namespace tollbridge::test
