#ifndef TOLLBRIDGE_TESTS_FUZZ_FIXED_SERVICE_H_
#define TOLLBRIDGE_TESTS_FUZZ_FIXED_SERVICE_H_

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "adapters/payment_service/client.h"
#include "adapters/payment_service/transport.h"
#include "base/http/message.h"
#include "tests/fuzz/finding.h"

namespace tollbridge::fuzz {

/// The end of an outbound pipe without a wire: each exchange is answered by a function, with a
/// whole HTTP response. A body that is streamed is given in pieces of `piece` bytes.
class FixedTransport : public payment_service::Transport {
 public:
  using Answer = std::function<http::Response(const payment_service::Exchange&)>;

  explicit FixedTransport(Answer answer, std::size_t piece = 7)
      : answer_(std::move(answer)), piece_(piece) {}
  boost::asio::awaitable<payment_service::ExchangeResult> Send(
      payment_service::Exchange exchange) override;

 private:
  Answer answer_;
  std::size_t piece_;
};

/// The client of the payment service before such a pipe.
std::unique_ptr<payment_service::Client> ClientOf(FixedTransport::Answer answer,
                                                  std::size_t piece = 7);

/// Runs a coroutine that waits for nothing but itself to its end.
template <typename T>
T Run(boost::asio::io_context& context, boost::asio::awaitable<T> coroutine) {
  std::optional<T> result;
  boost::asio::co_spawn(context, std::move(coroutine), [&](std::exception_ptr error, T value) {
    if (error) Found("an exception");
    result = std::move(value);
  });
  context.restart();
  context.poll();
  if (!result) Found("a coroutine that does not end");
  return *std::move(result);
}

}  // namespace tollbridge::fuzz

#endif  // TOLLBRIDGE_TESTS_FUZZ_FIXED_SERVICE_H_
