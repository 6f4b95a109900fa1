#include "gateway/commands/operations_resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "tests/unit/gateway/commands/fake_gateway.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

namespace v1 = operations::v1;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kId[] = "3f2504e0-4f89-51d3-9a0c-0305e82c3301";

grpc::Status Refusal(const std::string& reason) {
  google::rpc::ErrorInfo info;
  info.set_reason(reason);
  google::rpc::Status details;
  details.add_details()->PackFrom(info);
  return {grpc::StatusCode::FAILED_PRECONDITION, "it is refused", details.SerializeAsString()};
}

/// Keeps operations as the gateway does, and closes them.
class OperationsResolveTest : public ::testing::Test {
 protected:
  struct Kept {
    v1::Operation operation;
    v1::Evidence evidence = v1::EVIDENCE_ABSENT;
    /// From the second look on, when it is another.
    std::optional<v1::Evidence> evidence_then;
    int looks = 0;
    /// What closing it is refused with, also in a dry run.
    std::string refused;
    /// The same, not in a dry run.
    std::string refused_then;
  };

  OperationsResolveTest() {
    gateway_.methods["ListOperations"] = [this](const std::string& bytes) {
      v1::ListOperationsRequest request;
      EXPECT_TRUE(request.ParseFromString(bytes));
      return List(request);
    };
    gateway_.methods["ResolveOperation"] = [this](const std::string& bytes) {
      v1::ResolveOperationRequest request;
      EXPECT_TRUE(request.ParseFromString(bytes));
      (request.validate_only() ? looks_ : closes_).push_back(request);
      return Resolve(request);
    };
  }

  Kept& Keep(const std::string& id, v1::Evidence evidence, const std::string& reason,
             v1::OperationState state = v1::OPERATION_STATE_NEEDS_REVIEW) {
    Kept& kept = kept_[id];
    kept.operation.set_id(id);
    kept.operation.set_project("shop");
    kept.operation.set_rpc("tollbridge.payments.v1.Payments/CreateRefund");
    kept.operation.set_state(state);
    if (!reason.empty()) kept.operation.set_review_reason(reason);
    kept.operation.mutable_since()->set_seconds(1'767'225'000);
    kept.operation.add_transitions()->set_number(1);
    kept.operation.add_transitions()->set_number(2);
    kept.evidence = evidence;
    return kept;
  }

  OperationsResolveOptions For(const std::string& as) const {
    OperationsResolveOptions options;
    options.channel.address = gateway_.address();
    options.project = "shop";
    options.as = as;
    options.note = "seen in the portal";
    return options;
  }
  OperationsResolveOptions One(const std::string& as) const {
    OperationsResolveOptions options = For(as);
    options.id = kId;
    return options;
  }
  OperationsResolveOptions All(const std::string& as) const {
    OperationsResolveOptions options = For(as);
    options.all = true;
    options.yes = true;
    return options;
  }

  /// Exit code; what was printed is in out_ and err_.
  int Run(const OperationsResolveOptions& options, std::istream* answers = nullptr) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = RunOperationsResolve(options, answers);
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }

  std::vector<std::string> Closed(v1::Resolution as) const {
    std::vector<std::string> ids;
    for (const auto& close : closes_) {
      if (close.resolution() == as) ids.push_back(close.operation_id());
    }
    return ids;
  }

  FakeGateway gateway_;
  std::map<std::string, Kept> kept_;
  std::vector<v1::ResolveOperationRequest> looks_;
  std::vector<v1::ResolveOperationRequest> closes_;
  std::string out_;
  std::string err_;

 private:
  FakeGateway::Answer List(const v1::ListOperationsRequest& request) const {
    v1::ListOperationsResponse response;
    auto next = kept_.upper_bound(request.page_token());
    for (; next != kept_.end() && response.operations_size() < request.page_size(); ++next) {
      const v1::Operation& operation = next->second.operation;
      response.set_next_page_token(operation.id());
      if (operation.state() == request.state()) *response.add_operations() = operation;
    }
    if (next == kept_.end()) response.clear_next_page_token();
    return {grpc::Status::OK, response.SerializeAsString()};
  }
  FakeGateway::Answer Resolve(const v1::ResolveOperationRequest& request) {
    const auto found = kept_.find(request.operation_id());
    if (found == kept_.end()) return {Refusal("OPERATION_NOT_FOUND"), ""};
    Kept& kept = found->second;
    if (!kept.refused.empty()) return {Refusal(kept.refused), ""};
    if (!request.validate_only() && !kept.refused_then.empty()) {
      return {Refusal(kept.refused_then), ""};
    }
    if (request.validate_only() && ++kept.looks == 2 && kept.evidence_then.has_value()) {
      kept.evidence = *kept.evidence_then;
    }
    v1::ResolveOperationResponse response;
    response.set_evidence(kept.evidence);
    response.set_evidence_seen("what was seen");
    if (!request.validate_only()) {
      kept.operation.set_state(request.resolution() == v1::RESOLUTION_DONE
                                   ? v1::OPERATION_STATE_DONE
                                   : v1::OPERATION_STATE_NOT_EXECUTED);
    }
    *response.mutable_operation() = kept.operation;
    return {grpc::Status::OK, response.SerializeAsString()};
  }
};

TEST_F(OperationsResolveTest, OneIsShownWithItsEvidenceAndAskedAbout) {
  Keep(kId, v1::EVIDENCE_PRESENT, "AMBIGUOUS_EVIDENCE");
  std::istringstream yes("y\n");
  ASSERT_EQ(Run(One("done"), &yes), 0) << err_;
  EXPECT_THAT(err_, AllOf(HasSubstr("evidence now: present, what was seen"),
                          HasSubstr("Close " + std::string(kId) + " as done? [y/N]")));
  ASSERT_EQ(closes_.size(), 1U);
  EXPECT_EQ(closes_[0].operation_id(), kId);
  EXPECT_EQ(closes_[0].project(), "shop");
  EXPECT_EQ(closes_[0].resolution(), v1::RESOLUTION_DONE);
  EXPECT_EQ(closes_[0].note(), "seen in the portal");
  EXPECT_EQ(closes_[0].last_transition(), 2) << "as it was shown";
  EXPECT_THAT(out_, HasSubstr("DONE"));
}

TEST_F(OperationsResolveTest, AnythingButYesChangesNothing) {
  Keep(kId, v1::EVIDENCE_ABSENT, "AMBIGUOUS_EVIDENCE");
  for (const std::string said : {"\n", "n\n", "yep\n", ""}) {
    std::istringstream answer(said);
    EXPECT_EQ(Run(One("done"), &answer), 1);
    EXPECT_THAT(err_, HasSubstr("nothing was changed"));
    OperationsResolveOptions many = All("done");
    many.yes = false;
    std::istringstream again(said);
    EXPECT_EQ(Run(many, &again), 1);
    EXPECT_THAT(err_, HasSubstr("nothing was changed"));
  }
  EXPECT_THAT(closes_, IsEmpty());
}

TEST_F(OperationsResolveTest, WithYesOrWithoutATerminalOneIsClosedUnasked) {
  Keep(kId, v1::EVIDENCE_ABSENT, "AMBIGUOUS_EVIDENCE");
  OperationsResolveOptions options = One("not-executed");
  ASSERT_EQ(Run(options, nullptr), 0);
  options.yes = true;
  std::istringstream unread("n\n");
  ASSERT_EQ(Run(options, &unread), 0);
  EXPECT_THAT(Closed(v1::RESOLUTION_NOT_EXECUTED), ElementsAre(kId, kId));
  EXPECT_THAT(looks_, IsEmpty());
}

TEST_F(OperationsResolveTest, ARefusalToCloseIsExitCode1) {
  Keep(kId, v1::EVIDENCE_PRESENT, "AMBIGUOUS_EVIDENCE").refused = "OPERATION_HAPPENED";
  OperationsResolveOptions options = One("not-executed");
  options.yes = true;
  EXPECT_EQ(Run(options), 1);
  EXPECT_THAT(err_, AllOf(HasSubstr("it is refused"), HasSubstr("OPERATION_HAPPENED")));
}

TEST_F(OperationsResolveTest, ADryRunOfOneShowsWhatItsEvidenceSays) {
  Keep(kId, v1::EVIDENCE_UNDECIDED, "EVIDENCE_UNREADABLE");
  OperationsResolveOptions options = One("");
  options.note.clear();
  options.dry_run = true;
  ASSERT_EQ(Run(options), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("evidence now: undecided"));
  options.json = true;
  ASSERT_EQ(Run(options), 0);
  const boost::json::object line = boost::json::parse(out_).as_object();
  EXPECT_EQ(line.at("evidence").as_string(), "EVIDENCE_UNDECIDED");
  EXPECT_TRUE(line.at("as").is_null());
  EXPECT_THAT(closes_, IsEmpty());
}

TEST_F(OperationsResolveTest, OneThatEvidenceDoesNotDecideIsLeft) {
  Keep(kId, v1::EVIDENCE_AMBIGUOUS, "AMBIGUOUS_EVIDENCE");
  OperationsResolveOptions options = One("evidence");
  options.yes = true;
  EXPECT_EQ(Run(options), 1);
  EXPECT_THAT(err_, HasSubstr("its evidence does not decide: nothing was changed"));
  EXPECT_THAT(closes_, IsEmpty());
}

TEST_F(OperationsResolveTest, EachIsClosedAsItsEvidenceShows) {
  Keep("a", v1::EVIDENCE_PRESENT, "EVIDENCE_UNREADABLE");
  Keep("b", v1::EVIDENCE_ABSENT, "EVIDENCE_UNREADABLE");
  Keep("c", v1::EVIDENCE_AMBIGUOUS, "EVIDENCE_UNREADABLE");
  Keep("d", v1::EVIDENCE_UNDECIDED, "EVIDENCE_UNREADABLE");
  Keep("e", v1::EVIDENCE_UNSPECIFIED, "LATE_EFFECT");
  EXPECT_EQ(Run(All("evidence")), 1) << "some are left";
  EXPECT_THAT(Closed(v1::RESOLUTION_DONE), ElementsAre("a"));
  EXPECT_THAT(Closed(v1::RESOLUTION_NOT_EXECUTED), ElementsAre("b"));
  EXPECT_EQ(closes_.size(), 2U);
  EXPECT_THAT(err_, HasSubstr("closed 1 as done, 1 as not-executed; 3 are left"));
  EXPECT_THAT(out_, HasSubstr("left: evidence does not decide"));
  for (const auto& look : looks_) EXPECT_EQ(look.resolution(), v1::RESOLUTION_DONE);
}

TEST_F(OperationsResolveTest, ADryRunShowsAndChangesNothing) {
  Keep("a", v1::EVIDENCE_PRESENT, "EVIDENCE_UNREADABLE");
  Keep("b", v1::EVIDENCE_ABSENT, "EVIDENCE_UNREADABLE");
  Keep("c", v1::EVIDENCE_ABSENT, "EVIDENCE_UNREADABLE").refused = "OPERATION_NOT_IN_REVIEW";
  OperationsResolveOptions options = All("");
  options.note.clear();
  options.yes = false;
  options.dry_run = true;
  ASSERT_EQ(Run(options), 0) << err_;
  EXPECT_THAT(closes_, IsEmpty());
  EXPECT_THAT(out_, AllOf(HasSubstr("present"), HasSubstr("not-executed"),
                          HasSubstr("left: OPERATION_NOT_IN_REVIEW")));
  EXPECT_THAT(err_, HasSubstr("would close 1 as done, 1 as not-executed; 1 would be left"));
}

TEST_F(OperationsResolveTest, AFilterTakesStateReasonAndAge) {
  Keep("old", v1::EVIDENCE_ABSENT, "EVIDENCE_UNREADABLE");
  Keep("young", v1::EVIDENCE_ABSENT, "EVIDENCE_UNREADABLE")
      .operation.mutable_since()
      ->set_seconds(1'767'225'100);
  Keep("late", v1::EVIDENCE_ABSENT, "LATE_EFFECT");
  Keep("unknown", v1::EVIDENCE_ABSENT, "", v1::OPERATION_STATE_UNKNOWN);
  OperationsResolveOptions options = All("not-executed");
  options.reason = "EVIDENCE_UNREADABLE";
  options.older_than = "2025-12-31T23:50:30Z";  // between the two
  ASSERT_EQ(Run(options), 0) << err_;
  EXPECT_THAT(Closed(v1::RESOLUTION_NOT_EXECUTED), ElementsAre("old"));

  closes_.clear();
  options = All("done");
  options.state = "unknown";
  ASSERT_EQ(Run(options), 0) << err_;
  EXPECT_THAT(Closed(v1::RESOLUTION_DONE), ElementsAre("unknown"));
}

TEST_F(OperationsResolveTest, PagesAreFollowedUpToTheLimit) {
  for (int i = 0; i < 1'100; ++i) {
    Keep("op-" + std::to_string(10'000 + i), v1::EVIDENCE_ABSENT,
         i % 2 == 0 ? "LATE_EFFECT" : "EVIDENCE_UNREADABLE");
  }
  OperationsResolveOptions options = All("not-executed");
  options.reason = "EVIDENCE_UNREADABLE";
  options.limit = 520;
  ASSERT_EQ(Run(options), 0) << err_;
  EXPECT_EQ(closes_.size(), 520U);
  EXPECT_THAT(err_, HasSubstr("there are more"));
  ASSERT_EQ(Run(options), 0) << err_;
  EXPECT_EQ(closes_.size(), 550U);
  EXPECT_THAT(err_, Not(HasSubstr("there are more")));
}

TEST_F(OperationsResolveTest, OneThatCannotBeClosedHoldsUpNoOther) {
  Keep("a", v1::EVIDENCE_ABSENT, "LATE_EFFECT").refused_then = "OPERATION_CHANGED";
  Keep("b", v1::EVIDENCE_ABSENT, "LATE_EFFECT");
  EXPECT_EQ(Run(All("not-executed")), 1);
  EXPECT_THAT(out_, HasSubstr("left: OPERATION_CHANGED"));
  EXPECT_THAT(err_, HasSubstr("closed 0 as done, 1 as not-executed; 1 are left"));
  EXPECT_EQ(kept_.at("b").operation.state(), v1::OPERATION_STATE_NOT_EXECUTED);
}

TEST_F(OperationsResolveTest, WhatEvidenceShowsNoLongerIsNotClosed) {
  Keep("a", v1::EVIDENCE_PRESENT, "LATE_EFFECT").evidence_then = v1::EVIDENCE_UNDECIDED;
  Keep("b", v1::EVIDENCE_ABSENT, "LATE_EFFECT").evidence_then = v1::EVIDENCE_AMBIGUOUS;
  Keep("c", v1::EVIDENCE_ABSENT, "LATE_EFFECT");
  EXPECT_EQ(Run(All("evidence")), 1);
  ASSERT_EQ(closes_.size(), 1U);
  EXPECT_EQ(closes_[0].operation_id(), "c");
  EXPECT_THAT(out_, HasSubstr("left: its evidence has changed"));
  EXPECT_THAT(err_, HasSubstr("closed 0 as done, 1 as not-executed; 2 are left"));

  Keep(kId, v1::EVIDENCE_PRESENT, "LATE_EFFECT").evidence_then = v1::EVIDENCE_UNDECIDED;
  std::istringstream yes("y\n");
  EXPECT_EQ(Run(One("evidence"), &yes), 1);
  EXPECT_THAT(err_, HasSubstr("its evidence has changed: nothing was changed"));
  EXPECT_EQ(closes_.size(), 1U);
}

TEST_F(OperationsResolveTest, WhereNobodyCanBeAskedAFilterNeedsYes) {
  Keep("a", v1::EVIDENCE_ABSENT, "LATE_EFFECT");
  OperationsResolveOptions options = All("done");
  options.yes = false;
  EXPECT_EQ(Run(options, nullptr), 2);
  EXPECT_THAT(err_, HasSubstr("--yes"));
  EXPECT_THAT(gateway_.calls, IsEmpty());
}

TEST_F(OperationsResolveTest, AFilterThatFindsNothingEndsWell) {
  EXPECT_EQ(Run(All("done")), 0);
  EXPECT_THAT(out_, HasSubstr("no operations"));
}

TEST_F(OperationsResolveTest, OptionsThatDoNotFitAreExitCode2) {
  OperationsResolveOptions options = All("done");
  options.state = "unknown";
  options.reason = "LATE_EFFECT";
  EXPECT_EQ(Run(options), 2);
  EXPECT_THAT(err_, HasSubstr("--reason"));
  options = All("done");
  options.older_than = "yesterday";
  EXPECT_EQ(Run(options), 2);
  EXPECT_THAT(err_, HasSubstr("--older-than"));
  for (const std::string& note : {std::string(201, 'x'), std::string(" \t")}) {
    options = All("done");
    options.note = note;
    EXPECT_EQ(Run(options), 2);
    EXPECT_THAT(err_, HasSubstr("--note"));
  }
  EXPECT_THAT(gateway_.calls, IsEmpty());
}

}  // namespace
}  // namespace tollbridge::gateway
