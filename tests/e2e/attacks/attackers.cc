#include "tests/e2e/attacks/attackers.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "tests/support/process.h"
#include "tests/support/slow_connections.h"
#include "tests/unit/base/wire/tls_client.h"

namespace tollbridge::test::attacks {
namespace {

using wire::CallHeaders;
using wire::FrameBytes;
using wire::HeaderBlock;
using wire::NumberBytes;
using wire::RawClient;
using wire::SocketAddress;
namespace frame = wire::frame;

constexpr const char* kGetOrderPath = "/tollbridge.payments.v1.Payments/GetOrder";
constexpr const char* kExportPath = "/tollbridge.search.v1.Search/ExportOrders";
constexpr std::size_t kLongestFrame = 16'384;

std::string WindowUpdate(std::uint32_t stream, std::uint32_t by) {
  return FrameBytes(frame::kWindowUpdate, 0, stream, NumberBytes(by));
}

std::string WindowSetting(std::uint32_t size) {
  // SETTINGS_INITIAL_WINDOW_SIZE
  return FrameBytes(frame::kSettings, 0, 0, std::string("\0\x4", 2) + NumberBytes(size));
}

/// DATA frames as long as they may be, which do not end the stream.
std::string DataBytes(std::uint32_t stream, std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += kLongestFrame) {
    out += FrameBytes(frame::kData, 0, stream, bytes.substr(at, kLongestFrame));
  }
  return out;
}

/// -1 when there is no connection and none to come.
int BeginToConnect(std::uint16_t port, const std::string& source) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
  const sockaddr_in from = SocketAddress(source, 0);
  const sockaddr_in to = SocketAddress("127.0.0.1", port);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof(from)) == 0 &&
      (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0 ||
       errno == EINPROGRESS)) {
    return fd;
  }
  close(fd);
  return -1;
}

/// Sends `bytes` over and over, until the server ends the connection; throws when it does not.
void Flood(std::uint16_t port, const std::string& bytes) {
  RawClient client(port, true, kAttacker);
  std::string many;
  for (int i = 0; i < 100; ++i) many += bytes;
  for (int i = 0; i < 1'000; ++i) {
    if (!client.Send(many)) return;
  }
  client.AwaitClose();
}

}  // namespace

IdleConnections::IdleConnections(std::uint16_t port, std::size_t count,
                                 const std::vector<std::string>& sources, const std::string& more) {
  RaiseOpenFiles(count + 1000);
  for (std::size_t i = 0; i < count; ++i) {
    const int fd = BeginToConnect(port, sources[i % sources.size()]);
    if (fd >= 0) sockets_.push_back(fd);
  }
  const std::string said = wire::Preface() + more;
  std::vector<int> waiting = sockets_;
  // Where all wait for the server that may, further ones do not come about.
  Eventually(
      [&] {
        std::erase_if(waiting, [&](int fd) {
          return send(fd, said.data(), said.size(), MSG_NOSIGNAL) > 0 ||
                 (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOTCONN);
        });
        return waiting.empty();
      },
      std::chrono::seconds(1));
}

IdleConnections::~IdleConnections() {
  for (const int fd : sockets_) close(fd);
}

std::size_t IdleConnections::CountOpen() {
  std::size_t open = 0;
  for (const int fd : sockets_) {
    char discarded[512];
    ssize_t got = 0;
    do {
      got = recv(fd, discarded, sizeof(discarded), 0);
    } while (got > 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) ++open;
  }
  return open;
}

std::string GzipBomb() {
  constexpr int kParts = 16;
  const Finished part = Run({"sh", "-c", "head -c 16777216 /dev/zero | gzip -9"});
  if (part.code != 0) throw std::runtime_error("gzip: " + part.error);
  std::string bomb;
  // What is compressed may be put together.
  for (int i = 0; i < kParts; ++i) bomb += part.output;
  return bomb;
}

std::string SendBomb(std::uint16_t port, const std::string& bomb, bool named) {
  RawClient client(port, true, kAttacker);
  wire::Fields fields = CallHeaders(kGetOrderPath);
  if (named) fields.emplace_back("grpc-encoding", "gzip");
  std::string message = wire::Message(bomb);
  message[0] = 1;
  client.Send(FrameBytes(frame::kHeaders, frame::kEndHeaders, 1, HeaderBlock(fields)) +
              DataBytes(1, message));
  return client.Await(1).status();
}

std::string HalfACall() {
  return FrameBytes(frame::kHeaders, frame::kEndHeaders, 1,
                    HeaderBlock(CallHeaders(kGetOrderPath)));
}

std::string HalfAHeader() {
  const std::string block = HeaderBlock({{"x", std::string(30'000, 'x')}});
  return FrameBytes(frame::kHeaders, 0, 1, block.substr(0, 16'000)) +
         FrameBytes(frame::kContinuation, 0, 1, block.substr(16'000, 10'000));
}

std::string CallsWithoutAWindow() {
  std::string bytes =
      FrameBytes(frame::kSettings, 0, 0, std::string("\0\x4", 2) + wire::NumberBytes(0));
  for (std::uint32_t stream = 1; stream < 200; stream += 2) {
    bytes += wire::CallBytes(stream, "/grpc.health.v1.Health/Check", "");
  }
  return bytes;
}

void LongHellos(std::uint16_t port, std::size_t count) {
  std::deque<RawClient> clients;
  for (std::size_t i = 0; i < count; ++i) {
    // A record of nine bytes with a ClientHello of 0x01ffb8.
    clients.emplace_back(port, false, kAttacker)
        .Send(std::string("\x16\x3\x1\0\x9\x1\x1\xff\xb8\x3\x3\0\0\0", 14));
  }
  for (RawClient& client : clients) client.AwaitClose();
}

void HeadersOfCommas(std::uint16_t port, int count) {
  RawClient client(port, true, kAttacker);
  wire::Fields fields = CallHeaders(kGetOrderPath);
  fields.emplace_back("a-name-that-is-not-short-bin", std::string(12'000, ','));
  const std::string block = HeaderBlock(fields);
  for (int i = 0; i < count; ++i) {
    const auto stream = static_cast<std::uint32_t>(2 * i + 1);
    client.Send(FrameBytes(frame::kHeaders, frame::kEndHeaders, stream, block));
    client.Await(stream);
  }
}

void CallsOfManyHeaders(std::uint16_t port) {
  constexpr std::uint32_t kCalls = 500;
  // A header that is kept, and then that one again and again.
  const std::string block = HeaderBlock(CallHeaders(kGetOrderPath)) +
                            std::string(
                                "\x40\x1"
                                "a\x1"
                                "b") +
                            std::string(480, '\xbe');
  std::string calls;
  for (std::uint32_t i = 0; i < kCalls; ++i) {
    calls += FrameBytes(frame::kHeaders, frame::kEndHeaders | frame::kEndStream, 2 * i + 1, block);
  }
  std::deque<RawClient> clients;
  for (int i = 0; i < 60; ++i) clients.emplace_back(port, true, kAttacker).Send(calls);
  for (RawClient& client : clients) client.Await(2 * kCalls - 1);
}

void HellosWithoutEnd(std::uint16_t port, int count) {
  const std::string hello = wire::ClientHello();
  for (int i = 0; i < count; ++i) RawClient(port, false, kAttacker).Send(hello);
}

DeafScrapers::DeafScrapers(std::uint16_t port, int count) {
  std::string requests;
  for (int i = 0; i < 20; ++i) requests += "GET /metrics HTTP/1.1\r\nHost: gateway.example\r\n\r\n";
  for (int i = 0; i < count; ++i) clients_.emplace_back(port, false, kAttacker).Send(requests);
}

EndlessRequests::EndlessRequests(std::uint16_t port, const std::string& request,
                                 const std::vector<std::string>& sources, std::size_t of_each)
    : port_(port) {
  constexpr int kAtATime = 100;
  for (int i = 0; i < kAtATime; ++i) requests_ += request;
  for (const std::string& source : sources) {
    for (std::size_t i = 0; i < of_each; ++i) connections_.push_back({.source = source});
  }
  RaiseOpenFiles(connections_.size() + 1000);
  for (Connection& connection : connections_) Open(connection);
  thread_ = std::thread([this] { Run(); });
}

EndlessRequests::~EndlessRequests() {
  stopping_ = true;
  thread_.join();
  for (const Connection& connection : connections_) close(connection.fd);
}

void EndlessRequests::Open(Connection& connection) const {
  connection.fd = BeginToConnect(port_, connection.source);
  connection.sent = 0;
}

void EndlessRequests::Run() {
  std::vector<pollfd> ready(connections_.size());
  while (!stopping_) {
    for (std::size_t i = 0; i < ready.size(); ++i) {
      ready[i] = {.fd = connections_[i].fd, .events = POLLIN | POLLOUT, .revents = 0};
    }
    poll(ready.data(), ready.size(), 10);
    for (std::size_t i = 0; i < ready.size(); ++i) {
      Connection& connection = connections_[i];
      if (connection.fd >= 0 && ready[i].revents == 0) continue;
      if (connection.fd >= 0 && Exchange(connection)) continue;
      if (connection.fd >= 0) close(connection.fd);
      Open(connection);
    }
  }
}

bool EndlessRequests::Exchange(Connection& connection) {
  constexpr std::string_view kAnswer = "HTTP/1.1 ";
  char bytes[16'384];
  const ssize_t got = recv(connection.fd, bytes, sizeof(bytes), 0);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) return false;
  const std::string_view text(bytes, got < 0 ? 0 : static_cast<std::size_t>(got));
  for (std::size_t at = 0; (at = text.find(kAnswer, at)) != std::string_view::npos; ++at) {
    ++answers_;
  }
  const std::string_view rest = std::string_view(requests_).substr(connection.sent);
  const ssize_t sent = send(connection.fd, rest.data(), rest.size(), MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
  connection.sent = (connection.sent + static_cast<std::size_t>(sent)) % requests_.size();
  return true;
}

HalfSentRequests::HalfSentRequests(std::uint16_t port, int connections, std::size_t bytes) {
  const std::string begun = wire::Message(std::string(200'000, 'x')).substr(0, bytes);
  for (int i = 0; i < connections; ++i) {
    RawClient& client = clients_.emplace_back(port, true, kAttacker);
    for (std::uint32_t stream = 1; stream < 120; stream += 2) {
      client.Send(FrameBytes(frame::kHeaders, frame::kEndHeaders, stream,
                             HeaderBlock(CallHeaders(kGetOrderPath))) +
                  DataBytes(stream, begun));
    }
  }
}

void RapidResets(std::uint16_t port, int count) {
  constexpr int kOnAConnection = 1'000;
  const std::string block = HeaderBlock(CallHeaders(kGetOrderPath));
  std::string bytes;
  for (std::uint32_t i = 0; i < kOnAConnection; ++i) {
    const std::uint32_t stream = 2 * i + 1;
    bytes += FrameBytes(frame::kHeaders, frame::kEndHeaders, stream, block) +
             FrameBytes(frame::kReset, 0, stream, NumberBytes(8));
  }
  for (int sent = 0; sent < count; sent += kOnAConnection) {
    RawClient client(port, true, kAttacker);
    client.Send(bytes);
    client.AwaitClose();
  }
}

void Continuations(std::uint16_t port) {
  RawClient client(port, true, kAttacker);
  client.Send(FrameBytes(frame::kHeaders, 0, 1, HeaderBlock(CallHeaders(kGetOrderPath))));
  // Of one header each, as long as a frame takes it.
  const std::string more = FrameBytes(frame::kContinuation, 0, 1,
                                      HeaderBlock({{"x", std::string(kLongestFrame - 8, 'x')}}));
  for (std::size_t sent = 0; sent < (std::size_t{8} << 20) && client.Send(more);) {
    sent += more.size();
  }
  client.AwaitClose();
}

void PingFlood(std::uint16_t port) {
  Flood(port, FrameBytes(frame::kPing, 0, 0, std::string(8, 'x')));
}

void SettingsFlood(std::uint16_t port) {
  Flood(port, WindowSetting(70'000) + WindowSetting(60'000));
}

void OtherProtocols(std::uint16_t port) {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\nHost: gateway.example\r\n\r\n"), std::string(100'000, '\0'),
        std::string(100'000, '\xff'), wire::Preface().substr(0, 20) + std::string(1'000, 'x'),
        wire::Preface() + std::string(1'000, '\xff')}) {
    RawClient client(port, false, kAttacker);
    client.Send(bytes);
    client.AwaitClose();
  }
}

SlowReaders::SlowReaders(std::uint16_t port, int count) {
  for (int i = 0; i < count; ++i) {
    clients_.emplace_back(port, true, kAttacker)
        .Send(WindowSetting(1) + wire::CallBytes(1, kExportPath, ""));
  }
}

void SlowReaders::OpenALittle() {
  for (RawClient& client : clients_) client.Send(WindowUpdate(1, 16));
}

bool SlowReaders::AllHaveGotSome() {
  return std::ranges::all_of(clients_, [](RawClient& client) {
    while (const std::optional<wire::Frame> next = client.Next()) {
      if (next->type == frame::kData) return true;
    }
    return false;
  });
}

DeafReader::DeafReader(std::uint16_t port) : client_(port, true, kAttacker) {
  client_.Send(WindowSetting(0x7fffffff) + WindowUpdate(0, 0x7fff0000) +
               wire::CallBytes(1, kExportPath, ""));
}

HalfHandshakes::HalfHandshakes(std::uint16_t port, std::size_t count) {
  const std::string hello = wire::ClientHello();
  for (std::size_t i = 0; i < count; ++i) {
    wire::RawClient& client = clients_.emplace_back(port, false, kAttacker);
    if (i % 3 == 1) client.Send(hello.substr(0, hello.size() / 2));
    if (i % 3 == 2) client.Send(hello);
  }
}

void HalfHandshakes::AwaitClose() {
  for (wire::RawClient& client : clients_) client.AwaitClose();
}

}  // namespace tollbridge::test::attacks
