#include "gateway/commands/operations_confirm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/gateway/commands/fake_gateway.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

namespace v1 = operations::v1;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kId[] = "3f2504e0-4f89-51d3-9a0c-0305e82c3301";
constexpr char kApproval[] = "7f2504e0-4f89-51d3-9a0c-0305e82c3302";

class OperationsConfirmTest : public ::testing::Test {
 protected:
  OperationsConfirmTest() {
    operation_.set_id(kId);
    operation_.set_project("shop");
    operation_.set_state(v1::OPERATION_STATE_AWAITS_APPROVAL);
    v1::Approval& approval = *operation_.mutable_approval();
    approval.set_id(kApproval);
    approval.set_asked_by("spiffe://shop.example/a");
    approval.set_reason("a payout of 1001 EUR");
    approval.mutable_step()->set_amount(1001);
    approval.mutable_step()->set_currency("EUR");
    gateway_.methods["GetOperation"] = [this](const std::string&) {
      v1::GetOperationResponse response;
      *response.mutable_operation() = operation_;
      return FakeGateway::Answer{grpc::Status::OK, response.SerializeAsString()};
    };
    gateway_.methods["ConfirmOperation"] = [this](const std::string& bytes) {
      v1::ConfirmOperationRequest request;
      EXPECT_TRUE(request.ParseFromString(bytes));
      confirms_.push_back(request);
      operation_.mutable_approval()->set_confirmed_by("spiffe://shop.example/b");
      v1::ConfirmOperationResponse response;
      *response.mutable_operation() = operation_;
      return FakeGateway::Answer{grpc::Status::OK, response.SerializeAsString()};
    };
  }

  OperationsConfirmOptions Options(const std::string& approval = "") const {
    OperationsConfirmOptions options;
    options.channel.address = gateway_.address();
    options.project = "shop";
    options.id = kId;
    options.approval = approval;
    return options;
  }
  int Run(const OperationsConfirmOptions& options, std::istream* answers = nullptr) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = RunOperationsConfirm(options, answers);
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }

  FakeGateway gateway_;
  v1::Operation operation_;
  std::vector<v1::ConfirmOperationRequest> confirms_;
  std::string out_;
  std::string err_;
};

TEST_F(OperationsConfirmTest, ShowsWhatIsAskedAndConfirmsThat) {
  std::istringstream yes("y\n");
  EXPECT_EQ(Run(Options(), &yes), 0);
  EXPECT_THAT(err_, AllOf(HasSubstr("spiffe://shop.example/a"), HasSubstr("1001 EUR"),
                          HasSubstr(std::string("--approval ") + kApproval)));
  ASSERT_THAT(confirms_, SizeIs(1));
  EXPECT_EQ(confirms_[0].approval_id(), kApproval);
  EXPECT_EQ(confirms_[0].operation_id(), kId);
  EXPECT_THAT(out_, AllOf(HasSubstr("confirmed by"), HasSubstr("same idempotency key")));
}

TEST_F(OperationsConfirmTest, ANoChangesNothing) {
  std::istringstream no("n\n");
  EXPECT_EQ(Run(Options(), &no), kCallFailed);
  EXPECT_THAT(err_, HasSubstr("nothing was changed"));
  EXPECT_THAT(confirms_, IsEmpty());
}

TEST_F(OperationsConfirmTest, WhereNobodySitsTheApprovalIsNamed) {
  EXPECT_EQ(Run(Options()), kCallNotMade);
  EXPECT_THAT(err_, HasSubstr("--approval"));
  OperationsConfirmOptions options = Options(kApproval);
  options.note = "called them";
  options.dry_run = true;
  EXPECT_EQ(Run(options), 0);
  ASSERT_THAT(confirms_, SizeIs(1));
  EXPECT_EQ(confirms_[0].note(), "called them");
  EXPECT_TRUE(confirms_[0].validate_only());
}

TEST_F(OperationsConfirmTest, WhatNobodyAsksForIsNotConfirmed) {
  operation_.clear_approval();
  std::istringstream yes("y\n");
  EXPECT_EQ(Run(Options(), &yes), kCallFailed);
  EXPECT_THAT(err_, HasSubstr("nothing is asked"));
  EXPECT_THAT(confirms_, IsEmpty());
}

}  // namespace
}  // namespace tollbridge::gateway
