#include "tests/bench/load.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "tests/bench/connection.h"

namespace tollbridge::bench {
namespace {

using Steady = std::chrono::steady_clock;

/// A file descriptor that is closed.
struct Descriptor {
  explicit Descriptor(int fd) : number(fd) {}
  ~Descriptor() { close(number); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  const int number;
};

/// One connection: a request under way, and what has come of its answer.
class Asker {
 public:
  Asker(const Load* load, std::size_t first)
      : load_(load), next_(first % load->requests.size()), connection_(load->port) {}

  int fd() const { return connection_.fd(); }

  void Ask() {
    connection_.Write(load_->requests[next_]);
    next_ = (next_ + 1) % load_->requests.size();
    size_ = 0;
    expected_ = 0;
  }

  /// Reads what has come. True when that ended the answer.
  bool Read() {
    if (size_ == answer_.size()) answer_.resize(answer_.size() * 2);
    const ssize_t got = recv(fd(), answer_.data() + size_, answer_.size() - size_, 0);
    if (got <= 0) throw std::runtime_error("a connection broke under load");
    size_ += static_cast<std::size_t>(got);
    if (expected_ == 0) ReadLength();
    return expected_ != 0 && size_ >= expected_;
  }

 private:
  void ReadLength() {
    const std::string_view answer(answer_.data(), size_);
    const std::size_t end = answer.find("\r\n\r\n");
    if (end == std::string_view::npos) return;
    if (!answer.starts_with("HTTP/1.1 200 ")) {
      throw std::runtime_error("not 200 under load: " + std::string(answer));
    }
    const std::string_view value = HeaderValue(answer.substr(0, end + 2), "Content-Length");
    std::size_t length = 0;
    std::from_chars(value.data(), value.data() + value.size(), length);
    if (length == 0) throw std::runtime_error("no length: " + std::string(answer));
    expected_ = end + 4 + length;
  }

  const Load* load_;
  std::size_t next_;
  Connection connection_;
  std::string answer_ = std::string(16384, '\0');
  std::size_t size_ = 0;
  /// Bytes of the whole answer; 0 while that is not known.
  std::size_t expected_ = 0;
};

}  // namespace

LoadResult Run(const Load& load) {
  const Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  std::vector<std::unique_ptr<Asker>> askers;
  const auto count = static_cast<std::size_t>(load.connections);
  for (std::size_t i = 0; i < count; ++i) {
    // Each begins elsewhere, so that they do not ask for the same at the same time.
    askers.push_back(std::make_unique<Asker>(&load, i * load.requests.size() / count));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = askers.back().get();
    epoll_ctl(epoll.number, EPOLL_CTL_ADD, askers.back()->fd(), &event);
  }
  LoadResult result;
  const Steady::time_point begin = Steady::now();
  const Steady::time_point end = begin + load.duration;
  for (const auto& asker : askers) asker->Ask();
  std::array<epoll_event, 64> events;
  Steady::time_point now = begin;
  while (now < end) {
    const int ready =
        epoll_wait(epoll.number, events.data(), static_cast<int>(events.size()), 1000);
    if (ready <= 0) throw std::runtime_error("the server has stopped answering");
    for (int i = 0; i < ready; ++i) {
      auto* asker = static_cast<Asker*>(events.at(static_cast<std::size_t>(i)).data.ptr);
      if (!asker->Read()) continue;
      ++result.answers;
      asker->Ask();
    }
    now = Steady::now();
  }
  result.seconds = std::chrono::duration<double>(now - begin).count();
  return result;
}

}  // namespace tollbridge::bench
