#include "base/wire/connections.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/net/source.h"
#include "base/wire/connection.h"

namespace tollbridge::wire {

namespace asio = boost::asio;

namespace {

/// Looking for the connections that wait longest costs a look at each, so that as many at a time
/// are closed: this part of all.
constexpr std::size_t kShedPart = 64;
/// As many may be on their way out: this part of all that there may be, and a few in any case.
constexpr std::size_t kLeavingPart = 8;
constexpr std::size_t kFewLeaving = 8;
/// More than this part of all from one address are many.
constexpr std::size_t kManyPart = 16;
/// For one of them to go by itself while others wait for its place.
constexpr std::chrono::milliseconds kLeavingTime{20};
/// A look at all answers costs a look at each call: between two of them this part of the time that
/// they have.
constexpr int kLooksAtAnswers = 8;

}  // namespace

/// Keeps a connection listed while its coroutine lives.
struct Connections::Registration {
  Registration(std::shared_ptr<Connections> a, std::shared_ptr<Connection> c)
      : all(std::move(a)), connection(std::move(c)) {}
  Registration(Registration&&) noexcept = default;
  ~Registration() {
    if (all != nullptr) all->Remove(connection.get());
  }

  std::shared_ptr<Connections> all;
  std::shared_ptr<Connection> connection;
};

Connections::Connections(std::shared_ptr<Service> service,
                         std::shared_ptr<const net::TlsContext> tls)
    : service_(std::move(service)), tls_(std::move(tls)) {}

void Connections::Serve(asio::ip::tcp::socket socket, std::size_t shard) {
  boost::system::error_code ec;
  const auto peer = socket.remote_endpoint(ec);
  // It has gone already.
  if (ec) return;
  const asio::any_io_executor executor = socket.get_executor();
  const std::string source = net::SourceOf(peer.address());
  auto connection = std::make_shared<Connection>(
      service_, tls_, std::move(socket),
      Connection::Place{.shard = shard, .number = number_++, .source = source});
  if (!Admit(connection, {executor, connection, source})) {
    connection->Abort();
    return;
  }
  const auto serve = [](Registration registration) -> asio::awaitable<void> {
    co_await registration.connection->Run();
  };
  asio::co_spawn(executor, serve(Registration(shared_from_this(), std::move(connection))),
                 asio::detached);
}

bool Connections::Admit(const std::shared_ptr<Connection>& connection, Open open) {
  // First, so that who has his share sheds nobody.
  if (HasItsShare(open.source)) {
    service_->counts.Count(Refusal::kAddress);
    return false;
  }
  if (count() >= service_->limits.max_connections && !MakeRoom(Refusal::kConnections)) {
    service_->counts.Count(Refusal::kConnections);
    return false;
  }
  const std::scoped_lock lock(mutex_);
  CountIn(open_.emplace(connection.get(), std::move(open)).first->second);
  return true;
}

bool Connections::HasItsShare(const std::string& source) const {
  const std::scoped_lock lock(mutex_);
  const auto found = sources_.find(source);
  return found != sources_.end() && found->second >= service_->limits.max_connections_per_address;
}

bool Connections::MakeRoom(Refusal refusal) {
  std::vector<Open> taken;
  {
    const std::scoped_lock lock(mutex_);
    taken = TakeLongestWaiting();
  }
  service_->counts.Count(refusal, taken.size());
  OnEach(taken, [self = shared_from_this()](Connection& connection) {
    if (!connection.Shed()) self->Stays(&connection);
  });
  return !taken.empty();
}

void Connections::Hurry() {
  const BootTime now = BootClock::now();
  // The more waits, the less time there is.
  const auto most = static_cast<double>(service_->limits.max_unsent_bytes);
  const double part = std::min(1.0, most / static_cast<double>(service_->counts.unsent() + 1));
  const auto time = std::chrono::duration_cast<BootClock::duration>(
      std::chrono::duration<double>(service_->limits.hurried_write_timeout) * part);
  BootClock::rep last = hurried_.load(std::memory_order_relaxed);
  const BootClock::rep since_start = now.time_since_epoch().count();
  if (since_start - last < (time / kLooksAtAnswers).count()) return;
  // One of those that come here at one time.
  if (!hurried_.compare_exchange_strong(last, since_start, std::memory_order_relaxed)) return;
  ForEach([since = now - time](Connection& connection) { connection.Hurry(since); });
}

std::vector<Connections::Open> Connections::TakeLongestWaiting() {
  struct Waiting {
    /// How many connections are not of its source, where that has many; else all: who has most
    /// gives way first. Or who fills the table with proven ones would have those shed who come.
    std::size_t of_others;
    bool proven;
    std::int64_t since;
    const Connection* connection;
    auto operator<=>(const Waiting&) const = default;
  };
  const std::size_t many = service_->limits.max_connections / kManyPart;
  std::vector<Waiting> waiting;
  for (const auto& [connection, open] : open_) {
    const std::int64_t since = connection->waits_since();
    if (since != Connection::kDoesNotWait && !open.leaves) {
      const std::size_t of_source = sources_.at(open.source);
      const std::size_t of_others = open_.size() - (of_source > many ? of_source : 0);
      waiting.push_back({of_others, connection->proven(), since, connection});
    }
  }
  const std::size_t part = std::max<std::size_t>(count_ / kShedPart, 1);
  const std::size_t count = std::min(part, waiting.size());
  std::ranges::nth_element(waiting, waiting.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<Open> taken;
  for (std::size_t i = 0; i < count; ++i) {
    Open& open = open_.at(waiting[i].connection);
    CountOut(open);
    taken.push_back(open);
  }
  return taken;
}

std::size_t Connections::count() const {
  const std::scoped_lock lock(mutex_);
  return count_;
}

bool Connections::ManyLeave() {
  std::vector<Open> slow;
  {
    const std::scoped_lock lock(mutex_);
    const std::size_t many = std::max(service_->limits.max_connections / kLeavingPart, kFewLeaving);
    if (open_.size() - count_ <= many) return false;
    slow = TakeSlowLeavers();
  }
  // A peer that does not read, or does not hear that it is to go, would decide when others come.
  OnEach(slow, [](Connection& connection) { connection.EndIfShed(); });
  return true;
}

std::vector<Connections::Open> Connections::TakeSlowLeavers() {
  const BootTime by = BootClock::now() - kLeavingTime;
  std::vector<Open> slow;
  for (auto& [connection, open] : open_) {
    if (!open.leaves || open.ended || open.left_at > by) continue;
    open.ended = true;
    slow.push_back(open);
  }
  return slow;
}

void Connections::CountIn(Open& open) {
  open.leaves = false;
  ++count_;
  ++sources_[open.source];
  service_->counts.Open(1);
}

void Connections::CountOut(Open& open) {
  if (std::exchange(open.leaves, true)) return;
  open.left_at = BootClock::now();
  --count_;
  const auto found = sources_.find(open.source);
  if (--found->second == 0) sources_.erase(found);
  service_->counts.Open(-1);
}

void Connections::Stays(const Connection* connection) {
  const std::scoped_lock lock(mutex_);
  const auto found = open_.find(connection);
  if (found != open_.end()) CountIn(found->second);
}

void Connections::Remove(const Connection* connection) {
  const std::scoped_lock lock(mutex_);
  const auto found = open_.find(connection);
  // One that was not admitted is not there.
  if (found != open_.end()) {
    CountOut(found->second);
    open_.erase(found);
  }
  if (!open_.empty() || none_left_ == nullptr) return;
  asio::post(none_left_->executor(), [signal = none_left_] { signal->Fire(); });
}

void Connections::ForEach(const std::function<void(Connection&)>& action) {
  std::vector<Open> open;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, entry] : open_) open.push_back(entry);
  }
  OnEach(open, action);
}

void Connections::OnEach(const std::vector<Open>& open,
                         const std::function<void(Connection&)>& action) {
  for (const Open& entry : open) {
    // Weak until there, so that a connection is never destroyed on another thread than its own.
    asio::post(entry.executor, [action, weak = entry.connection] {
      if (const auto alive = weak.lock(); alive != nullptr) action(*alive);
    });
  }
}

void Connections::LookAtCertificates() {
  if (tls_ == nullptr) return;
  const std::uint64_t taken = tls_->Look();
  if (seen_tls_.exchange(taken) == taken) return;
  ForEach([](Connection& connection) { connection.EndIfRevoked(); });
}

void Connections::NotifyAll() {
  // Who connects behind this is not told: a client that hears it at once comes again at once, and
  // its call is never made.
  ForEach([](Connection& connection) { connection.Notify(); });
}

void Connections::LeaveAll() {
  ForEach([](Connection& connection) { connection.Leave(); });
}

void Connections::AbortAll() {
  ForEach([](Connection& connection) { connection.Abort(); });
}

asio::awaitable<bool> Connections::WaitUntilNone(asio::any_io_executor executor,
                                                 BootTime deadline) {
  const auto self = shared_from_this();
  const auto none_left = std::make_shared<Signal>(executor);
  bool none = false;
  {
    const std::scoped_lock lock(mutex_);
    none_left_ = none_left;
    none = open_.empty();
  }
  if (!none) co_await none_left->Wait(deadline);
  {
    const std::scoped_lock lock(mutex_);
    none_left_ = nullptr;
    none = open_.empty();
  }
  co_return none;
}

}  // namespace tollbridge::wire
