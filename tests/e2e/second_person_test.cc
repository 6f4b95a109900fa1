// A second person: two certificates, against the product as it is deployed. Nothing is sent or
// closed before the other one has confirmed it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/support/mutations.h"
#include "tests/integration/rpc/certificates.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tollbridge/operations/v1/operations.pb.h"
#include "tollbridge/payouts/v1/payouts.pb.h"

namespace tollbridge::test {
namespace {

using operations::v1::Operation;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kAsker = "spiffe://shop.example/tests";
constexpr const char* kLead = "spiffe://shop.example/lead";
constexpr const char* kConfirm = "tollbridge.operations.v1.Operations.ConfirmOperation";

/// The stack's own caller may do everything; the lead may read operations and confirm.
class SecondPersonTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { world_ = std::make_unique<World>(); }
  static void TearDownTestSuite() { world_.reset(); }
  static Stack& stack() { return *world_->stack; }
  static GrpcClient& asker() { return stack().grpc(); }
  static GrpcClient& lead() { return *world_->client; }

  /// The command line of the lead.
  static Finished LeadRuns(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--address", stack().grpc_address(), "--tls-ca",
                                       world_->ca_file, "--tls-certificate",
                                       world_->certificate_file, "--tls-key", world_->key_file});
    return stack().Tollbridge(arguments);
  }
  static RpcReply Confirm(GrpcClient& client, const Mutation& mutation,
                          const std::string& approval) {
    operations::v1::ConfirmOperationRequest request;
    request.set_project("demo");
    request.set_operation_id(OperationIdOf(mutation));
    request.set_approval_id(approval);
    return client.Call(kConfirm, request);
  }
  static Operation Shown(const Mutation& mutation) {
    return ReadOperation(asker(), mutation).value_or(Operation());
  }

 private:
  struct World {
    World() {
      const std::string callers =
          "[{identity: '" + std::string(kAsker) +
          "', projects: ['*'], permissions: ['*']}, {identity: '" + std::string(kLead) +
          "', projects: [demo], permissions: [operations.read, operations.confirm]}]";
      StackOptions options{.sandbox_arguments = ImmediateSandbox(),
                           .tls = true,
                           .more_callers_ca = leads.certificate(),
                           .limits = "{payouts_to_confirm: [{currency: '*', amount: 1000}]}"};
      options.settings = ShortIntervals();
      options.settings["rpc"]["callers"] = callers;
      options.settings["operations"]["resolve_needs_approval"] = "true";
      stack = std::make_unique<Stack>(options);
      const Certified own = leads.Issue("URI:" + std::string(kLead) + ",DNS:lead.shop.example");
      const RpcTls tls{stack->caller_tls()->root_certificates, own.key, own.certificate};
      client = std::make_unique<GrpcClient>(stack->grpc_address(), tls);
      ca_file = folder.Write("ca.pem", tls.root_certificates);
      certificate_file = folder.Write("lead.pem", own.certificate);
      key_file = folder.WriteSecret("lead-key.pem", own.key);
    }

    TempFolder folder;
    Authority leads;
    std::unique_ptr<Stack> stack;
    std::unique_ptr<GrpcClient> client;
    std::string ca_file;
    std::string certificate_file;
    std::string key_file;
  };
  static inline std::unique_ptr<World> world_;
};

TEST_F(SecondPersonTest, APayoutAboveItsLimitGoesOutWhenAnotherHasConfirmedIt) {
  const Mutation payout = Prepare(stack(), Kind::kPayoutByCard, "second-person");  // of 1250
  const std::size_t orders = stack().SandboxOrders().size();
  for (int i = 0; i < 2; ++i) {
    const Told told = CallOnce(asker(), payout);
    EXPECT_EQ(told.status.code_name(), "FAILED_PRECONDITION") << told.text();
    EXPECT_EQ(told.status.reason, "APPROVAL_NEEDED");
  }
  const Operation waiting = Shown(payout);
  EXPECT_EQ(waiting.state(), operations::v1::OPERATION_STATE_AWAITS_APPROVAL);
  EXPECT_EQ(waiting.approval().asked_by(), kAsker);
  EXPECT_EQ(waiting.approval().step().amount(), 1250);
  const std::string approval = waiting.approval().id();
  EXPECT_EQ(Confirm(asker(), payout, approval).status.reason, "ANOTHER_IDENTITY_NEEDED");
  EXPECT_EQ(CallOnce(lead(), payout).status.code_name(), "PERMISSION_DENIED");

  const std::string id = OperationIdOf(payout);
  EXPECT_THAT(LeadRuns({"operations", "list", "--state", "awaits-approval"}).output, HasSubstr(id));
  const Finished shown = LeadRuns({"operations", "show", id});
  EXPECT_THAT(shown.output,
              AllOf(HasSubstr(kAsker), HasSubstr("1250"), HasSubstr("--approval " + approval)));
  EXPECT_EQ(stack().SandboxOrders().size(), orders) << "nothing was sent";
  const Finished confirmed =
      LeadRuns({"operations", "confirm", id, "--approval", approval, "--note", "called them"});
  EXPECT_EQ(confirmed.code, 0) << confirmed.error;
  EXPECT_THAT(confirmed.output, AllOf(HasSubstr(kLead), HasSubstr("called them")));
  EXPECT_EQ(stack().SandboxOrders().size(), orders) << "its caller has to come again";

  const Told paid = CallUntilDefinite(asker(), payout);
  EXPECT_TRUE(paid.order) << paid.text();
  EXPECT_EQ(CallOnce(asker(), payout).bytes, paid.bytes);
  EXPECT_EQ(Effects(stack(), payout), 1U);
  const Operation done = Shown(payout);
  EXPECT_EQ(done.approval().confirmed_by(), kLead);

  // On the topic of operations, with who asked and who confirmed.
  const std::unique_ptr<Topic> topic = stack().OpenTopic("operations");
  ASSERT_TRUE(Eventually([&] {
    std::string story;
    for (const TopicRecord& record : topic->ReadAll()) {
      operations::v1::OperationRecord parsed;
      EXPECT_TRUE(parsed.ParseFromString(record.value));
      if (parsed.operation_id() != id) continue;
      story += parsed.transition().caller() + " " + parsed.transition().owner() + "\n";
    }
    return story.find(kAsker) != std::string::npos && story.find(kLead) != std::string::npos;
  }));
}

TEST_F(SecondPersonTest, WhatOnePersonResolvesAnotherCloses) {
  const Mutation refund = Prepare(stack(), Kind::kRefund, "second-person");
  stack().SandboxFaults(R"({"rules":[{"on":{"operation":"create_refund","nth":1},)"
                        R"("fault":{"kind":"drop_before"}}]})");
  const Told lost = CallUntilDefinite(asker(), refund);
  ASSERT_TRUE(lost.pending) << lost.text();
  operations::v1::ResolveOperationRequest request;
  request.set_project("demo");
  request.set_operation_id(OperationIdOf(refund));
  request.set_resolution(operations::v1::RESOLUTION_NOT_EXECUTED);
  request.set_note("the service has no such refund");
  const RpcReply asked =
      asker().Call("tollbridge.operations.v1.Operations.ResolveOperation", request);
  EXPECT_EQ(asked.status.reason, "APPROVAL_NEEDED") << asked.status.message;
  const Operation waiting = Shown(refund);
  EXPECT_EQ(waiting.state(), operations::v1::OPERATION_STATE_NEEDS_REVIEW);
  EXPECT_EQ(waiting.approval().resolution(), operations::v1::RESOLUTION_NOT_EXECUTED);
  EXPECT_EQ(waiting.approval().reason(), "the service has no such refund");
  EXPECT_EQ(Confirm(asker(), refund, waiting.approval().id()).status.reason,
            "ANOTHER_IDENTITY_NEEDED");
  EXPECT_EQ(Effects(stack(), refund), 0U);

  const RpcReply closed = Confirm(lead(), refund, waiting.approval().id());
  ASSERT_TRUE(closed.status.ok()) << closed.status.message;
  EXPECT_EQ(Shown(refund).state(), operations::v1::OPERATION_STATE_NOT_EXECUTED);
  const Told again = CallUntilDefinite(asker(), refund);
  EXPECT_TRUE(again.order) << again.text();
  EXPECT_EQ(Effects(stack(), refund), 1U);
}

}  // namespace
}  // namespace tollbridge::test
