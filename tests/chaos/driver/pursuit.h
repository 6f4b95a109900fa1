#ifndef TOLLBRIDGE_TESTS_CHAOS_DRIVER_PURSUIT_H_
#define TOLLBRIDGE_TESTS_CHAOS_DRIVER_PURSUIT_H_

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/chaos/driver/callers.h"
#include "tests/chaos/driver/kinds.h"

namespace tollbridge::chaos {

/// One mutation to get done: everything that its key stands for.
struct Mutation {
  std::size_t project = 0;  ///< of kProjects
  std::string rpc;          ///< "CreateOrder"
  std::string key;
  std::string order;
  std::string transaction;
  /// What the request says; of one that says nothing, all that is there.
  std::int64_t amount = 0;
  std::string currency;
  std::string wrong;    ///< what of its ids is, as in Told
  std::string request;  ///< bytes
};

/// Calls again with the same key until the answer is definite, as a careful caller does; some give
/// up at once, some go away for a while, some are impatient, some come back when they have a result
/// or when the store is doubted no longer, each as `random` says. Every answer goes into the log.
/// Gives the answer that has a result; one without anything when there was none.
boost::asio::awaitable<Answer> Pursue(CallerRoom& room, Mutation mutation, Random random);

/// Waits so long.
boost::asio::awaitable<void> Pause(CallerRoom& room, Millis time);

/// A number from `from` to `to`.
std::int64_t Between(Random& random, std::int64_t from, std::int64_t to);
/// True in so many of a thousand.
bool Chance(Random& random, int per_mille);

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_DRIVER_PURSUIT_H_
