#include "tests/support/http_call.h"

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>

#include "base/core/boot_clock.h"
#include "base/http/client.h"
#include "base/http/url.h"
#include "base/net/tls.h"
#include "tests/support/async_test.h"

namespace tollbridge::test {
namespace {

/// The ledger of 100,000 operations is longer than what the gateway would read.
constexpr std::size_t kLargest = std::size_t{1} << 30;

}  // namespace

http::Response HttpCall(const std::string& method, const std::string& url, const std::string& body,
                        const http::Headers& headers, std::chrono::milliseconds limit,
                        const std::string& ca_file) {
  absl::StatusOr<http::Url> parsed = http::ParseUrl(url);
  if (!parsed.ok()) throw std::runtime_error("not a URL: " + url);
  http::Request request;
  request.method = method;
  // As written: ParseUrl takes away a slash at the end.
  const std::size_t path = url.find('/', url.find("//") + 2);
  request.target = path == std::string::npos ? "/" : url.substr(path);
  request.headers = headers;
  request.body = body;
  http::ClientOptions options;
  options.base_url = *std::move(parsed);
  options.base_url.path.clear();
  options.base_url.query.clear();
  if (options.base_url.tls) {
    absl::StatusOr<std::shared_ptr<const net::TlsContext>> tls =
        net::TlsContext::ForClient({.ca_file = ca_file});
    if (!tls.ok()) throw std::runtime_error(tls.status().ToString());
    options.tls = *std::move(tls);
  }
  boost::asio::io_context context(1);
  auto client = std::make_unique<http::Client>(context.get_executor(), std::move(options));
  http::SendResult result =
      Await(context,
            client->Send(std::move(request), http::SendOptions{.deadline = BootClock::now() + limit,
                                                               .write_before = std::nullopt,
                                                               .max_response_bytes = kLargest}),
            limit + kAwaitLimit);
  if (result.fate != http::Fate::kAnswered) {
    throw std::runtime_error(method + " " + url + ": " + result.error.ToString());
  }
  return std::move(result.response);
}

std::string HttpGet(const std::string& url) {
  const http::Response response = HttpCall("GET", url);
  if (response.status != 200) {
    throw std::runtime_error("GET " + url + " answers " + std::to_string(response.status));
  }
  return response.body;
}

}  // namespace tollbridge::test
