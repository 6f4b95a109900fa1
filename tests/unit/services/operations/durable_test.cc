#include "services/operations/durable.h"

#include <functional>

#include "services/rpc/call.h"
#include "services/rpc/pipeline.h"
#include "tests/unit/services/operations/engine_fixture.h"

namespace tollbridge::operations {
namespace {

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

  std::unique_ptr<Durable> Make() {
    const std::function make =
        [this](const domain::Project& project,
               const payments::v1::CreateOrderRequest& request) -> absl::StatusOr<Plan> {
      EXPECT_EQ(&project, &TestProject());
      if (request.amount() == 13) {
        return domain::InvalidRequest({{"amount", "must not be unlucky"}});
      }
      return MakePlan(request);
    };
    table_ = *PlanTable::Of({PlanFor(make, {.steps = {&kind_}, .result = &ReadOrder})});
    engine_ = std::make_unique<Engine>(
        context_.get_executor(), Engine::Ports{service_, store_, clock_, rng_, metrics_, memory_},
        settings_, table_, Keys());
    return std::make_unique<Durable>(table_, *engine_);
  }

  std::unique_ptr<rpc::Call> MakeCall(std::string_view method,
                                      const google::protobuf::Message& request) {
    rpc::CallHead head;
    head.deadline = CallContext().deadline;
    head.remote_trace = CallContext().trace;
    auto call = std::make_unique<rpc::Call>(*methods_.Find(method), head, request);
    call->set_project(&TestProject());
    return call;
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
  PlanTable table_;
  ReadHandler read_;
};

TEST_F(DurableTest, RunsThePlanOfAMutationAndNothingBehindIt) {
  const auto call = Create("key", 500);
  ASSERT_TRUE(Handle(*call).ok());
  payments::v1::CreateOrderResponse response;
  ASSERT_TRUE(response.ParseFromString(call->answer()));
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
  EXPECT_EQ(second->answer(), first->answer());
  EXPECT_FALSE(first->answer().empty());
  EXPECT_EQ(first->outcome(), "done");
  EXPECT_EQ(second->outcome(), "replayed");
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

TEST_F(DurableTest, RunsNothingForACallWhoseProjectNobodyResolved) {
  const auto call = Create("key", 500);
  call->set_project(nullptr);
  EXPECT_EQ(Handle(*call).code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(store_.calls.empty());
}

}  // namespace
}  // namespace tollbridge::operations
