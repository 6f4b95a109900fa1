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

  /// Of every mutation of the service; that of CreateOrder can be run.
  std::vector<PlanRegistration> Registrations() {
    std::vector<PlanRegistration> all;
    all.push_back(PlanFor<payments::v1::CreateOrderRequest, payments::v1::CreateOrderResponse>(
        kCreate,
        [this](const payments::v1::CreateOrderRequest& request) -> absl::StatusOr<Plan> {
          if (request.amount() == 13) {
            return domain::InvalidRequest({{"amount", "must not be unlucky"}});
          }
          return MakePlan(request);
        },
        {.steps = {&kind_}, .result = &ReadOrder}));
    for (const rpc::MethodInfo& method : methods_.all()) {
      const std::string rpc = method.path.substr(1);
      if (method.effect != options::v1::EFFECT_MUTATION || rpc == kCreate) continue;
      PlanRegistration other = all.front();
      other.rpc = rpc;
      other.request_type = method.descriptor->input_type();
      all.push_back(std::move(other));
    }
    return all;
  }

  std::unique_ptr<Durable> Make() {
    table_ = *PlanTable::Of(Registrations());
    engine_ = std::make_unique<Engine>(context_.get_executor(),
                                       Engine::Ports{service_, store_, clock_, rng_, metrics_},
                                       settings_, table_, keys_);
    auto durable = Durable::Make(methods_, table_, *engine_);
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
  PlanTable table_;
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
    const absl::StatusOr<PlanTable> table = PlanTable::Of(std::move(plans));
    if (!table.ok()) return absl::IsFailedPrecondition(table.status());
    return absl::IsFailedPrecondition(Durable::Make(methods_, *table, *engine_).status());
  };
  EXPECT_FALSE(refused(Registrations()));

  EXPECT_TRUE(refused({})) << "mutations without a plan";
  std::vector<PlanRegistration> twice = Registrations();
  twice.push_back(twice.front());
  EXPECT_TRUE(refused(std::move(twice)));
  std::vector<PlanRegistration> other_type = Registrations();
  other_type.front().request_type = payments::v1::GetOrderRequest::descriptor();
  EXPECT_TRUE(refused(std::move(other_type)));
  std::vector<PlanRegistration> of_a_read = Registrations();
  of_a_read.push_back(of_a_read.front());
  of_a_read.back().rpc = "tollbridge.payments.v1.Payments/GetOrder";
  EXPECT_TRUE(refused(std::move(of_a_read)));
  std::vector<PlanRegistration> without_steps = Registrations();
  without_steps.front().steps.clear();
  EXPECT_TRUE(refused(std::move(without_steps)));
}

}  // namespace
}  // namespace tollbridge::operations
