#include "tests/chaos/driver/pursuit.h"

#include <algorithm>
#include <array>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "base/core/uuid.h"
#include "services/operations/identity.h"

namespace tollbridge::chaos {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

/// More calls than this at one gateway wait for their turn: two processors do not do more.
constexpr std::size_t kUnderWay = 12;
constexpr Millis kTurn{20};
constexpr Millis kDeadline{4'000};

/// A call as an awaitable; ends on the executor of who awaits.
asio::awaitable<test::RpcReply> Call(CallerRoom& room, std::size_t gateway, std::string method,
                                     const std::string& request, Millis deadline) {
  auto begin = [&](auto handler) {
    auto shared = std::make_shared<decltype(handler)>(std::move(handler));
    auto work = asio::make_work_guard(room.io);
    room.cluster->Start(
        gateway, method, request, deadline, [shared, work, &room](test::RpcReply reply) {
          asio::post(room.io,
                     [shared, reply = std::move(reply)]() mutable { (*shared)(std::move(reply)); });
        });
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(test::RpcReply)>(
      begin, asio::use_awaitable);
}

/// What a caller is like.
struct Manner {
  bool impatient = false;   ///< the first call ends before most answers come
  bool leaves = false;      ///< comes back much later
  bool never_back = false;  ///< gives up at the first answer that is not definite
  bool wanders = false;     ///< calls another gateway each time
  /// How often it calls again after it had a definite answer.
  int comes_back = 0;
  /// Waits until the store is doubted no longer, where it is told to wait for that.
  bool waits_for_the_doubt = false;
};

Manner MannerOf(CallerRoom& room, Random& random) {
  const Options& options = room.options;
  return {.impatient = Chance(random, 40),
          .leaves = Chance(random, 60),
          .never_back = Chance(random, room.options.late_beyond_bound ? 500 : 30),
          .wanders = Chance(random, 500),
          .comes_back = Chance(random, options.showing.many_come_back ? 400 : 60)
                            ? static_cast<int>(Between(random, 1, 2))
                            : 0,
          .waits_for_the_doubt =
              !options.late_beyond_bound && Chance(random, options.showing.most_wait ? 800 : 200)};
}

Told LineOf(const Mutation& mutation, std::size_t gateway, TimeMs began,
            const test::RpcReply& reply, const Answer& answer) {
  const std::string project(kProjects.at(mutation.project).id);
  Told told;
  told.at = NowMs();
  told.began = began;
  told.key = mutation.key;
  told.project = project;
  told.operation =
      operations::OperationId(Uuid::Parse(project).value_or(Uuid{}), mutation.key).ToString();
  told.rpc = mutation.rpc;
  told.order = mutation.order;
  told.transaction = mutation.transaction;
  told.amount = mutation.amount;
  told.currency = mutation.currency;
  told.wrong = mutation.wrong;
  told.gateway = static_cast<int>(gateway);
  told.code = reply.status.code_name();
  told.reason = reply.status.reason;
  const auto retry = reply.status.metadata.find("retry");
  if (retry != reply.status.metadata.end()) told.retry = retry->second;
  const auto holder = reply.status.metadata.find("operation_id");
  if (told.reason == "ORDER_BUSY" && holder != reply.status.metadata.end()) {
    told.holder = holder->second;
  }
  told.pending = answer.pending;
  if (answer.done) {
    told.result = answer.result.empty() ? mutation.order : answer.result;
    told.knowledge = answer.knowledge;
    told.digest = Digest(reply.bytes);
    told.told_amount = answer.amount;
    told.told_currency = answer.currency;
  }
  return told;
}

/// Waits until the gateway has room for one more call. Gives the gateway: with one that stands
/// still, a caller goes elsewhere after a while.
asio::awaitable<std::size_t> TakeTurn(CallerRoom& room, std::size_t gateway) {
  constexpr int kPatience = 25;
  for (int waited = 0; room.under_way[gateway] >= kUnderWay; ++waited) {
    if (waited % kPatience == kPatience - 1) gateway = (gateway + 1) % kGateways;
    co_await Pause(room, kTurn);
  }
  ++room.under_way[gateway];
  co_return gateway;
}

/// Whether the caller is asked to wait for longer than it cares: a payment link that waits until
/// the store is no longer doubted.
bool MustWaitTooLong(const test::RpcReply& reply) {
  constexpr Millis kPatience{20'000};
  return reply.status.reason == "STORE_DOUBTFUL" &&
         reply.status.retry_delay.value_or(Millis(0)) > kPatience;
}

/// Whether the same call may bring more.
bool MayRepeat(const test::RpcReply& reply, const Answer& answer) {
  if (answer.done || answer.pending == "NEEDS_REVIEW") return false;
  if (MustWaitTooLong(reply)) return false;
  if (!answer.pending.empty() || reply.status.reason.empty()) return true;
  const auto retry = reply.status.metadata.find("retry");
  return retry != reply.status.metadata.end() && retry->second == "SAFE_SAME_KEY";
}

/// As the guide for callers says: what the gateway asks for, and longer with each call that told
/// nothing. Who does not wait longer makes most calls of a run while the store is away, and learns
/// nothing by them.
Millis WaitBefore(const test::RpcReply& reply, const Answer& answer, const Manner& manner,
                  int round, Random& random) {
  constexpr Millis kFirst{100};
  constexpr Millis kLongest{3'000};
  if (manner.leaves && round == 0) return Millis(Between(random, 3'000, 8'000));
  const Millis asked = answer.retry_after.count() > 0 ? answer.retry_after
                                                      : reply.status.retry_delay.value_or(kFirst);
  const Millis doubled = kFirst * (1 << std::min(round, 5));
  const Millis base = std::min(std::max(asked, doubled), kLongest);
  return base + Millis(Between(random, 0, std::max<std::int64_t>(200, base.count() / 2)));
}

/// So long that the doubt of now is over, whenever it began.
Millis AfterTheDoubt(const CallerRoom& room, Random& random) {
  return room.intervals.doubt + Millis(Between(random, 500, 4'000));
}

}  // namespace

std::int64_t Between(Random& random, std::int64_t from, std::int64_t to) {
  return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
}

bool Chance(Random& random, int per_mille) { return Between(random, 0, 999) < per_mille; }

asio::awaitable<void> Pause(CallerRoom& room, Millis time) {
  asio::steady_timer timer(room.io, time);
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

asio::awaitable<Answer> Pursue(CallerRoom& room, Mutation mutation, Random random) {
  constexpr Millis kAtMostAway{12'000};
  Manner manner = MannerOf(room, random);
  const MutationKind& kind = KindOf(mutation.rpc);
  const std::string method(kind.method);
  Clock::time_point until = Clock::now() + room.intervals.key_life;
  auto gateway = static_cast<std::size_t>(Between(random, 0, kGateways - 1));
  Answer ending;
  for (int round = 0;; ++round) {
    if (manner.wanders || round % 3 == 2) gateway = (gateway + 1) % kGateways;
    gateway = co_await TakeTurn(room, gateway);
    if (Clock::now() >= until) {
      --room.under_way[gateway];
      if (!ending.done) ++room.progress.given_up;
      break;
    }
    const Millis deadline =
        manner.impatient && round == 0 ? Millis(Between(random, 5, 60)) : kDeadline;
    const std::size_t asked = gateway;
    const TimeMs began = NowMs();
    const test::RpcReply reply = co_await Call(room, asked, method, mutation.request, deadline);
    --room.under_way[asked];
    ++room.progress.calls;
    Answer answer = reply.status.ok() ? kind.read(reply.bytes) : Answer{};
    room.log->Write(ToJson(LineOf(mutation, asked, began, reply, answer)));
    Millis wait = WaitBefore(reply, answer, manner, round, random);
    // Not towards the end: it would last as long as the doubt.
    const bool ends_soon =
        !room.options.showing.most_wait && room.progress.started * 2 >= room.options.operations;
    if (manner.waits_for_the_doubt && !ends_soon && reply.status.reason == "STORE_DOUBTFUL") {
      // The gateway has its key: it owes the look that it could not end.
      manner.waits_for_the_doubt = false;
      wait = AfterTheDoubt(room, random);
      until = Clock::now() + wait + room.intervals.key_life / 2;
    } else if (answer.done || !MayRepeat(reply, answer)) {
      if (!ending.done) ++(answer.done ? room.progress.results : room.progress.refused);
      if (answer.done && !ending.done) ending = std::move(answer);
      if (manner.comes_back-- <= 0) break;
      wait = Millis(Between(random, 200, kAtMostAway.count()));
    } else if (manner.never_back) {
      break;
    }
    co_await Pause(room, wait);
  }
  co_return ending;
}

}  // namespace tollbridge::chaos
