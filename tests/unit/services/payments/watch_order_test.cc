#include "services/payments/watch_order.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "services/domain/errors.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/fakes/fake_order_changes.h"
#include "tests/support/fakes/fake_payment_service.h"
#include "tests/support/full_order.h"

namespace tollbridge::payments {
namespace {

using test::FakePaymentService;

constexpr std::chrono::seconds kInterval{15};
constexpr std::chrono::milliseconds kPatrol{250};

// Snapshots of which only the version counts, the same for all families.
class FakeSnapshots final : public ports::SnapshotStore {
 public:
  Async<ports::FamilyState> Load(const ports::FamilyKey& key, const ports::Context&) override {
    ++loads;
    if (down) co_return absl::UnavailableError("down");
    ports::FamilyState state;
    if (member_of && key.root != *member_of) {
      state.root = member_of;
    } else {
      state.version = version;
    }
    co_return state;
  }
  Async<ports::SaveVerdict> Save(const ports::SaveRequest&, const ports::Context&) override {
    co_return absl::InternalError("a watch saves nothing");
  }
  Async<bool> ClearOutbox(const ports::FamilyKey&, std::uint64_t, const std::string&,
                          const ports::Context&) override {
    co_return absl::InternalError("a watch clears nothing");
  }
  Async<ports::PendingOutboxes> Pending(const std::string&, const ports::Context&) override {
    co_return absl::InternalError("a watch counts nothing");
  }
  AsyncStatus NoteMember(const ports::MemberNote&, const ports::Context&) override {
    co_return absl::InternalError("a watch notes nothing");
  }
  Async<ports::TellAgainVerdict> AskToTellAgain(const ports::TellAgainRequest&,
                                                const ports::Context&) override {
    co_return absl::InternalError("a watch asks for nothing");
  }

  std::uint64_t version = 1;
  /// Set: every other order is a member of this root's family.
  std::optional<Uuid> member_of;
  bool down = false;
  int loads = 0;
};

// A caller that keeps what it gets.
class FakeStream final : public OrderStream {
 public:
  explicit FakeStream(boost::asio::io_context& context) : taken_(context) {}

  AsyncStatus Write(const v1::WatchOrderResponse& response) override {
    written.push_back(response);
    if (slow) {
      taken_.expires_at(boost::asio::steady_timer::time_point::max());
      co_await taken_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    co_return absl::OkStatus();
  }
  bool cancelled() const override { return gone; }

  // What was written is taken at last.
  void Take() {
    slow = false;
    taken_.cancel();
  }

  std::vector<v1::WatchOrderResponse> written;
  bool gone = false;
  bool slow = false;

 private:
  boost::asio::steady_timer taken_;
};

struct Watching {
  explicit Watching(boost::asio::io_context& context) : stream(context) {}

  v1::WatchOrderRequest request;
  FakeStream stream;
  std::optional<absl::Status> end;
};

class WatchOrderTest : public ::testing::Test {
 protected:
  WatchOrderTest() {
    v1::CreateOrderRequest request;
    request.set_amount(500);
    request.set_webhook_url("https://hooks.example/token");
    const common::v1::Order order = service_.MakeOrder(request);
    service_.PutOrder(order);
    order_id_ = order.id();
  }

  std::unique_ptr<Watching> Watch(ports::Millis within = std::chrono::hours(1)) {
    auto watching = std::make_unique<Watching>(context_);
    watching->request.set_order_id(order_id_);
    Begin(*watching, within);
    return watching;
  }
  void Begin(Watching& watching, ports::Millis within) {
    boost::asio::co_spawn(
        context_,
        watchers_.Watch(project_, watching.request, clock_.BootNow() + within, watching.stream),
        [&watching](std::exception_ptr, absl::Status status) { watching.end = std::move(status); });
    Settle();
  }
  // Until nothing can go on without a test's doing.
  void Settle() {
    context_.restart();
    while (context_.poll() > 0) {
    }
  }
  void Advance(ports::Millis by) {
    clock_.Advance(by);
    Settle();
  }
  void Announce() {
    changes_.Announce({.project = "shop", .root = *Uuid::Parse(order_id_)});
    Settle();
  }

  common::v1::Order& Order() { return *service_.FindOrder(order_id_); }
  std::size_t Reads() const { return service_.CallsOf(FakePaymentService::Function::kGetOrder); }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  FakePaymentService service_;
  FakeSnapshots snapshots_;
  test::FakeOrderChanges changes_;
  domain::Project project_{.name = "shop"};
  bool draining_ = false;
  OrderWatchers watchers_{
      {.service = service_, .snapshots = snapshots_, .changes = changes_, .clock = clock_},
      [this] { return draining_; },
      {.interval = kInterval, .patrol = kPatrol}};
  std::string order_id_;
};

TEST_F(WatchOrderTest, BeginsWithTheOrderAsItIsNow) {
  const auto watching = Watch();
  ASSERT_EQ(watching->stream.written.size(), 1U);
  const v1::WatchOrderResponse& first = watching->stream.written.front();
  EXPECT_EQ(first.order().id(), order_id_);
  EXPECT_EQ(first.order().webhook_url(), "https://hooks.example/***");
  EXPECT_FALSE(first.final());
  EXPECT_FALSE(watching->end.has_value());
  EXPECT_EQ(Reads(), 1U);
}

TEST_F(WatchOrderTest, ShowsEachFieldOfTheOrder) {
  const common::v1::Order order = test::FullOrder(order_id_);
  service_.PutOrder(order);
  const auto watching = Watch();
  ASSERT_EQ(watching->stream.written.size(), 1U);
  EXPECT_TRUE(test::IsSame(watching->stream.written.front().order(), test::ShownToCallers(order)));
}

TEST_F(WatchOrderTest, AnOrderThatIsFinalEndsTheWatchAtOnce) {
  for (const auto status : {common::v1::ORDER_STATUS_COMPLETED, common::v1::ORDER_STATUS_CANCELLED,
                            common::v1::ORDER_STATUS_EXPIRED, common::v1::ORDER_STATUS_ERROR}) {
    Order().set_status(status);
    const auto watching = Watch();
    ASSERT_EQ(watching->stream.written.size(), 1U);
    EXPECT_TRUE(watching->stream.written.front().final());
    ASSERT_TRUE(watching->end.has_value());
    EXPECT_TRUE(watching->end->ok());
  }
  EXPECT_EQ(changes_.watches(), 0U);
  EXPECT_EQ(watchers_.orders(), 0U);
}

TEST_F(WatchOrderTest, AHintShowsTheChangeAndTheFinalOneEndsTheWatch) {
  const auto watching = Watch();
  Order().set_status(common::v1::ORDER_STATUS_PROCESSING);
  Announce();
  ASSERT_EQ(watching->stream.written.size(), 2U);
  EXPECT_EQ(watching->stream.written[1].order().status(), common::v1::ORDER_STATUS_PROCESSING);
  EXPECT_FALSE(watching->end.has_value());

  Order().set_status(common::v1::ORDER_STATUS_COMPLETED);
  Announce();
  ASSERT_EQ(watching->stream.written.size(), 3U);
  EXPECT_TRUE(watching->stream.written[2].final());
  ASSERT_TRUE(watching->end.has_value());
  EXPECT_TRUE(watching->end->ok());
  EXPECT_EQ(Reads(), 3U);
}

TEST_F(WatchOrderTest, WhatACallerCannotSeeIsNoChange) {
  const auto watching = Watch();
  Announce();
  Order().set_webhook_url("https://hooks.example/another-token");
  Announce();
  EXPECT_EQ(Reads(), 3U);
  EXPECT_EQ(watching->stream.written.size(), 1U);

  Order().mutable_modified()->set_seconds(1'767'225'601);
  Announce();
  EXPECT_EQ(watching->stream.written.size(), 2U) << "any visible difference counts";
}

TEST_F(WatchOrderTest, ALostHintIsMadeUpForAtTheInterval) {
  const auto watching = Watch();
  Order().set_status(common::v1::ORDER_STATUS_PROCESSING);
  ++snapshots_.version;
  Advance(kInterval - ports::Millis(1));
  EXPECT_EQ(watching->stream.written.size(), 1U);
  Advance(kPatrol);
  EXPECT_EQ(watching->stream.written.size(), 2U);
}

TEST_F(WatchOrderTest, WhileTheSnapshotIsTheSameTheOrderIsNotReadAgain) {
  const auto watching = Watch();
  for (int i = 0; i < 4; ++i) Advance(kInterval);
  EXPECT_EQ(snapshots_.loads, 5);
  EXPECT_EQ(Reads(), 1U);
  EXPECT_EQ(watching->stream.written.size(), 1U);
}

TEST_F(WatchOrderTest, AChangeThatAHintToldOfIsReadOnceMoreAtTheInterval) {
  // The read after the hint may have come from a replica that lags.
  const auto watching = Watch();
  ++snapshots_.version;
  Announce();
  EXPECT_EQ(watching->stream.written.size(), 1U);
  Order().set_status(common::v1::ORDER_STATUS_PROCESSING);
  Advance(kInterval);
  EXPECT_EQ(watching->stream.written.size(), 2U);
  Advance(kInterval);
  EXPECT_EQ(Reads(), 3U);
}

TEST_F(WatchOrderTest, AnOrderWithoutASnapshotIsReadAtEachInterval) {
  snapshots_.version = 0;
  const auto watching = Watch();
  Advance(kInterval);
  EXPECT_EQ(Reads(), 2U);
  Order().set_status(common::v1::ORDER_STATUS_PROCESSING);
  Advance(kInterval);
  EXPECT_EQ(watching->stream.written.size(), 2U);
}

TEST_F(WatchOrderTest, AMemberIsReadAgainWhenItsFamilyWasSavedAndNotOtherwise) {
  snapshots_.member_of = Uuid{{9}};
  const auto watching = Watch();
  for (int i = 0; i < 4; ++i) Advance(kInterval);
  EXPECT_EQ(Reads(), 1U);
  ++snapshots_.version;
  Order().set_status(common::v1::ORDER_STATUS_PROCESSING);
  Advance(kInterval);
  EXPECT_EQ(watching->stream.written.size(), 2U);
}

TEST_F(WatchOrderTest, WithoutTheStoreTheOrderIsReadAtEachInterval) {
  snapshots_.down = true;
  const auto watching = Watch();
  ASSERT_EQ(watching->stream.written.size(), 1U);
  Order().set_status(common::v1::ORDER_STATUS_PROCESSING);
  Advance(kInterval);
  EXPECT_EQ(watching->stream.written.size(), 2U);
  EXPECT_FALSE(watching->end.has_value());
}

TEST_F(WatchOrderTest, AfterAReconnectTheSnapshotIsLookedAtAtOnce) {
  const auto watching = Watch();
  changes_.Reconnect();
  Settle();
  EXPECT_EQ(snapshots_.loads, 2);
  EXPECT_EQ(Reads(), 1U) << "nothing had changed meanwhile";

  Order().set_status(common::v1::ORDER_STATUS_PROCESSING);
  ++snapshots_.version;
  changes_.Reconnect();
  Settle();
  EXPECT_EQ(watching->stream.written.size(), 2U);
}

TEST_F(WatchOrderTest, AThousandWatchersOfOneOrderMakeOneReadAHint) {
  std::vector<std::unique_ptr<Watching>> all;
  for (int i = 0; i < 1000; ++i) all.push_back(Watch());
  EXPECT_EQ(changes_.watches(), 1U);
  const std::size_t before = Reads();

  Order().set_status(common::v1::ORDER_STATUS_COMPLETED);
  Announce();
  EXPECT_EQ(Reads(), before + 1);
  for (const auto& watching : all) {
    ASSERT_EQ(watching->stream.written.size(), 2U);
    EXPECT_TRUE(watching->end.has_value());
  }
  EXPECT_EQ(watchers_.orders(), 0U);
}

TEST_F(WatchOrderTest, WhoJoinsAWatchGetsAReadOfItsOwnTime) {
  const auto first = Watch();
  Order().set_status(common::v1::ORDER_STATUS_PROCESSING);
  const auto second = Watch();
  ASSERT_EQ(second->stream.written.size(), 1U);
  EXPECT_EQ(second->stream.written[0].order().status(), common::v1::ORDER_STATUS_PROCESSING);
  EXPECT_EQ(first->stream.written.size(), 2U) << "the read is shared";
}

TEST_F(WatchOrderTest, ACallerThatHasGoneIsNoticedSoon) {
  const auto gone = Watch();
  const auto stays = Watch();
  gone->stream.gone = true;
  Advance(kPatrol);
  ASSERT_TRUE(gone->end.has_value());
  EXPECT_EQ(gone->end->code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(stays->end.has_value());
  stays->stream.gone = true;
  Advance(kPatrol);
  EXPECT_EQ(changes_.watches(), 0U);
  Advance(kPatrol);
  EXPECT_EQ(clock_.sleepers(), 0U) << "nothing is left to do";
}

TEST_F(WatchOrderTest, WatchesEndWhenTheProcessDrains) {
  const auto watching = Watch();
  draining_ = true;
  Advance(kPatrol);
  ASSERT_TRUE(watching->end.has_value());
  EXPECT_EQ(watching->end->code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(domain::ReasonOf(*watching->end), domain::reason::kShuttingDown);
}

TEST_F(WatchOrderTest, TheDeadlineEndsTheWatch) {
  const auto watching = Watch(std::chrono::seconds(5));
  Advance(std::chrono::seconds(4));
  EXPECT_FALSE(watching->end.has_value());
  Advance(std::chrono::seconds(1));
  ASSERT_TRUE(watching->end.has_value());
  EXPECT_EQ(watching->end->code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(WatchOrderTest, AnOrderThatCannotBeReadAtFirstEndsTheWatch) {
  service_.FailReads(absl::UnavailableError("down"));
  EXPECT_EQ(Watch()->end, absl::UnavailableError("down"));
  EXPECT_EQ(changes_.watches(), 0U);
}

TEST_F(WatchOrderTest, ALaterReadThatFailsIsMadeAgainAtTheInterval) {
  const auto watching = Watch();
  service_.FailReads(absl::UnavailableError("down"));
  Order().set_status(common::v1::ORDER_STATUS_PROCESSING);
  Announce();
  EXPECT_FALSE(watching->end.has_value());
  service_.FailReads(absl::OkStatus());
  Advance(kInterval);
  EXPECT_EQ(watching->stream.written.size(), 2U);
}

TEST_F(WatchOrderTest, ASlowCallerGetsTheLatestAndNeverTheSameTwice) {
  auto watching = std::make_unique<Watching>(context_);
  watching->request.set_order_id(order_id_);
  watching->stream.slow = true;
  Begin(*watching, std::chrono::hours(1));
  const auto before = Order().status();
  Order().set_status(common::v1::ORDER_STATUS_PROCESSING);
  Announce();
  Order().set_status(before);
  Announce();
  watching->stream.Take();
  Settle();
  EXPECT_EQ(watching->stream.written.size(), 1U) << "it is again what was written last";

  Order().set_status(common::v1::ORDER_STATUS_COMPLETED);
  Announce();
  EXPECT_EQ(watching->stream.written.size(), 2U);
}

TEST_F(WatchOrderTest, AnOlderStateIsNotShownAndTheOrderReadAgainSoon) {
  Order().mutable_modified()->set_seconds(1'767'225'600);
  const auto watching = Watch();
  Order().mutable_modified()->set_seconds(1'767'225'500);
  Announce();
  EXPECT_EQ(watching->stream.written.size(), 1U);
  Order().mutable_modified()->set_seconds(1'767'225'700);
  Advance(std::chrono::seconds(1));
  EXPECT_EQ(watching->stream.written.size(), 2U);
}

TEST_F(WatchOrderTest, AnOlderStateThatStaysIsBelievedInTheEnd) {
  Order().mutable_modified()->set_seconds(1'767'225'600);
  const auto watching = Watch();
  Order().mutable_modified()->set_seconds(1'767'225'500);
  Announce();
  for (int i = 0; i < 4; ++i) Advance(std::chrono::seconds(1));
  EXPECT_EQ(watching->stream.written.size(), 1U);
  Advance(std::chrono::seconds(1));
  EXPECT_EQ(watching->stream.written.size(), 2U);
}

TEST_F(WatchOrderTest, InOwnCheckoutTheOrderDecidesWhatIsFinal) {
  Order().set_status(common::v1::ORDER_STATUS_PROCESSING);
  Order().add_transactions()->set_status(common::v1::TRANSACTION_STATUS_COMPLETED);
  const auto watching = Watch();
  ASSERT_EQ(watching->stream.written.size(), 1U);
  EXPECT_FALSE(watching->stream.written[0].final());
  EXPECT_FALSE(watching->end.has_value());
}

}  // namespace
}  // namespace tollbridge::payments
