#include "base/core/shard.h"

#include <string>

#include <pthread.h>

namespace tollbridge {

Shard::Shard(std::size_t index) : index_(index), work_(boost::asio::make_work_guard(context_)) {}

Shard::~Shard() { Stop(); }

void Shard::Start() {
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), ("shard-" + std::to_string(index_)).c_str());
    context_.run();
  });
}

void Shard::ReleaseWork() { work_.reset(); }

void Shard::Stop() {
  work_.reset();
  context_.stop();
  if (thread_.joinable()) thread_.join();
}

ShardPool::ShardPool(std::size_t count) {
  shards_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) shards_.push_back(std::make_unique<Shard>(i));
}

Shard& ShardPool::Next() {
  return *shards_[next_.fetch_add(1, std::memory_order_relaxed) % shards_.size()];
}

void ShardPool::Start() {
  for (auto& shard : shards_) shard->Start();
}

void ShardPool::Stop() {
  for (auto& shard : shards_) shard->Stop();
}

}  // namespace tollbridge
