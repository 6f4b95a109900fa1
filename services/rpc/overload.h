#ifndef TOLLBRIDGE_SERVICES_RPC_OVERLOAD_H_
#define TOLLBRIDGE_SERVICES_RPC_OVERLOAD_H_

#include <chrono>
#include <cstddef>
#include <string_view>

#include <absl/status/status.h>

namespace tollbridge::rpc {

/// RESOURCE_EXHAUSTED OVERLOADED with RetryInfo: nothing was done, the same key is safe.
absl::Status Overloaded(std::string_view message, std::chrono::milliseconds retry_after);

/// Counts a call for as long as its coroutine lives, however it ends.
class Place {
 public:
  explicit Place(std::size_t& count) : count_(count) { ++count_; }
  ~Place() { --count_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  std::size_t& count_;
};

}  // namespace tollbridge::rpc

#endif  // TOLLBRIDGE_SERVICES_RPC_OVERLOAD_H_
