#include "base/telemetry/line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace tollbridge::telemetry {
namespace {

/// How long the first line waits for others.
constexpr std::chrono::milliseconds kGather{5};
/// Lines are dropped by the chunk.
constexpr std::size_t kChunkBytes = std::size_t{32} << 10;

}  // namespace

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

LineWriter::LineWriter(int fd, std::size_t most_waiting)
    : fd_(fd), most_waiting_(most_waiting), thread_([this] { Run(); }) {}

LineWriter::~LineWriter() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LineWriter::Write(std::string_view line) {
  const std::scoped_lock lock(mutex_);
  if (chunks_.empty() || chunks_.back().text.size() >= kChunkBytes) chunks_.emplace_back();
  Chunk& chunk = chunks_.back();
  chunk.text.append(line).push_back('\n');
  ++chunk.lines;
  ++waiting_;
  if (waiting_ > most_waiting_) {
    waiting_ -= chunks_.front().lines;
    dropped_ += chunks_.front().lines;
    chunks_.pop_front();
  }
  // The writer sleeps until there is a line, and then until it has waited for more or there are
  // many.
  if (waiting_ == 1 || waiting_ == most_waiting_ / 2) changed_.notify_one();
}

std::uint64_t LineWriter::dropped() const {
  const std::scoped_lock lock(mutex_);
  return dropped_;
}

void LineWriter::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || waiting_ > 0; });
    if (waiting_ == 0) return;
    changed_.wait_for(lock, kGather, [this] { return stopping_ || waiting_ >= most_waiting_ / 2; });
    const std::deque<Chunk> chunks = std::exchange(chunks_, {});
    waiting_ = 0;
    lock.unlock();
    std::uint64_t lost = 0;
    for (const Chunk& chunk : chunks) {
      if (!WriteAll(fd_, chunk.text)) lost += chunk.lines;
    }
    lock.lock();
    dropped_ += lost;
  }
}

}  // namespace tollbridge::telemetry
