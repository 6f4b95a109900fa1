#include "tests/bench/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "base/core/encoding.h"

namespace tollbridge::bench {
namespace {

constexpr std::size_t kPiece = 65536;

std::size_t ToNumber(std::string_view text, int base) {
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (problem != std::errc() || end == text.data()) {
    throw std::runtime_error("not a length: " + std::string(text));
  }
  return number;
}

}  // namespace

Connection::Connection(std::uint16_t port, int receive_buffer)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_buffer > 0) {
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
  }
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    close(fd_);
    throw std::runtime_error("cannot connect to port " + std::to_string(port));
  }
}

Connection::~Connection() { close(fd_); }

void Connection::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (written <= 0) throw std::runtime_error("the connection broke while writing");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool Connection::Fill() {
  std::array<char, kPiece> piece;
  const ssize_t size = recv(fd_, piece.data(), piece.size(), 0);
  if (size <= 0) return false;
  buffer_.append(piece.data(), static_cast<std::size_t>(size));
  return true;
}

void Connection::FillOrThrow() {
  if (!Fill()) throw std::runtime_error("the answer is cut off");
}

std::string Connection::ReadHeader() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) FillOrThrow();
  std::string header = buffer_.substr(0, end + 4);
  buffer_.erase(0, end + 4);
  return header;
}

void Connection::ReadBody(std::string_view header,
                          const std::function<void(std::string_view)>& sink) {
  if (HeaderValue(header, "Transfer-Encoding") != "chunked") {
    Take(ToNumber(HeaderValue(header, "Content-Length"), 10), sink);
    return;
  }
  for (;;) {
    const std::size_t size = ToNumber(TakeLine(), 16);
    if (size == 0) break;
    Take(size, sink);
    TakeLine();
  }
  TakeLine();
}

void Connection::Take(std::size_t size, const std::function<void(std::string_view)>& sink) {
  while (size > 0) {
    if (buffer_.empty()) FillOrThrow();
    const std::size_t now = std::min(size, buffer_.size());
    sink(std::string_view(buffer_).substr(0, now));
    buffer_.erase(0, now);
    size -= now;
  }
}

std::string Connection::TakeLine() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos) FillOrThrow();
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

std::string_view HeaderValue(std::string_view header, std::string_view name) {
  const std::string before = "\r\n" + std::string(name) + ": ";
  const std::size_t at = header.find(before);
  if (at == std::string_view::npos) return "";
  const std::string_view value = header.substr(at + before.size());
  return value.substr(0, value.find("\r\n"));
}

std::string MakeRequest(std::string_view method, std::string_view target, std::string_view body) {
  std::string request;
  request.append(method).append(" ").append(target).append(" HTTP/1.1\r\n");
  request.append("Host: 127.0.0.1\r\nAuthorization: Basic ");
  request.append(Base64Encode("sandbox-demo-key:")).append("\r\n");
  if (!body.empty()) {
    request.append("Content-Type: application/json\r\nContent-Length: ");
    request.append(std::to_string(body.size())).append("\r\n");
  }
  return request.append("\r\n").append(body);
}

}  // namespace tollbridge::bench
