#ifndef TOLLBRIDGE_ADAPTERS_KAFKA_QUEUE_WATCHER_H_
#define TOLLBRIDGE_ADAPTERS_KAFKA_QUEUE_WATCHER_H_

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "adapters/kafka/handles.h"

namespace tollbridge::kafka {

/// Ties a librdkafka queue to an io_context through an eventfd, so that no thread waits in
/// librdkafka. Lives on one shard: made, used and destroyed there, or while its thread is stopped.
class QueueWatcher {
 public:
  /// `on_readable` is called on the executor when the queue was empty and is not any more: whoever
  /// then does not Poll() until nothing comes is not called again. It may destroy the watcher.
  QueueWatcher(const boost::asio::any_io_executor& executor, QueuePtr queue,
               std::function<void()> on_readable);
  ~QueueWatcher();
  QueueWatcher(const QueueWatcher&) = delete;
  QueueWatcher& operator=(const QueueWatcher&) = delete;

  /// The next event; null when there is none now.
  EventPtr Poll();
  rd_kafka_queue_t* queue() const { return queue_.get(); }

 private:
  struct State;
  static void Arm(std::shared_ptr<State> state);

  QueuePtr queue_;
  std::shared_ptr<State> state_;
};

}  // namespace tollbridge::kafka

#endif  // TOLLBRIDGE_ADAPTERS_KAFKA_QUEUE_WATCHER_H_
