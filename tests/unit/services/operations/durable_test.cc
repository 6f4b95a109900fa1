#include "services/operations/durable.h"

#include <algorithm>

#include "services/rpc/call.h"
#include "services/rpc/pipeline.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

constexpr std::string_view kCreate = "tollbridge.payments.v1.Payments/CreateOrder";

class ReadHandler final : public rpc::Handler {
 public:
  AsyncStatus Handle(rpc::Call&) override {
    ++calls;
    co_return absl::OkStatus();
  }
  int calls = 0;
};

class DurableTest : public EngineTest {
 protected:
  DurableTest() : methods_(*rpc::MethodTable::Of({"tollbridge.payments.v1.Payments"})) {}

  PlanRegistration Registration() {
    return PlanFor<payments::v1::CreateOrderRequest>(
        kCreate, [this](const payments::v1::CreateOrderRequest& request) -> absl::StatusOr<Plan> {
          if (request.amount() == 13) {
            return domain::InvalidRequest({{"amount", "must not be unlucky"}});
          }
          return MakePlan(request);
        });
  }

  std::unique_ptr<Durable> Make() {
    auto durable = Durable::Make(methods_, {Registration()}, *engine_);
    EXPECT_TRUE(durable.ok()) << durable.status();
    return *std::move(durable);
  }

  std::unique_ptr<rpc::Call> MakeCall(std::string_view method,
                                      const google::protobuf::Message& request) {
    rpc::CallHead head;
    head.deadline = CallContext().deadline;
    head.remote_trace = CallContext().trace;
    return std::make_unique<rpc::Call>(*methods_.Find(method), head, request);
  }

  absl::Status Handle(rpc::Call& call) {
    std::vector<std::unique_ptr<rpc::Middleware>> links;
    links.push_back(Make());
    rpc::Pipeline pipeline(std::move(links));
    return test::Await(context_, pipeline.Run(call, read_));
  }

  std::unique_ptr<rpc::Call> Create(const std::string& key, std::int64_t amount) {
    return MakeCall("tollbridge.payments.v1.Payments.CreateOrder", Request(key, amount));
  }

  rpc::MethodTable methods_;
  ReadHandler read_;
};

TEST_F(DurableTest, RunsThePlanOfAMutationAndNothingBehindIt) {
  const auto call = Create("key", 500);
  ASSERT_TRUE(Handle(*call).ok());
  const auto& response = static_cast<const payments::v1::CreateOrderResponse&>(call->response());
  EXPECT_EQ(response.order().amount(), 500);
  EXPECT_EQ(call->operation_id(), OperationId(TestProject().id, "key").ToString());
  EXPECT_EQ(call->order_id(), response.order().id());
  EXPECT_TRUE(call->initial_metadata().empty());
  EXPECT_EQ(read_.calls, 0);
}

TEST_F(DurableTest, MarksAReplayInTheInitialMetadata) {
  const auto first = Create("key", 500);
  const auto second = Create("key", 500);
  ASSERT_TRUE(Handle(*first).ok());
  ASSERT_TRUE(Handle(*second).ok());
  EXPECT_THAT(second->initial_metadata(),
              ::testing::ElementsAre(::testing::Pair("tollbridge-replay", "true")));
  EXPECT_EQ(second->response().SerializeAsString(), first->response().SerializeAsString());
}

TEST_F(DurableTest, RefusesWhatThePlanRefusesWithoutAnyCall) {
  const auto call = Create("key", 13);
  EXPECT_EQ(Handle(*call).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(store_.calls.empty());
  EXPECT_TRUE(service_.created().empty());
}

TEST_F(DurableTest, GivesTheErrorOfTheOperation) {
  store_.fail_claims = 1;
  const auto call = Create("key", 500);
  EXPECT_EQ(Handle(*call).code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(call->operation_id().empty());
}

TEST_F(DurableTest, LetsReadsGoOn) {
  const auto call =
      MakeCall("tollbridge.payments.v1.Payments.GetOrder", payments::v1::GetOrderRequest());
  EXPECT_TRUE(Handle(*call).ok());
  EXPECT_EQ(read_.calls, 1);
  EXPECT_TRUE(store_.calls.empty());
}

TEST_F(DurableTest, RefusesPlansThatDoNotFitTheMethods) {
  const auto refused = [&](std::vector<PlanRegistration> plans) {
    return Durable::Make(methods_, std::move(plans), *engine_).status().code() ==
           absl::StatusCode::kFailedPrecondition;
  };
  const auto other_type = PlanFor<payments::v1::GetOrderRequest>(
      kCreate, [](const payments::v1::GetOrderRequest&) -> absl::StatusOr<Plan> { return Plan{}; });
  PlanRegistration of_a_read = other_type;
  of_a_read.rpc = "tollbridge.payments.v1.Payments/GetOrder";
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({Registration(), Registration()}));
  EXPECT_TRUE(refused({other_type}));
  EXPECT_TRUE(refused({Registration(), of_a_read}));
  EXPECT_FALSE(refused({Registration()}));
}

}  // namespace
}  // namespace tollbridge::operations
