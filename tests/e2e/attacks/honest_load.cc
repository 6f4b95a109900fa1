#include "tests/e2e/attacks/honest_load.h"

#include <algorithm>
#include <cstddef>

#include "tests/e2e/support/payments.h"
#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

constexpr int kConnections = 4;

std::string RequestOf(const std::string& order) {
  payments::v1::GetOrderRequest request;
  request.set_order_id(order);
  return request.SerializeAsString();
}

/// Longer than anything that the gateway waits for: it fails by an answer, not by our impatience.
RpcOptions Patient() { return {.deadline = kPatientLimit, .metadata = {}}; }

}  // namespace

HonestLoad::HonestLoad(const std::string& address, const std::optional<RpcTls>& tls,
                       const std::string& order)
    : request_(RequestOf(order)) {
  for (int i = 0; i < kConnections; ++i) {
    GrpcClient& client = clients_.emplace_back(address, tls);
    const RpcReply first = client.CallBytes(kGetOrder, request_, Patient());
    if (!first.status.ok()) failures_.push_back("the first call: " + first.status.message);
  }
  thread_ = std::thread([this] { Run(); });
}

HonestLoad::~HonestLoad() { Stop(); }

void HonestLoad::Run() {
  const Time begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  for (std::size_t i = 0;; ++i) {
    const Time due = begin + std::chrono::microseconds(1'000'000 / kPerSecond) * i;
    if (changed_.wait_until(lock, due, [this] { return stopping_; })) return;
    lock.unlock();
    Begin(clients_[i % clients_.size()], due);
    lock.lock();
  }
}

void HonestLoad::Begin(GrpcClient& client, Time due) {
  {
    const std::lock_guard lock(mutex_);
    ++under_way_;
  }
  client.Start(kGetOrder, request_, Patient(),
               [this, due](const RpcReply& reply) { Ended(reply, due); });
}

void HonestLoad::Ended(const RpcReply& reply, Time due) {
  const std::chrono::duration<double, std::milli> wait = std::chrono::steady_clock::now() - due;
  const std::lock_guard lock(mutex_);
  --under_way_;
  waits_ms_.push_back(wait.count());
  if (!reply.status.ok()) {
    failures_.push_back(reply.status.code_name() + " " + reply.status.message);
  }
  changed_.notify_all();
}

void HonestLoad::WaitForAll() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return under_way_ == 0; });
}

HonestCalls HonestLoad::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  WaitForAll();
  HonestCalls result;
  result.calls = static_cast<int>(waits_ms_.size());
  std::ranges::sort(waits_ms_);
  if (!waits_ms_.empty()) {
    result.p99_ms = waits_ms_[waits_ms_.size() * 99 / 100];
    result.longest_ms = waits_ms_.back();
  }
  result.failures = failures_;
  return result;
}

}  // namespace tollbridge::test
