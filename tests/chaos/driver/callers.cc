#include "tests/chaos/driver/callers.h"

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "tests/chaos/driver/pursuit.h"
#include "tests/chaos/driver/shopper.h"

namespace tollbridge::chaos {
namespace {

namespace asio = boost::asio;

/// Shoppers at once. Most of them wait for something.
constexpr std::size_t kShoppers = 300;
/// Between two purchases of a shopper, at most. Without it a short run is over before much has gone
/// wrong.
constexpr Millis kBrowsing{8'000};

/// One shopper after the other, while operations are left. `first` is the first one's number.
asio::awaitable<void> Shop(CallerRoom& room, std::uint64_t first) {
  Random random(room.options.seed * 1'000'003 + first);
  // Not all at one moment.
  co_await Pause(room, Millis(Between(random, 0, kBrowsing.count() / 2)));
  for (std::uint64_t number = first; room.progress.started < room.options.operations;
       number += kShoppers) {
    Shopper shopper(&room, number);
    co_await shopper.Buy();
    co_await Pause(room, Millis(Between(random, 0, kBrowsing.count())));
  }
}

}  // namespace

CallerRoom::CallerRoom(Cluster* the_cluster, const Options& the_options, LineWriter* the_log)
    : cluster(the_cluster),
      options(the_options),
      intervals(IntervalsFor(the_options)),
      log(the_log) {
  const test::Stack& stack = cluster->stack();
  wallet.device = test::WalletBMessage(stack, "CRYPTOGRAM_3DS");
  wallet.account = test::WalletBMessage(stack, "PAN_ONLY");
  wallet.declined = test::WalletBMessage(stack, "CRYPTOGRAM_3DS", test::kDeclinedPan);
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
