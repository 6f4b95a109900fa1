#ifndef TOLLBRIDGE_TESTS_UNIT_SERVICES_OPERATIONS_SCRIPTED_STORE_H_
#define TOLLBRIDGE_TESTS_UNIT_SERVICES_OPERATIONS_SCRIPTED_STORE_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "services/domain/errors.h"
#include "services/ports/operation_store.h"

namespace tollbridge::test {

/// Passes calls on to another store, notes them, and answers some by itself as a test wishes.
class ScriptedStore final : public ports::OperationStore {
 public:
  explicit ScriptedStore(ports::OperationStore& inner) : inner_(inner) {}

  /// What the store would say when it cannot be asked.
  static absl::Status Down() {
    domain::ErrorDetail detail;
    detail.reason = domain::reason::kStoreUnavailable;
    detail.retry = domain::Retry::kSafeSameKey;
    return domain::MakeError(absl::StatusCode::kUnavailable, "the store is down", detail);
  }

  std::vector<std::string> calls;
  std::vector<ports::ClaimRequest> claims;
  std::vector<ports::FinishRequest> finishes;
  std::vector<ports::Context> contexts;
  /// How many of the next calls of each kind fail without effect.
  int fail_claims = 0;
  int fail_begins = 0;
  int fail_finishes = 0;
  int fail_releases = 0;
  /// The claim's answer, in place of the inner store's.
  std::optional<ports::ClaimResult> claim_answer;
  std::optional<ports::FinishVerdict> finish_answer;
  /// What a Finish fails with while it is set, without effect.
  std::optional<absl::Status> finish_error;
  /// Runs while a claim is at the store.
  std::function<void()> during_claim;

  Async<ports::ClaimResult> Claim(const ports::ClaimRequest& request,
                                  const ports::Context& context) override {
    calls.emplace_back("claim");
    claims.push_back(request);
    contexts.push_back(context);
    if (during_claim) during_claim();
    if (fail_claims > 0 && fail_claims-- > 0) co_return Down();
    if (claim_answer.has_value()) co_return *claim_answer;
    co_return co_await inner_.Claim(request, context);
  }

  AsyncStatus Release(const ports::OperationIdentity& identity, const std::string& owner,
                      const ports::Context& context) override {
    calls.emplace_back("release");
    if (fail_releases > 0 && fail_releases-- > 0) co_return Down();
    co_return co_await inner_.Release(identity, owner, context);
  }

  AsyncStatus BeginStep(const ports::OperationIdentity& identity, const ports::ClaimResult& claim,
                        const std::string& owner, const ports::StepTarget& step,
                        ports::Millis lease, const ports::Context& context) override {
    calls.push_back("begin " + step.name);
    if (fail_begins > 0 && fail_begins-- > 0) co_return Down();
    co_return co_await inner_.BeginStep(identity, claim, owner, step, lease, context);
  }

  Async<ports::FinishVerdict> Finish(const ports::FinishRequest& request,
                                     const ports::Context& context) override {
    calls.emplace_back("finish");
    finishes.push_back(request);
    contexts.push_back(context);
    if (fail_finishes > 0 && fail_finishes-- > 0) co_return Down();
    if (finish_error.has_value()) co_return *finish_error;
    if (finish_answer.has_value()) co_return *finish_answer;
    co_return co_await inner_.Finish(request, context);
  }

  Async<bool> InitializeEpoch(const Uuid& epoch, const ports::Context& context) override {
    co_return co_await inner_.InitializeEpoch(epoch, context);
  }

 private:
  ports::OperationStore& inner_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_UNIT_SERVICES_OPERATIONS_SCRIPTED_STORE_H_
