#include "tests/chaos/driver/shopper.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/core/uuid.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/payouts/v1/payouts.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::chaos {
namespace {

namespace asio = boost::asio;
namespace v1 = payments::v1;
using asio::experimental::awaitable_operators::operator&&;

constexpr std::string_view kExpiry = "122030";
/// Cards that others may pay with later; enough to choose from.
constexpr std::size_t kMostStoredCards = 1'000;
/// Orders that others may name by mistake: such as are being paid.
constexpr std::size_t kMostOrders = 12;
constexpr int kAstrayPerMille = 120;

Purchase PurchaseOf(Random& random) {
  const std::int64_t draw = Between(random, 0, 99);
  if (draw < 4) return Purchase::kOrderOnly;
  if (draw < 18) return Purchase::kInitiate;
  if (draw < 26) return Purchase::kAuthenticate;
  if (draw < 42) return Purchase::kCapture;
  if (draw < 55) return Purchase::kVoid;
  if (draw < 71) return Purchase::kWalletB;
  return draw < 86 ? Purchase::kPayout : Purchase::kPaymentLink;
}

Mutation About(const common::v1::Order& order) {
  Mutation about;
  about.order = order.id();
  about.transaction = order.transactions(0).id();
  about.amount = order.amount();
  about.currency = order.currency();
  return about;
}

template <typename Items>
typename Items::value_type OneOf(const Items& items, Random& random) {
  return items[static_cast<std::size_t>(
      Between(random, 0, static_cast<std::int64_t>(items.size()) - 1))];
}

const std::string& SetupTokenOf(const common::v1::Order& order) {
  return order.transactions(0).payment_method_details().setup_token();
}

}  // namespace

Shopper::Shopper(CallerRoom* room, std::uint64_t number)
    : room_(*room),
      random_(room->options.seed * 1'000'003 + number),
      number_(number / kProjects.size()),
      project_(number % kProjects.size()) {}

bool Shopper::Take() {
  if (room_.progress.started >= room_.options.operations) return false;
  ++room_.progress.started;
  return true;
}

std::string Shopper::NextKey() {
  return "s" + std::to_string(room_.options.seed) + "-" + std::to_string(number_) + "-" +
         std::to_string(++keys_);
}

std::string Shopper::Currency() const { return number_ % 3 == 0 ? "CHF" : "EUR"; }

template <typename Request>
asio::awaitable<Answer> Shopper::Do(std::string rpc, Request request, Mutation about) {
  if (!Take()) co_return Answer{};
  about.rpc = std::move(rpc);
  about.project = project_;
  about.key = NextKey();
  request.set_project(std::string(kProjects.at(project_).name));
  request.set_idempotency_key(about.key);
  if constexpr (std::is_same_v<Request, v1::CreatePaymentLinkRequest>) {
    // By which the auditor knows whose link it is.
    request.set_merchant_order_id(about.key);
  }
  about.request = request.SerializeAsString();
  const bool twins = Chance(random_, 60);
  const bool rivals = KindOf(about.rpc).once_for_all_keys && Chance(random_, 60) && Take();
  if (!twins && !rivals) {
    Answer alone = co_await Pursue(room_, std::move(about), Fork());
    ++room_.progress.ended;
    co_return alone;
  }
  Mutation other = about;
  if (rivals) {
    other.key = NextKey();
    request.set_idempotency_key(other.key);
    other.request = request.SerializeAsString();
  }
  asio::awaitable<Answer> one = Pursue(room_, std::move(about), Fork());
  asio::awaitable<Answer> two = Pursue(room_, std::move(other), Fork());
  std::tuple<Answer, Answer> both = co_await (std::move(one) && std::move(two));
  room_.progress.ended += rivals ? 2 : 1;
  co_return std::get<0>(both).done ? std::get<0>(std::move(both)) : std::get<1>(std::move(both));
}

asio::awaitable<Answer> Shopper::Create(Purchase purchase) {
  v1::CreateOrderRequest request;
  Mutation about;
  about.amount = Between(random_, 2, 500) * 100;
  about.currency = Currency();
  request.set_amount(about.amount);
  request.set_currency(about.currency);
  // An orphan that nobody pays expires, and by that the reader learns of it.
  if (room_.options.late_beyond_bound) request.set_expiration_period("PT30S");
  if (Chance(random_, 500)) request.set_merchant_order_id("order-" + std::to_string(number_));
  if (purchase != Purchase::kOrderOnly) {
    v1::NewTransaction& transaction = *request.add_transactions();
    transaction.set_payment_method(purchase == Purchase::kWalletB ? "wallet-b-pay" : "credit-card");
    if (purchase == Purchase::kCapture || purchase == Purchase::kVoid) {
      transaction.set_capture_mode("manual");
    }
  }
  co_return co_await Do("CreateOrder", std::move(request), std::move(about));
}

std::string Shopper::AnyStoredCard() {
  return known().stored_cards.empty() ? "" : OneOf(known().stored_cards, random_);
}

asio::awaitable<std::string> Shopper::CardFor(const common::v1::Order& order, bool declined) {
  const std::string before = AnyStoredCard();
  if (!declined && !before.empty() && Chance(random_, 600)) co_return before;
  vault::v1::StoreCardRequest request;
  request.set_pan(std::string(declined ? test::kDeclinedPan : test::kApprovedPan));
  request.set_expiry(std::string(kExpiry));
  request.set_name("A Cardholder");
  request.set_setup_token(SetupTokenOf(order));
  Answer stored = co_await Do("StoreCard", std::move(request), About(order));
  // The answer was lost, and the setup token is spent: the order is paid with another card.
  if (!stored.done) co_return declined ? std::string() : before;
  if (!declined && known().stored_cards.size() < kMostStoredCards) {
    known().stored_cards.push_back(stored.vault_token);
  }
  co_return stored.vault_token;
}

asio::awaitable<Answer> Shopper::Pay(const common::v1::Order& order, Purchase purchase,
                                     const std::string& vault_token) {
  Mutation about = About(order);
  Answer ending;
  if (purchase == Purchase::kInitiate) {
    v1::InitiateTransactionRequest request;
    request.set_order_id(about.order);
    request.set_transaction_id(about.transaction);
    request.set_vault_token(vault_token);
    ending = co_await Do("InitiateTransaction", std::move(request), std::move(about));
  } else {
    v1::AuthenticateTransactionRequest request;
    request.set_order_id(about.order);
    request.set_transaction_id(about.transaction);
    request.set_vault_token(vault_token);
    ending = co_await Do("AuthenticateTransaction", std::move(request), std::move(about));
  }
  co_return ending;
}

asio::awaitable<Answer> Shopper::Finish(const common::v1::Order& order, Purchase purchase) {
  Mutation about = About(order);
  Answer ending;
  if (purchase == Purchase::kCapture) {
    v1::CaptureTransactionRequest request;
    request.set_order_id(about.order);
    request.set_transaction_id(about.transaction);
    ending = co_await Do("CaptureTransaction", std::move(request), std::move(about));
  } else {
    v1::VoidTransactionRequest request;
    request.set_order_id(about.order);
    request.set_transaction_id(about.transaction);
    ending = co_await Do("VoidTransaction", std::move(request), std::move(about));
  }
  co_return ending;
}

asio::awaitable<void> Shopper::Refund(std::string order, std::int64_t paid) {
  v1::CreateRefundRequest request;
  Mutation about;
  about.order = std::move(order);
  about.amount = paid / 2;
  about.currency = Currency();
  request.set_order_id(about.order);
  request.set_amount(about.amount);
  if (Chance(random_, 500)) request.set_description("came back");
  co_await Do("CreateRefund", std::move(request), std::move(about));
}

asio::awaitable<void> Shopper::RefundNowAndThen(std::string order, std::int64_t paid) {
  const std::int64_t refunds = Between(random_, 0, 2);
  for (std::int64_t i = 0; i < refunds; ++i) {
    co_await Refund(order, paid);
  }
}

asio::awaitable<void> Shopper::BuyByCard(common::v1::Order order, Purchase purchase) {
  const bool declined = Chance(random_, 50);
  const std::string token = co_await CardFor(order, declined);
  if (token.empty()) co_return;
  const Answer paid = co_await Pay(order, purchase, token);
  if (!paid.done || declined) co_return;
  std::string refundable = order.id();
  if (purchase == Purchase::kCapture || purchase == Purchase::kVoid) {
    const Answer finished = co_await Finish(order, purchase);
    if (!finished.order || purchase == Purchase::kVoid) co_return;
    refundable = finished.order->id();
  } else if (purchase == Purchase::kInitiate) {
    // It is accepted first, and completed a second later.
    co_await Pause(room_, Millis(1'500));
  }
  co_await RefundNowAndThen(std::move(refundable), order.amount());
}

asio::awaitable<void> Shopper::BuyByWallet(common::v1::Order order) {
  const std::string& approved = Chance(random_, 500) ? room_.wallet.device : room_.wallet.account;
  vault::v1::ExchangeWalletBTokenRequest exchange;
  exchange.set_wallet_pay_message(Chance(random_, 50) ? room_.wallet.declined : approved);
  exchange.set_setup_token(SetupTokenOf(order));
  exchange.set_transaction_id(order.transactions(0).id());
  Answer token = co_await Do("ExchangeWalletBToken", std::move(exchange), About(order));
  // The answer was lost: the customer pays with a card that the shop has.
  if (!token.done) token.vault_token = AnyStoredCard();
  if (token.vault_token.empty()) co_return;
  v1::ExecuteWalletBPaymentRequest execute;
  execute.set_order_id(order.id());
  execute.set_transaction_id(order.transactions(0).id());
  execute.set_vault_token(token.vault_token);
  if (!token.cryptogram.empty()) execute.set_cryptogram(token.cryptogram);
  if (!token.eci_indicator.empty()) execute.set_eci_indicator(token.eci_indicator);
  const Answer paid = co_await Do("ExecuteWalletBPayment", std::move(execute), About(order));
  if (paid.done) co_await RefundNowAndThen(order.id(), order.amount());
}

asio::awaitable<void> Shopper::GoAstray() {
  const bool of_other_project = Chance(random_, 600);
  const CallerRoom::Known& whose = of_other_project ? room_.known.at(1 - project_) : known();
  if (whose.orders.empty()) co_return;
  Mutation about;
  std::tie(about.order, about.transaction) = OneOf(whose.orders, random_);
  about.wrong = "order";
  const std::string nobodys = Uuid::V5(Uuid{}, "nobody's " + NextKey()).ToString();
  if (!of_other_project && Chance(random_, 500)) {
    about.order = nobodys;
  } else if (!of_other_project) {
    about.transaction = nobodys;
    about.wrong = "transaction";
  }
  const std::int64_t what = Between(random_, 0, 3);
  if (what == 0 && about.wrong == "order") {
    v1::CreateRefundRequest request;
    request.set_order_id(about.order);
    request.set_amount(100);
    co_await Do("CreateRefund", std::move(request), std::move(about));
  } else if (what == 1) {
    v1::VoidTransactionRequest request;
    request.set_order_id(about.order);
    request.set_transaction_id(about.transaction);
    co_await Do("VoidTransaction", std::move(request), std::move(about));
  } else if (what == 2 && !known().stored_cards.empty()) {
    v1::InitiateTransactionRequest request;
    request.set_order_id(about.order);
    request.set_transaction_id(about.transaction);
    request.set_vault_token(AnyStoredCard());
    co_await Do("InitiateTransaction", std::move(request), std::move(about));
  } else {
    v1::CaptureTransactionRequest request;
    request.set_order_id(about.order);
    request.set_transaction_id(about.transaction);
    co_await Do("CaptureTransaction", std::move(request), std::move(about));
  }
}

asio::awaitable<void> Shopper::PayOut() {
  payouts::v1::CreatePayoutRequest request;
  Mutation about;
  about.amount = Between(random_, 2, 500) * 100;
  about.currency = Currency();
  request.set_amount(about.amount);
  request.set_currency(about.currency);
  if (room_.options.late_beyond_bound) request.set_expiration_period("PT30S");
  if (Chance(random_, 500)) request.set_merchant_order_id("payout-" + std::to_string(number_));
  request.mutable_customer()->set_first_name("A");
  request.mutable_customer()->set_last_name("Cardholder");
  request.mutable_customer()->set_country("DE");
  const std::string before = AnyStoredCard();
  if (!before.empty() && Chance(random_, 500)) {
    request.set_vault_token(before);
  } else {
    request.mutable_card()->set_pan(
        std::string(Chance(random_, 50) ? test::kDeclinedPan : test::kApprovedPan));
    request.mutable_card()->set_expiry(std::string(kExpiry));
    request.mutable_card()->set_name("A Cardholder");
  }
  co_await Do("CreatePayout", std::move(request), std::move(about));
}

asio::awaitable<void> Shopper::MakeLink() {
  v1::CreatePaymentLinkRequest request;
  Mutation about;
  about.amount = Between(random_, 2, 500) * 100;
  about.currency = Currency();
  request.set_amount(about.amount);
  request.set_currency(about.currency);
  co_await Do("CreatePaymentLink", std::move(request), std::move(about));
}

asio::awaitable<void> Shopper::Buy() {
  if (Chance(random_, kAstrayPerMille)) co_await GoAstray();
  const Purchase purchase = PurchaseOf(random_);
  if (purchase == Purchase::kPayout) {
    co_await PayOut();
    co_return;
  }
  if (purchase == Purchase::kPaymentLink) {
    co_await MakeLink();
    co_return;
  }
  const Answer created = co_await Create(purchase);
  if (purchase == Purchase::kOrderOnly || !created.order) co_return;
  const common::v1::Order& order = *created.order;
  if (order.transactions_size() == 1) {
    known().orders.emplace_back(order.id(), order.transactions(0).id());
    if (known().orders.size() > kMostOrders) known().orders.pop_front();
  }
  // Of an order that was found again, the setup token is lost: a shopper starts anew.
  if (order.transactions_size() != 1 || SetupTokenOf(order).empty()) co_return;
  if (purchase == Purchase::kWalletB) {
    co_await BuyByWallet(order);
  } else {
    co_await BuyByCard(order, purchase);
  }
}

}  // namespace tollbridge::chaos
