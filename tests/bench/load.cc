#include "tests/bench/load.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <deque>
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
  explicit Asker(const Load* load) : load_(load), connection_(load->port) {}

  int fd() const { return connection_.fd(); }

  /// `since`: from when its wait counts.
  void Ask(std::size_t request, Steady::time_point since) {
    request_ = request % load_->requests.size();
    since_ = since;
    size_ = 0;
    expected_ = 0;
    connection_.Write(load_->requests[request_]);
  }
  std::size_t request() const { return request_; }
  Steady::time_point since() const { return since_; }

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
  std::size_t request_ = 0;
  Steady::time_point since_;
  Connection connection_;
  std::string answer_ = std::string(16384, '\0');
  std::size_t size_ = 0;
  /// Bytes of the whole answer; 0 while that is not known.
  std::size_t expected_ = 0;
};

/// The connections of a load, and who waits for what.
class Askers {
 public:
  explicit Askers(const Load& load) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    for (int i = 0; i < load.connections; ++i) {
      Asker& asker = *askers_.emplace_back(std::make_unique<Asker>(&load));
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.ptr = &asker;
      epoll_ctl(epoll_.number, EPOLL_CTL_ADD, asker.fd(), &event);
    }
  }

  const std::vector<std::unique_ptr<Asker>>& all() const { return askers_; }

  /// Those whose answer is whole now. None when none is within the time.
  const std::vector<Asker*>& Wait(std::chrono::milliseconds time) {
    std::array<epoll_event, 64> events;
    answered_.clear();
    const int ready = epoll_wait(epoll_.number, events.data(), static_cast<int>(events.size()),
                                 static_cast<int>(time.count()));
    for (int i = 0; i < ready; ++i) {
      auto* asker = static_cast<Asker*>(events.at(static_cast<std::size_t>(i)).data.ptr);
      if (asker->Read()) answered_.push_back(asker);
    }
    return answered_;
  }

 private:
  Descriptor epoll_;
  std::vector<std::unique_ptr<Asker>> askers_;
  std::vector<Asker*> answered_;
};

constexpr std::chrono::milliseconds kPatience{5000};

void Count(const Asker& asker, LoadResult* result) {
  const std::chrono::duration<double, std::milli> wait = Steady::now() - asker.since();
  ++result->answers;
  result->waits_ms.push_back(wait.count());
}

[[noreturn]] void NoAnswer() { throw std::runtime_error("the server has stopped answering"); }

LoadResult AsFastAsAnswered(const Load& load) {
  Askers askers(load);
  LoadResult result;
  const std::size_t count = askers.all().size();
  result.begin = Steady::now();
  // Each begins elsewhere, so that they do not ask for the same at the same time.
  for (std::size_t i = 0; i < count; ++i) {
    askers.all()[i]->Ask(i * load.requests.size() / count, result.begin);
  }
  Steady::time_point last = result.begin;
  Steady::time_point now = result.begin;
  while (now < result.begin + load.duration) {
    for (Asker* asker : askers.Wait(std::chrono::milliseconds(100))) {
      Count(*asker, &result);
      last = Steady::now();
      asker->Ask(asker->request() + 1, last);
    }
    now = Steady::now();
    if (now - last > kPatience) NoAnswer();
  }
  result.seconds = std::chrono::duration<double>(now - result.begin).count();
  return result;
}

LoadResult AtRate(const Load& load) {
  Askers askers(load);
  // In turn, so that the server finds none idle for long.
  std::deque<Asker*> idle;
  for (const auto& asker : askers.all()) idle.push_back(asker.get());
  LoadResult result;
  result.begin = Steady::now();
  Steady::time_point last = result.begin;
  std::size_t asked = 0;
  while (result.waits_ms.size() < load.requests.size()) {
    const Steady::time_point now = Steady::now();
    while (asked < load.requests.size() && !idle.empty() && load.Due(result.begin, asked) <= now) {
      idle.front()->Ask(asked, load.Due(result.begin, asked));
      idle.pop_front();
      ++asked;
      last = now;
    }
    for (Asker* asker : askers.Wait(std::chrono::milliseconds(1))) {
      Count(*asker, &result);
      idle.push_back(asker);
      last = now;
    }
    if (now - last > kPatience) NoAnswer();
  }
  result.seconds = std::chrono::duration<double>(Steady::now() - result.begin).count();
  return result;
}

}  // namespace

LoadResult Run(const Load& load) { return load.rate > 0 ? AtRate(load) : AsFastAsAnswered(load); }

}  // namespace tollbridge::bench
