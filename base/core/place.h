#ifndef TOLLBRIDGE_BASE_CORE_PLACE_H_
#define TOLLBRIDGE_BASE_CORE_PLACE_H_

#include <cstdint>

namespace tollbridge {

/// Counts whoever holds it, for as long as it lives: a call in its coroutine, however that ends.
/// The count outlives it. One thread.
class Place {
 public:
  explicit Place(std::int64_t& count) : count_(count) { ++count_; }
  ~Place() { --count_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  std::int64_t& count_;
};

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_PLACE_H_
