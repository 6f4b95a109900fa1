#include "tests/chaos/driver/callers.h"

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <stdexcept>

#include "tests/chaos/driver/pursuit.h"
#include "tests/chaos/driver/shopper.h"
#include "tests/support/http_call.h"

namespace tollbridge::chaos {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

/// Shoppers at once. Most of them wait for something.
constexpr std::size_t kShoppers = 300;

/// What the wallet's script gives to a shop's page. The wallet is not behind the gateway.
std::string WalletMessage(Cluster& cluster, std::string_view pan, std::string_view auth_method) {
  const std::string body = json::serialize(json::object{{"pan", pan},
                                                        {"expirationMonth", 12},
                                                        {"expirationYear", 2030},
                                                        {"authMethod", auth_method}});
  const http::Response answer =
      test::HttpCall("POST", cluster.stack().sandbox_url() + "/_sandbox/wallet-b-message", body,
                     {{"Content-Type", "application/json"}});
  if (answer.status != 200) throw std::runtime_error("the wallet: " + answer.body);
  return std::string(json::parse(answer.body).at("walletPayMessage").as_string());
}

/// One shopper after the other, while operations are left. `first` is the first one's number.
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

CallerRoom::CallerRoom(Cluster* the_cluster, const Options& the_options, LineWriter* the_log)
    : cluster(the_cluster),
      options(the_options),
      intervals(IntervalsFor(the_options)),
      log(the_log) {
  wallet.device = WalletMessage(*cluster, kApproved, "CRYPTOGRAM_3DS");
  wallet.account = WalletMessage(*cluster, kApproved, "PAN_ONLY");
  wallet.declined = WalletMessage(*cluster, kDeclined, "CRYPTOGRAM_3DS");
}

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
}

}  // namespace tollbridge::chaos
