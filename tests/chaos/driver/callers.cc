#include "tests/chaos/driver/callers.h"

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <exception>
#include <iostream>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include "services/base/encoding.h"
#include "tests/chaos/driver/pursuit.h"
#include "tests/support/http_call.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::chaos {
namespace {

namespace asio = boost::asio;
namespace v1 = payments::v1;
using asio::experimental::awaitable_operators::operator&&;

/// Shoppers at once. Most of them wait for something.
constexpr std::size_t kShoppers = 300;
constexpr std::string_view kApproved = "4111111111111111";
constexpr std::string_view kDeclined = "4000000000000002";

/// What a shopper buys: which operations follow on the order.
enum class Purchase { kOrderOnly, kInitiate, kAuthenticate, kCapture, kVoid };

Purchase PurchaseOf(Random& random) {
  const std::int64_t draw = Between(random, 0, 99);
  if (draw < 15) return Purchase::kOrderOnly;
  if (draw < 40) return Purchase::kInitiate;
  if (draw < 60) return Purchase::kAuthenticate;
  return draw < 82 ? Purchase::kCapture : Purchase::kVoid;
}

/// A shopper's way through one purchase.
class Shopper {
 public:
  Shopper(CallerRoom* room, std::uint64_t number)
      : room_(*room), random_(room->options.seed * 1'000'003 + number), number_(number) {}

  asio::awaitable<void> Buy();

 private:
  /// False when as many operations as wanted have been used.
  bool Take();
  std::string NextKey();
  Random Fork() { return Random(random_()); }

  asio::awaitable<Ending> Create(Purchase purchase);
  /// The vault token of the card; empty when the vault did not take it.
  asio::awaitable<std::string> StoreCard(std::string setup_token, std::string_view pan);
  asio::awaitable<Ending> Pay(const common::v1::Order& order, Purchase purchase,
                              const std::string& vault_token);
  asio::awaitable<Ending> Finish(const common::v1::Order& order, Purchase purchase);
  asio::awaitable<void> Refund(std::string order, std::int64_t paid);
  /// Pursues a mutation: mostly as one caller; sometimes two with one key, sometimes two with two
  /// keys for the same. Gives the first's ending, or the other's when that has a result.
  template <typename Request>
  asio::awaitable<Ending> Do(std::string rpc, Request request, Mutation about);

  CallerRoom& room_;
  Random random_;
  std::uint64_t number_;
  int keys_ = 0;
};

bool Shopper::Take() {
  if (room_.progress.started >= room_.options.operations) return false;
  ++room_.progress.started;
  return true;
}

std::string Shopper::NextKey() {
  return "s" + std::to_string(room_.options.seed) + "-" + std::to_string(number_) + "-" +
         std::to_string(++keys_);
}

template <typename Request>
asio::awaitable<Ending> Shopper::Do(std::string rpc, Request request, Mutation about) {
  if (!Take()) co_return Ending{};
  about.rpc = std::move(rpc);
  about.key = NextKey();
  request.set_idempotency_key(about.key);
  about.request = request.SerializeAsString();
  const bool twins = Chance(random_, 60);
  const bool rivals =
      about.rpc != "CreateOrder" && about.rpc != "CreateRefund" && Chance(random_, 60) && Take();
  if (!twins && !rivals) {
    Ending alone = co_await Pursue(room_, std::move(about), Fork());
    ++room_.progress.ended;
    co_return alone;
  }
  Mutation other = about;
  if (rivals) {
    other.key = NextKey();
    request.set_idempotency_key(other.key);
    other.request = request.SerializeAsString();
  }
  asio::awaitable<Ending> one = Pursue(room_, std::move(about), Fork());
  asio::awaitable<Ending> two = Pursue(room_, std::move(other), Fork());
  const std::tuple<Ending, Ending> both = co_await (std::move(one) && std::move(two));
  room_.progress.ended += rivals ? 2 : 1;
  co_return std::get<0>(both).order ? std::get<0>(both) : std::get<1>(both);
}

asio::awaitable<Ending> Shopper::Create(Purchase purchase) {
  v1::CreateOrderRequest request;
  Mutation about;
  about.amount = Between(random_, 2, 500) * 100;
  request.set_amount(about.amount);
  request.set_currency("EUR");
  // An orphan that nobody pays expires, and by that the reader learns of it.
  if (room_.options.late_beyond_bound) request.set_expiration_period("PT30S");
  if (Chance(random_, 500)) request.set_merchant_order_id("order-" + std::to_string(number_));
  if (purchase != Purchase::kOrderOnly) {
    v1::NewTransaction& transaction = *request.add_transactions();
    transaction.set_payment_method("credit-card");
    if (purchase == Purchase::kCapture || purchase == Purchase::kVoid) {
      transaction.set_capture_mode("manual");
    }
  }
  Ending ending = co_await Do("CreateOrder", std::move(request), std::move(about));
  co_return ending;
}

/// The answer of the vault, which is the payment service's and not behind the gateway.
std::string AskVault(const std::string& url, const std::string& body) {
  try {
    const http::Response answer =
        test::HttpCall("POST", url + "/vault/v1/cards/", body,
                       {{"Authorization", "Basic " + Base64Encode("sandbox-demo-key:")},
                        {"Content-Type", "application/json"}});
    if (answer.status != 201) return "";
    const boost::json::value stored = boost::json::parse(answer.body);
    return std::string(stored.at("vault_token").as_string());
  } catch (const std::exception&) {
    return "";
  }
}

asio::awaitable<std::string> Shopper::StoreCard(std::string setup_token, std::string_view pan) {
  const std::string body =
      boost::json::serialize(boost::json::object{{"pan", std::string(pan)},
                                                 {"expiry", "122030"},
                                                 {"name", "A Cardholder"},
                                                 {"setup_token", setup_token}});
  auto begin = [&](auto handler) {
    auto shared = std::make_shared<decltype(handler)>(std::move(handler));
    asio::post(room_.blocking, [this, shared, body, work = asio::make_work_guard(room_.io)] {
      std::string token = AskVault(room_.cluster->stack().sandbox_url(), body);
      asio::post(room_.io,
                 [shared, token = std::move(token)]() mutable { (*shared)(std::move(token)); });
    });
  };
  std::string token =
      co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(std::string)>(
          begin, asio::use_awaitable);
  co_return token;
}

asio::awaitable<Ending> Shopper::Pay(const common::v1::Order& order, Purchase purchase,
                                     const std::string& vault_token) {
  Mutation about;
  about.order = order.id();
  about.transaction = order.transactions(0).id();
  about.amount = order.amount();
  Ending ending;
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

asio::awaitable<Ending> Shopper::Finish(const common::v1::Order& order, Purchase purchase) {
  Mutation about;
  about.order = order.id();
  about.transaction = order.transactions(0).id();
  about.amount = order.amount();
  Ending ending;
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
  request.set_order_id(about.order);
  request.set_amount(about.amount);
  if (Chance(random_, 500)) request.set_description("came back");
  co_await Do("CreateRefund", std::move(request), std::move(about));
}

asio::awaitable<void> Shopper::Buy() {
  const Purchase purchase = PurchaseOf(random_);
  const Ending created = co_await Create(purchase);
  if (purchase == Purchase::kOrderOnly || !created.order) co_return;
  const common::v1::Order& order = *created.order;
  // Of an order that was found again, the setup token is lost: a shopper starts anew.
  if (order.transactions_size() != 1) co_return;
  const std::string setup_token = order.transactions(0).payment_method_details().setup_token();
  if (setup_token.empty()) co_return;
  const bool declined = Chance(random_, 50);
  const std::string token = co_await StoreCard(setup_token, declined ? kDeclined : kApproved);
  if (token.empty()) co_return;
  const Ending paid = co_await Pay(order, purchase, token);
  if (!paid.order || declined) co_return;
  std::string refundable = order.id();
  if (purchase == Purchase::kCapture || purchase == Purchase::kVoid) {
    const Ending finished = co_await Finish(order, purchase);
    if (!finished.order || purchase == Purchase::kVoid) co_return;
    refundable = finished.order->id();
  } else if (purchase == Purchase::kInitiate) {
    // It is accepted first, and completed a second later.
    co_await Pause(room_, Millis(1'500));
  }
  const std::int64_t refunds = Between(random_, 0, 2);
  for (std::int64_t i = 0; i < refunds; ++i) {
    co_await Refund(refundable, order.amount());
  }
}

/// One shopper after the other, while operations are left. `first` and `step` make the numbers.
asio::awaitable<void> Shop(CallerRoom& room, std::uint64_t first) {
  // Not all at one moment.
  co_await Pause(room, Millis(static_cast<std::int64_t>(first) * 10));
  for (std::uint64_t number = first; room.progress.started < room.options.operations;
       number += kShoppers) {
    Shopper shopper(&room, number);
    co_await shopper.Buy();
  }
}

}  // namespace

Callers::Callers(Cluster* cluster, const Options& options, LineWriter* log)
    : room_(cluster, options, log) {
  const std::size_t shoppers = std::min(kShoppers, options.operations);
  for (std::size_t i = 0; i < shoppers; ++i) {
    asio::co_spawn(room_.io, Shop(room_, i), asio::detached);
  }
  thread_ = std::thread([this] {
    room_.io.run();
    ended_ = true;
  });
}

Callers::~Callers() {
  room_.io.stop();
  thread_.join();
  room_.blocking.join();
}

}  // namespace tollbridge::chaos
