#include "adapters/redis/session.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "adapters/redis/errors.h"
#include "adapters/redis/role.h"
#include "base/core/status_macros.h"
#include "base/core/tick.h"

namespace tollbridge::redis {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

}  // namespace

Session::Session(asio::any_io_executor executor, std::unique_ptr<net::Stream> stream,
                 SessionSettings settings)
    : executor_(std::move(executor)),
      stream_(std::move(stream)),
      limits_(settings.limits),
      health_(std::move(settings.health)),
      on_message_(std::move(settings.on_message)),
      last_progress_(BootClock::now()),
      to_write_(executor_),
      to_probe_(executor_),
      is_closed_(executor_),
      is_idle_(executor_) {}

void Session::Start() {
  asio::co_spawn(executor_, Read(shared_from_this()), asio::detached);
  asio::co_spawn(executor_, Write(shared_from_this()), asio::detached);
  asio::co_spawn(executor_, Probe(shared_from_this()), asio::detached);
}

void Session::Close(const absl::Status& why) {
  if (closed_) return;
  closed_ = true;
  why_closed_ = why;
  stream_->Abort();
  unsent_.clear();
  for (const std::shared_ptr<Pending>& pending : std::exchange(pending_, {})) {
    pending->reply = StoreUnavailable(
        absl::StrCat("the connection to Redis was lost, the result is unknown: ", why.message()));
    pending->done.Fire();
  }
  to_write_.Fire();
  to_probe_.Fire();
  is_closed_.Fire();
  is_idle_.Fire();
}

asio::awaitable<void> Session::WaitClosed(BootTime deadline) {
  const std::shared_ptr<Session> self = shared_from_this();
  if (!closed_) co_await is_closed_.Wait(deadline);
}

asio::awaitable<void> Session::WaitIdle(BootTime deadline) {
  const std::shared_ptr<Session> self = shared_from_this();
  while (!closed_ && !pending_.empty() && BootClock::now() < deadline) {
    co_await is_idle_.Wait(deadline);
  }
}

std::shared_ptr<Session::Pending> Session::Enqueue(const std::string& command) {
  auto pending = std::make_shared<Pending>(executor_);
  if (pending_.empty()) last_progress_ = BootClock::now();
  pending_.push_back(pending);
  unsent_ += command;
  to_write_.Fire();
  return pending;
}

absl::Status Session::CheckRoom(std::size_t count) const {
  if (closed_) return StoreUnavailable("not connected to Redis");
  if (pending_.size() + count > limits_.max_in_flight) {
    return StoreUnavailable("too many commands in flight to Redis");
  }
  return absl::OkStatus();
}

asio::awaitable<Session::Result> Session::Take(std::shared_ptr<Pending> pending,
                                               BootTime deadline) {
  if (!pending->reply) co_await pending->done.Wait(deadline);
  if (!pending->reply) {
    co_return Result{StoreUnavailable("Redis did not answer in time, the result is unknown"), true};
  }
  co_return Result{std::move(*pending->reply)};
}

asio::awaitable<Session::Result> Session::Execute(std::string command, BootTime deadline) {
  const std::shared_ptr<Session> self = shared_from_this();
  absl::Status room = CheckRoom(1);
  if (!room.ok()) co_return Result{std::move(room)};
  if (deadline <= BootClock::now()) {
    co_return Result{StoreUnavailable("no time left to ask Redis"), true};
  }
  co_return co_await Take(Enqueue(command), deadline);
}

asio::awaitable<Session::Results> Session::ExecuteTogether(std::vector<std::string> commands,
                                                           BootTime deadline) {
  const std::shared_ptr<Session> self = shared_from_this();
  absl::Status room = CheckRoom(commands.size());
  if (!room.ok()) co_return Results{std::move(room)};
  if (deadline <= BootClock::now()) {
    co_return Results{StoreUnavailable("no time left to ask Redis"), true};
  }
  std::vector<std::shared_ptr<Pending>> sent;
  for (const std::string& command : commands) sent.push_back(Enqueue(command));
  std::vector<Reply> replies;
  for (const std::shared_ptr<Pending>& pending : sent) {
    Result result = co_await Take(pending, deadline);
    if (!result.reply.ok()) co_return Results{std::move(result.reply).status(), result.timed_out};
    replies.push_back(*std::move(result.reply));
  }
  co_return Results{std::move(replies)};
}

absl::Status Session::Deliver() {
  while (!closed_) {
    absl::StatusOr<std::optional<Reply>> reply = reader_.Next();
    if (!reply.ok()) return std::move(reply).status();
    if (!reply->has_value()) return absl::OkStatus();
    if (TakeMessage(**reply)) continue;
    if (pending_.empty()) return absl::DataLossError("a reply that nobody asked for");
    const std::shared_ptr<Pending> pending = std::move(pending_.front());
    pending_.pop_front();
    absl::Status goes_on = Judge(*pending, **reply);
    pending->reply = *std::move(*reply);
    pending->done.Fire();
    if (pending_.empty()) is_idle_.Fire();
    TB_RETURN_IF_ERROR(goes_on);
  }
  return absl::OkStatus();
}

bool Session::TakeMessage(const Reply& reply) const {
  // ["message", channel, text]; no command that is used has such a reply.
  constexpr std::size_t kElements = 3;
  if (!on_message_ || reply.elements.size() != kElements) return false;
  if (reply.elements[0].text != "message") return false;
  on_message_(reply.elements[1].text, reply.elements[2].text);
  return true;
}

absl::Status Session::Judge(const Pending& asked, const Reply& reply) const {
  if (asked.health_check && health_.judge != nullptr) return health_.judge(reply);
  return CheckNotDemoted(reply);
}

asio::awaitable<void> Session::Read(std::shared_ptr<Session> self) {
  std::string buffer(kReadBytes, '\0');
  while (!self->closed_) {
    const absl::StatusOr<std::size_t> read =
        co_await self->stream_->ReadSome({buffer.data(), buffer.size()}, net::kNoDeadline);
    if (!read.ok()) {
      self->Close(read.status());
      co_return;
    }
    if (*read == 0) {
      self->Close(absl::UnavailableError("Redis closed the connection"));
      co_return;
    }
    self->last_progress_ = BootClock::now();
    self->reader_.Feed({buffer.data(), *read});
    const absl::Status delivered = self->Deliver();
    if (!delivered.ok()) self->Close(delivered);
  }
}

asio::awaitable<void> Session::Write(std::shared_ptr<Session> self) {
  while (!self->closed_) {
    if (self->unsent_.empty()) {
      co_await self->to_write_.Wait();
      continue;
    }
    const std::string batch = std::exchange(self->unsent_, {});
    const absl::Status written =
        co_await self->stream_->WriteAll(batch, BootClock::now() + self->limits_.stall_timeout);
    if (!written.ok()) self->Close(written);
  }
}

asio::awaitable<void> Session::Probe(std::shared_ptr<Session> self) {
  while (!self->closed_) {
    co_await self->to_probe_.Wait(
        NextTick(BootClock::now(), std::min(self->limits_.heartbeat, self->limits_.stall_timeout)));
    if (self->closed_) co_return;
    if (self->pending_.empty()) {
      // Nobody waits for it: its reply is taken out of the stream like any other.
      self->Enqueue(FormatCommand(self->health_.command))->health_check = true;
    } else if (BootClock::now() - self->last_progress_ >= self->limits_.stall_timeout) {
      self->Close(absl::DeadlineExceededError("Redis does not answer any more"));
    }
  }
}

}  // namespace tollbridge::redis
