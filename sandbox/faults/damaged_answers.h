#ifndef TOLLBRIDGE_SANDBOX_FAULTS_DAMAGED_ANSWERS_H_
#define TOLLBRIDGE_SANDBOX_FAULTS_DAMAGED_ANSWERS_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <string_view>

#include "base/http/message.h"
#include "sandbox/faults/fault_plan.h"

/// Answers as faults leave them. Bodies that are streamed are damaged as they pass.
namespace tollbridge::sandbox {

/// Not one byte of an answer: the connection is reset.
http::Response NoAnswer();
/// The error object of that status; `type` empty: the usual one.
http::Response ErrorAnswer(int status, std::string_view type);
/// `status`: its body, or the error object, or nothing below 400.
http::Response StatusAnswer(const Fault& fault);
/// `too_many_requests`.
http::Response TooManyRequestsAnswer(const Fault& fault);
/// `html`: what a proxy in between would say.
http::Response ProxyPage(int status);

/// Sets the high bit of the first byte and every seventh after it: no JSON text begins so, and most
/// text is no longer UTF-8. An answer without a body stays as it is.
http::Response Garbled(http::Response response);
/// The beginning of the body as a whole answer; a shorter body stays as it is.
boost::asio::awaitable<http::Response> CutShort(http::Response response, std::size_t bytes);
/// The body in small pieces, ten a second or single bytes, in real time.
http::Response Slowed(http::Response response, std::size_t bytes_per_second,
                      const boost::asio::any_io_executor& executor);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_FAULTS_DAMAGED_ANSWERS_H_
