// What callers are told when something that the gateway needs is away: which it is and what to do,
// and nothing of what is internal.

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/published_methods.h"
#include "tests/e2e/support/mutations.h"
#include "tests/e2e/support/payments.h"
#include "tests/support/stack.h"
#include "tests/support/temp_folder.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::test {
namespace {

namespace pb = google::protobuf;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

constexpr std::array kAllKinds = {
    Kind::kCreate,         Kind::kInitiate,  Kind::kAuthenticate,    Kind::kCapture,
    Kind::kVoid,           Kind::kRefund,    Kind::kPayoutByCard,    Kind::kPayoutByToken,
    Kind::kExecuteWalletB, Kind::kStoreCard, Kind::kExchangeWalletB, Kind::kCreatePaymentLink};

/// How the calls of all methods have ended, by the method's name.
using Ends = std::vector<std::pair<std::string, RpcStatus>>;

class ToldErrorsTest : public testing::Test {
 protected:
  ToldErrorsTest() {
    for (const Kind kind : kAllKinds) mutations_.push_back(Prepare(stack_, kind, "told"));
    const Mutation payout = Prepare(stack_, Kind::kPayoutByCard, "known");
    const Told paid_out = CallUntilDefinite(stack_.grpc(), payout);
    texts_ = {{"order_id", paid_out.order->id()},
              {"operation_id", OperationIdOf(payout)},
              {"payment_link_id", std::string(kNobodysOrder)},
              {"validation_url", "https://wallet-a.test/validate"},
              {"display_name", "Shop"},
              {"initiative_context", "shop.test"},
              {"approval_id", std::string(kNobodysOrder)},
              {"note", "checked"}};
    internal_.emplace_back(stack_.redis().address());
    internal_.emplace_back(stack_.sandbox_url().substr(stack_.sandbox_url().find("//") + 2));
  }

  /// Calls every method once; mutations under keys that begin with `name`.
  Ends CallAll(const std::string& name) {
    Ends ends;
    for (const Mutation& mutation : mutations_) {
      const Mutation anew = WithKey(mutation, name + "-" + mutation.key);
      ends.emplace_back(RpcOf(mutation.kind), CallOnce(stack_.grpc(), anew).status);
    }
    for (const pb::MethodDescriptor* method : PublishedMethods()) {
      if (Mutates(*method)) continue;
      ends.emplace_back(method->name(), Call(*method));
    }
    std::set<std::string> called;
    for (const auto& [method, status] : ends) called.insert(method);
    EXPECT_EQ(called.size(), PublishedMethods().size());
    return ends;
  }

  /// Nothing internal is in any, and those that failed with `reason` are so many at least.
  void ExpectTold(const Ends& ends, const std::string& reason, std::size_t at_least) {
    std::size_t failed = 0;
    for (const auto& [method, status] : ends) {
      if (status.reason == reason) ++failed;
      ExpectOurs(method, status.message);
      ExpectOurs(method, status.details);
    }
    EXPECT_GE(failed, at_least) << reason;
  }
  void ExpectOurs(const std::string& method, const std::string& text) const {
    // Addresses and ports; files; what libraries, the system and Redis say; keys and scripts.
    static const std::regex foreign(
        R"(127\.0\.0\.1|localhost|port \d|/v1/|/tmp|refused:|reset by|Connection|NOPERM|WRONGPASS|)"
        R"(ACL|script|tb:|user_|[0-9a-f]{40}|)"
        // Settings.
        R"(payment_service\.|redis\.[a-z]|kafka\.[a-z]|operations\.[a-z]+_|_url\b|_file\b)");
    EXPECT_FALSE(std::regex_search(text, foreign)) << method << ": " << text;
    for (const std::string& each : internal_) {
      EXPECT_EQ(text.find(each.substr(each.rfind(':'))), std::string::npos)
          << method << ": " << text;
    }
  }
  /// The same of what GetOperation shows of the mutations that CallAll called.
  void ExpectShown(const std::string& name) {
    std::size_t shown = 0;
    for (const Mutation& mutation : mutations_) {
      const auto operation =
          ReadOperation(stack_.grpc(), WithKey(mutation, name + "-" + mutation.key));
      if (!operation) continue;  // an operation of before still holds its order
      ++shown;
      for (const auto& transition : operation->transitions()) {
        ExpectOurs("GetOperation", transition.evidence());
      }
    }
    EXPECT_GE(shown, 5U);
  }

  /// What the lines of calls have of which one failed with this reason: the whole text, and where
  /// to look it up.
  static auto HasLogged(const std::string& reason, const std::string& text) {
    return Contains(AllOf(HasSubstr(R"("event":"rpc")"), HasSubstr("\"" + reason + "\""),
                          HasSubstr(text), HasSubstr("\"trace_id\"")));
  }
  /// Reads an operation over and over, until that is so.
  void AwaitLogged(const std::string& reason, const std::string& text) {
    EXPECT_TRUE(Eventually([&] {
      ReadOperation(stack_.grpc(), mutations_.front());
      return testing::Value(Logged(), HasLogged(reason, text));
    }));
  }
  std::vector<std::string> Logged() {
    std::vector<std::string> lines;
    std::istringstream log(stack_.gateway().standard_output());
    for (std::string line; std::getline(log, line);) lines.push_back(line);
    return lines;
  }

  TempFolder folder_;
  Stack stack_{{.settings = {{"redis",
                              {{"username", "app"},
                               {"password_file", folder_.Write("password", "of-app")}}}},
                .sandbox_arguments = ImmediateSandbox(),
                .redis_arguments = {"--appendonly", "yes", "--user", "app", "on", ">of-app", "~*",
                                    "&*", "+@all"}}};

 private:
  static bool Mutates(const pb::MethodDescriptor& method) {
    return method.input_type()->FindFieldByName("idempotency_key") != nullptr &&
           method.name() != "GetOperation";
  }
  RpcStatus Call(const pb::MethodDescriptor& method) {
    const auto request = NewMessage(*method.input_type());
    const pb::Reflection& fields = *request->GetReflection();
    for (int i = 0; i < method.input_type()->field_count(); ++i) {
      const pb::FieldDescriptor* const field = method.input_type()->field(i);
      const auto text = texts_.find(field->name());
      if (text != texts_.end()) fields.SetString(request.get(), field, text->second);
      if (method.name() == "ResolveOperation" && field->enum_type() != nullptr) {
        fields.SetEnum(request.get(), field, field->enum_type()->value(1));
      }
    }
    const std::string path = method.service()->full_name() + "." + method.name();
    const RpcOptions options{.deadline = std::chrono::seconds(5)};
    if (!method.server_streaming()) {
      return stack_.grpc().CallBytes(path, request->SerializeAsString(), options).status;
    }
    const auto stream = stack_.grpc().OpenStream(path, request->SerializeAsString(), options);
    while (stream->Read().has_value()) {
    }
    return stream->Finish();
  }

  std::vector<Mutation> mutations_;
  std::map<std::string, std::string> texts_;
  /// Addresses of what the gateway needs.
  std::vector<std::string> internal_;
};

TEST_F(ToldErrorsTest, NameNoSettingWhereSomethingElseThanThePaymentServiceAnswers) {
  stack_.SandboxFaults(R"({"rules":[{"fault":{"kind":"html","status":404}}]})");
  ExpectTold(CallAll("page"), "UPSTREAM_UNREADABLE", 3);
  EXPECT_THAT(Logged(), HasLogged("UPSTREAM_UNREADABLE", "payment_service.base_url"));
}

TEST_F(ToldErrorsTest, NameNothingInternal) {
  {
    SCOPED_TRACE("the payment service is away");
    stack_.sandbox().Kill();
    const Ends ends = CallAll("service");
    ExpectTold(ends, "NOT_SENT", 10);
    ExpectTold(ends, "UPSTREAM_UNAVAILABLE", 5);
    EXPECT_THAT(Logged(), HasLogged("NOT_SENT", "Connection refused"));
    ExpectShown("service");
  }
  {
    SCOPED_TRACE("Redis lets its user do less, within scripts");
    ASSERT_EQ(stack_.RedisCommand({"ACL", "SETUSER", "app", "-get", "-hget", "-hmget", "-time",
                                   "-zrange", "-zscore"}),
              "OK\n");
    ExpectTold(CallAll("script"), "STORE_UNAVAILABLE", 10);
  }
  {
    SCOPED_TRACE("Redis lets its user do nothing");
    ASSERT_EQ(stack_.RedisCommand({"ACL", "SETUSER", "app", "-@all", "+auth", "+ping", "+role"}),
              "OK\n");
    const Ends ends = CallAll("acl");
    ExpectTold(ends, "STORE_UNAVAILABLE", 10);
    ExpectTold(ends, "INTERNAL", 1);
    EXPECT_THAT(Logged(), HasLogged("INTERNAL", "NOPERM"));
  }
  {
    SCOPED_TRACE("Redis is away");
    stack_.redis().Stop();
    // Until the connection of calls has tried to connect, its address is not in their lines.
    AwaitLogged("STORE_UNAVAILABLE", stack_.redis().address());
    ExpectTold(CallAll("redis"), "STORE_UNAVAILABLE", 12);
  }
}

TEST_F(ToldErrorsTest, RepeatNothingOfAPaymentServiceThatFails) {
  struct Failure {
    std::string fault;
    std::string reason;
  };
  const auto failing = [](int status) {
    return R"({"kind": "status", "status": )" + std::to_string(status) +
           R"(, "body": {"error": {"type": "ServerError",)"
           R"( "value": "no Connection to db at 127.0.0.1 port 5432"}}})";
  };
  for (const Failure& each : {Failure{R"({"kind": "html", "status": 404})", "UPSTREAM_UNREADABLE"},
                              Failure{failing(401), "UPSTREAM_CREDENTIALS"},
                              Failure{failing(500), "UPSTREAM_UNAVAILABLE"}}) {
    SCOPED_TRACE(each.fault);
    stack_.SandboxFaults(R"({"rules": [{"fault": )" + each.fault + "}]}");
    const Ends ends = CallAll(each.reason);
    ExpectTold(ends, each.reason, 3);
    for (const auto& [method, status] : ends) {
      EXPECT_THAT(status.message, testing::Not(HasSubstr("payment_service."))) << method;
    }
    ExpectShown(each.reason);
    stack_.SandboxFaults("{}");
  }
}

}  // namespace
}  // namespace tollbridge::test
