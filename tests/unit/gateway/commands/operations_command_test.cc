#include "gateway/commands/operations_command.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/gateway/commands/fake_gateway.h"
#include "tollbridge/operations/v1/operations.pb.h"

namespace tollbridge::gateway {
namespace {

namespace v1 = operations::v1;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kId[] = "3f2504e0-4f89-51d3-9a0c-0305e82c3301";

template <typename Message>
Message Parse(const std::string& bytes) {
  Message message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  return message;
}

v1::Operation InReview() {
  v1::Operation operation;
  operation.set_id(kId);
  operation.set_project("shop");
  operation.set_state(v1::OPERATION_STATE_NEEDS_REVIEW);
  return operation;
}

class OperationsCommandTest : public ::testing::Test {
 protected:
  OperationsCommandTest() {
    gateway_.methods["GetOperation"] = [this](const std::string& request) {
      gets_.push_back(Parse<v1::GetOperationRequest>(request));
      v1::GetOperationResponse response;
      *response.mutable_operation() = InReview();
      return FakeGateway::Answer{grpc::Status::OK, response.SerializeAsString()};
    };
    // Pages of what is asked for, 1200 operations in all.
    gateway_.methods["ListOperations"] = [this](const std::string& bytes) {
      const auto request = Parse<v1::ListOperationsRequest>(bytes);
      lists_.push_back(request);
      v1::ListOperationsResponse response;
      int next = request.page_token().empty() ? 0 : std::stoi(request.page_token());
      for (int i = 0; i < request.page_size() && next < 1200; ++i, ++next) {
        response.add_operations()->set_id("op-" + std::to_string(next));
      }
      if (next < 1200) response.set_next_page_token(std::to_string(next));
      return FakeGateway::Answer{grpc::Status::OK, response.SerializeAsString()};
    };
  }

  template <typename Options>
  Options For() const {
    Options options;
    options.channel.address = gateway_.address();
    options.project = "shop";
    return options;
  }
  /// Exit code; what was printed is in out_ and err_.
  int Run(const std::function<int()>& command) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = command();
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }
  FakeGateway gateway_;
  std::vector<v1::GetOperationRequest> gets_;
  std::vector<v1::ListOperationsRequest> lists_;
  std::string out_;
  std::string err_;
};

TEST_F(OperationsCommandTest, ListFollowsThePagesUpToItsLimit) {
  auto options = For<OperationsListOptions>();
  options.limit = 700;
  options.json = true;
  ASSERT_EQ(Run([&] { return RunOperationsList(options); }), 0) << err_;
  v1::ListOperationsResponse shown;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(out_, &shown).ok()) << out_;
  EXPECT_EQ(shown.operations_size(), 700);
  EXPECT_EQ(shown.next_page_token(), "700");
  ASSERT_THAT(lists_, SizeIs(2));
  EXPECT_EQ(lists_[0].page_size(), 500);
  EXPECT_EQ(lists_[1].page_size(), 200);
  EXPECT_EQ(lists_[0].project(), "shop");

  options.page_token = shown.next_page_token();
  ASSERT_EQ(Run([&] { return RunOperationsList(options); }), 0);
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(out_, &shown).ok());
  EXPECT_EQ(shown.operations_size(), 500);
  EXPECT_EQ(shown.operations(0).id(), "op-700");
  EXPECT_EQ(shown.next_page_token(), "");
}

TEST_F(OperationsCommandTest, ListHandsItsFiltersOnAndSaysThatThereIsMore) {
  auto options = For<OperationsListOptions>();
  options.state = "needs-review";
  options.limit = 3;
  ASSERT_EQ(Run([&] { return RunOperationsList(options); }), 0);
  EXPECT_EQ(lists_.at(0).state(), v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_THAT(out_, HasSubstr("op-2"));
  EXPECT_THAT(out_, HasSubstr("--page-token 3"));
  options.state.clear();
  options.order = "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10";
  ASSERT_EQ(Run([&] { return RunOperationsList(options); }), 0);
  EXPECT_FALSE(lists_.back().has_state());
  EXPECT_EQ(lists_.back().order_id(), options.order);
}

TEST_F(OperationsCommandTest, ShowTellsTheStoryOrTheJsonOfTheOperation) {
  auto options = For<OperationsShowOptions>();
  options.key = "a key";
  ASSERT_EQ(Run([&] { return RunOperationsShow(options); }), 0);
  EXPECT_EQ(gets_.at(0).idempotency_key(), "a key");
  EXPECT_FALSE(gets_.at(0).has_operation_id());
  EXPECT_THAT(out_, HasSubstr("what to do"));
  options.json = true;
  ASSERT_EQ(Run([&] { return RunOperationsShow(options); }), 0);
  v1::Operation shown;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(out_, &shown).ok());
  EXPECT_EQ(shown.id(), kId);
}

TEST_F(OperationsCommandTest, WhatIsNotFoundIsExitCode1WithTheReasonOnStderr) {
  gateway_.methods["GetOperation"] = [](const std::string&) {
    return FakeGateway::Answer{grpc::Status(grpc::StatusCode::NOT_FOUND, "no such operation"), ""};
  };
  auto options = For<OperationsShowOptions>();
  options.id = kId;
  EXPECT_EQ(Run([&] { return RunOperationsShow(options); }), 1);
  EXPECT_EQ(out_, "");
  EXPECT_THAT(err_, HasSubstr("no such operation"));
}

TEST_F(OperationsCommandTest, OptionsThatDoNotFitAreExitCode2) {
  auto options = For<OperationsShowOptions>();
  options.channel.tls_key = "key-without-certificate";
  EXPECT_EQ(Run([&] { return RunOperationsShow(options); }), 2);
  EXPECT_THAT(gateway_.calls, IsEmpty());
}

}  // namespace
}  // namespace tollbridge::gateway
