#include "tests/bench/family_store.h"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/redis/record_format.h"
#include "services/domain/published.h"
#include "services/domain/timestamps.h"
#include "tests/bench/measures.h"
#include "tests/support/async_test.h"

namespace tollbridge::bench {
namespace {

using std::chrono::hours;

constexpr std::string_view kProject = "shop";
/// Saves under way at a time.
constexpr std::size_t kPipelined = 256;
constexpr std::size_t kTaken = 100;
constexpr int kTakes = 51;
constexpr WallTime kNow{ports::Millis(1'795'000'000'000)};

/// Random but for the number, so that keys are spread as those of real orders are.
Uuid OrderNumber(std::uint64_t number) {
  std::array<std::uint8_t, 16> bytes{};
  std::uint64_t mixed = number * 0x9E3779B97F4A7C15U;
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::uint8_t>(mixed >> (8 * i));
    bytes[8 + i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return Uuid{bytes};
}

ports::FamilyKey KeyOf(std::uint64_t number) {
  return {.project = std::string(kProject), .root = OrderNumber(number)};
}

/// A payment that was told of from its beginning to its end.
storage::v1::Snapshot SnapshotOf(std::uint64_t number) {
  storage::v1::Snapshot snapshot;
  snapshot.set_stream(OrderNumber(~number).ToBytes());
  snapshot.set_sequence(3);
  snapshot.set_began(1'795'000'000);
  storage::v1::OrderState& root = *snapshot.mutable_root();
  root.set_status(common::v1::ORDER_STATUS_COMPLETED);
  *root.mutable_modified() =
      domain::ToTimestamp(kNow - std::chrono::milliseconds(number % 86'400'000));
  root.set_kind(events::v1::EVENT_KIND_PAYMENT);
  for (const events::v1::EventWhat what :
       {events::v1::EVENT_WHAT_CREATED, events::v1::EVENT_WHAT_PROCESSING,
        events::v1::EVENT_WHAT_COMPLETED}) {
    domain::SetPublished(&root, what, 1);
  }
  root.set_last_outcome(events::v1::EVENT_WHAT_COMPLETED);
  root.set_outcome_by_order(true);
  return snapshot;
}

redis::ConnectionOptions Options(const test::RedisServer& server) {
  return {.host = "127.0.0.1", .port = server.port(), .command_timeout = std::chrono::seconds(10)};
}
BootTime Soon() { return BootClock::now() + std::chrono::seconds(10); }
ports::Context Within() { return {.deadline = Soon(), .trace = {}}; }
WallTime DueOf(std::uint64_t number) { return kNow - std::chrono::milliseconds(number); }

}  // namespace

FamilyStore::FamilyStore() : connection_(context_.get_executor(), Options(server_), metrics_) {
  connection_.Start();
  const absl::Status ready = test::Await(context_, connection_.WaitReady(Soon()));
  if (!ready.ok()) throw std::runtime_error("Redis: " + ready.ToString());
  const auto family = test::Await(context_, snapshots_.Load(KeyOf(0), Within()));
  if (!family.ok()) throw std::runtime_error("Redis: " + family.status().ToString());
  epoch_ = family->epoch;
}

void FamilyStore::SaveUpTo(std::uint64_t count) {
  Each(saved_, count, [this](std::uint64_t number) { return SaveOne(number); });
}

void FamilyStore::SettleUpTo(std::uint64_t count) {
  Each(settled_, count, [this](std::uint64_t number) { return SettleOne(number); });
}

void FamilyStore::Each(std::uint64_t& done, std::uint64_t count, const One& one) {
  std::size_t under_way = 0;
  bool failed = false;
  for (; done < count && !failed; ++done) {
    if (!test::RunUntil(context_, [&] { return under_way < kPipelined; })) break;
    ++under_way;
    boost::asio::co_spawn(context_, one(done), [&](const std::exception_ptr& error, bool saved) {
      --under_way;
      failed = failed || error || !saved;
    });
  }
  if (!test::RunUntil(context_, [&] { return under_way == 0; }) || failed) {
    throw std::runtime_error("a snapshot was not saved");
  }
}

std::int64_t FamilyStore::UsedBytes() {
  static constexpr std::string_view kBefore = "used_memory:";
  const auto reply = test::Await(context_, connection_.Execute({"INFO", "memory"}, Soon()));
  if (!reply.ok()) throw std::runtime_error("Redis does not say what it uses");
  const std::size_t at = reply->text.find(kBefore);
  std::int64_t bytes = 0;
  if (at != std::string::npos) {
    const char* const begin = reply->text.data() + at + kBefore.size();
    std::from_chars(begin, reply->text.data() + reply->text.size(), bytes);
  }
  if (bytes == 0) throw std::runtime_error("no used_memory");
  return bytes;
}

double FamilyStore::TakeMs() {
  std::vector<double> times;
  const std::vector<ports::Millis> moves = {hours(1'000)};
  for (int i = 0; i < kTakes; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const auto taken =
        test::Await(context_, due_.Take(std::string(kProject), kNow, moves, kTaken, Within()));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (!taken.ok() || taken->size() != kTaken) throw std::runtime_error("none are due");
    times.push_back(took.count());
    // Due again, so that each take finds as many.
    for (const ports::DueOrder& order : *taken) {
      const absl::Status entered =
          test::Await(context_, due_.Enter(order.key, order.due, Within()));
      if (!entered.ok()) throw std::runtime_error("not entered: " + entered.ToString());
    }
  }
  return Median(times);
}

boost::asio::awaitable<bool> FamilyStore::SaveOne(std::uint64_t number) {
  const ports::FamilyKey key = KeyOf(number);
  const std::string hash = test::KeysOf(key.project) + "f:" + key.root.ToBytes();
  const auto entry = co_await connection_.Execute(
      {"HSET", hash, "x",
       redis::PackTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")},
      Soon());
  ports::SaveRequest request{.key = key,
                             .snapshot = SnapshotOf(number),
                             .next_due = DueOf(number),
                             .retention = hours(24 * 400)};
  request.snapshot.set_epoch(epoch_);
  const auto saved = co_await snapshots_.Save(request, Within());
  co_return entry.ok() && saved.ok() && *saved == ports::SaveVerdict::kSaved;
}

boost::asio::awaitable<bool> FamilyStore::SettleOne(std::uint64_t number) {
  ports::SaveRequest request{.key = KeyOf(number),
                             .expected_version = 1,
                             .snapshot = SnapshotOf(number),
                             .seen_due = DueOf(number),
                             .retention = hours(24 * 400)};
  request.snapshot.set_epoch(epoch_);
  const auto saved = co_await snapshots_.Save(request, Within());
  co_return saved.ok() && *saved == ports::SaveVerdict::kSaved;
}

}  // namespace tollbridge::bench
