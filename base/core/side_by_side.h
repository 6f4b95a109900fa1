#ifndef TOLLBRIDGE_BASE_CORE_SIDE_BY_SIDE_H_
#define TOLLBRIDGE_BASE_CORE_SIDE_BY_SIDE_H_

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>

namespace tollbridge {

/// Does the work of one index. False when nothing further is to be begun.
using Turn = boost::asio::awaitable<bool>;

/// Awaits `turn(0)`, `turn(1)`, ... `turn(count - 1)`: begun in this order, at most `at_once` under
/// way at the same time, on the shard that awaits this. Ends when all that was begun has ended.
/// Returns how many were begun: fewer than `count` only after one said so. What `turn` refers to
/// lives until then, or until the shard has stopped. What a turn throws is thrown here, once the
/// others that were begun have ended.
boost::asio::awaitable<std::size_t> SideBySide(std::size_t count, std::size_t at_once,
                                               std::function<Turn(std::size_t)> turn);

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_SIDE_BY_SIDE_H_
