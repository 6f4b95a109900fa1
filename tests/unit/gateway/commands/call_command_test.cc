// `tollbridge call`: its method, its request and how it ends.

#include "gateway/commands/call_command.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gateway/commands/call_methods.h"
#include "gateway/commands/call_request.h"
#include "gateway/commands/grpc_channel.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/gateway/commands/fake_gateway.h"
#include "tollbridge/payments/v1/payments.pb.h"
#include "tollbridge/vault/v1/vault.pb.h"

namespace tollbridge::gateway {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string Found(const std::string& name) {
  const auto method = FindMethod(name);
  return method.ok() ? (*method)->full_name() : std::string(method.status().message());
}

TEST(FindMethodTest, KnowsEverySpelling) {
  for (const std::string name : {"Payments.CreateOrder", "Payments/CreateOrder",
                                 "tollbridge.payments.v1.Payments.CreateOrder",
                                 "tollbridge.payments.v1.Payments/CreateOrder"}) {
    EXPECT_EQ(Found(name), "tollbridge.payments.v1.Payments.CreateOrder");
  }
}

TEST(FindMethodTest, SaysWhatIsMeant) {
  for (const std::string name : {"Payments.CreateOrdr", "payments.createOrder",
                                 "tollbridge.payments.v1.Payments/CreateOrdr"}) {
    EXPECT_THAT(Found(name), AllOf(HasSubstr("'" + name + "'"),
                                   HasSubstr("did you mean 'Payments.CreateOrder'")));
  }
  EXPECT_THAT(Found("Nothing.Like"), HasSubstr("call --list"));
  // Of the program, and not published.
  EXPECT_THAT(Found("grpc.health.v1.Health/Check"), HasSubstr("call --list"));
}

TEST(FindMethodTest, ARequestInItsPlaceIsNotShown) {
  EXPECT_THAT(Found(R"({"pan": "4111111111111111"})"),
              AllOf(Not(HasSubstr("4111")), HasSubstr("the method comes first")));
}

TEST(MethodListTest, HasEachMethodOnALine) {
  EXPECT_THAT(MethodList(),
              AllOf(StartsWith("Payments.CreateOrder\n"), HasSubstr("\nOperations.GetOperation\n"),
                    HasSubstr("\nVault.StoreCard\n")));
}

TEST(MethodDescriptionTest, HasFieldsRulesAndWhatIsInThem) {
  EXPECT_THAT(MethodDescription(**FindMethod("Payments.CreateOrder")),
              AllOf(StartsWith("tollbridge.payments.v1.Payments/CreateOrder\n"
                               "takes CreateOrderRequest, answers CreateOrderResponse\n"),
                    testing::ContainsRegex("  idempotency_key +string +is required"),
                    HasSubstr("\nPendingOperation\n"), HasSubstr("KNOWLEDGE_RECOVERED\n")));
  EXPECT_THAT(MethodDescription(**FindMethod("Payments.WatchOrder")),
              HasSubstr("answers a stream of "));
}

TEST(ReadRequestTest, TakesTextStdinOrAFile) {
  const test::TempFolder folder;
  std::istringstream in("{\"a\":\n1}\n");
  EXPECT_EQ(*ReadRequest("{}", in), "{}");
  EXPECT_EQ(*ReadRequest("-", in), "{\"a\":\n1}\n");
  EXPECT_EQ(*ReadRequest("@" + folder.Write("request.json", "{\"b\":2}"), in), "{\"b\":2}");
  const auto missing = ReadRequest("@/nowhere/request.json", in);
  EXPECT_EQ(missing.status().message(),
            "/nowhere/request.json: cannot be read: No such file or directory");
}

std::string Refused(const std::string& json) {
  payments::v1::CreateOrderRequest request;
  return std::string(ParseRequest(json, &request).message());
}

TEST(ParseRequestTest, TakesBothSpellingsOfAField) {
  payments::v1::CreateOrderRequest request;
  EXPECT_TRUE(ParseRequest(R"({"idempotency_key": "a", "amount": "5"})", &request).ok());
  EXPECT_EQ(request.amount(), 5);
  EXPECT_TRUE(ParseRequest(R"({"idempotencyKey": "b"})", &request).ok());
  EXPECT_EQ(request.idempotency_key(), "b");
}

TEST(ParseRequestTest, SaysWhereItDoesNotFit) {
  EXPECT_EQ(Refused(""), "the request is no CreateOrderRequest: it is empty");
  EXPECT_THAT(Refused("{\n  \"amount\": 5 x\n}"), HasSubstr("at line 2, column 15"));
  EXPECT_THAT(Refused("[1]"), HasSubstr("should be an object"));
  EXPECT_THAT(
      Refused(R"({"ammount": 5})"),
      HasSubstr("there is no field 'ammount' in CreateOrderRequest; did you mean 'amount'?"));
  EXPECT_THAT(Refused(R"({"amount": "five"})"), HasSubstr("amount: should be of type int64"));
  EXPECT_THAT(Refused(R"({"currency": ["EUR"]})"), HasSubstr("currency: should be of type string"));
}

TEST(ParseRequestTest, ShowsNothingOfACard) {
  for (const std::string json :
       {R"({"pan": "4111111111111111", "cvc": 737 737})", R"({"pan": "4111111111111111")",
        R"({"pan": ["4111111111111111"]})", R"({"4111111111111111": "737"})",
        R"({"pan": {"4111111111111111": "737"}})", R"("4111111111111111")",
        R"({"pan": "4111111111111111", "pan_": "737"})"}) {
    vault::v1::StoreCardRequest request;
    const absl::Status read = ParseRequest(json, &request);
    EXPECT_FALSE(read.ok()) << json;
    EXPECT_THAT(std::string(read.message()),
                AllOf(HasSubstr("the request is no StoreCardRequest: "), Not(HasSubstr("4111")),
                      Not(HasSubstr("737"))));
  }
}

/// The command as it is typed, against a gateway that answers what it is told.
class CallCommandTest : public testing::Test {
 protected:
  struct Finished {
    int code = -1;
    std::string output;
    std::string error;
  };

  Finished Call(std::vector<std::string> arguments) {
    CLI::App app("A program", "program");
    Action action;
    AddCall(app, &action);
    arguments.insert(arguments.begin(), {"call", "--address", gateway_.address()});
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Finished finished;
    finished.code = action();
    finished.output = testing::internal::GetCapturedStdout();
    finished.error = testing::internal::GetCapturedStderr();
    return finished;
  }
  void Answer(const payments::v1::CreateOrderResponse& response) {
    gateway_.methods["CreateOrder"] = [response](const std::string&) {
      return std::pair(grpc::Status::OK, response.SerializeAsString());
    };
  }

  FakeGateway gateway_;
};

TEST_F(CallCommandTest, APendingAnswerEndsWithAStatusOfItsOwnAndALine) {
  payments::v1::CreateOrderResponse response;
  response.mutable_pending();
  Answer(response);
  const Finished pending = Call({"tollbridge.payments.v1.Payments/CreateOrder", "{}"});
  EXPECT_EQ(pending.code, kPending);
  EXPECT_THAT(pending.output, HasSubstr("pending"));
  EXPECT_THAT(pending.error, StartsWith("pending: the outcome is not known yet"));

  response.mutable_order()->set_id("x");
  Answer(response);
  const Finished done = Call({"Payments.CreateOrder", "{}"});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.error, "");
}

TEST_F(CallCommandTest, WhereNoGatewayAnswersItSaysWhatToLookAt) {
  gateway_.methods["CreateOrder"] = [](const std::string&) {
    return std::pair(grpc::Status(grpc::StatusCode::UNAVAILABLE, "Socket closed"), std::string());
  };
  const Finished failed = Call({"Payments.CreateOrder", "{}"});
  EXPECT_EQ(failed.code, kCallFailed);
  EXPECT_THAT(failed.error, AllOf(StartsWith("error UNAVAILABLE: Socket closed\n"),
                                  HasSubstr("--address"), HasSubstr("--tls-ca")));
}

TEST_F(CallCommandTest, DescribesAndListsWithoutACall) {
  EXPECT_THAT(Call({"--list"}).output, HasSubstr("Payments.CreateOrder\n"));
  EXPECT_THAT(Call({"--describe", "Payments.CreateOrder"}).output, HasSubstr("idempotency_key"));
  EXPECT_THAT(gateway_.calls, testing::IsEmpty());
}

TEST_F(CallCommandTest, ARequestThatCannotBeReadIsNotSent) {
  const Finished refused = Call({"Payments.CreateOrder", "{\"ammount\": 1}"});
  EXPECT_EQ(refused.code, kCallNotMade);
  EXPECT_THAT(refused.error, AllOf(HasSubstr("did you mean 'amount'?"),
                                   HasSubstr("call --describe Payments.CreateOrder")));
  EXPECT_EQ(Call({"Payments.CreateOrdr"}).code, kCallNotMade);
  EXPECT_EQ(Call({"Payments.CreateOrder", "@/nowhere"}).code, kCallNotMade);
  EXPECT_THAT(gateway_.calls, testing::IsEmpty());
}

}  // namespace
}  // namespace tollbridge::gateway
