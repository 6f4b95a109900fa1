#ifndef TOLLBRIDGE_BASE_CORE_SHARD_H_
#define TOLLBRIDGE_BASE_CORE_SHARD_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace tollbridge {

/// One thread with one io_context. A call lives on one shard from start to finish, so what belongs
/// to a shard needs no locks. Nothing may block it.
class Shard {
 public:
  explicit Shard(std::size_t index);
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  std::size_t index() const { return index_; }
  boost::asio::io_context& context() { return context_; }
  boost::asio::io_context::executor_type executor() { return context_.get_executor(); }

  /// Starts the thread. Work posted before runs then.
  void Start();
  /// Lets the thread end when no work is left.
  void ReleaseWork();
  /// Ends the thread after its current handler, and joins it. Idempotent.
  void Stop();

 private:
  std::size_t index_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread thread_;
};

/// The shards of a process. Handing out is round robin and may be called from any thread.
class ShardPool {
 public:
  /// `count` >= 1.
  explicit ShardPool(std::size_t count);

  std::size_t size() const { return shards_.size(); }
  Shard& at(std::size_t index) { return *shards_[index]; }
  /// The shard that the next call lives on.
  Shard& Next();
  void Start();
  /// Stops all threads and joins them. Coroutines still suspended are destroyed with the shards.
  void Stop();

 private:
  std::vector<std::unique_ptr<Shard>> shards_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_SHARD_H_
