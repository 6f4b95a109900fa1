#include "tests/e2e/support/steady_load.h"

#include <algorithm>
#include <utility>

#include "tests/e2e/support/payments.h"
#include "tests/support/process.h"

namespace tollbridge::test {
namespace {

/// Longer than anything that the gateway waits for: it fails by an answer, not by our impatience.
RpcOptions Patient() { return {.deadline = kPatientLimit, .metadata = {}}; }

std::string TextOf(const RpcStatus& status) {
  return status.code_name() + " " + (status.reason.empty() ? "bare" : status.reason) + ": " +
         status.message;
}

}  // namespace

SteadyLoad::SteadyLoad(const std::string& address, SteadyLoadOptions options)
    : options_(std::move(options)) {
  for (int i = 0; i < options_.connections; ++i) {
    GrpcClient& client = clients_.emplace_back(
        address, options_.tls, options_.repeats ? std::string(kRepeatUnavailable) : "");
    const SteadyCall first = options_.call(0);
    const RpcReply reply = client.CallBytes(first.method, first.request, Patient());
    if (!reply.status.ok()) failures_.push_back("the first call: " + TextOf(reply.status));
  }
  thread_ = std::thread([this] { Run(); });
}

SteadyLoad::~SteadyLoad() { Stop(); }

void SteadyLoad::Run() {
  const Time begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  for (std::size_t number = 0;; ++number) {
    const Time due = begin + std::chrono::microseconds(1'000'000 / options_.per_second) * number;
    if (changed_.wait_until(lock, due, [this] { return stopping_; })) return;
    lock.unlock();
    Begin(number, due);
    lock.lock();
  }
}

void SteadyLoad::Begin(std::size_t number, Time due) {
  {
    const std::lock_guard lock(mutex_);
    ++under_way_;
  }
  const SteadyCall call = options_.call(number);
  clients_[number % clients_.size()].Start(
      call.method, call.request, Patient(),
      [this, due](const RpcReply& reply) { Ended(reply, due); });
}

void SteadyLoad::Ended(const RpcReply& reply, Time due) {
  const std::chrono::duration<double, std::milli> wait = std::chrono::steady_clock::now() - due;
  const std::lock_guard lock(mutex_);
  --under_way_;
  waits_ms_.push_back(wait.count());
  if (!reply.status.ok()) failures_.push_back(TextOf(reply.status));
  changed_.notify_all();
}

void SteadyLoad::WaitForAll() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return under_way_ == 0; });
}

SteadyCalls SteadyLoad::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  WaitForAll();
  SteadyCalls result;
  result.calls = static_cast<int>(waits_ms_.size());
  std::ranges::sort(waits_ms_);
  if (!waits_ms_.empty()) {
    result.p50_ms = waits_ms_[waits_ms_.size() / 2];
    result.p99_ms = waits_ms_[waits_ms_.size() * 99 / 100];
    result.longest_ms = waits_ms_.back();
  }
  result.failures = failures_;
  return result;
}

std::function<SteadyCall(std::size_t)> ReadsOf(const std::string& order) {
  payments::v1::GetOrderRequest request;
  request.set_order_id(order);
  return [bytes = request.SerializeAsString()](std::size_t) {
    return SteadyCall{.method = kGetOrder, .request = bytes};
  };
}

}  // namespace tollbridge::test
