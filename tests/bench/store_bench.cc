// ./dev bench store: what an operation costs the store in processor time and memory
// (docs/capacity.md).
#include <algorithm>
#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include "adapters/redis/connection.h"
#include "adapters/redis/operation_outbox.h"
#include "adapters/redis/operation_store.h"
#include "adapters/redis/script.h"
#include "adapters/system/system_clock.h"
#include "adapters/system/system_rng.h"
#include "base/core/encoding.h"
#include "base/telemetry/metrics.h"
#include "services/operations/outcome.h"
#include "tests/bench/child_process.h"
#include "tests/bench/family_store.h"
#include "tests/bench/measures.h"
#include "tests/support/async_test.h"
#include "tests/support/redis_server.h"
#include "tests/support/test_keyspace.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/storage/v1/storage.pb.h"

namespace tollbridge::bench {
namespace {

constexpr std::string_view kProject = "shop";
constexpr std::string_view kRpc = "tollbridge.payments.v1.Payments/CreateOrder";
constexpr const char* kTraceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
constexpr std::size_t kInFlight = 64;
constexpr std::size_t kDrained = 500;
constexpr std::uint64_t kDay = 86'400;

/// Random but for the number, so that keys are spread as those of real operations are.
Uuid NumberedId(std::uint64_t number) {
  std::array<std::uint8_t, 16> random{};
  std::uint64_t mixed = number;
  for (std::uint8_t& byte : random) {
    mixed = mixed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::uint8_t>(mixed >> 56U);
  }
  return Uuid::V4(random);
}

std::string Lower(std::uint64_t number) { return NumberedId(number).ToString(); }

/// What is kept of an order for the hosted page: an answer of some 780 bytes, of which ids, tokens
/// and times are of this order alone.
storage::v1::StoredOutcome AnswerOf(const Uuid& id, std::uint64_t number) {
  payments::v1::CreateOrderResponse response;
  common::v1::Order& order = *response.mutable_order();
  order.set_id(id.ToString());
  order.set_project_id("3b241101-e2bb-4255-8caf-4136c566a962");
  order.set_merchant_id("6f1c9a4e-0d52-4f77-9c1b-7d9a5be7c001");
  order.set_merchant_name("Example Travel");
  order.set_merchant_order_id(Lower(number * 5 + 3));
  order.set_description("Two nights in a double room, breakfast included [booking " +
                        std::to_string(number) + "]");
  order.set_currency("EUR");
  order.set_amount(static_cast<std::int64_t>(1'000 + number % 90'000));
  order.set_status(common::v1::ORDER_STATUS_NEW);
  order.mutable_created()->set_seconds(static_cast<std::int64_t>(1'795'000'000 + number));
  order.mutable_created()->set_nanos(123'456'000);
  *order.mutable_modified() = order.created();
  order.set_expiration_period("P1D");
  order.add_payment_methods("card");
  order.add_payment_methods("wallet_a");
  order.set_order_url("https://pay.example.com/orders/" + id.ToString() +
                      "?token=" + Lower(number * 7 + 5));
  order.set_return_url("https://shop.example.com/checkout/done?booking=" + std::to_string(number));
  order.set_failure_url("https://shop.example.com/checkout/failed?booking=" +
                        std::to_string(number));
  order.set_webhook_url("https://hooks.example.com/***");
  order.mutable_customer()->set_email_address("customer" + std::to_string(number) + "@example.com");
  order.mutable_customer()->set_last_name("Mustermann");
  order.mutable_customer()->set_first_name("Erika");
  order.mutable_customer()->set_merchant_customer_id(Lower(number * 11 + 7));
  order.mutable_customer()->set_locale("en-GB");
  order.mutable_customer()->set_country("DE");
  order.mutable_customer()->set_city("Musterstadt");
  order.mutable_customer()->set_postal_code("12345");
  order.mutable_customer()->set_address("Musterstrasse " + std::to_string(number % 200));
  order.mutable_customer()->add_phone_numbers("+49 30 " + std::to_string(1'000'000 + number));
  order.mutable_customer()->set_ip_address("203.0.113." + std::to_string(number % 250));
  order.mutable_customer()->set_address_type("billing");
  order.set_reason("awaiting the customer, who was sent to the page");
  response.set_knowledge(operations::v1::KNOWLEDGE_ANSWERED);
  storage::v1::StoredOutcome outcome;
  outcome.set_response(response.SerializeAsString());
  outcome.set_knowledge(operations::v1::KNOWLEDGE_ANSWERED);
  return outcome;
}

/// One Redis that keeps a log of its commands, as a production one does, and the product's store.
class Store {
 public:
  Store() {
    for (std::size_t i = 0; i < kInFlight; ++i) lanes_.push_back(std::make_unique<Lane>(*this));
    Must(Await(lanes_[0]->store.InitializeEpoch(rng_.NewUuid(), Within())).status());
    pid_ = static_cast<pid_t>(Info("server", "process_id:"));
  }

  /// CreateOrders from the last one on, each claimed and answered.
  void RunUpTo(std::uint64_t count) {
    Each(count - operations_,
         [this](Lane& lane, std::uint64_t i) { return RunOne(lane, operations_ + i); });
    operations_ = count;
  }
  /// As many scripts that do nothing.
  void RunEmpty(std::uint64_t count) {
    Each(count, [this](Lane& lane, std::uint64_t) { return RunNothing(lane); });
  }
  /// All their transitions are on the topic; then what is in hand is retired.
  void DrainAll() {
    for (;;) {
      const auto taken =
          Await(lanes_[0]->outbox.Take(std::string(kProject), kDrained, kLease, Within()));
      Must(taken.status());
      if (taken->empty()) return;
      Must(Await(lanes_[0]->outbox.Drained(std::string(kProject), *taken, Within())));
    }
  }
  /// What was closed until now, `after` that.
  std::uint64_t RetireAll(ports::Millis after) {
    lanes_[0]->scripts.SetTimeOffset(after);
    std::uint64_t retired = 0;
    for (;;) {
      const auto count = Await(lanes_[0]->outbox.Retire(std::string(kProject), kDrained, Within()));
      Must(count.status());
      if (*count == 0) return retired;
      retired += *count;
    }
  }

  /// Microseconds of redis-server's processor.
  double ProcessorTimeUsed() const { return ProcessorTime(pid_); }
  double UsedBytes() { return static_cast<double>(Info("memory", "used_memory:")); }
  /// Without the families, which are the readers' (docs/capacity.md).
  void DropFamilies() {
    static constexpr const char* kDrop =
        "local cursor = '0' repeat local page = redis.call('SCAN', cursor, 'MATCH', ARGV[1], "
        "'COUNT', 1000) cursor = page[1] if #page[2] > 0 then redis.call('DEL', unpack(page[2])) "
        "end "
        "until cursor == '0' return redis.call('DEL', ARGV[2])";
    const std::string keys = test::KeysOf(std::string(kProject));
    for (const char* kind : {"f:*", "n:*"}) {
      Must(Await(lanes_[0]->connection.Execute({"EVAL", kDrop, "0", keys + kind, keys + "due"},
                                               Soon()))
               .status());
    }
  }

 private:
  static constexpr ports::Millis kLease{30'000};

  static redis::ConnectionOptions Options(const test::RedisServer& server) {
    return {
        .host = "127.0.0.1", .port = server.port(), .command_timeout = std::chrono::seconds(60)};
  }
  static BootTime Soon() { return BootClock::now() + std::chrono::seconds(60); }
  static ports::Context Within() { return {.deadline = Soon(), .trace = {}}; }
  static void Must(const absl::Status& status) {
    if (!status.ok()) throw std::runtime_error(status.ToString());
  }
  template <typename T>
  T Await(boost::asio::awaitable<T> call) {
    return test::Await(context_, std::move(call));
  }

  std::int64_t Info(const std::string& section, std::string_view name) {
    const auto reply = Await(lanes_[0]->connection.Execute({"INFO", section}, Soon()));
    Must(reply.status());
    const std::size_t at = reply->text.find(name);
    if (at == std::string::npos) throw std::runtime_error("Redis does not say " + section);
    std::int64_t value = 0;
    const char* const begin = reply->text.data() + at + name.size();
    std::from_chars(begin, reply->text.data() + reply->text.size(), value);
    return value;
  }

  /// A caller: it has a connection of its own, and one call under way.
  struct Lane {
    explicit Lane(Store& owner)
        : connection(owner.context_.get_executor(), Options(owner.server_), owner.metrics_),
          scripts(connection, test::TestKeyspace(), {.entry_retention = std::chrono::days(400)},
                  owner.clock_, owner.rng_) {
      connection.Start();
      Must(owner.Await(connection.WaitReady(Soon())));
    }
    redis::Connection connection;
    redis::ScriptRunner scripts;
    redis::RedisOperationStore store{scripts, scripts};
    redis::RedisOperationOutbox outbox{scripts, "bench"};
  };
  using OneCall = std::function<boost::asio::awaitable<void>(Lane&, std::uint64_t)>;

  void Each(std::uint64_t count, const OneCall& one) {
    std::uint64_t begun = 0;
    const auto take_turns = [&](Lane& lane) -> boost::asio::awaitable<void> {
      while (begun < count) co_await one(lane, begun++);
    };
    std::size_t ended = 0;
    std::exception_ptr failed;
    for (const std::unique_ptr<Lane>& lane : lanes_) {
      boost::asio::co_spawn(context_, take_turns(*lane), [&](const std::exception_ptr& error) {
        ++ended;
        if (error) failed = error;
      });
    }
    context_.restart();
    while (ended < lanes_.size()) context_.run_one();
    if (failed) std::rethrow_exception(failed);
  }

  boost::asio::awaitable<void> RunNothing(Lane& lane) {
    const auto reply = co_await empty_.Run(lane.connection, {"argument"}, Soon());
    Must(reply.status());
  }

  boost::asio::awaitable<void> RunOne(Lane& lane, std::uint64_t number) {
    const Uuid order = NumberedId(number * 2 + 1);
    const storage::v1::StoredOutcome answer = AnswerOf(order, number);
    answer_ = answer.response().size();
    ports::OperationIdentity identity{
        .id = NumberedId(number * 2),
        .rpc = std::string(kRpc),
        .caller = "spiffe://example.com/checkout",
        .project = std::string(kProject),
        .fingerprints = {{.key_id = "2026-11", .digest = rng_.Bytes(32)}},
        .capture_mode = "manual",
        .traceparent = kTraceparent,
        .gate_order = std::nullopt};
    const std::string owner = "gateway-1/" + Base64UrlEncode(NumberedId(~number).ToBytes());
    ports::StepTarget step{.name = "create_order",
                           .amount = 1250,
                           .currency = "EUR",
                           .merchant_order_id = Lower(number * 5 + 3),
                           .marked = true};
    const auto claimed = co_await lane.store.Claim({.identity = identity,
                                                    .owner = owner,
                                                    .lease = kLease,
                                                    .good_for = std::chrono::seconds(10),
                                                    .first_step = step},
                                                   Within());
    Must(claimed.status());
    if (claimed->verdict != ports::ClaimVerdict::kClaimed) throw std::runtime_error("not claimed");
    step.order_id = order.ToString();
    const auto sealed = operations::SealOutcome(answer, identity.id, keys_, rng_);
    Must(sealed.status());
    sealed_ = sealed->size();
    const auto finished = co_await lane.store.Finish(
        {.identity = identity,
         .attempt = claimed->attempt,
         .epoch = claimed->epoch,
         .owner = owner,
         .step = step,
         .step_number = 1,
         .to = operations::v1::OPERATION_STATE_DONE,
         .reason = "answered 201",
         .knowledge = operations::v1::KNOWLEDGE_ANSWERED,
         .outcome = *sealed,
         .order = ports::OrderEntry{.key = {.project = std::string(kProject), .root = order},
                                    .capture_mode = "manual",
                                    .traceparent = kTraceparent},
         .created_order = true},
        Within());
    Must(finished.status());
    if (*finished != ports::FinishVerdict::kRecorded) throw std::runtime_error("not recorded");
  }

  test::RedisServer server_{
      std::vector<std::string>{"--appendonly", "yes", "--appendfsync", "everysec"}};
  telemetry::Metrics metrics_;
  boost::asio::io_context context_{1};
  system::SystemClock clock_;
  system::SystemRng rng_;
  redis::Script empty_{{"return 1"}};
  operations::KeyRing keys_{.keys = {{.id = "2026-11", .secret = std::string(32, 'k')}}};
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::uint64_t operations_ = 0;
  std::size_t answer_ = 0;
  std::size_t sealed_ = 0;
  pid_t pid_ = 0;

 public:
  double answer_bytes() const { return static_cast<double>(answer_); }
  double sealed_bytes() const { return static_cast<double>(sealed_); }
};

/// Processor time in turns, so that both see the same machine; medians of the rounds.
void MeasureProcessor(Store& store, std::uint64_t count, Measures& measures) {
  constexpr int kRounds = 7;
  std::vector<double> empty;
  std::vector<double> operation;
  std::vector<double> ratio;
  std::uint64_t done = 0;
  store.RunEmpty(count);
  for (int round = 0; round < kRounds; ++round) {
    const double before = store.ProcessorTimeUsed();
    store.RunEmpty(2 * count);
    const double between = store.ProcessorTimeUsed();
    done += count;
    store.RunUpTo(done);
    const double after = store.ProcessorTimeUsed();
    empty.push_back((between - before) / static_cast<double>(count));
    operation.push_back((after - between) / static_cast<double>(count));
    ratio.push_back(operation.back() / empty.back());
  }
  measures.push_back({.name = "two empty scripts", .value = Median(empty), .unit = "us"});
  measures.push_back(
      {.name = "claim and result of a CreateOrder", .value = Median(operation), .unit = "us"});
  measures.push_back(
      {.name = "claim and result : two empty scripts", .value = Median(ratio), .at_most = 10});
  const double before = store.ProcessorTimeUsed();
  store.DrainAll();
  measures.push_back({.name = "draining of its transitions",
                      .value = (store.ProcessorTimeUsed() - before) / static_cast<double>(done),
                      .unit = "us"});
}

void MeasureMemory(std::uint64_t count, Measures& measures) {
  Store store;
  // What Redis uses once, for scripts and connections, is not of the operations.
  store.RunUpTo(1);
  store.DrainAll();
  store.DropFamilies();
  const double before = store.UsedBytes();
  store.RunUpTo(count + 1);
  const auto per_operation = [&] {
    return (store.UsedBytes() - before) / static_cast<double>(count);
  };
  measures.push_back(
      {.name = "the answer of a CreateOrder", .value = store.answer_bytes(), .unit = "B"});
  measures.push_back({.name = "its sealed outcome", .value = store.sealed_bytes(), .unit = "B"});
  const double waiting = per_operation();
  store.DrainAll();
  const double drained = per_operation();
  measures.push_back(
      {.name = "its transitions until they are drained", .value = waiting - drained, .unit = "B"});
  store.DropFamilies();
  const double closed = per_operation();
  measures.push_back(
      {.name = "what it leaves with its order", .value = drained - closed, .unit = "B"});
  measures.push_back(
      {.name = "a closed and drained CreateOrder", .value = closed, .unit = "B", .at_most = 1'000});
  const double used = store.ProcessorTimeUsed();
  const std::uint64_t retired = store.RetireAll(std::chrono::seconds(4 * kDay));
  measures.push_back({.name = "retiring it",
                      .value = (store.ProcessorTimeUsed() - used) / static_cast<double>(retired),
                      .unit = "us"});
  measures.push_back(
      {.name = "its tombstone", .value = per_operation(), .unit = "B", .at_most = 160});
  store.RetireAll(std::chrono::seconds(40 * kDay));
  measures.push_back({.name = "what is left of it in the end",
                      .value = std::abs(per_operation()),
                      .unit = "B",
                      .at_most = 20});
}

/// Families of orders until their last planned read, and what stays of them then.
void MeasureFamilies(std::uint64_t count, Measures& measures) {
  FamilyStore store;
  store.SaveUpTo(1);
  store.SettleUpTo(1);
  const auto before = static_cast<double>(store.UsedBytes());
  const auto per_family = [&] {
    return (static_cast<double>(store.UsedBytes()) - before) / static_cast<double>(count);
  };
  store.SaveUpTo(count + 1);
  measures.push_back({.name = "a family that is read again", .value = per_family(), .unit = "B"});
  store.SettleUpTo(count + 1);
  measures.push_back(
      {.name = "a settled family", .value = per_family(), .unit = "B", .at_most = 80});
}

double ValueOf(const Measures& measures, std::string_view name) {
  return std::ranges::find(measures, name, &Measure::name)->value;
}

/// All that a project with one order a second keeps, with the times that settings have by default.
void AddUpOneASecond(Measures& measures) {
  constexpr double kOutcomes = 3;
  constexpr double kTombstones = 30;
  constexpr double kReadAgain = 30;
  constexpr double kFamilies = 400;
  const double bytes = kOutcomes * ValueOf(measures, "a closed and drained CreateOrder") +
                       kTombstones * ValueOf(measures, "its tombstone") +
                       kReadAgain * ValueOf(measures, "a family that is read again") +
                       (kFamilies - kReadAgain) * ValueOf(measures, "a settled family");
  measures.push_back({.name = "one order a second, all that is kept of them",
                      .value = bytes * static_cast<double>(kDay) / 1e9,
                      .unit = "GB",
                      .at_most = 4.5});
}

int Run(int argc, char** argv) {
  CLI::App app("Measures what operations cost the store");
  std::filesystem::path folder;
  std::uint64_t operations = 200'000;
  app.add_option("folder", folder, "where store.json goes")->required();
  app.add_option("--operations", operations, "in memory at a time")
      ->check(CLI::Range(1'000, 5'000'000));
  CLI11_PARSE(app, argc, argv);
  Measures measures;
  {
    Store store;
    MeasureProcessor(store, std::max<std::uint64_t>(500, operations / 20), measures);
  }
  MeasureMemory(operations, measures);
  MeasureFamilies(operations, measures);
  AddUpOneASecond(measures);
  PrintTable(measures);
  WriteJson(measures, folder / "store.json");
  return std::ranges::all_of(measures, &Measure::holds) ? 0 : 1;
}

}  // namespace
}  // namespace tollbridge::bench

int main(int argc, char** argv) {
  try {
    return tollbridge::bench::Run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "store_bench: " << error.what() << "\n";
    return 1;
  }
}
