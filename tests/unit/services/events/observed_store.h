#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_OBSERVED_STORE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_OBSERVED_STORE_H_

#include <absl/status/status.h>

#include <functional>
#include <map>
#include <utility>

#include "tests/support/fakes/fake_store.h"

namespace tollbridge::events {

/// The fake store with what a test of the reader wants to see and to upset.
class ObservedStore final : public test::FakeStore {
 public:
  using FakeStore::FakeStore;

  /// What operations left with an order.
  std::map<ports::FamilyKey, ports::OrderEntry> entries;
  /// Runs once before the next save, for another reader to be faster.
  std::function<boost::asio::awaitable<void>()> before_save;
  /// Runs once before the next outbox is cleared, when its events are published.
  std::function<boost::asio::awaitable<void>()> before_clear;
  absl::Status load_error;
  absl::Status clear_error;
  absl::Status enter_error;

  AsyncStatus Enter(const ports::FamilyKey& key, WallTime due,
                    const ports::Context& context) override {
    if (!enter_error.ok()) co_return enter_error;
    co_return co_await FakeStore::Enter(key, due, context);
  }

  Async<ports::FamilyState> Load(const ports::FamilyKey& key,
                                 const ports::Context& context) override {
    if (!load_error.ok()) co_return load_error;
    absl::StatusOr<ports::FamilyState> state = co_await FakeStore::Load(key, context);
    const auto entry = entries.find(key);
    if (state.ok() && entry != entries.end()) state->entry = entry->second;
    co_return state;
  }

  Async<ports::SaveVerdict> Save(const ports::SaveRequest& request,
                                 const ports::Context& context) override {
    if (before_save) {
      const auto first = std::exchange(before_save, nullptr);
      co_await first();
    }
    const auto entry = entries.find(request.key);
    if (entry == entries.end()) co_return co_await FakeStore::Save(request, context);
    if (entry->second.capture_mode != request.seen_capture_mode ||
        entry->second.own_checkout != request.seen_own_checkout) {
      co_return ports::SaveVerdict::kVersionLost;
    }
    ports::SaveRequest without_entry = request;
    without_entry.seen_capture_mode.clear();
    without_entry.seen_own_checkout = false;
    co_return co_await FakeStore::Save(without_entry, context);
  }

  Async<bool> ClearOutbox(const ports::FamilyKey& key, std::uint64_t version,
                          const std::string& epoch, const ports::Context& context) override {
    if (!clear_error.ok()) co_return clear_error;
    if (before_clear) {
      const auto first = std::exchange(before_clear, nullptr);
      co_await first();
    }
    co_return co_await FakeStore::ClearOutbox(key, version, epoch, context);
  }
};

}  // namespace tollbridge::events

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_EVENTS_OBSERVED_STORE_H_
