#include "adapters/redis/connection.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <random>
#include <utility>
#include <vector>

#include "adapters/redis/errors.h"
#include "services/base/status_macros.h"
#include "services/telemetry/log.h"
#include "services/telemetry/metric_definitions.h"
#include "services/telemetry/metrics.h"

namespace tollbridge::redis {
namespace {

namespace asio = boost::asio;

constexpr unsigned kMaxDoublings = 16;

}  // namespace

class Connection::Impl {
 public:
  Impl(asio::any_io_executor executor, ConnectionOptions options, telemetry::Metrics& metrics)
      : executor_(std::move(executor)),
        options_(std::move(options)),
        retry_timer_(executor_),
        random_(std::random_device()()),
        ok_(metrics.Get(telemetry::kRedisCommands, {"ok"})),
        error_(metrics.Get(telemetry::kRedisCommands, {"error"})),
        timeout_(metrics.Get(telemetry::kRedisCommands, {"timeout"})),
        unavailable_(metrics.Get(telemetry::kRedisCommands, {"unavailable"})) {}

  static asio::awaitable<void> Run(std::shared_ptr<Impl> self) {
    unsigned failures = 0;
    while (!self->stopped_) {
      const absl::Status connected = co_await self->Connect();
      if (self->stopped_) co_return;
      if (connected.ok()) {
        failures = 0;
        self->BecomeReady();
        co_await self->session_->WaitClosed();
        self->BecomeLost();
      } else {
        self->NoteFailure(connected, failures);
        ++failures;
      }
      if (self->stopped_) co_return;
      self->retry_timer_.expires_after(self->Backoff(failures));
      co_await self->retry_timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
  }

  void Stop() {
    stopped_ = true;
    ready_ = false;
    last_error_ = absl::CancelledError("the connection was stopped");
    if (session_) session_->Close(last_error_);
    retry_timer_.cancel();
    WakeWaiters();
  }

  /// Opens a session and logs in. The session is kept in session_.
  AsyncStatus Connect() {
    const BootTime deadline = BootClock::now() + options_.connect_timeout;
    absl::StatusOr<std::unique_ptr<http::Stream>> stream = co_await http::Connect(
        executor_,
        {.host = options_.host, .port = options_.port, .tls = options_.tls, .deadline = deadline});
    TB_CO_RETURN_IF_ERROR(stream.status());
    session_ = std::make_shared<Session>(executor_, *std::move(stream), options_.limits);
    if (stopped_) {
      session_->Close(last_error_);
      co_return last_error_;
    }
    session_->Start();
    for (const Command& command : Login()) {
      const Session::Result result = co_await session_->Execute(FormatCommand(command), deadline);
      absl::Status status = result.reply.ok() ? StatusOf(*result.reply) : result.reply.status();
      if (!status.ok()) {
        session_->Close(status);
        co_return status;
      }
    }
    co_return absl::OkStatus();
  }

  /// PING always: a server that was suspended accepts connections and answers nothing.
  std::vector<Command> Login() const {
    std::vector<Command> commands;
    if (!options_.password.empty()) {
      Command auth = {"AUTH"};
      if (!options_.user.empty()) auth.push_back(options_.user);
      auth.push_back(options_.password);
      commands.push_back(std::move(auth));
    }
    if (options_.database != 0) commands.push_back({"SELECT", absl::StrCat(options_.database)});
    commands.push_back({"PING"});
    return commands;
  }

  AsyncStatus WaitReady(BootTime deadline) {
    while (!ready_ && !stopped_) {
      const BootTime::duration left = deadline - BootClock::now();
      if (left <= BootTime::duration::zero()) break;
      auto timer = std::make_shared<asio::steady_timer>(executor_);
      waiters_.push_back(timer);
      timer->expires_after(left);
      co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
      std::erase(waiters_, timer);
    }
    if (ready_) co_return absl::OkStatus();
    co_return NotConnected();
  }

  Async<Reply> Execute(Command command, BootTime deadline) {
    if (!ready_) {
      unavailable_.Increment();
      co_return NotConnected();
    }
    ++commands_sent_;
    const std::shared_ptr<Session> session = session_;
    Session::Result result =
        co_await session->Execute(FormatCommand(command), CommandDeadline(deadline));
    Count(result);
    co_return std::move(result.reply);
  }

  /// Counted as one command that failed, or as each of those that were answered.
  Async<std::vector<Reply>> ExecuteTogether(std::vector<Command> commands, BootTime deadline) {
    if (!ready_) {
      unavailable_.Increment();
      co_return NotConnected();
    }
    ++commands_sent_;
    std::vector<std::string> formatted;
    for (const Command& command : commands) formatted.push_back(FormatCommand(command));
    const std::shared_ptr<Session> session = session_;
    Session::Results results =
        co_await session->ExecuteTogether(std::move(formatted), CommandDeadline(deadline));
    if (!results.replies.ok()) {
      (results.timed_out ? timeout_ : unavailable_).Increment();
    } else {
      for (const Reply& reply : *results.replies) CountReply(reply);
    }
    co_return std::move(results.replies);
  }

  bool ready() const { return ready_; }
  std::uint64_t generation() const { return generation_; }
  std::uint64_t commands_sent() const { return commands_sent_; }
  const asio::any_io_executor& executor() const { return executor_; }

 private:
  void BecomeReady() {
    ready_ = true;
    ++generation_;
    telemetry::Log(telemetry::Severity::kInfo, "redis_connected",
                   {{"host", options_.host}, {"port", options_.port}});
    WakeWaiters();
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

  /// Only the first failure of a row is logged: the others say the same.
  void NoteFailure(const absl::Status& status, unsigned failures) {
    last_error_ = status;
    session_.reset();
    if (failures == 0) {
      telemetry::Log(telemetry::Severity::kWarning, "redis_connect_failed",
                     {{"host", options_.host},
                      {"port", options_.port},
                      {"cause", std::string(last_error_.message())}});
    }
  }

  std::chrono::milliseconds Backoff(unsigned failures) {
    const std::chrono::milliseconds full = std::min(
        options_.backoff_max, options_.backoff_first * (1U << std::min(failures, kMaxDoublings)));
    std::uniform_int_distribution<std::int64_t> spread(full.count() / 2, full.count());
    return std::chrono::milliseconds(spread(random_));
  }

  void WakeWaiters() {
    for (const auto& timer : waiters_) timer->cancel();
  }

  absl::Status NotConnected() const {
    return StoreUnavailable(absl::StrCat("not connected to Redis: ", last_error_.message()));
  }

  BootTime CommandDeadline(BootTime deadline) const {
    return std::min(deadline, BootClock::now() + options_.command_timeout);
  }

  void CountReply(const Reply& reply) {
    (reply.type == Reply::Type::kError ? error_ : ok_).Increment();
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
  std::shared_ptr<Session> session_;
  bool ready_ = false;
  bool stopped_ = false;
  absl::Status last_error_ = absl::UnavailableError("never connected");
  std::uint64_t generation_ = 0;
  std::uint64_t commands_sent_ = 0;
  asio::steady_timer retry_timer_;
  std::vector<std::shared_ptr<asio::steady_timer>> waiters_;
  std::minstd_rand random_;
  telemetry::Counter ok_;
  telemetry::Counter error_;
  telemetry::Counter timeout_;
  telemetry::Counter unavailable_;
};

Connection::Connection(asio::any_io_executor executor, ConnectionOptions options,
                       telemetry::Metrics& metrics)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options), metrics)) {}

Connection::~Connection() { Stop(); }

void Connection::Start() { asio::co_spawn(impl_->executor(), Impl::Run(impl_), asio::detached); }

void Connection::Stop() { impl_->Stop(); }

AsyncStatus Connection::WaitReady(BootTime deadline) {
  const std::shared_ptr<Impl> impl = impl_;
  absl::Status status = co_await impl->WaitReady(deadline);
  co_return status;
}

Async<Reply> Connection::Execute(Command command, BootTime deadline) {
  const std::shared_ptr<Impl> impl = impl_;
  absl::StatusOr<Reply> reply = co_await impl->Execute(std::move(command), deadline);
  co_return reply;
}

Async<std::vector<Reply>> Connection::ExecuteTogether(std::vector<Command> commands,
                                                      BootTime deadline) {
  const std::shared_ptr<Impl> impl = impl_;
  absl::StatusOr<std::vector<Reply>> replies =
      co_await impl->ExecuteTogether(std::move(commands), deadline);
  co_return replies;
}

bool Connection::ready() const { return impl_->ready(); }
std::uint64_t Connection::generation() const { return impl_->generation(); }
std::uint64_t Connection::commands_sent() const { return impl_->commands_sent(); }

}  // namespace tollbridge::redis
