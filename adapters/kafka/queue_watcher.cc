#include "adapters/kafka/queue_watcher.h"

#include <sys/eventfd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>

namespace tollbridge::kafka {

struct QueueWatcher::State {
  State(const boost::asio::any_io_executor& executor, int fd, std::function<void()> callback)
      : descriptor(executor, fd), on_readable(std::move(callback)) {}

  boost::asio::posix::stream_descriptor descriptor;
  std::function<void()> on_readable;
  std::uint64_t wakes = 0;
};

QueueWatcher::QueueWatcher(const boost::asio::any_io_executor& executor, QueuePtr queue,
                           std::function<void()> on_readable)
    : queue_(std::move(queue)) {
  const int fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  state_ = std::make_shared<State>(executor, fd, std::move(on_readable));
  // An eventfd takes exactly 8 bytes and adds them up.
  const std::uint64_t one = 1;
  rd_kafka_queue_io_event_enable(queue_.get(), fd, &one, sizeof(one));
  Arm(state_);
}

QueueWatcher::~QueueWatcher() {
  rd_kafka_queue_io_event_enable(queue_.get(), -1, nullptr, 0);
  state_->on_readable = nullptr;
  boost::system::error_code ignored;
  static_cast<void>(state_->descriptor.close(ignored));
}

EventPtr QueueWatcher::Poll() { return EventPtr(rd_kafka_queue_poll(queue_.get(), 0)); }

void QueueWatcher::Arm(std::shared_ptr<State> state) {
  State& armed = *state;
  armed.descriptor.async_read_some(
      boost::asio::buffer(&armed.wakes, sizeof(armed.wakes)),
      [state = std::move(state)](const boost::system::error_code& error, std::size_t) {
        if (error || !state->on_readable) return;
        // A copy, since it may destroy the watcher and with it the original.
        const std::function<void()> on_readable = state->on_readable;
        on_readable();
        if (state->on_readable) Arm(state);
      });
}

}  // namespace tollbridge::kafka
