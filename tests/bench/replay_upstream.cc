#include "tests/bench/replay_upstream.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cstdio>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/bench/connection.h"

namespace tollbridge::bench {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Request = http::request<http::string_body>;

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
constexpr std::string_view kCreate = "POST /v1/orders/";
/// The digits of an id that are counted up.
constexpr std::size_t kCountedDigits = 12;
constexpr std::string_view kNotFound = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

struct Answer {
  std::string bytes;
  std::size_t body_bytes = 0;
  /// Where the counted digits of the id of a created order are.
  std::vector<std::size_t> counted_at;
};

struct Seen {
  Request request;
  std::size_t body_bytes = 0;
};

std::string Text(const Request& request) {
  std::ostringstream out;
  out << request;
  return std::move(out).str();
}

/// The places at which the order's own id ends in the answer, which begins its body with it.
std::vector<std::size_t> CountedDigits(const std::string& bytes) {
  static constexpr std::string_view kBefore = R"("id":")";
  static constexpr std::size_t kUuid = 36;
  std::vector<std::size_t> places;
  const std::size_t begin = bytes.find(kBefore);
  if (begin == std::string::npos) throw std::runtime_error("a created order without an id");
  const std::string id = bytes.substr(begin + kBefore.size(), kUuid);
  for (std::size_t at = bytes.find(id); at != std::string::npos; at = bytes.find(id, at + 1)) {
    places.push_back(at + kUuid - kCountedDigits);
  }
  return places;
}

/// The answer as the origin gives it, with a Content-Length instead of chunks.
Answer Fetch(std::uint16_t origin, const std::string& request) {
  Connection connection(origin);
  connection.Write(request);
  const std::string header = connection.ReadHeader();
  std::string body;
  connection.ReadBody(header, [&](std::string_view piece) { body += piece; });
  std::string fields;
  std::istringstream lines(header);
  for (std::string line; std::getline(lines, line) && line != "\r";) {
    if (line.starts_with("Transfer-Encoding:") || line.starts_with("Content-Length:")) continue;
    fields += line + "\n";
  }
  Answer answer;
  answer.body_bytes = body.size();
  answer.bytes =
      fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::move(body);
  return answer;
}

}  // namespace

class ReplayUpstream::Impl {
 public:
  Impl() : acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    asio::co_spawn(context_, Accept(), asio::detached);
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Impl() {
    context_.stop();
    thread_.join();
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  void SetOrigin(std::uint16_t port) {
    const std::lock_guard lock(mutex_);
    origin_ = port;
  }

  Exchange Last(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = last_.find(name);
    if (found == last_.end()) return {};
    return {.request = Text(found->second.request), .body_bytes = found->second.body_bytes};
  }

 private:
  asio::awaitable<void> Accept() {
    for (;;) {
      auto [error, socket] = co_await acceptor_.async_accept(kAwait);
      if (error) co_return;
      boost::system::error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      asio::co_spawn(context_, Serve(std::move(socket)), asio::detached);
    }
  }

  asio::awaitable<void> Serve(tcp::socket socket) {
    boost::beast::flat_buffer buffer;
    std::string answer;
    for (;;) {
      Request request;
      const auto read = co_await http::async_read(socket, buffer, request, kAwait);
      if (std::get<0>(read)) co_return;
      const bool keep = request.keep_alive();
      TakeAnswer(std::move(request), answer);
      const auto written = co_await asio::async_write(socket, asio::buffer(answer), kAwait);
      if (std::get<0>(written) || !keep) co_return;
    }
  }

  void TakeAnswer(Request request, std::string& out) {
    std::string name(request.method_string());
    name.append(" ").append(request.target());
    const bool creates = name == kCreate;
    const std::string key = creates ? name : name + " " + request.body();
    const std::lock_guard lock(mutex_);
    auto found = answers_.find(key);
    if (found == answers_.end()) {
      if (origin_ == 0) {
        out = kNotFound;
        return;
      }
      found = answers_.emplace(key, Fetch(origin_, Text(request))).first;
      if (creates) found->second.counted_at = CountedDigits(found->second.bytes);
    }
    out = found->second.bytes;
    if (creates) Renew(found->second, out);
    last_[std::move(name)] = {std::move(request), found->second.body_bytes};
  }

  void Renew(const Answer& answer, std::string& out) {
    char digits[kCountedDigits + 1];
    std::snprintf(digits, sizeof(digits), "%012llx", ++created_);
    for (const std::size_t at : answer.counted_at) out.replace(at, kCountedDigits, digits);
  }

  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  mutable std::mutex mutex_;
  std::uint16_t origin_ = 0;
  std::map<std::string, Answer> answers_;
  std::map<std::string, Seen> last_;
  unsigned long long created_ = 0;
  std::thread thread_;
};

ReplayUpstream::ReplayUpstream() : impl_(std::make_unique<Impl>()) {}
ReplayUpstream::~ReplayUpstream() = default;
std::uint16_t ReplayUpstream::port() const { return impl_->port(); }
std::string ReplayUpstream::url() const { return "http://127.0.0.1:" + std::to_string(port()); }
void ReplayUpstream::SetOrigin(std::uint16_t port) { impl_->SetOrigin(port); }
ReplayUpstream::Exchange ReplayUpstream::Last(const std::string& method_and_target) const {
  return impl_->Last(method_and_target);
}

}  // namespace tollbridge::bench
