#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/wire/connection.h"
#include "tests/fuzz/finding.h"

// Any bytes on a connection of the gRPC server, after the preface, or without it where the input
// begins with "!". `{|}` ends a write. A finding is a crash, a connection that does not end with
// its peer, a call whose handler never hears of its end, bytes that are still counted as held, and
// an answer that is no HTTP/2: a frame cut short or too long, a stream that ends twice.

namespace tollbridge::fuzz {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Call = std::shared_ptr<wire::ServerCall>;

constexpr std::string_view kPreface{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33};
constexpr std::string_view kNextWrite = "{|}";
constexpr std::size_t kHead = 9;
constexpr std::size_t kLongestFrame = 16'384;

class Rig {
 public:
  Rig() : service_(std::make_shared<wire::Service>()) {
    service_->limits.max_request_bytes = 4'096;
    service_->limits.max_header_bytes = 2'048;
    service_->limits.max_held_bytes = 16'384;
    service_->unknown_method = {absl::StatusCode::kUnimplemented, "not served"};
    service_->methods["/t.T/Echo"] = {false, Spawned(&Rig::Echo)};
    service_->methods["/t.T/Wait"] = {false, Spawned(&Rig::Wait)};
    service_->methods["/t.T/Chat"] = {true, Spawned(&Rig::Chat)};
  }

  void Take(std::string_view input) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) Found("no socket pair");
    answered_.clear();
    bool ended = false;
    {
      auto connection = std::make_shared<wire::Connection>(
          service_, nullptr, tcp::socket(context_, tcp::v4(), ends[0]),
          wire::Connection::Place{.shard = 0, .number = 0, .source = "127.0.0.1"});
      asio::co_spawn(
          context_,
          [](std::shared_ptr<wire::Connection> self) -> asio::awaitable<void> {
            co_await self->Run();
          }(std::move(connection)),
          [&ended](const std::exception_ptr& thrown) {
            if (thrown) Found("the connection threw");
            ended = true;
          });
    }
    Write(ends[1], input);
    shutdown(ends[1], SHUT_WR);
    Settle(ends[1]);
    close(ends[1]);
    Settle(-1);
    if (!ended) Found("the connection hangs");
    if (calls_ != 0) Found("a handler waits for a caller who has gone");
    if (service_->counts.held() != 0) Found("bytes are held for nobody");
    CheckFrames();
  }

 private:
  std::function<void(Call)> Spawned(asio::awaitable<void> (Rig::*method)(Call)) {
    return [this, method](Call call) {
      ++calls_;
      asio::co_spawn(context_, (this->*method)(std::move(call)),
                     [this](const std::exception_ptr&) { --calls_; });
    };
  }

  asio::awaitable<void> Echo(Call call) {
    const std::string request = call->TakeRequest();
    call->Finish({}, &request, {}, {});
    co_return;
  }
  asio::awaitable<void> Wait(Call call) {
    while (!call->cancelled()) co_await call->WaitForNews();
    call->Finish({}, nullptr, {}, {});
  }
  asio::awaitable<void> Chat(Call call) {
    for (;;) {
      const auto message = co_await call->Read();
      if (!message.ok() || !message->has_value()) break;
      const absl::Status status = co_await call->Write(**message, {});
      if (!status.ok()) break;
    }
    call->Finish({absl::StatusCode::kAborted, "%\n", "x"}, nullptr, {}, {{"x-bin", "\1"}});
  }

  void Write(int fd, std::string_view input) {
    if (input.starts_with('!')) {
      input.remove_prefix(1);
    } else {
      WritePiece(fd, kPreface);
    }
    while (!input.empty()) {
      const std::size_t end = std::min(input.find(kNextWrite), input.size());
      WritePiece(fd, input.substr(0, end));
      input.remove_prefix(std::min(end + kNextWrite.size(), input.size()));
    }
  }

  void WritePiece(int fd, std::string_view piece) {
    while (!piece.empty()) {
      const ssize_t sent = send(fd, piece.data(), piece.size(), MSG_NOSIGNAL);
      if (sent > 0) piece.remove_prefix(static_cast<std::size_t>(sent));
      Settle(fd);
      // Ended by the server.
      if (sent <= 0 && errno != EAGAIN) return;
    }
    Settle(fd);
  }

  /// Runs what can run, and takes what the server writes, until nothing moves.
  void Settle(int fd) {
    for (bool moved = true; moved;) {
      context_.restart();
      moved = context_.poll() > 0;
      char buffer[16'384];
      for (ssize_t got = 1; fd >= 0 && got > 0;) {
        got = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
        if (got > 0) answered_.append(buffer, static_cast<std::size_t>(got));
        moved |= got > 0;
      }
    }
  }

  void CheckFrames() const {
    const auto byte = [this](std::size_t at) -> std::uint32_t {
      return static_cast<unsigned char>(answered_[at]);
    };
    std::set<std::uint32_t> ended;
    for (std::size_t at = 0; at < answered_.size();) {
      if (answered_.size() - at < kHead) Found("a frame's head is cut short");
      const std::size_t size = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
      if (size > kLongestFrame) Found("a frame is too long");
      if (answered_.size() - at < kHead + size) Found("a frame is cut short");
      const std::uint32_t type = byte(at + 3);
      const std::uint32_t stream =
          byte(at + 5) << 24 | byte(at + 6) << 16 | byte(at + 7) << 8 | byte(at + 8);
      const bool ends = (type == 0 || type == 1) && (byte(at + 4) & 1) != 0;
      if (type <= 1 && ended.contains(stream)) Found("a stream goes on after its end");
      if (ends) ended.insert(stream);
      at += kHead + size;
    }
  }

  asio::io_context context_{1};
  std::shared_ptr<wire::Service> service_;
  std::string answered_;
  int calls_ = 0;
};

}  // namespace
}  // namespace tollbridge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static tollbridge::fuzz::Rig rig;
  rig.Take({reinterpret_cast<const char*>(data), size});
  return 0;
}
