// Every kind of mutation is killed at every transition, started again, and called again with the
// same key: one effect at most, and exactly one when the caller is told so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/support/mutations.h"
#include "tests/support/stack.h"

namespace tollbridge::test {
namespace {

/// A point at which the process dies.
struct Transition {
  std::string hook;
  /// Makes the store forget before, so that the operation looks before it sends.
  bool doubtful = false;
  /// The answer is lost, so that a resolver finds out.
  bool answer_lost = false;
};

void PrintTo(const Transition& transition, std::ostream* out) { *out << transition.hook; }

class CrashMatrixTest : public testing::TestWithParam<Transition> {
 protected:
  CrashMatrixTest() : stack_({.settings = Settings(), .sandbox_arguments = ImmediateSandbox()}) {}

  /// A store that forgot is doubted until the last kind has died, on a starved machine too:
  /// without doubt a first step is recorded with its claim, and the hooks of BeginStep stay unmet.
  static StackSettings Settings() {
    StackSettings settings = ShortIntervals();
    settings["redis"]["memory_lost_doubt"] = "10m";
    // The call that looks first finds nothing, and sends: the resolver must not have found so
    // before.
    if (GetParam().doubtful) settings["operations"]["look_backoff"] = "[\"5s\"]";
    return settings;
  }

  /// Runs the mutation into the hook: until the process is dead.
  void Crash(const Mutation& mutation) {
    if (GetParam().answer_lost) {
      stack_.SandboxFaults(FirstCallMeets(mutation.kind, R"({"kind":"drop_after"})"));
    }
    if (!StartsWithHook()) {
      ASSERT_TRUE(Settle());
      ASSERT_TRUE(Eventually([&] { return StartsWithHook(); }));
    }
    // Its outcome is there for all a moment before the process dies.
    const bool recorded = GetParam().hook == "resolver.after_finish";
    std::optional<ExitStatus> exit;
    const bool died = Eventually([&] {
      // With little time left, the call itself does not look for what became of it.
      const Told told = CallOnce(
          stack_.grpc(), mutation,
          GetParam().answer_lost ? std::chrono::milliseconds(450) : std::chrono::seconds(3));
      EXPECT_FALSE(told.result && !recorded) << "answered instead of dying: " << told.text();
      exit = stack_.gateway().WaitForExit(std::chrono::milliseconds(100));
      return exit.has_value() || (told.definite() && !recorded);
    });
    ASSERT_TRUE(died && exit) << GetParam().hook << " was not reached";
    EXPECT_EQ(exit->signal, SIGKILL);
    EXPECT_LE(Effects(stack_, mutation), 1U);
    if (!GetParam().answer_lost) return;
    // Or else the next one dies of this one, before it serves.
    stack_.SandboxFaults("{}");
    stack_.StartGateway();
    CallUntilDefinite(stack_.grpc(), mutation);
  }

  /// What reaches the transition. What cannot be read back is closed without a resolver; and a
  /// payment link, which nothing guards, is not made while the store is doubtful.
  static std::vector<Kind> Kinds() {
    std::vector<Kind> kinds(kKinds.begin(), kKinds.end());
    if (GetParam().answer_lost) return kinds;
    for (const Kind kind : kUnreadableKinds) {
      if (kind == Kind::kCreatePaymentLink && GetParam().doubtful) continue;
      kinds.push_back(kind);
    }
    return kinds;
  }

  /// Its result, which is not kept where it holds card data; or, when the process died with it,
  /// that the setup token is spent.
  void ExpectEndOfUnreadable(const Mutation& mutation, const Told& told) {
    const Told replay = CallOnce(stack_.grpc(), mutation);
    if (!told.result) {
      EXPECT_NE(mutation.kind, Kind::kCreatePaymentLink) << "nothing is spent";
      const bool kept = mutation.kind == Kind::kStoreCard;
      EXPECT_TRUE(told.status.reason == "SETUP_TOKEN_SPENT" ||
                  (!kept && told.status.reason == "RESULT_NOT_KEPT"));
      EXPECT_EQ(replay.status.reason, told.status.reason) << "no replay";
    } else if (mutation.kind == Kind::kExchangeWalletB) {
      EXPECT_EQ(replay.status.reason, "RESULT_NOT_KEPT");
    } else {
      EXPECT_EQ(replay.bytes, told.bytes) << "no replay";
    }
  }

  /// False when it died before it served, of what another operation has left in the due queue.
  bool StartsWithHook() {
    try {
      stack_.StartGateway({{"TOLLBRIDGE_CRASH_AT", GetParam().hook}});
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  }

  /// Lets a gateway that does not die look at what is due: on a slow machine one that does would
  /// die of it again at each start. Whether nothing is left.
  bool Settle() {
    stack_.StartGateway();
    const auto is_empty = [&](const std::string& index) {
      return stack_.RedisCommand({"ZCARD", DemoKey("operations:" + index)}).starts_with("0");
    };
    return Eventually([&] { return is_empty("running") && is_empty("due"); });
  }

  Stack stack_;
};

TEST_P(CrashMatrixTest, EachKindHasOneEffectAtMostAndExactlyOneWhenTold) {
  std::vector<Mutation> mutations;
  for (const Kind kind : Kinds()) mutations.push_back(Prepare(stack_, kind, "crash"));
  for (const Kind kind : kPayoutKinds) mutations.push_back(Prepare(stack_, kind, "crash"));
  if (GetParam().doubtful) stack_.RedisCommand({"FLUSHALL"});
  for (const Mutation& mutation : mutations) {
    ASSERT_NO_FATAL_FAILURE(Crash(mutation)) << RpcOf(mutation.kind);
  }
  stack_.SandboxFaults("{}");
  stack_.StartGateway();

  std::vector<Told> told(mutations.size());
  {
    std::vector<std::jthread> callers;
    for (std::size_t i = 0; i < mutations.size(); ++i) {
      callers.emplace_back([&, i] { told[i] = CallUntilDefinite(stack_.grpc(), mutations[i]); });
    }
  }
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    SCOPED_TRACE(RpcOf(mutations[i].kind) + ": " + told[i].text());
    EXPECT_TRUE(told[i].definite());
    const std::size_t effects = Effects(stack_, mutations[i]);
    if (std::ranges::count(kUnreadableKinds, mutations[i].kind) > 0) {
      EXPECT_EQ(effects, 0U) << "no money";
      ExpectEndOfUnreadable(mutations[i], told[i]);
    } else if (told[i].result) {
      EXPECT_EQ(effects, 1U);
      EXPECT_EQ(CallOnce(stack_.grpc(), mutations[i]).bytes, told[i].bytes) << "no replay";
    } else {
      // A refund that was lost is never sent again on the strength of absence.
      EXPECT_EQ(mutations[i].kind, Kind::kRefund);
      EXPECT_TRUE(told[i].pending);
      EXPECT_EQ(effects, 0U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AtEachTransition, CrashMatrixTest,
                         testing::Values(Transition{"operations.before_claim"},
                                         Transition{"operations.after_claim"},
                                         Transition{"operations.before_begin_step", true},
                                         Transition{"operations.after_begin_step", true},
                                         Transition{"operations.after_answer"},
                                         Transition{"operations.before_finish"},
                                         Transition{"operations.after_finish"},
                                         Transition{"resolver.after_take", false, true},
                                         Transition{"resolver.after_look", false, true},
                                         Transition{"resolver.before_finish", false, true},
                                         Transition{"resolver.after_finish", false, true}),
                         [](const auto& info) {
                           std::string name = info.param.hook;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace tollbridge::test
