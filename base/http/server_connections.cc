#include "base/http/server_connections.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <cstdint>
#include <utility>

#include "base/http/server_connection.h"
#include "base/net/socket_stream.h"
#include "base/net/source.h"

namespace tollbridge::http {

namespace asio = boost::asio;

namespace {

/// Looking for the connections that wait longest costs a look at each, so that as many at a time
/// are closed: this part of all.
constexpr std::size_t kShedPart = 64;
/// More than this part of all from one address are many.
constexpr std::size_t kManyPart = 16;

}  // namespace

/// Keeps a connection listed while its coroutine lives.
struct ServerConnections::Registration {
  Registration(std::shared_ptr<ServerConnections> s, std::shared_ptr<ServerConnection> c)
      : server(std::move(s)), connection(std::move(c)) {}
  Registration(Registration&&) noexcept = default;
  ~Registration() {
    if (server != nullptr) server->Remove(connection.get());
  }

  std::shared_ptr<ServerConnections> server;
  std::shared_ptr<ServerConnection> connection;
};

ServerConnections::ServerConnections(ServerOptions options, Handler handler)
    : options_(std::move(options)), handler_(std::move(handler)) {}

void ServerConnections::Serve(asio::ip::tcp::socket socket) {
  const asio::any_io_executor executor = socket.get_executor();
  boost::system::error_code ec;
  const auto peer = socket.remote_endpoint(ec);
  const std::string source = ec ? std::string() : net::SourceOf(peer.address());
  auto connection =
      std::make_shared<ServerConnection>(options_, handler_, std::move(socket), source);
  if ((!HasRoom(source) && !Shed(1, &source)) || (!HasRoom() && !MakeRoom())) {
    connection->Abort();
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    Sources::value_type& of_source = *sources_.try_emplace(source).first;
    ++of_source.second;
    open_.emplace(connection.get(), Open{executor, connection, &of_source});
  }
  const auto serve = [](Registration registration) -> asio::awaitable<void> {
    co_await registration.connection->Run();
  };
  asio::co_spawn(executor, serve(Registration(shared_from_this(), std::move(connection))),
                 asio::detached);
}

bool ServerConnections::HasRoom() const { return count() < options_.limits.max_connections; }

bool ServerConnections::HasRoom(const std::string& source) const {
  const std::size_t most = options_.limits.max_connections_per_address;
  if (most == 0) return true;
  const std::scoped_lock lock(mutex_);
  const auto found = sources_.find(source);
  return found == sources_.end() || found->second < most;
}

bool ServerConnections::MakeRoom() {
  return Shed(std::max<std::size_t>(options_.limits.max_connections / kShedPart, 1), nullptr);
}

bool ServerConnections::Shed(std::size_t count, const std::string* source) {
  std::vector<Open> taken;
  {
    const std::scoped_lock lock(mutex_);
    taken = TakeLongestWaiting(count, source);
  }
  OnEach(taken, [](ServerConnection& connection) { connection.Shed(); });
  if (!taken.empty() && options_.on_shed) options_.on_shed(taken.size());
  return !taken.empty();
}

std::vector<ServerConnections::Open> ServerConnections::TakeLongestWaiting(
    std::size_t count, const std::string* source) {
  enum class Standing { kLeaves, kNew, kProven };
  struct Waiting {
    /// How many connections are not of its source, where that has many; else all.
    std::size_t of_others;
    Standing standing;
    std::int64_t since;
    const ServerConnection* connection;
    auto operator<=>(const Waiting&) const = default;
  };
  const ServerLimits& limits = options_.limits;
  const std::size_t few =
      limits.max_connections_per_address > 0 ? 1 : limits.max_connections / kManyPart;
  std::vector<Waiting> waiting;
  for (const auto& [connection, entry] : open_) {
    if (source != nullptr && entry.source->first != *source) continue;
    const std::int64_t since = connection->waits_since();
    if (since == ServerConnection::kDoesNotWait) continue;
    const std::size_t of_source = entry.source->second > few ? entry.source->second : 0;
    // Among those of one address, who waits for what many share gives way to who comes to ask.
    const bool leaves = connection->leaves() || (source != nullptr && connection->handler_waits());
    const Standing standing = leaves                 ? Standing::kLeaves
                              : connection->proven() ? Standing::kProven
                                                     : Standing::kNew;
    waiting.push_back({open_.size() - of_source, standing, since, connection});
  }
  count = std::min(count, waiting.size());
  std::ranges::nth_element(waiting, waiting.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<Open> taken;
  for (std::size_t i = 0; i < count; ++i) {
    taken.push_back(Take(open_.find(waiting[i].connection)));
  }
  return taken;
}

ServerConnections::Open ServerConnections::Take(Table::iterator open) {
  Open taken = std::move(open->second);
  open_.erase(open);
  Sources::value_type& of_source = *std::exchange(taken.source, nullptr);
  if (--of_source.second == 0) sources_.erase(sources_.find(of_source.first));
  return taken;
}

std::size_t ServerConnections::count() const {
  const std::scoped_lock lock(mutex_);
  return open_.size();
}

void ServerConnections::Remove(const ServerConnection* connection) {
  const std::scoped_lock lock(mutex_);
  // One that made room is not there any more.
  if (const auto found = open_.find(connection); found != open_.end()) Take(found);
  if (!open_.empty() || drained_ == nullptr) return;
  asio::post(drained_->executor(), [drained = drained_] { drained->Fire(); });
}

void ServerConnections::ForEach(const std::function<void(ServerConnection&)>& action) {
  std::vector<Open> open;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, entry] : open_) open.push_back(entry);
  }
  OnEach(open, action);
}

void ServerConnections::OnEach(const std::vector<Open>& open,
                               const std::function<void(ServerConnection&)>& action) {
  for (const Open& entry : open) {
    // Weak until there, so that a connection is never destroyed on another thread than its own.
    asio::post(entry.executor, [action, weak = entry.connection] {
      if (const auto alive = weak.lock(); alive != nullptr) action(*alive);
    });
  }
}

void ServerConnections::AbortAll() {
  ForEach([](ServerConnection& connection) { connection.Abort(); });
}

AsyncStatus ServerConnections::Drain(asio::any_io_executor executor, BootTime deadline) {
  const auto self = shared_from_this();
  const auto drained = std::make_shared<Signal>(executor);
  bool empty = false;
  {
    const std::scoped_lock lock(mutex_);
    drained_ = drained;
    empty = open_.empty();
  }
  ForEach([](ServerConnection& connection) { connection.Stop(); });
  if (!empty) co_await drained->Wait(deadline);
  {
    const std::scoped_lock lock(mutex_);
    drained_ = nullptr;
    empty = open_.empty();
  }
  if (empty) co_return absl::OkStatus();
  AbortAll();
  co_return absl::DeadlineExceededError("connections were aborted");
}

}  // namespace tollbridge::http
