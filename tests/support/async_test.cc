#include "tests/support/async_test.h"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <stdexcept>

namespace tollbridge::test {

void Await(boost::asio::io_context& context, boost::asio::awaitable<void> coroutine,
           std::chrono::milliseconds limit) {
  struct Ending {
    std::exception_ptr error;
  };
  auto ending = std::make_shared<std::optional<Ending>>();
  boost::asio::co_spawn(context, std::move(coroutine),
                        [ending](std::exception_ptr error) { *ending = Ending{error}; });
  if (!RunUntil(context, [&] { return ending->has_value(); }, limit)) {
    throw std::runtime_error("the coroutine did not end in time");
  }
  if ((*ending)->error) std::rethrow_exception((*ending)->error);
}

}  // namespace tollbridge::test
