#include "adapters/redis/connection.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <bit>
#include <boost/asio/co_spawn.hpp>
#include <random>
#include <utility>
#include <vector>

#include "adapters/redis/backoff.h"
#include "adapters/redis/errors.h"
#include "adapters/redis/keyspace.h"
#include "adapters/redis/open_session.h"
#include "adapters/redis/role.h"
#include "base/core/must_go_on.h"
#include "base/core/signal.h"
#include "base/core/status_macros.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/metrics.h"
#include "base/telemetry/sampler.h"

namespace tollbridge::redis {
namespace {

namespace asio = boost::asio;

/// Between two tries to renew a session.
constexpr std::chrono::seconds kRenewRetry{5};

/// The n-th failure in a row is logged when n is a power of two.
bool WorthLogging(unsigned failures) { return std::has_single_bit(failures); }

/// How long scripts take. A store knows some forty, of which a connection runs a part: each has its
/// series once it has run.
class ScriptTimes {
 public:
  ScriptTimes(telemetry::Metrics& metrics, std::string_view store)
      : metrics_(metrics), store_(store) {}

  /// `script` is one of scripts/, or empty for anything else, and lives as long as the program.
  void Note(std::string_view script, BootClock::duration time) {
    const std::chrono::duration<double> seconds = time;
    for (const auto& [name, histogram] : known_) {
      if (name.data() == script.data()) return histogram.Observe(seconds.count());
    }
    known_.emplace_back(
        script, metrics_.Get(telemetry::kRedisSeconds,
                             {store_, script.empty() ? telemetry::kOtherLabelValue : script}));
    known_.back().second.Observe(seconds.count());
  }

 private:
  telemetry::Metrics& metrics_;
  std::string store_;
  std::vector<std::pair<std::string_view, telemetry::Histogram>> known_;
};

}  // namespace

class Connection::Impl {
 public:
  Impl(asio::any_io_executor executor, ConnectionOptions options, telemetry::Metrics& metrics)
      : executor_(std::move(executor)),
        options_(std::move(options)),
        finder_(executor_, options_.sentinel),
        retry_(executor_),
        backoff_(options_.backoff_first, options_.backoff_max, std::random_device()()),
        ok_(metrics.Get(telemetry::kRedisCommands, {options_.store, "ok"})),
        error_(metrics.Get(telemetry::kRedisCommands, {options_.store, "error"})),
        timeout_(metrics.Get(telemetry::kRedisCommands, {options_.store, "timeout"})),
        refused_(metrics.Get(telemetry::kRedisCommands, {options_.store, "refused"})),
        unavailable_(metrics.Get(telemetry::kRedisCommands, {options_.store, "unavailable"})),
        reconnects_(metrics.Get(telemetry::kRedisReconnects, {options_.store})),
        replicas_missing_(metrics.Get(telemetry::kReplicasMissing, {options_.store})),
        times_(metrics, options_.store),
        metrics_(metrics) {
    for (const std::string_view cause : telemetry::kEpochCauses) {
      metrics.Get(telemetry::kEpochChanges, {options_.store, cause});
    }
  }

  static asio::awaitable<void> Run(std::shared_ptr<Impl> self) {
    while (!self->stopped_) {
      const absl::Status connected = co_await self->Connect();
      if (self->stopped_) co_return;
      if (connected.ok()) {
        if (self->generation_ > 0) self->reconnects_.Increment();
        self->BecomeReady("redis_connected");
        while (self->IsOpen()) co_await self->WaitOrRenew();
        self->BecomeLost();
      } else {
        self->NoteFailure(connected);
      }
      if (self->stopped_) co_return;
      co_await self->retry_.Wait(BootClock::now() + self->backoff_.Next());
    }
  }

  /// The session is to be a new one.
  void Renew() {
    renew_at_ = BootClock::now();
    if (session_) session_->Nudge();
  }

  void Stop() {
    stopped_ = true;
    ready_ = false;
    last_error_ = absl::CancelledError("the connection was stopped");
    if (session_) session_->Close(last_error_);
    for (const auto& weak : others_) {
      if (const auto session = weak.lock()) session->Close(last_error_);
    }
    retry_.Fire();
    WakeWaiters();
  }

  /// Opens a session and keeps it in session_.
  AsyncStatus Connect() {
    TB_CO_ASSIGN_OR_RETURN(std::shared_ptr<Session> session, co_await Open());
    session_ = std::move(session);
    co_return absl::OkStatus();
  }

  /// Finds the primary, opens a session there and logs in.
  Async<std::shared_ptr<Session>> Open() {
    const BootTime deadline = BootClock::now() + options_.connect_timeout;
    server_ = {.host = options_.host, .port = options_.port};
    if (!options_.sentinel.sentinels.empty()) {
      TB_CO_ASSIGN_OR_RETURN(const Endpoint primary, co_await finder_.Find(deadline));
      server_ = primary;
    }
    absl::StatusOr<std::shared_ptr<Session>> session = co_await OpenAt(deadline);
    if (!session.ok()) finder_.Distrust();
    co_return session;
  }

  /// Opens a session to server_.
  Async<std::shared_ptr<Session>> OpenAt(BootTime deadline) {
    TB_CO_ASSIGN_OR_RETURN(
        std::shared_ptr<Session> session,
        co_await OpenSession(executor_, server_, options_.tls,
                             {.user = options_.user, .password = options_.password.Get()},
                             {.limits = options_.limits,
                              .health = Health(),
                              .on_message = options_.subscription.on_message},
                             deadline));
    if (stopped_) {
      session->Close(last_error_);
      co_return last_error_;
    }
    CloseWithUs(session);
    absl::Status prepared = co_await Prepare(session, deadline);
    if (prepared.ok() && stopped_) prepared = last_error_;
    if (!prepared.ok()) {
      session->Close(prepared);
      co_return absl::Status(prepared.code(),
                             absl::StrCat(server_.ToString(), ": ", prepared.message()));
    }
    co_return session;
  }

  AsyncStatus Prepare(std::shared_ptr<Session> session, BootTime deadline) {
    TB_CO_ASSIGN_OR_RETURN(const Reply role, co_await Ask(session, {"ROLE"}, deadline));
    TB_CO_RETURN_IF_ERROR(CheckIsPrimary(role));
    if (options_.database != 0) {
      TB_CO_ASSIGN_OR_RETURN(
          const Reply selected,
          co_await Ask(session, {"SELECT", absl::StrCat(options_.database)}, deadline));
    }
    if (!options_.epoch_key.empty()) {
      TB_CO_ASSIGN_OR_RETURN(
          const Reply epoch,
          co_await Ask(session, {"HMGET", options_.epoch_key, "id", "layout"}, deadline));
      TB_CO_RETURN_IF_ERROR(CheckLayout(epoch));
    }
    if (!subscribes()) co_return absl::OkStatus();
    // Each channel has a reply of its own.
    std::vector<std::string> commands;
    for (const std::string& channel : options_.subscription.channels) {
      commands.push_back(FormatCommand({"SUBSCRIBE", channel}));
    }
    const Session::Results subscribed =
        co_await session->ExecuteTogether(std::move(commands), deadline);
    TB_CO_RETURN_IF_ERROR(subscribed.replies.status());
    for (const Reply& reply : *subscribed.replies) TB_CO_RETURN_IF_ERROR(StatusOf(reply));
    co_return absl::OkStatus();
  }

  AsyncStatus WaitReady(BootTime deadline) {
    while (!ready() && !stopped_) {
      if (deadline <= BootClock::now()) break;
      const auto waiter = std::make_shared<Signal>(executor_);
      waiters_.push_back(waiter);
      co_await waiter->Wait(deadline);
      std::erase(waiters_, waiter);
    }
    if (ready()) co_return absl::OkStatus();
    co_return NotConnected();
  }

  Async<Reply> Execute(Command command, BootTime deadline) {
    if (!ready()) {
      unavailable_.Increment();
      co_return NotConnected();
    }
    ++commands_sent_;
    const std::string_view script = command.script;
    const BootTime begun = BootClock::now();
    const std::shared_ptr<Session> session = session_;
    Session::Result result =
        co_await session->Execute(FormatCommand(command), CommandDeadline(begun, deadline));
    Count(result);
    times_.Note(script, BootClock::now() - begun);
    co_return std::move(result.reply);
  }

  /// Counted as one command that failed, or as each of those that were answered.
  Async<std::vector<Reply>> ExecuteTogether(std::vector<Command> commands, BootTime deadline) {
    if (!ready()) {
      unavailable_.Increment();
      co_return NotConnected();
    }
    ++commands_sent_;
    const std::string_view script = commands.front().script;
    const BootTime begun = BootClock::now();
    std::vector<std::string> formatted;
    for (const Command& command : commands) formatted.push_back(FormatCommand(command));
    const std::shared_ptr<Session> session = session_;
    Session::Results results =
        co_await session->ExecuteTogether(std::move(formatted), CommandDeadline(begun, deadline));
    times_.Note(script, BootClock::now() - begun);
    if (!results.replies.ok()) {
      (results.timed_out ? timeout_ : unavailable_).Increment();
    } else {
      for (const Reply& reply : *results.replies) CountReply(reply);
    }
    co_return std::move(results.replies);
  }

  void NoteReplicasMissing() { replicas_missing_.Increment(); }
  void NoteNewEpoch(std::string_view cause) {
    metrics_.Get(telemetry::kEpochChanges, {options_.store, cause}).Increment();
  }

  /// A session that has closed may not have been noticed by Run() yet.
  bool ready() const { return ready_ && session_->why_closed().ok(); }
  std::uint64_t generation() const { return generation_; }
  std::uint64_t commands_sent() const { return commands_sent_; }
  const asio::any_io_executor& executor() const { return executor_; }

 private:
  bool subscribes() const { return !options_.subscription.channels.empty(); }

  /// A connection that has subscribed may not ask for the role any more.
  HealthCheck Health() const {
    return subscribes() ? HealthCheck{} : HealthCheck{{"ROLE"}, &CheckIsPrimary};
  }

  bool IsOpen() const { return session_->why_closed().ok(); }

  /// Waits until the session is closed, or is to be a new one, and then makes that.
  asio::awaitable<void> WaitOrRenew() {
    const std::shared_ptr<Session> before = session_;
    if (BootClock::now() < renew_at_) co_await before->WaitClosed(renew_at_);
    if (!IsOpen() || BootClock::now() < renew_at_) co_return;
    renew_at_ = BootTime::max();
    absl::StatusOr<std::shared_ptr<Session>> renewed = co_await Open();
    if (renewed.ok()) {
      session_ = *std::move(renewed);
      BecomeReady("redis_connection_renewed");
      CloseWithUs(before);
      asio::co_spawn(executor_, Retire(before, CommandDeadline(BootClock::now(), BootTime::max())),
                     MustGoOn{});
    } else if (IsOpen()) {
      renew_at_ = BootClock::now() + kRenewRetry;
      metrics_.Get(telemetry::kSecretFileFailures, {"redis"}).Increment();
      const auto tries = not_renewed_.Count(BootClock::now());
      if (!tries) co_return;
      telemetry::Log(telemetry::Severity::kWarning, "redis_connection_not_renewed",
                     {{"store", options_.store},
                      {"cause", std::string(renewed.status().message())},
                      {"tries", *tries},
                      {"kept", "the connection that there was"}});
    }
  }

  /// Lets what is in flight end before the session does.
  static asio::awaitable<void> Retire(std::shared_ptr<Session> session, BootTime deadline) {
    co_await session->WaitIdle(deadline);
    session->Close(absl::CancelledError("the connection was renewed"));
  }

  /// For a session beside session_.
  void CloseWithUs(const std::shared_ptr<Session>& session) {
    std::erase_if(others_, [](const auto& weak) { return weak.expired(); });
    others_.push_back(session);
  }

  void BecomeReady(std::string_view event) {
    ready_ = true;
    ++generation_;
    failures_ = 0;
    backoff_.Reset();
    telemetry::Log(telemetry::Severity::kInfo, event,
                   {{"host", server_.host}, {"port", server_.port}});
    WakeWaiters();
    if (options_.subscription.on_subscribed) options_.subscription.on_subscribed();
  }

  void BecomeLost() {
    ready_ = false;
    last_error_ = session_->why_closed();
    session_.reset();
    if (!stopped_) {
      telemetry::Log(telemetry::Severity::kWarning, "redis_connection_lost",
                     {{"cause", std::string(last_error_.message())}});
    }
  }

  /// Not each failure of a row is logged: most say the same.
  void NoteFailure(const absl::Status& status) {
    last_error_ = status;
    session_.reset();
    ++failures_;
    if (WorthLogging(failures_)) {
      telemetry::Log(telemetry::Severity::kWarning, "redis_connect_failed",
                     {{"failures", failures_}, {"cause", std::string(last_error_.message())}});
    }
  }

  void WakeWaiters() {
    for (const auto& waiter : waiters_) waiter->Fire();
  }

  absl::Status NotConnected() const {
    const absl::Status& why = ready_ ? session_->why_closed() : last_error_;
    return StoreUnavailable(absl::StrCat("not connected to Redis: ", why.message()));
  }

  BootTime CommandDeadline(BootTime begun, BootTime deadline) const {
    return std::min(deadline, begun + options_.command_timeout);
  }

  void CountReply(const Reply& reply) {
    if (IsNotServing(reply)) {
      refused_.Increment();
    } else {
      (reply.type == Reply::Type::kError ? error_ : ok_).Increment();
    }
  }

  void Count(const Session::Result& result) {
    if (result.reply.ok()) {
      CountReply(*result.reply);
    } else {
      (result.timed_out ? timeout_ : unavailable_).Increment();
    }
  }

  asio::any_io_executor executor_;
  ConnectionOptions options_;
  PrimaryFinder finder_;
  /// Where the session is, or is tried.
  Endpoint server_;
  unsigned failures_ = 0;
  std::shared_ptr<Session> session_;
  /// Those that are to be session_, and those that were.
  std::vector<std::weak_ptr<Session>> others_;
  /// When the session is to be a new one.
  BootTime renew_at_ = BootTime::max();
  telemetry::Sampler not_renewed_{std::chrono::minutes(1)};
  bool ready_ = false;
  bool stopped_ = false;
  absl::Status last_error_ = absl::UnavailableError("never connected");
  std::uint64_t generation_ = 0;
  std::uint64_t commands_sent_ = 0;
  Signal retry_;
  std::vector<std::shared_ptr<Signal>> waiters_;
  JitteredBackoff backoff_;
  telemetry::Counter ok_;
  telemetry::Counter error_;
  telemetry::Counter timeout_;
  telemetry::Counter refused_;
  telemetry::Counter unavailable_;
  telemetry::Counter reconnects_;
  telemetry::Counter replicas_missing_;
  ScriptTimes times_;
  telemetry::Metrics& metrics_;
};

Connection::Connection(asio::any_io_executor executor, ConnectionOptions options,
                       telemetry::Metrics& metrics)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options), metrics)) {}

Connection::~Connection() { Stop(); }

void Connection::Start() { asio::co_spawn(impl_->executor(), Impl::Run(impl_), MustGoOn{}); }

void Connection::Renew() { impl_->Renew(); }

void Connection::Stop() { impl_->Stop(); }

AsyncStatus Connection::WaitReady(BootTime deadline) {
  const std::shared_ptr<Impl> impl = impl_;
  co_return co_await impl->WaitReady(deadline);
}

Async<Reply> Connection::Execute(Command command, BootTime deadline) {
  const std::shared_ptr<Impl> impl = impl_;
  co_return co_await impl->Execute(std::move(command), deadline);
}

Async<std::vector<Reply>> Connection::ExecuteTogether(std::vector<Command> commands,
                                                      BootTime deadline) {
  const std::shared_ptr<Impl> impl = impl_;
  co_return co_await impl->ExecuteTogether(std::move(commands), deadline);
}

void Connection::NoteReplicasMissing() { impl_->NoteReplicasMissing(); }
void Connection::NoteNewEpoch(std::string_view cause) { impl_->NoteNewEpoch(cause); }

bool Connection::ready() const { return impl_->ready(); }
std::uint64_t Connection::generation() const { return impl_->generation(); }
std::uint64_t Connection::commands_sent() const { return impl_->commands_sent(); }

}  // namespace tollbridge::redis
