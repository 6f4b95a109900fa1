#ifndef TOLLBRIDGE_BASE_CORE_MUST_GO_ON_H_
#define TOLLBRIDGE_BASE_CORE_MUST_GO_ON_H_

#include <exception>

namespace tollbridge {

/// What becomes of a loop that the process cannot do without when it throws: the process ends, as
/// by any exception that nobody catches, and whoever watches it starts another. Completion of
/// boost::asio::co_spawn; `detached` would let the loop die without a word.
struct MustGoOn {
  void operator()(const std::exception_ptr& thrown) const noexcept {
    if (thrown) std::rethrow_exception(thrown);
  }
};

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_MUST_GO_ON_H_
