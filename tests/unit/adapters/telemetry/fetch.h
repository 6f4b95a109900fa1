#ifndef TOLLBRIDGE_TESTS_UNIT_ADAPTERS_TELEMETRY_FETCH_H_
#define TOLLBRIDGE_TESTS_UNIT_ADAPTERS_TELEMETRY_FETCH_H_

#include <chrono>
#include <cstdint>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "adapters/http/client.h"

namespace tollbridge::telemetry_exporters {

/// One request to a server on loopback that runs on another thread. Status 0 when there is no
/// answer.
inline http::Response Fetch(std::uint16_t port, const std::string& method,
                            const std::string& target) {
  boost::asio::io_context context;
  http::ClientOptions client_options;
  client_options.base_url = *http::ParseUrl("http://127.0.0.1:" + std::to_string(port));
  http::Client client(context.get_executor(), client_options);
  http::Request request;
  request.method = method;
  request.target = target;
  http::SendOptions options;
  options.deadline = BootClock::now() + std::chrono::seconds(20);
  http::Response response;
  response.status = 0;
  boost::asio::co_spawn(context, client.Send(request, options),
                        [&](std::exception_ptr, http::SendResult result) {
                          if (result.error.ok()) response = std::move(result.response);
                          context.stop();  // the client's timers would keep it until the deadline
                        });
  context.run();
  return response;
}

}  // namespace tollbridge::telemetry_exporters

#endif  // TOLLBRIDGE_TESTS_UNIT_ADAPTERS_TELEMETRY_FETCH_H_
