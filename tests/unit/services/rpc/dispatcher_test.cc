#include "services/rpc/dispatcher.h"

#include <gmock/gmock.h>

#include "services/domain/errors.h"
#include "tests/unit/services/rpc/rpc_fixture.h"

namespace tollbridge::rpc {
namespace {

using tollbridge::testing::v1::ChangeRequest;
using tollbridge::testing::v1::CountRequest;
using tollbridge::testing::v1::CountResponse;
using tollbridge::testing::v1::EchoResponse;

constexpr const char* kSay = "tollbridge.testing.v1.Echo.Say";
constexpr const char* kChange = "tollbridge.testing.v1.Echo.Change";
constexpr const char* kCount = "tollbridge.testing.v1.Echo.Count";

class DispatcherTest : public RpcTest {
 protected:
  static auto SayFn() {
    return [](const EchoRequest& request, const ports::Context&) -> Async<EchoResponse> {
      EchoResponse response;
      response.set_text(request.text());
      co_return response;
    };
  }
  static auto CountFn() {
    return [](const CountRequest& request, const ports::Context&,
              StreamWriter<CountResponse> writer) -> AsyncStatus {
      for (int i = 0; i < request.messages(); ++i) {
        CountResponse message;
        message.set_index(i);
        const absl::Status written = co_await writer.Write(message);
        if (!written.ok()) co_return written;
      }
      co_return absl::OkStatus();
    };
  }

  Dispatcher dispatcher_{methods_, {}};
};

// Keeps what is streamed, and goes away after `limit` messages.
class FakeWire : public WireCall {
 public:
  bool cancelled() const override { return messages.size() >= limit; }
  AsyncStatus Write(std::string bytes, const Metadata&) override {
    if (cancelled()) co_return absl::CancelledError("gone");
    messages.push_back(std::move(bytes));
    co_return absl::OkStatus();
  }
  std::size_t limit = 100;
  std::vector<std::string> messages;
};

TEST_F(DispatcherTest, GivesTheTypedRequestToTheReadAndKeepsItsAnswer) {
  dispatcher_.HandleRead<EchoRequest, EchoResponse>(kSay, SayFn());
  ASSERT_TRUE(dispatcher_.status().ok());
  EchoRequest request;
  request.set_text("hello");
  auto call = MakeCall(request);
  EXPECT_TRUE(test::Await(context_, dispatcher_.Dispatch(*call)).ok());
  EXPECT_EQ(static_cast<const EchoResponse&>(call->response()).text(), "hello");
}

TEST_F(DispatcherTest, TellsAReadThatAsksForItWhoCalls) {
  dispatcher_.HandleRead<EchoRequest, EchoResponse>(
      kSay,
      [](const EchoRequest&, const ports::Context&, const Caller& caller) -> Async<EchoResponse> {
        EchoResponse response;
        response.set_caller(caller.identity);
        co_return response;
      });
  CallHead head = Head();
  head.caller = CertifiedCaller({"spiffe://shop.example/desk"}, {});
  Call call(Method("Say"), std::move(head), EchoRequest());
  EXPECT_TRUE(test::Await(context_, dispatcher_.Dispatch(call)).ok());
  EXPECT_EQ(static_cast<const EchoResponse&>(call.response()).caller(),
            "spiffe://shop.example/desk");
}

TEST_F(DispatcherTest, StreamsUntilTheCallerGoesAway) {
  dispatcher_.HandleStream<CountRequest, CountResponse>(kCount, CountFn());
  ASSERT_TRUE(dispatcher_.status().ok());
  CountRequest request;
  request.set_messages(5);
  FakeWire wire;
  Call whole(Method("Count"), Head(), request.SerializeAsString(), wire);
  ASSERT_TRUE(whole.Parse().ok());
  EXPECT_TRUE(test::Await(context_, dispatcher_.Dispatch(whole)).ok());
  EXPECT_EQ(wire.messages.size(), 5u);

  FakeWire short_wire;
  short_wire.limit = 2;
  Call cut(Method("Count"), Head(), request.SerializeAsString(), short_wire);
  ASSERT_TRUE(cut.Parse().ok());
  EXPECT_EQ(test::Await(context_, dispatcher_.Dispatch(cut)).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(short_wire.messages.size(), 2u);
}

TEST_F(DispatcherTest, AnswersUnimplementedForAMethodThatNobodyRegistered) {
  auto call = MakeCall();
  const absl::Status status = test::Await(context_, dispatcher_.Dispatch(*call));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(domain::ReasonOf(status), "UNKNOWN_METHOD");
}

TEST_F(DispatcherTest, AMutationThatGetsToTheEndIsAnInternalError) {
  dispatcher_.HandleMutation(kChange);
  ASSERT_TRUE(dispatcher_.status().ok());
  Call call(Method("Change"), Head(), ChangeRequest());
  EXPECT_EQ(test::Await(context_, dispatcher_.Dispatch(call)).code(), absl::StatusCode::kInternal);
}

TEST_F(DispatcherTest, TellsEachMistakeInARegistration) {
  const std::vector<std::pair<std::function<void(Dispatcher&)>, const char*>> cases = {
      {[](Dispatcher& d) { d.HandleRead<EchoRequest, EchoResponse>("x.y.Z", SayFn()); },
       "not a published method"},
      {[](Dispatcher& d) { d.HandleMutation("x.y.Z"); }, "not a published method"},
      {[](Dispatcher& d) { d.HandleRead<EchoRequest, EchoResponse>(kCount, SayFn()); },
       "other message types"},
      {[](Dispatcher& d) { d.HandleMutation(kSay); }, "is a mutation registered as a read"},
      {[](Dispatcher& d) {
         const auto fn = [](const CountRequest&, const ports::Context&) -> Async<CountResponse> {
           co_return CountResponse();
         };
         d.HandleRead<CountRequest, CountResponse>(kCount, fn);
       },
       "streams and is registered as if not"},
      {[](Dispatcher& d) {
         d.HandleRead<EchoRequest, EchoResponse>(kSay, SayFn());
         d.HandleRead<EchoRequest, EchoResponse>(kSay, SayFn());
       },
       "registered twice"}};
  for (const auto& [make, what] : cases) {
    Dispatcher dispatcher(methods_, {});
    make(dispatcher);
    EXPECT_EQ(dispatcher.status().code(), absl::StatusCode::kFailedPrecondition) << what;
    EXPECT_THAT(std::string(dispatcher.status().message()), ::testing::HasSubstr(what));
  }
}

}  // namespace
}  // namespace tollbridge::rpc
