#include "tests/support/fakes/fake_store.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "tests/support/test_keyspace.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::test {
namespace {

/// A server with an epoch that nobody doubts, as `tollbridge init-store` leaves it.
void WriteEpoch(MiniRedis& server, ports::Rng& rng) {
  constexpr std::string_view kRunId = "run_id:";
  const std::string info = server.Run({"INFO", "server"}).text;
  const std::size_t start = info.find(kRunId);
  if (start == std::string::npos) throw std::runtime_error("INFO says no run_id");
  const std::size_t value = start + kRunId.size();
  server.Run({"HSET", TestKeyspace().epoch_key(), "id", rng.NewUuid().ToString(), "layout",
              std::string(redis::kLayout), "run",
              info.substr(value, info.find_first_of("\r\n", value) - value), "since", "0", "until",
              "0"});
  for (const auto& [name, project] : TestKeyspace().projects()) {
    server.Run({"HSET", TestKeyspace().epoch_key(), project.keys, "0 0"});
  }
}

}  // namespace

boost::asio::awaitable<void> FakeStoreConnection::WaitWhileHeld() {
  while (holds_) {
    const boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
    auto timer = std::make_shared<boost::asio::steady_timer>(
        executor, boost::asio::steady_timer::time_point::max());
    waiting_.push_back(timer);
    co_await timer->async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    std::erase(waiting_, timer);
  }
}

void FakeStoreConnection::LetGo() {
  holds_ = false;
  for (const auto& timer : waiting_) timer->cancel();
}

Async<redis::Reply> FakeStoreConnection::Execute(redis::Command command, BootTime deadline) {
  co_await WaitWhileHeld();
  co_return co_await inner_.Execute(std::move(command), deadline);
}

Async<std::vector<redis::Reply>> FakeStoreConnection::ExecuteTogether(
    std::vector<redis::Command> commands, BootTime deadline) {
  co_await WaitWhileHeld();
  co_return co_await inner_.ExecuteTogether(std::move(commands), deadline);
}

FakeStore::FakeStore(std::function<WallTime()> now, redis::OperationStoreOptions options)
    : now_(std::move(now)),
      clock_([this] { return now_() + offset_; }),
      scripts_(connection_, TestKeyspace(), options, clock_, rng_),
      snapshots_(scripts_),
      family_walk_(scripts_),
      due_queue_(connection_, TestKeyspace()),
      known_orders_(connection_, TestKeyspace()),
      sweep_state_(scripts_) {
  WriteEpoch(server_, rng_);
  connection_.inner().set_fate([this](const redis::Command&) { return Decide(); });
}

MiniConnection::Fate FakeStore::Decide() {
  ++calls_;
  if (!available_) return MiniConnection::Fate::kNotDone;
  server_.SetTime((now_() + offset_).time_since_epoch());
  return std::exchange(lose_next_answer_, false) ? MiniConnection::Fate::kReplyLost
                                                 : MiniConnection::Fate::kAnswered;
}

Async<ports::ClaimResult> FakeStore::Claim(const ports::ClaimRequest& request,
                                           const ports::Context& context) {
  co_return co_await operations_.Claim(request, context);
}

AsyncStatus FakeStore::Release(const ports::OperationIdentity& identity, const std::string& owner,
                               const ports::Context& context) {
  co_return co_await operations_.Release(identity, owner, context);
}

AsyncStatus FakeStore::BeginStep(const ports::OperationIdentity& identity,
                                 const ports::ClaimResult& claim, const std::string& owner,
                                 const ports::StepTarget& step, ports::Millis lease,
                                 const ports::Context& context) {
  co_return co_await operations_.BeginStep(identity, claim, owner, step, lease, context);
}

Async<ports::FinishVerdict> FakeStore::Finish(const ports::FinishRequest& request,
                                              const ports::Context& context) {
  co_return co_await operations_.Finish(request, context);
}

Async<bool> FakeStore::InitializeEpoch(const Uuid& epoch, const ports::Context& context) {
  co_return co_await operations_.InitializeEpoch(epoch, context);
}

Async<ports::DueOperations> FakeStore::TakeDue(const std::string& project, std::size_t limit,
                                               const std::string& token, ports::Millis lease,
                                               const ports::Context& context) {
  co_return co_await unresolved_.TakeDue(project, limit, token, lease, context);
}

Async<bool> FakeStore::Reschedule(const ports::DueOperation& operation, const std::string& token,
                                  const ports::NextLook& next, const ports::Context& context) {
  co_return co_await unresolved_.Reschedule(operation, token, next, context);
}

AsyncStatus FakeStore::PullDue(const std::string& project, const ports::Context& context) {
  co_return co_await unresolved_.PullDue(project, context);
}

Async<ports::UnresolvedSurvey> FakeStore::Survey(const std::string& project,
                                                 const ports::Context& context) {
  co_return co_await unresolved_.Survey(project, context);
}

Async<operations::v1::Operation> FakeStore::Read(const std::string& project, const Uuid& id,
                                                 const ports::Context& context) {
  co_return co_await registry_.Read(project, id, context);
}

Async<ports::OperationPage> FakeStore::List(const ports::OperationQuery& query,
                                            const ports::Context& context) {
  co_return co_await registry_.List(query, context);
}

Async<operations::v1::Operation> FakeStore::Close(const ports::CloseRequest& request,
                                                  const ports::Context& context) {
  co_return co_await registry_.Close(request, context);
}

Async<operations::v1::Operation> FakeStore::Confirm(const ports::ConfirmRequest& request,
                                                    const ports::Context& context) {
  co_return co_await registry_.Confirm(request, context);
}

Async<ports::MarkVerdict> FakeStore::JudgeMark(const domain::Mark& mark,
                                               const ports::FamilyKey& order, bool paid,
                                               const ports::Context& context) {
  co_return co_await registry_.JudgeMark(mark, order, paid, context);
}

Async<std::vector<ports::UndrainedRecord>> FakeStore::Take(const std::string& project,
                                                           std::size_t limit, ports::Millis lease,
                                                           const ports::Context& context) {
  co_return co_await outbox_.Take(project, limit, lease, context);
}

AsyncStatus FakeStore::Drained(const std::string& project,
                               const std::vector<ports::UndrainedRecord>& records,
                               const ports::Context& context) {
  co_return co_await outbox_.Drained(project, records, context);
}

Async<std::size_t> FakeStore::Retire(const std::string& project, std::size_t limit,
                                     const ports::Context& context) {
  co_return co_await outbox_.Retire(project, limit, context);
}

Async<ports::FamilyState> FakeStore::Load(const ports::FamilyKey& key,
                                          const ports::Context& context) {
  co_return co_await snapshots_.Load(key, context);
}

Async<ports::SaveVerdict> FakeStore::Save(const ports::SaveRequest& request,
                                          const ports::Context& context) {
  co_return co_await snapshots_.Save(request, context);
}

Async<bool> FakeStore::ClearOutbox(const ports::FamilyKey& key, std::uint64_t version,
                                   const std::string& epoch, const ports::Context& context) {
  co_return co_await snapshots_.ClearOutbox(key, version, epoch, context);
}

Async<ports::PendingOutboxes> FakeStore::Pending(const std::string& project,
                                                 const ports::Context& context) {
  co_return co_await snapshots_.Pending(project, context);
}

AsyncStatus FakeStore::NoteMember(const ports::MemberNote& note, const ports::Context& context) {
  co_return co_await snapshots_.NoteMember(note, context);
}

Async<ports::TellAgainVerdict> FakeStore::AskToTellAgain(const ports::TellAgainRequest& request,
                                                         const ports::Context& context) {
  co_return co_await snapshots_.AskToTellAgain(request, context);
}

Async<std::vector<ports::DueOrder>> FakeStore::Take(const std::string& project, WallTime now,
                                                    std::span<const ports::Millis> moves,
                                                    std::size_t limit,
                                                    const ports::Context& context) {
  co_return co_await due_queue_.Take(project, now, moves, limit, context);
}

AsyncStatus FakeStore::Enter(const ports::FamilyKey& key, WallTime due,
                             const ports::Context& context) {
  co_return co_await due_queue_.Enter(key, due, context);
}

AsyncStatus FakeStore::Set(const ports::FamilyKey& key, WallTime due, std::optional<WallTime> seen,
                           const ports::Context& context) {
  co_return co_await due_queue_.Set(key, due, seen, context);
}

AsyncStatus FakeStore::Note(const ports::FamilyKey& key, const ports::Noticed& noticed,
                            const ports::Context& context) {
  co_return co_await due_queue_.Note(key, noticed, context);
}

AsyncStatus FakeStore::RemoveIf(const ports::FamilyKey& key, WallTime seen,
                                const ports::Context& context) {
  co_return co_await due_queue_.RemoveIf(key, seen, context);
}

Async<std::vector<ports::DueOrder>> FakeStore::First(const std::string& project, std::size_t limit,
                                                     const ports::Context& context) {
  co_return co_await due_queue_.First(project, limit, context);
}

}  // namespace tollbridge::test
