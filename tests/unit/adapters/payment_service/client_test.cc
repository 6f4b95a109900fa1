#include "adapters/payment_service/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/payment_service/http_transport.h"
#include "adapters/payment_service/trace_transport.h"
#include "adapters/payment_service/waited_transport.h"
#include "base/http/server.h"
#include "services/domain/errors.h"
#include "services/domain/refusal.h"
#include "tests/support/async_test.h"
#include "tests/support/fails_with.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/unit/adapters/payment_service/pipe_support.h"
#include "tollbridge/common/v1/order.pb.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::payment_service {
namespace {

namespace asio = boost::asio;
using Fate = ports::Answer::Fate;

constexpr std::string_view kOrderId = "5a0e1c2d-7f4b-4c0a-9d53-2f6f6c1f3a10";
constexpr std::string_view kTraceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// The client over real sockets, against a server that keeps what it was asked.
class ClientTest : public testing::Test {
 protected:
  ClientTest() {
    auto server =
        http::Server::Start({context_.get_executor()}, {},
                            [this](const http::Request& request,
                                   const http::ConnectionInfo&) -> asio::awaitable<http::Response> {
                              requests_.push_back(request);
                              clock_.Advance(std::chrono::milliseconds(30));
                              co_return answer_;
                            });
    if (!server.ok()) throw std::runtime_error(std::string(server.status().message()));
    server_ = *std::move(server);
    http::ClientOptions options;
    options.base_url = *http::ParseUrl("http://" + server_->address() + "/gate");
    std::vector<std::unique_ptr<Transport>> links;
    links.push_back(std::make_unique<WaitedTransport>(&clock_));
    links.push_back(std::make_unique<TraceTransport>(OriginUrls()));
    links.push_back(std::make_unique<HttpTransport>(
        OriginClients{std::make_shared<http::Client>(context_.get_executor(), options)}));
    client_ = std::make_unique<Client>(
        TransportChain(std::move(links)),
        [this](const domain::Project& project) { return project.name + api_key_suffix_; },
        WalletNames{.wallet_a = "real-a", .wallet_b = "real-b"});
  }

  void Answer(int status, std::string body) {
    answer_.status = status;
    answer_.body = std::move(body);
  }

  ports::Context Context() const {
    return {.deadline = BootClock::now() + test::kAwaitLimit,
            .trace = *telemetry::TraceContext::FromTraceparent(kTraceparent),
            .waited = waited_};
  }

  ports::Answer Create(const payments::v1::CreateOrderRequest& request,
                       std::optional<BootTime> write_before = std::nullopt) {
    const ports::SendGuard guard{.write_before =
                                     write_before.value_or(BootClock::now() + test::kAwaitLimit)};
    return test::Await(context_, client_->CreateOrder(project_, request, Context(), guard));
  }

  absl::StatusOr<common::v1::Order> Get(std::string_view order_id = kOrderId) {
    return test::Await(context_, client_->GetOrder(project_, order_id, Context()));
  }

  static payments::v1::CreateOrderRequest Request() {
    payments::v1::CreateOrderRequest request;
    request.set_project("shop");
    request.set_idempotency_key("key-1");
    request.set_currency("EUR");
    request.set_amount(1250);
    return request;
  }

  static std::string OrderBody(std::string_view further = "") {
    return R"({"id": ")" + std::string(kOrderId) + R"(", "status": "new")" + std::string(further) +
           "}";
  }

  asio::io_context context_{1};
  domain::Project project_{.name = "shop"};
  /// Of the links; the server takes 30 ms of it for each request.
  test::FakeClock clock_;
  const std::shared_ptr<ports::Waited> waited_ = std::make_shared<ports::Waited>();
  std::string api_key_suffix_ = "-key";
  http::Response answer_;
  std::vector<http::Request> requests_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, CreatesAnOrderAsTheDocumentSays) {
  Answer(201, OrderBody());
  ASSERT_EQ(Create(Request()).fate, Fate::kAnswered);
  ASSERT_EQ(requests_.size(), 1u);
  const http::Request& request = requests_[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/gate/v1/orders/");
  // base64 of "shop-key:".
  EXPECT_EQ(request.headers.Find("Authorization"), "Basic c2hvcC1rZXk6");
  EXPECT_EQ(request.headers.Find("Content-Type"), "application/json");
  EXPECT_EQ(request.headers.Find("Accept"), "application/json");
  EXPECT_EQ(boost::json::parse(request.body),
            boost::json::parse(R"({"currency": "EUR", "amount": 1250})"))
      << "what is ours stays here: " << request.body;
}

TEST_F(ClientTest, GetsAnOrderAsTheDocumentSays) {
  Answer(200, OrderBody());
  const absl::StatusOr<common::v1::Order> order = Get();
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(order->id(), kOrderId);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].method, "GET");
  EXPECT_EQ(requests_[0].target, "/gate/v1/orders/" + std::string(kOrderId) + "/");
  EXPECT_EQ(requests_[0].headers.Find("Authorization"), "Basic c2hvcC1rZXk6");
  EXPECT_FALSE(requests_[0].headers.Contains("Content-Type"));
  EXPECT_EQ(requests_[0].body, "");
}

TEST_F(ClientTest, AsksForTheApiKeyOnEachCallSoThatItCanRotate) {
  Answer(200, OrderBody());
  ASSERT_TRUE(Get().ok());
  api_key_suffix_ = "-next-key";
  ASSERT_TRUE(Get().ok());
  ASSERT_EQ(requests_.size(), 2u);
  // base64 of "shop-next-key:".
  EXPECT_EQ(requests_[1].headers.Find("Authorization"), "Basic c2hvcC1uZXh0LWtleTo=");
}

TEST_F(ClientTest, GoesOnWithTheCallersTrace) {
  Answer(200, OrderBody());
  ASSERT_TRUE(Get().ok());
  ASSERT_EQ(requests_.size(), 1u);
  const auto header = requests_[0].headers.Find("traceparent");
  ASSERT_TRUE(header);
  EXPECT_THAT(std::string(*header), testing::StartsWith("00-0af7651916cd43dd8448eb211c80319c-"));
}

TEST_F(ClientTest, TellsTheCallerHowLongItWaitedForTheService) {
  Answer(200, OrderBody());
  ASSERT_TRUE(Get().ok());
  Create(Request());
  EXPECT_EQ(waited_->Until(clock_.BootNow()), std::chrono::milliseconds(60));
}

TEST_F(ClientTest, TranslatesWalletNamesBothWays) {
  payments::v1::CreateOrderRequest request = Request();
  request.add_payment_methods("wallet-b-pay");
  request.add_transactions()->set_payment_method("wallet-a-pay");
  Answer(201, OrderBody(R"(, "payment_methods": ["real-b"],
                            "transactions": [{"id": "t", "payment_method": "real-a"}])"));
  const ports::Answer answer = Create(request);
  ASSERT_EQ(answer.fate, Fate::kAnswered) << answer.cause;
  ASSERT_EQ(requests_.size(), 1u);
  const boost::json::value body = boost::json::parse(requests_[0].body);
  EXPECT_EQ(body.at("payment_methods"), boost::json::parse(R"(["real-b"])"));
  EXPECT_EQ(body.at("transactions"), boost::json::parse(R"([{"payment_method": "real-a"}])"));
  const auto& order = dynamic_cast<const common::v1::Order&>(*answer.result);
  EXPECT_THAT(order.payment_methods(), testing::ElementsAre("wallet-b-pay"));
  EXPECT_EQ(order.transactions(0).payment_method(), "wallet-a-pay");

  Answer(200, OrderBody(R"(, "transactions": [{"id": "t", "payment_method": "real-b"}])"));
  const absl::StatusOr<common::v1::Order> read = Get();
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->transactions(0).payment_method(), "wallet-b-pay");
}

TEST_F(ClientTest, SendsNothingAfterTheSendWindow) {
  const ports::Answer answer = Create(Request(), BootClock::now() - std::chrono::milliseconds(1));
  EXPECT_EQ(answer.fate, Fate::kNotSent);
  EXPECT_FALSE(answer.cause.empty());
  // Another exchange shows that the server has read all that came before it.
  Answer(200, OrderBody());
  ASSERT_TRUE(Get().ok());
  EXPECT_EQ(requests_.size(), 1u);
}

TEST_F(ClientTest, SendsNothingThatJsonCannotCarry) {
  payments::v1::CreateOrderRequest request = Request();
  (*request.mutable_extra()->mutable_fields())["x"].set_number_value(
      std::numeric_limits<double>::infinity());
  const ports::Answer answer = Create(request);
  EXPECT_EQ(answer.fate, Fate::kNotSent);
  EXPECT_THAT(answer.cause, testing::HasSubstr("extra"));
  EXPECT_TRUE(requests_.empty());
}

TEST_F(ClientTest, ServiceThatIsNotThereIsNotSent) {
  ASSERT_TRUE(test::Await(context_, server_->Stop(BootClock::now() + test::kAwaitLimit)).ok());
  EXPECT_EQ(Create(Request()).fate, Fate::kNotSent);
  const absl::StatusOr<common::v1::Order> order = Get();
  EXPECT_THAT(order, FailsWith(StatusCode::kUnavailable, domain::reason::kUpstreamUnavailable));
}

TEST_F(ClientTest, ConnectionResetAfterTheRequestIsUnknown) {
  Answer(201, OrderBody());
  answer_.reset_after_bytes = 0;
  const ports::Answer answer = Create(Request());
  EXPECT_EQ(answer.fate, Fate::kUnknown);
  EXPECT_EQ(requests_.size(), 1u) << "it had its effect, and was not repeated";
}

TEST_F(ClientTest, CreatedOrderWithoutAnIdIsUnknown) {
  for (const std::string body :
       {R"({"status": "new"})", R"({"id": "", "status": "new"})", R"({"id": null})", "{}"}) {
    Answer(201, body);
    const ports::Answer answer = Create(Request());
    EXPECT_EQ(answer.fate, Fate::kUnknown) << body;
    EXPECT_EQ(answer.refusal.http_status, 201) << body;
    EXPECT_EQ(answer.result, nullptr) << body;
  }
}

TEST_F(ClientTest, ReadOfAnotherOrderOrOfNoneIsUnreadable) {
  for (const std::string body :
       {R"({"status": "new"})", R"({"id": "5a0e1c2d-7f4b-4c0a-9d53-2f6f6c1f3a11"})", "{}"}) {
    Answer(200, body);
    const absl::StatusOr<common::v1::Order> order = Get();
    EXPECT_EQ(domain::ReasonOf(order.status()), domain::reason::kUpstreamUnreadable) << body;
  }
}

TEST_F(ClientTest, AValueThatCannotBeReadIsNamedAndDiffersFromAbsent) {
  Answer(200, R"({"id": ")" + std::string(kOrderId) +
                  R"(", "amount": "12.50", "created": "2026-01-02", "transactions": {"a": 1}})");
  const absl::StatusOr<common::v1::Order> order = Get();
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_FALSE(order->has_amount());
  EXPECT_THAT(order->unreadable_fields(),
              testing::ElementsAre("amount", "created", "transactions"));
  Answer(200, R"({"id": ")" + std::string(kOrderId) + R"(", "amount": null})");
  EXPECT_EQ(Get()->unreadable_fields_size(), 0);
  Answer(201, R"({"id": ")" + std::string(kOrderId) + R"(", "transactions": [{"amount": {}}]})");
  const ports::Answer answer = Create(Request());
  ASSERT_EQ(answer.fate, Fate::kAnswered) << answer.cause;
  EXPECT_THAT(dynamic_cast<const common::v1::Order&>(*answer.result).unreadable_fields(),
              testing::ElementsAre("transactions[0].amount"));
}

TEST_F(ClientTest, OrderIdInOtherLettersIsTheSameOrder) {
  Answer(200, OrderBody());
  EXPECT_TRUE(Get("5A0E1C2D-7F4B-4C0A-9D53-2F6F6C1F3A10").ok());
}

TEST_F(ClientTest, OrderThatTheServiceDoesNotKnowIsNotFound) {
  Answer(404, R"({"error": {"status": 404, "type": "NotFound", "value": "no such order"}})");
  const absl::StatusOr<common::v1::Order> order = Get();
  EXPECT_THAT(order, FailsWith(StatusCode::kNotFound, domain::reason::kOrderNotFound));
  EXPECT_TRUE(domain::SaysOrderNotFound(order.status()));
}

TEST_F(ClientTest, A404ThatMayBeOfSomethingInBetweenIsNotTheServicesWord) {
  for (const char* body : {"", R"({"error": "no such path"})", R"({"detail": "Not found"})",
                           R"({"error": {"status": 404, "type": "ServerError", "value": "x"}})"}) {
    Answer(404, body);
    const absl::StatusOr<common::v1::Order> order = Get();
    EXPECT_THAT(order, FailsWith(StatusCode::kNotFound, domain::reason::kOrderNotFound)) << body;
    EXPECT_FALSE(domain::SaysOrderNotFound(order.status())) << body;
  }
}

TEST_F(ClientTest, A404ThatIsNotTheServicesIsNoMissingOrder) {
  for (const char* body : {"<html>no such page</html>", "404 page not found", "[]", "{\"cut"}) {
    Answer(404, body);
    EXPECT_THAT(Get(), FailsWith(StatusCode::kUnavailable, domain::reason::kUpstreamUnreadable))
        << body;
  }
}

TEST_F(ClientTest, RefusalIsAResultOfAMutation) {
  Answer(422, R"({"error": {"status": 422, "type": "ValidationError", "value": "currency"}})");
  const ports::Answer answer = Create(Request());
  EXPECT_EQ(answer.fate, Fate::kRefused);
  EXPECT_EQ(answer.refusal.type, "ValidationError");
  EXPECT_EQ(answer.refusal.http_status, 422);
}

TEST_F(ClientTest, OrderIdCannotLeaveItsPlaceInThePath) {
  Answer(404, "");
  EXPECT_FALSE(Get("a/b?c#d").ok());
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].target, "/gate/v1/orders/a%2Fb%3Fc%23d/");
}

/// What the client puts into the pipe.
TEST(ClientExchangeTest, CarriesTheDeadlineTheSendWindowAndTheEffect) {
  Seen seen;
  std::vector<std::unique_ptr<Transport>> links;
  links.push_back(std::make_unique<ScriptedTransport>(&seen, InOrder({Answered(404, "")})));
  Client client(
      TransportChain(std::move(links)), [](const domain::Project&) { return "key"; },
      WalletNames{});
  asio::io_context context{1};
  const BootTime start{std::chrono::hours(1)};
  const ports::Context call{.deadline = start + std::chrono::seconds(8)};
  const ports::SendGuard guard{.write_before = start + std::chrono::seconds(5)};
  test::Await(context, client.CreateOrder(domain::Project{}, payments::v1::CreateOrderRequest(),
                                          call, guard));
  const absl::StatusOr<common::v1::Order> read =
      test::Await(context, client.GetOrder(domain::Project{}, kOrderId, call));
  EXPECT_FALSE(read.ok());
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].operation, "create_order");
  EXPECT_EQ(seen[0].effect, Effect::kMutation);
  EXPECT_EQ(seen[0].deadline, call.deadline);
  EXPECT_EQ(seen[0].write_before, guard.write_before);
  EXPECT_EQ(seen[1].operation, "get_order");
  EXPECT_EQ(seen[1].effect, Effect::kRead);
  EXPECT_EQ(seen[1].deadline, call.deadline);
  EXPECT_EQ(seen[1].write_before, std::nullopt);
}

}  // namespace
}  // namespace tollbridge::payment_service
