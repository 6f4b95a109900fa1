#include "services/payments/watch_order.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/core/signal.h"
#include "base/core/status_macros.h"
#include "base/core/uuid.h"
#include "services/domain/deterministic.h"
#include "services/domain/errors.h"
#include "services/domain/order_view.h"
#include "services/domain/statuses.h"
#include "services/domain/timestamps.h"

namespace tollbridge::payments {
namespace {

namespace asio = boost::asio;

// An order as its watchers are shown it.
struct View {
  v1::WatchOrderResponse response;
  std::string bytes;  // equal when nothing differs that a caller can see
};

std::shared_ptr<const View> MakeView(common::v1::Order order) {
  auto view = std::make_shared<View>();
  view->response.set_final(domain::IsFinal(order.status()));
  *view->response.mutable_order() = domain::ForCaller(std::move(order));
  view->bytes = domain::SerializeDeterministically(view->response);
  return view;
}

// Whether a read shows an older state than the one before.
bool IsOlder(const common::v1::Order& read, const common::v1::Order& before) {
  return read.has_modified() && before.has_modified() &&
         domain::ToWallTime(read.modified()) < domain::ToWallTime(before.modified());
}

absl::Status Ended(absl::StatusCode code, std::string_view reason, std::string_view message) {
  return domain::MakeError(code, message,
                           {.reason = reason,
                            .retry = domain::Retry::kSafeSameKey,
                            .metadata = {},
                            .retry_after = std::nullopt,
                            .violations = {}});
}

struct Watcher {
  Watcher(const asio::any_io_executor& executor, BootTime until, OrderStream& to)
      : signal(executor), deadline(until), stream(to) {}

  Signal signal;  // something may have changed for it
  BootTime deadline;
  OrderStream& stream;
  std::shared_ptr<const View> written;  // nullptr at first
};

// One order that somebody watches.
struct Topic {
  explicit Topic(asio::any_io_executor shard) : executor(std::move(shard)) {}

  asio::any_io_executor executor;
  const domain::Project* project = nullptr;
  ports::FamilyKey key;
  std::string order_id;
  std::unique_ptr<ports::OrderWatch> watch;
  std::vector<Watcher*> watchers;

  // Numbers of the reads of the order that have begun and that have ended, successful or not.
  std::uint64_t reads_begun = 0;
  std::uint64_t reads_ended = 0;
  absl::Status last_read;
  std::shared_ptr<const View> view;  // nullptr until a read has succeeded

  bool serving = false;    // a coroutine works for the topic
  bool want_look = false;  // at the snapshot's version, and at the order when it has changed
  bool want_read = false;
  // The next look reads the order in any case: the last read failed, or was too old.
  bool must_read = false;
  int rereads = 0;
  BootTime next_look;
  // Of the snapshot, before a read that succeeded; and as the last look found it.
  std::optional<std::uint64_t> seen_version;
  std::optional<std::uint64_t> found_version;
};

}  // namespace

class OrderWatchers::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(Ports ports, std::function<bool()> draining, WatchSettings settings)
      : ports_(ports), draining_(std::move(draining)), settings_(settings) {}

  std::size_t orders() const { return topics_.size(); }

  AsyncStatus Watch(std::shared_ptr<Topic> topic, Watcher& watcher);

  // A watcher's place at its topic. Leaves it however the coroutine ends.
  class Seat {
   public:
    Seat(std::shared_ptr<Impl> impl, const domain::Project& project, const std::string& order_id,
         const Uuid& root, Watcher& watcher)
        : impl_(std::move(impl)),
          topic_(impl_->TopicOf(project, order_id, root, watcher)),
          watcher_(watcher) {
      topic_->watchers.push_back(&watcher_);
      impl_->StartPatrol(topic_->executor);
    }
    ~Seat() {
      std::erase(topic_->watchers, &watcher_);
      if (topic_->watchers.empty()) impl_->Drop(*topic_);
    }
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

    const std::shared_ptr<Topic>& topic() const { return topic_; }

   private:
    std::shared_ptr<Impl> impl_;
    std::shared_ptr<Topic> topic_;
    Watcher& watcher_;
  };

 private:
  std::shared_ptr<Topic> TopicOf(const domain::Project& project, const std::string& order_id,
                                 const Uuid& root, Watcher& watcher);
  void Drop(Topic& topic);
  // Why the watch ends now; OK when it goes on.
  absl::Status WhyEnd(const Watcher& watcher) const;

  void Heard(const std::shared_ptr<Topic>& topic, ports::ChangeHint hint);
  void Want(const std::shared_ptr<Topic>& topic, bool Topic::* what);
  static asio::awaitable<void> Serve(std::shared_ptr<Impl> self, std::shared_ptr<Topic> topic);
  static asio::awaitable<void> Look(Impl& self, Topic& topic);
  static asio::awaitable<void> Read(Impl& self, Topic& topic);
  void Take(Topic& topic, common::v1::Order order);
  ports::Context Within(ports::Millis limit) const {
    return {.deadline = ports_.clock.BootNow() + limit, .trace = {}};
  }

  void StartPatrol(const asio::any_io_executor& executor);
  static asio::awaitable<void> Patrol(std::shared_ptr<Impl> self);
  void PatrolOnce();

  Ports ports_;
  std::function<bool()> draining_;
  WatchSettings settings_;
  std::map<ports::FamilyKey, std::shared_ptr<Topic>> topics_;
  bool patrolling_ = false;
};

std::shared_ptr<Topic> OrderWatchers::Impl::TopicOf(const domain::Project& project,
                                                    const std::string& order_id, const Uuid& root,
                                                    Watcher& watcher) {
  const ports::FamilyKey key{.project = project.name, .root = root};
  std::shared_ptr<Topic>& topic = topics_[key];
  if (topic) return topic;
  topic = std::make_shared<Topic>(watcher.signal.executor());
  topic->project = &project;
  topic->key = key;
  topic->order_id = order_id;
  topic->next_look = ports_.clock.BootNow() + settings_.interval;
  topic->want_look = true;
  // Before anything is read: what changes after the read is heard of.
  topic->watch = ports_.changes.Watch(
      key, [weak = weak_from_this(), topic = std::weak_ptr(topic)](ports::ChangeHint hint) {
        const std::shared_ptr<Impl> self = weak.lock();
        const std::shared_ptr<Topic> heard = topic.lock();
        if (self && heard) self->Heard(heard, hint);
      });
  return topic;
}

void OrderWatchers::Impl::Drop(Topic& topic) {
  topic.watch.reset();
  const auto at = topics_.find(topic.key);
  if (at != topics_.end() && at->second.get() == &topic) topics_.erase(at);
}

void OrderWatchers::Impl::Heard(const std::shared_ptr<Topic>& topic, ports::ChangeHint hint) {
  Want(topic, hint == ports::ChangeHint::kChanged ? &Topic::want_read : &Topic::want_look);
}

void OrderWatchers::Impl::Want(const std::shared_ptr<Topic>& topic, bool Topic::* what) {
  (*topic).*what = true;
  if (std::exchange(topic->serving, true)) return;
  asio::co_spawn(topic->executor, Serve(shared_from_this(), topic), asio::detached);
}

asio::awaitable<void> OrderWatchers::Impl::Serve(std::shared_ptr<Impl> self,
                                                 std::shared_ptr<Topic> topic) {
  while (!topic->watchers.empty() && (topic->want_look || topic->want_read)) {
    // The look first: what it finds was there before the read.
    if (std::exchange(topic->want_look, false)) {
      co_await Look(*self, *topic);
    } else {
      topic->want_read = false;
      co_await Read(*self, *topic);
    }
  }
  topic->serving = false;
}

asio::awaitable<void> OrderWatchers::Impl::Look(Impl& self, Topic& topic) {
  topic.next_look = self.ports_.clock.BootNow() + self.settings_.interval;
  const ports::Context context = self.Within(self.settings_.look_timeout);
  absl::StatusOr<ports::FamilyState> state =
      co_await self.ports_.snapshots.Load(topic.key, context);
  if (state.ok() && state->version == 0 && state->root) {
    // A member: what is known of it is kept with its root, whose saves all count.
    const ports::FamilyKey root{.project = topic.key.project, .root = *state->root};
    state = co_await self.ports_.snapshots.Load(root, context);
  }
  topic.found_version.reset();
  if (state.ok() && state->version > 0) topic.found_version = state->version;
  if (topic.must_read || !topic.found_version || topic.found_version != topic.seen_version) {
    topic.want_read = true;
  }
}

asio::awaitable<void> OrderWatchers::Impl::Read(Impl& self, Topic& topic) {
  ++topic.reads_begun;
  const std::optional<std::uint64_t> version = topic.found_version;
  const ports::Context context = self.Within(self.settings_.read_timeout);
  absl::StatusOr<common::v1::Order> order =
      co_await self.ports_.service.GetOrder(*topic.project, topic.order_id, context);
  ++topic.reads_ended;
  topic.last_read = order.status();
  topic.must_read = !order.ok();
  if (order.ok()) {
    topic.seen_version = version;
    self.Take(topic, *std::move(order));
  }
  for (Watcher* watcher : topic.watchers) {
    if (watcher->written != topic.view || !topic.view) watcher->signal.Fire();
  }
}

void OrderWatchers::Impl::Take(Topic& topic, common::v1::Order order) {
  if (topic.view && IsOlder(order, topic.view->response.order()) &&
      topic.rereads < settings_.rereads) {
    ++topic.rereads;
    topic.must_read = true;
    topic.next_look = ports_.clock.BootNow() + settings_.reread_after;
    return;
  }
  topic.rereads = 0;
  std::shared_ptr<const View> view = MakeView(std::move(order));
  if (!topic.view || topic.view->bytes != view->bytes) topic.view = std::move(view);
}

absl::Status OrderWatchers::Impl::WhyEnd(const Watcher& watcher) const {
  if (watcher.stream.cancelled()) return absl::CancelledError("the caller has gone");
  if (draining_()) {
    return Ended(absl::StatusCode::kUnavailable, domain::reason::kShuttingDown,
                 "this process is shutting down; another one will answer");
  }
  if (ports_.clock.BootNow() >= watcher.deadline) {
    return Ended(absl::StatusCode::kDeadlineExceeded, domain::reason::kNotSent,
                 "the order was not final by the deadline; it can be watched again");
  }
  return absl::OkStatus();
}

AsyncStatus OrderWatchers::Impl::Watch(std::shared_ptr<Topic> topic, Watcher& watcher) {
  // A read under way may have begun before this watch.
  const std::uint64_t first_read = topic->reads_begun + 1;
  Want(topic, &Topic::want_read);
  std::shared_ptr<const View>& written = watcher.written;
  while (true) {
    TB_CO_RETURN_IF_ERROR(WhyEnd(watcher));
    const bool has_read = topic->reads_ended >= first_read;
    if (has_read && !written) TB_CO_RETURN_IF_ERROR(topic->last_read);
    const std::shared_ptr<const View> view = topic->view;
    const bool differs = view && (!written || written->bytes != view->bytes);
    if (!has_read || !differs) {
      co_await watcher.signal.Wait();
      continue;
    }
    TB_CO_RETURN_IF_ERROR(co_await watcher.stream.Write(view->response));
    written = view;
    if (written->response.final()) co_return absl::OkStatus();
  }
}

void OrderWatchers::Impl::StartPatrol(const asio::any_io_executor& executor) {
  if (std::exchange(patrolling_, true)) return;
  asio::co_spawn(executor, Patrol(shared_from_this()), asio::detached);
}

asio::awaitable<void> OrderWatchers::Impl::Patrol(std::shared_ptr<Impl> self) {
  while (!self->topics_.empty()) {
    co_await self->ports_.clock.Sleep(self->settings_.patrol);
    self->PatrolOnce();
  }
  self->patrolling_ = false;
}

void OrderWatchers::Impl::PatrolOnce() {
  const BootTime now = ports_.clock.BootNow();
  for (const auto& [key, topic] : topics_) {
    if (now >= topic->next_look) Want(topic, &Topic::want_look);
    for (Watcher* watcher : topic->watchers) {
      if (!WhyEnd(*watcher).ok()) watcher->signal.Fire();
    }
  }
}

OrderWatchers::OrderWatchers(Ports ports, std::function<bool()> draining, WatchSettings settings)
    : impl_(std::make_shared<Impl>(ports, std::move(draining), settings)) {}

OrderWatchers::~OrderWatchers() = default;

std::size_t OrderWatchers::orders() const { return impl_->orders(); }

AsyncStatus OrderWatchers::Watch(const domain::Project& project,
                                 const v1::WatchOrderRequest& request, BootTime deadline,
                                 OrderStream& stream) {
  const std::shared_ptr<Impl> impl = impl_;
  const std::optional<Uuid> id = Uuid::Parse(request.order_id());
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  Watcher watcher(executor, deadline, stream);
  const Impl::Seat seat(impl, project, request.order_id(), *id, watcher);
  co_return co_await impl->Watch(seat.topic(), watcher);
}

}  // namespace tollbridge::payments
