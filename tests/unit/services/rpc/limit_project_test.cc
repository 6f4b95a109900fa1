#include "services/rpc/limit_project.h"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include "services/domain/errors.h"
#include "tests/support/fails_with.h"
#include "tests/unit/services/rpc/rpc_fixture.h"

namespace tollbridge::rpc {
namespace {

class LimitProjectTest : public RpcTest {
 protected:
  std::unique_ptr<Call> CallOf(const std::string& project) {
    auto call = MakeCall();
    call->set_project(projects_.Find(project));
    return call;
  }
  // Starts a call that stays in the handler until the clock is moved by a minute.
  void StartSlowCall(Call& call) {
    boost::asio::co_spawn(context_, limit_.Handle(call, Next({}, slow_)),
                          [this](std::exception_ptr, const absl::Status& status) {
                            EXPECT_TRUE(status.ok()) << status;
                            ++ended_;
                          });
    ASSERT_TRUE(test::RunUntil(context_, [this] { return clock_.sleepers() > 0; }));
  }

  domain::Projects projects_{{{.name = "shop"}, {.name = "travel"}}};
  LimitProject limit_{{.max_in_flight = 1}};
  int ended_ = 0;
  FakeHandler slow_{[this](Call&) -> AsyncStatus {
    co_await clock_.Sleep(std::chrono::minutes(1));
    co_return absl::OkStatus();
  }};
  FakeHandler fast_;
};

TEST_F(LimitProjectTest, AProjectThatHasItsFillIsRefusedAndTheOthersAreNot) {
  const auto first = CallOf("shop");
  StartSlowCall(*first);

  const auto second = CallOf("shop");
  const absl::Status refused = Run(limit_, *second, fast_);
  EXPECT_THAT(refused, FailsWith(StatusCode::kResourceExhausted, "OVERLOADED"));
  EXPECT_TRUE(
      refused.GetPayload({domain::kRetryInfoUrl.data(), domain::kRetryInfoUrl.size()}).has_value());
  EXPECT_EQ(fast_.calls, 0);

  const auto other = CallOf("travel");
  EXPECT_TRUE(Run(limit_, *other, fast_).ok());

  clock_.Advance(std::chrono::minutes(2));
  ASSERT_TRUE(test::RunUntil(context_, [this] { return ended_ == 1; }));
  EXPECT_TRUE(Run(limit_, *second, fast_).ok());
}

TEST_F(LimitProjectTest, WhoWaitsTakesNoPlace) {
  const auto watcher = CallOf("shop");
  watcher->set_waits(true);
  StartSlowCall(*watcher);
  const auto call = CallOf("shop");
  EXPECT_TRUE(Run(limit_, *call, fast_).ok());
}

TEST_F(LimitProjectTest, ARequestOfNoConfiguredProjectIsNotCounted) {
  const auto stray = CallOf("elsewhere");
  StartSlowCall(*stray);
  const auto another = CallOf("elsewhere");
  EXPECT_TRUE(Run(limit_, *another, fast_).ok());
}

}  // namespace
}  // namespace tollbridge::rpc
