#ifndef TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_ORDER_CHANGES_H_
#define TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_ORDER_CHANGES_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "services/ports/order_changes.h"

namespace tollbridge::test {

/// Tells of changes when a test says so. Used on one shard.
class FakeOrderChanges final : public ports::OrderChanges {
 public:
  [[nodiscard]] std::unique_ptr<ports::OrderWatch> Watch(
      const ports::FamilyKey& key, std::function<void(ports::ChangeHint)> on_hint) override {
    const auto entry = std::make_shared<OnHint>(std::move(on_hint));
    entries_->emplace(key, entry);
    return std::make_unique<OneWatch>(entries_, entry);
  }

  /// The family's snapshot was saved.
  void Announce(const ports::FamilyKey& key) {
    std::vector<std::weak_ptr<OnHint>> told;
    const auto [first, last] = entries_->equal_range(key);
    for (auto at = first; at != last; ++at) told.emplace_back(at->second);
    Tell(told, ports::ChangeHint::kChanged);
  }
  /// The connection is there again.
  void Reconnect() {
    std::vector<std::weak_ptr<OnHint>> told;
    for (const auto& [key, entry] : *entries_) told.emplace_back(entry);
    Tell(told, ports::ChangeHint::kMayHaveChanged);
  }
  /// Watches that have not ended.
  std::size_t watches() const { return entries_->size(); }

 private:
  using OnHint = std::function<void(ports::ChangeHint)>;
  using Entries = std::multimap<ports::FamilyKey, std::shared_ptr<OnHint>>;

  class OneWatch final : public ports::OrderWatch {
   public:
    OneWatch(std::shared_ptr<Entries> entries, std::weak_ptr<OnHint> entry)
        : entries_(std::move(entries)), entry_(std::move(entry)) {}
    ~OneWatch() override {
      std::erase_if(*entries_, [this](const auto& at) { return at.second == entry_.lock(); });
    }
    OneWatch(const OneWatch&) = delete;
    OneWatch& operator=(const OneWatch&) = delete;

   private:
    std::shared_ptr<Entries> entries_;
    std::weak_ptr<OnHint> entry_;
  };

  static void Tell(const std::vector<std::weak_ptr<OnHint>>& told, ports::ChangeHint hint) {
    for (const std::weak_ptr<OnHint>& weak : told) {
      if (const std::shared_ptr<OnHint> entry = weak.lock()) (*entry)(hint);
    }
  }

  std::shared_ptr<Entries> entries_ = std::make_shared<Entries>();
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_FAKES_FAKE_ORDER_CHANGES_H_
