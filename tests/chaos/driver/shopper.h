#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_SHOPPER_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_SHOPPER_H_

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/chaos/driver/callers.h"
#include "tests/chaos/driver/pursuit.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::chaos {

/// What a shopper does: which operations follow on each other.
enum class Purchase {
  kOrderOnly,
  kInitiate,
  kAuthenticate,
  kCapture,
  kVoid,
  kWalletB,
  kPayout,
  kPaymentLink
};

/// A shopper's way through one purchase. Shoppers of two projects share a number, and so their
/// keys. What it does follows from the run's seed and its number.
class Shopper {
 public:
  Shopper(CallerRoom* room, std::uint64_t number);

  boost::asio::awaitable<void> Buy();

 private:
  /// False when as many operations as wanted have been used.
  bool Take();
  std::string NextKey();
  CallerRoom::Known& known() { return room_.known.at(project_); }
  /// Of all that it buys: not each shopper's is the same.
  std::string Currency() const;
  Random Fork() { return Random(random_()); }

  boost::asio::awaitable<Answer> Create(Purchase purchase);
  boost::asio::awaitable<void> BuyByCard(common::v1::Order order, Purchase purchase);
  boost::asio::awaitable<void> BuyByWallet(common::v1::Order order);
  /// A token to pay with: of this card, stored for the order, or one that was stored before; empty
  /// when the card was not stored.
  boost::asio::awaitable<std::string> CardFor(const common::v1::Order& order, bool declined);
  boost::asio::awaitable<Answer> Pay(const common::v1::Order& order, Purchase purchase,
                                     const std::string& vault_token);
  boost::asio::awaitable<Answer> Finish(const common::v1::Order& order, Purchase purchase);
  boost::asio::awaitable<void> Refund(std::string order, std::int64_t paid);
  boost::asio::awaitable<void> RefundNowAndThen(std::string order, std::int64_t paid);
  /// Names an order of another project, one that nobody has, or a transaction of another order.
  boost::asio::awaitable<void> GoAstray();
  boost::asio::awaitable<void> PayOut();
  boost::asio::awaitable<void> MakeLink();
  std::string AnyStoredCard();

  /// Pursues a mutation: mostly as one caller; sometimes two with one key, sometimes two with two
  /// keys for the same. Gives the first's answer, or the other's when that has a result.
  template <typename Request>
  boost::asio::awaitable<Answer> Do(std::string rpc, Request request, Mutation about);

  CallerRoom& room_;
  Random random_;
  std::uint64_t number_;
  /// Of kProjects.
  std::size_t project_;
  int keys_ = 0;
};

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_SHOPPER_H_
