#include "services/operations/method.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/core/status_macros.h"
#include "services/operations/methods.h"
#include "tests/support/fakes/unasked_method_ports.h"
#include "tests/unit/services/operations/engine_fixture.h"
#include "tollbridge/payouts/v1/payouts.pb.h"
#include "tollbridge/search/v1/search.pb.h"

namespace tollbridge::operations {
namespace {

using payouts::v1::CreatePayoutRequest;
using payouts::v1::GetPayoutRequest;
using payouts::v1::GetPayoutResponse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kPayouts = "tollbridge.payouts.v1.Payouts";
constexpr std::string_view kSearch = "tollbridge.search.v1.Search";

Async<GetPayoutResponse> Get(ports::PaymentService&, const domain::Project& project,
                             const GetPayoutRequest& request, ports::Context) {
  GetPayoutResponse response;
  response.mutable_order()->set_id(project.name + "/" + request.order_id());
  co_return response;
}

template <typename Response, typename Request>
Async<Response> AnswerEmpty(ports::PaymentService&, const domain::Project&, const Request&,
                            ports::Context) {
  co_return Response();
}

AsyncStatus StreamTwice(const MethodPorts&, const domain::Project& project,
                        const search::v1::StreamOrdersRequest&, const ports::Context&,
                        const StreamSink<search::v1::StreamOrdersResponse>& sink) {
  search::v1::StreamOrdersResponse response;
  response.mutable_order()->set_id(project.name);
  for (int i = 0; i < 2; ++i) {
    TB_CO_RETURN_IF_ERROR(co_await sink({response.SerializeAsString()}));
  }
  co_return absl::OkStatus();
}

Plan PlanPayout(const domain::Project& project, const CreatePayoutRequest& request) {
  Plan plan;
  plan.project = &project;
  plan.idempotency_key = request.idempotency_key();
  return plan;
}

std::vector<domain::FieldViolation> WithoutAmount(const CreatePayoutRequest& request,
                                                  const domain::Project* /*project*/) {
  if (request.has_amount()) return {};
  return {{"amount", "must be there"}};
}

std::vector<std::string> Fields(const std::vector<domain::FieldViolation>& violations) {
  std::vector<std::string> fields;
  for (const domain::FieldViolation& violation : violations) fields.push_back(violation.field);
  return fields;
}

/// Keeps what is streamed.
class FakeWire final : public rpc::WireCall {
 public:
  bool cancelled() const override { return false; }
  AsyncStatus Write(std::string bytes, const rpc::Metadata&) override {
    messages.push_back(std::move(bytes));
    co_return absl::OkStatus();
  }
  std::vector<std::string> messages;
};

class MethodTest : public EngineTest {
 protected:
  MutationSpec Spec() { return {.steps = {&kind_}, .result = &ReadOrder}; }
  std::vector<Method> Payouts() {
    return {Mutation(&PlanPayout, Spec(), &WithoutAmount), Read(&Get)};
  }

  static rpc::MethodTable Table(std::string_view service) {
    return *rpc::MethodTable::Of({service});
  }

  /// What is wrong with these methods of a service; empty when they are accepted.
  static std::string Refused(std::string_view service, std::vector<Method> methods) {
    const rpc::MethodTable table = Table(service);
    const auto made = Methods::Of(table, std::move(methods));
    if (made.ok()) return "";
    EXPECT_EQ(made.status().code(), absl::StatusCode::kFailedPrecondition);
    return std::string(made.status().message());
  }

  rpc::CallHead Head() { return {.deadline = CallContext().deadline}; }

  test::UnaskedMethodPorts ports_;
  rpc::MethodTable table_ = Table(kPayouts);
  std::unique_ptr<const Methods> methods_ = *Methods::Of(table_, Payouts());
};

TEST_F(MethodTest, AMutationIsFoundByItsRequestAndMakesItsPlanInItsProject) {
  const PlanRegistration* plan =
      methods_->plans().Find("tollbridge.payouts.v1.Payouts/CreatePayout");
  ASSERT_NE(plan, nullptr);
  CreatePayoutRequest request;
  request.set_idempotency_key("key");
  const absl::StatusOr<Plan> made = plan->make(TestProject(), request);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->rpc, plan->rpc);
  EXPECT_EQ(made->request, &request);
  EXPECT_EQ(made->project, &TestProject());
  EXPECT_EQ(made->idempotency_key, "key");
}

TEST_F(MethodTest, PendingIsAnAnswerOfItsOwnResponse) {
  v1::PendingOperation pending;
  pending.set_operation_id("id");
  const auto answered =
      methods_->plans().Find("tollbridge.payouts.v1.Payouts/CreatePayout")->pending(pending);
  const auto& response = dynamic_cast<const payouts::v1::CreatePayoutResponse&>(*answered);
  EXPECT_EQ(response.pending().operation_id(), "id");
}

TEST_F(MethodTest, ARequestBreaksTheRulesOfItsProjectAndOfItsMethodAtOnce) {
  const rpc::MethodInfo& create = *table_.Find("tollbridge.payouts.v1.Payouts.CreatePayout");
  const auto own = [&](const google::protobuf::Message& request, const domain::Project* project) {
    const domain::FieldRulesChecker fields({request.GetDescriptor()}, {});
    auto all = methods_->rules().Check(create, request, project);
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(fields.Check(request).size()));
    return all;
  };
  CreatePayoutRequest request;
  EXPECT_THAT(Fields(own(request, nullptr)), ElementsAre("project", "amount"));
  EXPECT_THAT(own(request, nullptr)[0].rule, HasSubstr("is required"));
  request.set_project("nobody");
  EXPECT_THAT(own(request, nullptr)[0].rule, HasSubstr("must name a configured project"));
  EXPECT_THAT(Fields(own(request, &TestProject())), ElementsAre("amount"));
  request.set_amount(1);
  EXPECT_THAT(own(request, &TestProject()), IsEmpty());
}

TEST_F(MethodTest, AReadIsGivenItsProjectAndAnswersTheCall) {
  rpc::Dispatcher dispatcher({});
  methods_->Bind(ports_.With(service_, clock_), dispatcher);
  GetPayoutRequest request;
  request.set_order_id("7");
  rpc::Call call(*table_.Find("tollbridge.payouts.v1.Payouts.GetPayout"), Head(), request);
  EXPECT_EQ(test::Await(context_, dispatcher.Dispatch(call)).code(), absl::StatusCode::kInternal)
      << "nobody has resolved its project";
  call.set_project(&TestProject());
  ASSERT_TRUE(test::Await(context_, dispatcher.Dispatch(call)).ok());
  GetPayoutResponse response;
  ASSERT_TRUE(response.ParseFromString(call.answer()));
  EXPECT_EQ(response.order().id(), "shop/7");
}

TEST_F(MethodTest, AStreamWritesToItsCall) {
  const rpc::MethodTable table = Table(kSearch);
  const auto methods = Methods::Of(
      table, {Read(&AnswerEmpty<search::v1::SearchOrdersResponse, search::v1::SearchOrdersRequest>),
              ServerStream(&StreamTwice),
              Watch<search::v1::ExportOrdersRequest, search::v1::ExportOrdersResponse>(
                  [](const MethodPorts&) { return nullptr; })});
  ASSERT_TRUE(methods.ok()) << methods.status();
  rpc::Dispatcher dispatcher({});
  (*methods)->Bind(ports_.With(service_, clock_), dispatcher);
  FakeWire wire;
  rpc::Call call(*table.Find("tollbridge.search.v1.Search.StreamOrders"), Head(), "", wire);
  ASSERT_TRUE(call.Parse().ok());
  call.set_project(&TestProject());
  ASSERT_TRUE(test::Await(context_, dispatcher.Dispatch(call)).ok());
  EXPECT_EQ(wire.messages.size(), 2U);
  EXPECT_FALSE(call.waits());
  rpc::Call watch(*table.Find("tollbridge.search.v1.Search.ExportOrders"), Head(), "", wire);
  EXPECT_EQ(test::Await(context_, dispatcher.Dispatch(watch)).code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(watch.waits());
}

TEST_F(MethodTest, EachPublishedMethodIsThereExactlyOnce) {
  EXPECT_EQ(Refused(kPayouts, Payouts()), "");
  EXPECT_THAT(Refused(kPayouts, {Read(&Get)}),
              HasSubstr("CreatePayout: is published and not made"));
  std::vector<Method> twice = Payouts();
  twice.push_back(Read(&Get));
  EXPECT_THAT(Refused(kPayouts, twice), HasSubstr("GetPayout: is there twice"));
  std::vector<Method> more = Payouts();
  more.push_back(
      Read(&AnswerEmpty<search::v1::SearchOrdersResponse, search::v1::SearchOrdersRequest>));
  EXPECT_THAT(Refused(kPayouts, more), HasSubstr("SearchOrders: is of no published method"));
}

TEST_F(MethodTest, AMethodOfAnotherKindThanItsProtoSaysIsRefused) {
  const std::function plan_of_a_read = [](const domain::Project&, const GetPayoutRequest&) {
    return Plan();
  };
  EXPECT_THAT(Refused(kPayouts, {Payouts()[0], Mutation(plan_of_a_read, Spec())}),
              HasSubstr("GetPayout: has a plan and is no mutation"));
  EXPECT_THAT(
      Refused(kPayouts, {Read(&AnswerEmpty<payouts::v1::CreatePayoutResponse, CreatePayoutRequest>),
                         Read(&Get)}),
      HasSubstr("CreatePayout: is a mutation without a plan"));
  EXPECT_THAT(
      Refused(kPayouts, {Payouts()[0],
                         Read(&AnswerEmpty<payouts::v1::CreatePayoutResponse, GetPayoutRequest>)}),
      HasSubstr("GetPayout: answers with another message"));
  EXPECT_THAT(Refused(kPayouts, {Mutation(&PlanPayout, {}), Read(&Get)}), HasSubstr("no steps"));
}

TEST_F(MethodTest, AStreamThatAnswersOnceIsRefused) {
  const auto read =
      Read(&AnswerEmpty<search::v1::SearchOrdersResponse, search::v1::SearchOrdersRequest>);
  const auto once =
      Read(&AnswerEmpty<search::v1::ExportOrdersResponse, search::v1::ExportOrdersRequest>);
  EXPECT_THAT(Refused(kSearch, {read, ServerStream(&StreamTwice), once}),
              HasSubstr("ExportOrders: streams and should not, or should and does not"));
}

TEST_F(MethodTest, TheServiceOperationsIsWhole) {
  EXPECT_EQ(Refused("tollbridge.operations.v1.Operations", OperationMethods({})), "");
}

}  // namespace
}  // namespace tollbridge::operations
