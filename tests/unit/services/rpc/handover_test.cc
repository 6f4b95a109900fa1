// The crossing from foreign threads to the shards, without gRPC: what TSan can see all of.

#include "services/rpc/handover.h"

#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/telemetry/metrics.h"
#include "services/rpc/limit.h"
#include "services/rpc/parse.h"
#include "tests/unit/services/rpc/rpc_fixture.h"
#include "tollbridge/testing/v1/echo.pb.h"

namespace tollbridge::rpc {
namespace {

using tollbridge::testing::v1::EchoRequest;
using tollbridge::testing::v1::EchoResponse;

class SystemClock : public ports::Clock {
 public:
  WallTime WallNow() const override {
    return std::chrono::time_point_cast<ports::Millis>(std::chrono::system_clock::now());
  }
  BootTime BootNow() const override { return BootClock::now(); }
  boost::asio::awaitable<void> Sleep(ports::Millis) override { co_return; }
};

// Collects the ends of calls from all shards.
class Answers {
 public:
  void Add(absl::Status status, std::string text) {
    const std::lock_guard lock(mutex_);
    texts_.insert(std::move(text));
    statuses_.push_back(std::move(status));
    changed_.notify_all();
  }
  bool WaitFor(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60),
                             [&] { return statuses_.size() >= count; });
  }
  std::multiset<std::string> texts() {
    const std::lock_guard lock(mutex_);
    return texts_;
  }
  std::vector<absl::Status> statuses() {
    const std::lock_guard lock(mutex_);
    return statuses_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multiset<std::string> texts_;
  std::vector<absl::Status> statuses_;
};

class FakeAccepted : public AcceptedCall {
 public:
  FakeAccepted(std::string bytes, Answers& answers) : bytes_(std::move(bytes)), answers_(answers) {}
  bool cancelled() const override { return cancelled_; }
  void Cancel() { cancelled_ = true; }
  AsyncStatus Write(std::string, const Metadata&) override { co_return absl::OkStatus(); }
  std::string TakeRequest() override { return std::move(bytes_); }
  void Finish(const Call& call, const absl::Status& status) override {
    EchoResponse response;
    EXPECT_TRUE(response.ParseFromString(call.answer()));
    answers_.Add(status, response.text());
  }

 private:
  std::string bytes_;
  Answers& answers_;
  std::atomic<bool> cancelled_{false};
};

class HandoverTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kShards = 2;

  HandoverTest() {
    for (std::size_t i = 0; i < kShards; ++i) {
      std::vector<std::unique_ptr<Middleware>> links;
      links.push_back(std::make_unique<Parse>(metrics_));
      links.push_back(
          std::make_unique<Limit>(LimitSettings{.max_in_flight = 100'000}, drain_, clock_));
      dispatchers_.push_back(std::make_unique<Dispatcher>(std::move(links)));
      dispatchers_.back()->Handle(
          *methods_.Find("tollbridge.testing.v1.Echo.Say"),
          std::make_unique<FakeHandler>([this, i](Call& call) { return Say(call, i); }));
    }
    handover_ = std::make_unique<Handover>(
        shards_, std::vector<Dispatcher*>{dispatchers_[0].get(), dispatchers_[1].get()}, drain_);
    shards_.Start();
  }
  ~HandoverTest() override { shards_.Stop(); }

  // Hops once through the shard's queue, and counts without a lock: TSan would tell if two threads
  // ran it.
  AsyncStatus Say(Call& call, std::size_t shard) {
    const auto& request = static_cast<const EchoRequest&>(call.request());
    const auto executor = co_await boost::asio::this_coro::executor;
    co_await boost::asio::post(executor, boost::asio::use_awaitable);
    ++handled_[shard];
    if (request.text() == "throw") throw std::runtime_error("as asked");
    EchoResponse response;
    response.set_text(request.text());
    call.Answer(response);
    co_return absl::OkStatus();
  }

  std::shared_ptr<FakeAccepted> Accept(const std::string& text) {
    EchoRequest request;
    request.set_text(text);
    auto accepted = std::make_shared<FakeAccepted>(request.SerializeAsString(), answers_);
    handover_->Accept(accepted_++ % kShards, *methods_.Find("tollbridge.testing.v1.Echo.Say"),
                      {"peer", BootClock::now() + std::chrono::minutes(5), {}}, accepted);
    return accepted;
  }

  MethodTable methods_ = *MethodTable::Of({"tollbridge.testing.v1.Echo"});
  std::atomic<std::size_t> accepted_{0};
  telemetry::Metrics metrics_;
  SystemClock clock_;
  Drain drain_;
  Answers answers_;
  std::array<int, kShards> handled_{};
  std::vector<std::unique_ptr<Dispatcher>> dispatchers_;
  ShardPool shards_{kShards};
  std::unique_ptr<Handover> handover_;
};

TEST_F(HandoverTest, AnswersEveryCallOfManyThreadsOnceAndSpreadsThem) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 250;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < kCalls; ++i) {
        Accept(std::to_string(t) + "." + std::to_string(i))->Cancel();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(answers_.WaitFor(kThreads * kCalls));

  EXPECT_TRUE(drain_.WaitUntilIdle(BootClock::now() + std::chrono::seconds(60)));
  shards_.Stop();
  const auto texts = answers_.texts();
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(kThreads * kCalls));
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size());
  EXPECT_EQ(handled_[0], kThreads * kCalls / 2);
  EXPECT_EQ(handled_[1], kThreads * kCalls / 2);
}

TEST_F(HandoverTest, AUseCaseThatThrowsIsAnAnsweredCall) {
  Accept("throw");
  ASSERT_TRUE(answers_.WaitFor(1));
  EXPECT_EQ(answers_.statuses().front().code(), absl::StatusCode::kInternal);
}

TEST_F(HandoverTest, DrainEndsWhenTheCallsOnTheirWayHaveEnded) {
  for (int i = 0; i < 100; ++i) Accept("x");
  drain_.Begin();
  EXPECT_TRUE(drain_.WaitUntilIdle(BootClock::now() + std::chrono::seconds(60)));
  EXPECT_EQ(answers_.statuses().size(), 100u);

  Accept("late");
  ASSERT_TRUE(answers_.WaitFor(101));
  EXPECT_EQ(answers_.statuses().back().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tollbridge::rpc
