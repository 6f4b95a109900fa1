#include "adapters/redis/order_changes.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/redis/record_format.h"

namespace tollbridge::redis {

using ports::ChangeHint;

/// Who watches what, by channel and root. Shared with the watches, which may be the last to go.
class RedisOrderChanges::Watches {
 public:
  using OnHint = std::function<void(ChangeHint)>;
  /// Shared, so that one which ends while it is called lives as long as the call.
  using Entry = std::shared_ptr<const OnHint>;

  void Add(const std::string& family, Entry entry) { all_.emplace(family, std::move(entry)); }

  void Remove(const std::string& family, const Entry& entry) {
    const auto [first, last] = all_.equal_range(family);
    for (auto at = first; at != last; ++at) {
      if (at->second != entry) continue;
      all_.erase(at);
      return;
    }
  }

  /// A message is the version, a space and the 16 bytes of the root.
  void TakeMessage(std::string_view channel, std::string_view message) {
    const std::size_t space = message.find(' ');
    if (space == std::string_view::npos) return;
    std::string family(channel);
    family += message.substr(space + 1);
    const auto [first, last] = all_.equal_range(family);
    std::vector<std::weak_ptr<const OnHint>> told;
    for (auto at = first; at != last; ++at) told.emplace_back(at->second);
    Tell(told, ChangeHint::kChanged);
  }

  void TellAll() {
    std::vector<std::weak_ptr<const OnHint>> told;
    told.reserve(all_.size());
    for (const auto& [family, entry] : all_) told.emplace_back(entry);
    Tell(told, ChangeHint::kMayHaveChanged);
  }

 private:
  /// A watch that another's hint has ended is told nothing.
  static void Tell(const std::vector<std::weak_ptr<const OnHint>>& told, ChangeHint hint) {
    for (const std::weak_ptr<const OnHint>& weak : told) {
      if (const Entry entry = weak.lock()) (*entry)(hint);
    }
  }

  std::unordered_multimap<std::string, Entry> all_;
};

class RedisOrderChanges::WatchOfOne : public ports::OrderWatch {
 public:
  WatchOfOne(std::shared_ptr<Watches> watches, std::string family, Watches::OnHint on_hint)
      : watches_(std::move(watches)),
        family_(std::move(family)),
        entry_(std::make_shared<const Watches::OnHint>(std::move(on_hint))) {
    watches_->Add(family_, entry_);
  }
  ~WatchOfOne() override { watches_->Remove(family_, entry_); }
  WatchOfOne(const WatchOfOne&) = delete;
  WatchOfOne& operator=(const WatchOfOne&) = delete;

 private:
  std::shared_ptr<Watches> watches_;
  std::string family_;
  Watches::Entry entry_;
};

namespace {

/// Of a project whose keys begin with `keys`.
std::string ChannelOf(std::string_view keys) { return std::string(keys) + "changes"; }

template <typename Watches>
ConnectionOptions Listening(ConnectionOptions options, const Keyspace& keyspace,
                            const std::shared_ptr<Watches>& watches) {
  std::vector<std::string> channels;
  for (const auto& [name, project] : keyspace.projects()) {
    channels.push_back(ChannelOf(project.keys));
  }
  options.subscription = {
      .channels = std::move(channels),
      .on_message = [watches](std::string_view channel,
                              std::string_view message) { watches->TakeMessage(channel, message); },
      .on_subscribed = [watches] { watches->TellAll(); }};
  return options;
}

}  // namespace

RedisOrderChanges::RedisOrderChanges(boost::asio::any_io_executor executor,
                                     ConnectionOptions options, const Keyspace& keyspace,
                                     telemetry::Metrics& metrics)
    : keyspace_(keyspace),
      watches_(std::make_shared<Watches>()),
      connection_(std::move(executor), Listening(std::move(options), keyspace, watches_), metrics) {
}

RedisOrderChanges::~RedisOrderChanges() = default;

void RedisOrderChanges::Start() { connection_.Start(); }
void RedisOrderChanges::Stop() { connection_.Stop(); }
void RedisOrderChanges::Renew() { connection_.Renew(); }
bool RedisOrderChanges::ready() const { return connection_.ready(); }

std::unique_ptr<ports::OrderWatch> RedisOrderChanges::Watch(
    const ports::FamilyKey& key, std::function<void(ChangeHint)> on_hint) {
  // Of a project that is not configured nothing is ever told.
  const absl::StatusOr<std::string> keys = keyspace_.Of(key.project);
  std::string family = keys.ok() ? ChannelOf(*keys) + key.root.ToBytes() : std::string();
  return std::make_unique<WatchOfOne>(watches_, std::move(family), std::move(on_hint));
}

}  // namespace tollbridge::redis
