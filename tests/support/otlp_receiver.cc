#include "tests/support/otlp_receiver.h"

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace tollbridge::test {
namespace {

/// The bytes of hex digits.
std::string Bytes(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

/// Field `number` of wire type 2 with this content, as protobuf writes a short one.
std::string Field(int number, const std::string& content) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} +
         content;
}

}  // namespace

OtlpReceiver::OtlpReceiver() {
  auto server = http::Server::Start(
      {context_.get_executor()}, {},
      [this](const http::Request& request,
             const http::ConnectionInfo&) -> boost::asio::awaitable<http::Response> {
        const std::lock_guard lock(mutex_);
        received_ += request.body;
        co_return http::Response{};
      });
  if (!server.ok()) throw std::runtime_error(server.status().ToString());
  server_ = *std::move(server);
  thread_ = std::thread([this] { context_.run(); });
}

OtlpReceiver::~OtlpReceiver() {
  context_.stop();
  thread_.join();
}

std::string OtlpReceiver::url() const { return "http://" + server_->address() + "/v1/traces"; }

std::string OtlpReceiver::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

bool OtlpReceiver::HasSpan(std::string_view name, std::string_view trace_id) const {
  // Span {bytes trace_id = 1; ...; string name = 5;}: a span begins with its trace id, and its name
  // comes before the next one begins.
  const std::string begin = Field(1, Bytes(trace_id));
  const std::string wanted = Field(5, std::string(name));
  const std::string any_trace = begin.substr(0, 2);
  const std::lock_guard lock(mutex_);
  for (std::size_t at = received_.find(begin); at != std::string::npos;
       at = received_.find(begin, at + 1)) {
    const std::size_t next = received_.find(any_trace, at + begin.size());
    const std::size_t found = received_.find(wanted, at);
    if (found != std::string::npos && found < next) return true;
  }
  return false;
}

}  // namespace tollbridge::test
