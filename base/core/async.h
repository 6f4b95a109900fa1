#ifndef TOLLBRIDGE_BASE_CORE_ASYNC_H_
#define TOLLBRIDGE_BASE_CORE_ASYNC_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <boost/asio/awaitable.hpp>

namespace tollbridge {

/// A coroutine that ends in a value or says why there is none. It runs on the shard that awaits it.
template <typename T>
using Async = boost::asio::awaitable<absl::StatusOr<T>>;

/// A coroutine that ends in success or a reason.
using AsyncStatus = boost::asio::awaitable<absl::Status>;

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_ASYNC_H_
