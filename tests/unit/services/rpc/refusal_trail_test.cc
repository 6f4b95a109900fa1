// What is recorded of calls that Authorize refuses, and what bounds it.

#include "services/rpc/refusal_trail.h"

#include <gmock/gmock.h>

#include <absl/strings/str_cat.h>
#include <boost/asio/co_spawn.hpp>

#include "base/telemetry/metric_definitions.h"
#include "services/domain/errors.h"
#include "services/domain/timestamps.h"
#include "services/rpc/authorize.h"
#include "services/rpc/limit.h"
#include "services/rpc/pipeline.h"
#include "tests/support/fails_with.h"
#include "tests/support/fakes/fake_refused_calls.h"
#include "tests/support/fakes/fake_rng.h"
#include "tests/support/series.h"
#include "tests/unit/services/rpc/rpc_fixture.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::rpc {
namespace {

using operations::v1::OperationRecord;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kWeb = "spiffe://shop.example/web";
constexpr const char* kDesk = "spiffe://shop.example/desk";

class RefusalTrailTest : public RpcTest {
 protected:
  std::unique_ptr<Call> CallOf(const std::string& identity, const std::string& project,
                               const std::string& peer = "ipv4:10.1.2.3:4567") {
    CallHead head = Head();
    head.caller = CertifiedCaller({identity}, {});
    head.peer = peer;
    EchoRequest request;
    request.set_project(project);
    request.set_text("what the caller wants");
    return std::make_unique<Call>(Method("Say"), std::move(head), request);
  }
  /// Through the trail, Limit and Authorize, as the product's pipe has them.
  absl::Status Answer(Call& call) { return test::Await(context_, pipe_.Run(call, handler_)); }
  /// Calls that are refused.
  void Refuse(int count, const std::string& identity = kWeb) {
    for (int i = 0; i < count; ++i) {
      ASSERT_THAT(Answer(*CallOf(identity, "shop")),
                  FailsWith(StatusCode::kPermissionDenied, "PERMISSION_DENIED"));
    }
  }
  const std::vector<ports::UndrainedRecord>& Records() const { return calls_.records(); }
  std::uint64_t LeftOut() const {
    return Records().back().record.privileged().refused_call().left_out();
  }
  double Unrecorded(const std::string& cause) const {
    return test::SeriesOf(metrics_, telemetry::kRpcRefusalsUnrecorded, {cause}).value_or(0);
  }

  std::vector<std::unique_ptr<Middleware>> Links() {
    std::vector<std::unique_ptr<Middleware>> links;
    links.push_back(std::make_unique<RefusalTrail>(
        RefusalTrail::Ports{.calls = calls_, .clock = clock_, .rng = rng_, .metrics = metrics_},
        projects_));
    links.push_back(std::make_unique<Limit>(LimitSettings{.max_in_flight = 1}, drain_, clock_));
    links.push_back(std::make_unique<Authorize>(rules_, projects_, metrics_, clock_));
    return links;
  }

  test::FakeRefusedCalls calls_;
  test::FakeRng rng_;
  telemetry::Metrics metrics_;
  Drain drain_;
  AccessRules rules_{
      {.callers = {{.identity = kDesk, .projects = {"shop"}, .permissions = {"echo.say"}}}}};
  domain::Projects projects_{{{.name = "travel"}, {.name = "shop"}}};
  FakeHandler handler_;
  Pipeline pipe_{Links()};
};

TEST_F(RefusalTrailTest, ARefusedCallIsRecordedWithWhoWantedWhatFromWhere) {
  clock_.StepWall(seconds(77));
  Refuse(1);
  ASSERT_THAT(Records(), SizeIs(1));
  EXPECT_EQ(calls_.project, "shop");
  const OperationRecord& record = Records()[0].record;
  EXPECT_EQ(record.project(), "shop");
  EXPECT_EQ(record.operation_id(), "");
  const operations::v1::PrivilegedAction& action = record.privileged();
  EXPECT_TRUE(Uuid::Parse(action.id()).has_value()) << action.id();
  EXPECT_EQ(domain::ToWallTime(action.time()), clock_.WallNow());
  EXPECT_EQ(action.who(), kWeb);
  EXPECT_EQ(action.refused_call().rpc(), "tollbridge.testing.v1.Echo/Say");
  EXPECT_EQ(action.refused_call().permission(), "echo.say");
  EXPECT_EQ(action.refused_call().peer(), "ipv4:10.1.2.3:4567");
  EXPECT_EQ(action.refused_call().left_out(), 0U);
  EXPECT_EQ(record.SerializeAsString().find("what the caller wants"), std::string::npos);

  Refuse(1);
  EXPECT_NE(Records()[1].record.privileged().id(), action.id());
}

TEST_F(RefusalTrailTest, WhatIsAnsweredOtherwiseIsNotRecorded) {
  EXPECT_TRUE(Answer(*CallOf(kDesk, "shop")).ok());
  for (const absl::Status& status :
       {absl::PermissionDeniedError("the service's own"), absl::UnauthenticatedError("who?"),
        absl::UnavailableError("later")}) {
    FakeHandler failing(status);
    const auto call = CallOf(kDesk, "shop");
    EXPECT_EQ(test::Await(context_, pipe_.Run(*call, failing)), status);
  }
  EXPECT_THAT(Records(), IsEmpty());
}

TEST_F(RefusalTrailTest, OneThatNamesNoConfiguredProjectIsKeptWithTheFirst) {
  ASSERT_FALSE(Answer(*CallOf(kWeb, "any text")).ok());
  ASSERT_THAT(Records(), SizeIs(1));
  EXPECT_EQ(calls_.project, "travel");
  EXPECT_EQ(Records()[0].record.project(), "");
}

TEST_F(RefusalTrailTest, TenOfACallerAMinuteAreRecordedAndTheNextTellsTheRest) {
  Refuse(25);
  EXPECT_THAT(Records(), SizeIs(10));
  EXPECT_EQ(LeftOut(), 0U);
  EXPECT_EQ(Unrecorded("bound"), 15);
  Refuse(1, "spiffe://shop.example/other");
  EXPECT_THAT(Records(), SizeIs(11)) << "each caller has ten of its own";
  EXPECT_EQ(LeftOut(), 0U);

  clock_.Advance(seconds(59));
  Refuse(1);
  EXPECT_THAT(Records(), SizeIs(11));
  clock_.Advance(seconds(1));
  Refuse(2);
  ASSERT_THAT(Records(), SizeIs(13));
  EXPECT_EQ(Records()[11].record.privileged().refused_call().left_out(), 16U);
  EXPECT_EQ(LeftOut(), 0U) << "they are told once";
}

TEST_F(RefusalTrailTest, AStoreThatIsAwayOrFullChangesNoAnswerAndIsCounted) {
  calls_.available = false;
  Refuse(2);
  EXPECT_EQ(Unrecorded("store"), 2);
  calls_.available = true;
  calls_.full = true;
  Refuse(1);
  EXPECT_EQ(Unrecorded("full"), 1);
  EXPECT_THAT(Records(), IsEmpty());
  calls_.full = false;
  Refuse(1);
  ASSERT_THAT(Records(), SizeIs(1));
  EXPECT_EQ(LeftOut(), 3U);
  EXPECT_EQ(Unrecorded("bound"), 0);
}

TEST_F(RefusalTrailTest, WhileTheStoreIsAwayACallerWaitsForItTenTimesAMinute) {
  calls_.available = false;
  Refuse(30);
  EXPECT_EQ(Unrecorded("store"), 10);
  EXPECT_EQ(Unrecorded("bound"), 20);
}

/// A short one would keep a call out of the records.
TEST_F(RefusalTrailTest, TheStoreIsWaitedForASecondWhateverTheCallersDeadline) {
  for (const milliseconds limit : {milliseconds(10'000), milliseconds(100)}) {
    CallHead head = Head();
    head.caller = CertifiedCaller({kWeb}, {});
    head.deadline = clock_.BootNow() + limit;
    Call call(Method("Say"), std::move(head), EchoRequest());
    calls_.context = {};
    ASSERT_EQ(Answer(call).code(), StatusCode::kPermissionDenied);
    EXPECT_EQ(calls_.context.deadline, clock_.BootNow() + seconds(1));
  }
}

TEST_F(RefusalTrailTest, WhoWaitsForTheStoreTakesNoPlaceOfAnothersInLimit) {
  calls_.during_note = [this] { return clock_.Sleep(milliseconds(900)); };
  const auto refused = CallOf(kWeb, "shop");
  bool ended = false;
  boost::asio::co_spawn(context_, pipe_.Run(*refused, handler_),
                        [&ended](std::exception_ptr, const absl::Status& status) {
                          EXPECT_EQ(status.code(), StatusCode::kPermissionDenied);
                          ended = true;
                        });
  ASSERT_TRUE(test::RunUntil(context_, [this] { return clock_.sleepers() == 1; }));
  EXPECT_TRUE(Answer(*CallOf(kDesk, "shop")).ok()) << "there is one place in all";
  EXPECT_FALSE(ended);
  clock_.Advance(seconds(1));
  EXPECT_TRUE(test::RunUntil(context_, [&ended] { return ended; }));
  EXPECT_THAT(Records(), SizeIs(1));
}

TEST_F(RefusalTrailTest, SoManyAreUnderWayAtATimeAndTheOthersDoNotWait) {
  calls_.during_note = [this] { return clock_.Sleep(milliseconds(900)); };
  std::vector<std::unique_ptr<Call>> waiting;
  std::size_t ended = 0;
  for (int caller = 0; caller < 64; ++caller) {
    waiting.push_back(CallOf(absl::StrCat("spiffe://shop.example/", caller), "shop"));
    boost::asio::co_spawn(context_, pipe_.Run(*waiting.back(), handler_),
                          [&ended](std::exception_ptr, const absl::Status&) { ++ended; });
  }
  ASSERT_TRUE(test::RunUntil(context_, [this] { return clock_.sleepers() == 64; }));
  Refuse(1);
  EXPECT_EQ(Unrecorded("bound"), 1);
  clock_.Advance(seconds(1));
  ASSERT_TRUE(test::RunUntil(context_, [&ended] { return ended == 64; }));
  EXPECT_THAT(Records(), SizeIs(64));
}

TEST_F(RefusalTrailTest, CallersBeyondAThousandShareTheTenOfAMinute) {
  for (int caller = 0; caller < 1'000; ++caller) {
    Refuse(1, absl::StrCat("spiffe://shop.example/", caller));
  }
  ASSERT_THAT(Records(), SizeIs(1'000));
  for (int caller = 1'000; caller < 1'030; ++caller) {
    Refuse(1, absl::StrCat("spiffe://shop.example/", caller));
  }
  EXPECT_THAT(Records(), SizeIs(1'010));
  EXPECT_EQ(Unrecorded("bound"), 20);
  Refuse(1, "spiffe://shop.example/7");
  EXPECT_THAT(Records(), SizeIs(1'011)) << "who is remembered has his own";

  clock_.Advance(minutes(1));
  for (int caller = 2'000; caller < 2'030; ++caller) {
    Refuse(1, absl::StrCat("spiffe://shop.example/", caller));
  }
  EXPECT_THAT(Records(), SizeIs(1'041)) << "those of the last minute made room";
}

TEST_F(RefusalTrailTest, WhoWasLeftOutIsRememberedLongerThanOthers) {
  Refuse(12);
  clock_.Advance(minutes(1));
  for (int caller = 0; caller < 999; ++caller) {
    Refuse(1, absl::StrCat("spiffe://shop.example/", caller));
  }
  clock_.Advance(minutes(1));
  Refuse(1, "spiffe://shop.example/one-more");
  Refuse(1);
  EXPECT_EQ(LeftOut(), 2U);
}

TEST_F(RefusalTrailTest, WhatIsShownOnTerminalsMovesNoCursorAndIsShort) {
  ASSERT_FALSE(Answer(*CallOf(kWeb, "shop", "unix:\x1b[2J" + std::string(1'000, 'x'))).ok());
  const std::string& peer = Records().back().record.privileged().refused_call().peer();
  EXPECT_EQ(peer.substr(0, 10), "unix: [2Jx");
  EXPECT_EQ(peer.size(), 128U);
}

}  // namespace
}  // namespace tollbridge::rpc
