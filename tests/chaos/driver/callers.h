#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_CALLERS_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_CALLERS_H_

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/chaos/auditor/history_file.h"
#include "tests/chaos/driver/cluster.h"
#include "tests/chaos/driver/options.h"

namespace tollbridge::chaos {

using Random = std::mt19937_64;

/// What callers count, for progress lines.
struct Progress {
  std::atomic<std::size_t> started{0};
  std::atomic<std::size_t> ended{0};
  std::atomic<std::size_t> calls{0};
  std::atomic<std::size_t> results{0};
  std::atomic<std::size_t> refused{0};
  std::atomic<std::size_t> given_up{0};
};

/// What the coroutines of all callers share. They run on one thread.
struct CallerRoom {
  /// Throws std::runtime_error when the wallet does not answer.
  CallerRoom(Cluster* the_cluster, const Options& the_options, LineWriter* the_log);

  boost::asio::io_context io{1};
  Cluster* cluster;
  Options options;
  Intervals intervals;
  LineWriter* log;
  Progress progress;
  /// Of each project: what its callers know.
  struct Known {
    /// Tokens of approved cards that callers have stored.
    std::vector<std::string> stored_cards;
    /// Orders that callers have made, with their transaction; the newest.
    std::deque<std::pair<std::string, std::string>> orders;
  };
  std::array<Known, kProjects.size()> known;
  /// What customers' wallets give to a page: of a card on the device, of one in the account.
  struct {
    std::string device;
    std::string account;
    std::string declined;
  } wallet;
  /// Calls under way at each gateway.
  std::array<std::size_t, kGateways> under_way{};
};

/// Merchants' servers: they drive operations of all kinds through the gateways until
/// options.operations keys have been used, as docs/guides/idempotency.md tells them to. What each
/// does follows from the seed; when it does it, from the machine.
class Callers {
 public:
  /// Begins. The callers' log is written to `log`.
  Callers(Cluster* cluster, const Options& options, LineWriter* log);
  /// Gives up what is still under way.
  ~Callers();
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;

  bool ended() const { return ended_; }
  const Progress& progress() const { return room_.progress; }

 private:
  CallerRoom room_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_CALLERS_H_
