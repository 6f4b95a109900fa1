#include "services/sandbox/app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/client.h"
#include "adapters/http/server.h"
#include "services/base/encoding.h"
#include "services/sandbox/error_response.h"
#include "tests/support/async_test.h"

namespace tollbridge::sandbox {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

using testing::HasSubstr;
using testing::StartsWith;

std::string Text(const json::value& value) { return std::string(value.as_string()); }

/// A server that the test starts, or an exception.
std::unique_ptr<http::Server> StartServer(asio::io_context& context, http::Handler handler,
                                          http::ServerOptions options = {}) {
  auto server =
      http::Server::Start({context.get_executor()}, std::move(options), std::move(handler));
  if (!server.ok()) throw std::runtime_error(std::string(server.status().message()));
  return *std::move(server);
}

/// The receiver of webhooks: answers what it is told, in order, then 200.
class Receiver {
 public:
  explicit Receiver(asio::io_context& context)
      : server_(StartServer(context,
                            [this](const http::Request& request,
                                   const http::ConnectionInfo&) -> asio::awaitable<http::Response> {
                              received_.push_back(request);
                              http::Response response;
                              if (received_.size() <= statuses_.size()) {
                                response.status = statuses_[received_.size() - 1];
                              }
                              co_return response;
                            })) {}

  void AnswerFirst(std::vector<int> statuses) { statuses_ = std::move(statuses); }
  std::string Url() const { return "http://" + server_->address() + "/hooks/token?a=b"; }
  const std::vector<http::Request>& received() const { return received_; }

 private:
  std::vector<int> statuses_;
  std::vector<http::Request> received_;
  std::unique_ptr<http::Server> server_;
};

/// The sandbox as its program runs it, asked over real sockets.
class SandboxAppTest : public testing::Test {
 protected:
  SandboxAppTest() : receiver_(context_) {
    http::ServerOptions options;
    options.error_response = [](int status, std::string_view reason) {
      return ToResponse(status, reason);
    };
    server_ = StartServer(
        context_,
        [this](const http::Request& request, const http::ConnectionInfo& connection)
            -> asio::awaitable<http::Response> { co_return app_.Handle(request, connection); },
        std::move(options));
    base_url_ = "http://" + server_->address();
    app_.SetBaseUrl(base_url_);
    http::ClientOptions client;
    client.base_url = *http::ParseUrl(base_url_);
    client_ = std::make_unique<http::Client>(context_.get_executor(), client);
  }

  http::Response Ask(std::string_view method, std::string target, std::string body = "",
                     std::string_view key = "sandbox-demo-key") {
    http::Request request;
    request.method = method;
    request.target = std::move(target);
    request.body = std::move(body);
    if (!key.empty()) {
      request.headers.Set("Authorization", "Basic " + Base64Encode(std::string(key) + ":"));
    }
    const http::SendResult result = test::Await(
        context_,
        client_->Send(std::move(request), {.deadline = BootClock::now() + test::kAwaitLimit}));
    EXPECT_EQ(result.fate, http::Fate::kAnswered) << result.error;
    return result.response;
  }

  json::object CreateOrder() {
    const http::Response created =
        Ask("POST", "/v1/orders/",
            R"({"currency": "EUR", "amount": 1250, "return_url": "https://shop.example/back",
                "webhook_url": ")" +
                receiver_.Url() + "\"}");
    EXPECT_EQ(created.status, 201) << created.body;
    return json::parse(created.body).as_object();
  }

  json::object Get(const json::object& order) {
    const http::Response response = Ask("GET", "/v1/orders/" + Text(order.at("id")) + "/");
    EXPECT_EQ(response.status, 200);
    return json::parse(response.body).as_object();
  }

  /// What a browser does with the order's order_url.
  std::string PagePath(const json::object& order) {
    const std::string url = Text(order.at("order_url"));
    EXPECT_THAT(url, StartsWith(base_url_ + "/"));
    return url.substr(base_url_.size());
  }

  json::array Admin(const std::string& what) {
    return json::parse(Ask("GET", "/_sandbox/" + what, "", "").body).as_array();
  }

  bool WaitForWebhooks(std::size_t count) {
    return test::RunUntil(context_, [&] { return receiver_.received().size() >= count; });
  }

  bool WaitForDeliveries(std::size_t count) {
    // Asking runs the io_context too, so that deliveries go on meanwhile.
    const auto end = std::chrono::steady_clock::now() + test::kAwaitLimit;
    while (Admin("deliveries").size() < count) {
      if (std::chrono::steady_clock::now() > end) return false;
    }
    return true;
  }

  asio::io_context context_{1};
  Receiver receiver_;
  App app_{context_.get_executor(), 1, DefaultProjects(),
           WebhookPolicy{.pause = std::chrono::milliseconds(1), .max_attempts = 3}};
  std::unique_ptr<http::Server> server_;
  std::string base_url_;
  std::unique_ptr<http::Client> client_;
};

TEST_F(SandboxAppTest, OrderIsPaidOnItsPageAndEveryoneIsTold) {
  const json::object order = CreateOrder();
  const std::string page_path = PagePath(order);

  const http::Response page = Ask("GET", page_path, "", "");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("<form method=\"post\">"));
  EXPECT_TRUE(receiver_.received().empty()) << "looking at the page changes nothing";

  const http::Response paid = Ask("POST", page_path, "method=credit-card&action=pay", "");
  EXPECT_EQ(paid.status, 303);
  EXPECT_EQ(paid.headers.Find("Location"), "https://shop.example/back");

  ASSERT_TRUE(WaitForWebhooks(2)) << "processing and completed";
  for (const http::Request& webhook : receiver_.received()) {
    EXPECT_EQ(webhook.method, "POST");
    EXPECT_EQ(webhook.target, "/hooks/token?a=b");
    EXPECT_EQ(webhook.headers.Find("Content-Type"), "application/json");
    json::object expected;
    expected["event"] = "status_changed";
    expected["order_id"] = order.at("id");
    expected["project_id"] = order.at("project_id");
    EXPECT_EQ(json::parse(webhook.body), json::value(expected));
  }

  const json::object read = Get(order);
  EXPECT_EQ(read.at("status"), "completed");
  const json::array ledger = Admin("ledger");
  ASSERT_EQ(ledger.size(), 1u);
  EXPECT_EQ(ledger[0].at("effect"), "charge");
  EXPECT_EQ(ledger[0].at("order_id"), order.at("id"));
  EXPECT_EQ(ledger[0].at("transaction_id"), read.at("transactions").at(0).at("id"));
  EXPECT_EQ(ledger[0].at("amount"), 1250);
}

TEST_F(SandboxAppTest, DeclinedFirstAttemptLeavesTheOrderProcessing) {
  const json::object order = CreateOrder();
  const std::string page_path = PagePath(order);
  const http::Response declined = Ask("POST", page_path, "method=credit-card&action=decline", "");
  EXPECT_EQ(declined.status, 303);
  EXPECT_EQ(declined.headers.Find("Location"), page_path);
  ASSERT_TRUE(WaitForWebhooks(1));
  EXPECT_EQ(Get(order).at("status"), "processing");
  EXPECT_THAT(Ask("GET", page_path, "", "").body, HasSubstr("id=\"declined\""));
  EXPECT_TRUE(Admin("ledger").empty());

  EXPECT_EQ(Ask("POST", page_path, "method=wallet-a-pay&action=pay", "").status, 303);
  const json::object read = Get(order);
  EXPECT_EQ(read.at("status"), "completed");
  EXPECT_EQ(read.at("transactions").at(0).at("status"), "declined");
  EXPECT_EQ(read.at("transactions").at(1).at("status"), "completed");
  EXPECT_EQ(Admin("ledger").size(), 1u);
}

TEST_F(SandboxAppTest, WebhookIsRepeatedAfterAFailure) {
  receiver_.AnswerFirst({500});
  const json::object order = CreateOrder();
  Ask("POST", "/_sandbox/orders/" + Text(order.at("id")) + "/pay", R"({"outcome": "expire"})", "");
  ASSERT_TRUE(WaitForDeliveries(2));
  EXPECT_EQ(receiver_.received().size(), 2u);
  EXPECT_EQ(receiver_.received()[0].body, receiver_.received()[1].body);
  const json::array deliveries = Admin("deliveries");
  ASSERT_EQ(deliveries.size(), 2u);
  EXPECT_EQ(deliveries[0].at("attempt"), 1);
  EXPECT_EQ(deliveries[0].at("result"), "500");
  EXPECT_EQ(deliveries[1].at("attempt"), 2);
  EXPECT_EQ(deliveries[1].at("result"), "200");
  for (const json::value& delivery : deliveries) {
    EXPECT_EQ(delivery.at("order_id"), order.at("id"));
    EXPECT_EQ(Text(delivery.at("url_origin")).find("token"), std::string::npos)
        << "the path is the receiver's secret";
  }
}

TEST_F(SandboxAppTest, WebhookIsGivenUpAfterTheLastAttempt) {
  receiver_.AnswerFirst({500, 404, 503, 500});
  const json::object failing = CreateOrder();
  Ask("POST", "/_sandbox/orders/" + Text(failing.at("id")) + "/pay", R"({"outcome": "expire"})",
      "");
  ASSERT_TRUE(WaitForDeliveries(3));
  // Another order's webhook, with a pause of its own, begun later: when its second attempt is over,
  // a fourth attempt of the first would have been seen.
  const json::object next = CreateOrder();
  Ask("POST", "/_sandbox/orders/" + Text(next.at("id")) + "/pay", R"({"outcome": "expire"})", "");
  ASSERT_TRUE(WaitForDeliveries(5));
  const json::array deliveries = Admin("deliveries");
  ASSERT_EQ(deliveries.size(), 5u);
  EXPECT_EQ(deliveries[2].at("attempt"), 3);
  EXPECT_EQ(deliveries[2].at("result"), "503");
  EXPECT_EQ(deliveries[3].at("order_id"), next.at("id"));
  EXPECT_EQ(deliveries[4].at("order_id"), next.at("id"));
}

TEST_F(SandboxAppTest, RedirectOfAWebhookIsNotFollowed) {
  receiver_.AnswerFirst({302});
  const json::object order = CreateOrder();
  Ask("POST", "/_sandbox/orders/" + Text(order.at("id")) + "/pay", R"({"outcome": "expire"})", "");
  ASSERT_TRUE(WaitForDeliveries(1));
  EXPECT_EQ(Admin("deliveries")[0].at("result"), "302");
  EXPECT_EQ(receiver_.received().size(), 1u);
}

TEST_F(SandboxAppTest, TrailingSlashIsTakenBothWaysAndNeverRedirected) {
  constexpr std::string_view kBody = R"({"currency": "EUR", "amount": 1})";
  for (const std::string_view path : {"/v1/orders", "/v1/orders/"}) {
    const http::Response created = Ask("POST", std::string(path), std::string(kBody));
    ASSERT_EQ(created.status, 201) << path;
    const std::string id = Text(json::parse(created.body).at("id"));
    EXPECT_EQ(Ask("GET", "/v1/orders/" + id).status, 200);
    EXPECT_EQ(Ask("GET", "/v1/orders/" + id + "/").status, 200);
    EXPECT_EQ(Ask("GET", "/pay/" + id, "", "").status, 200);
    EXPECT_EQ(Ask("GET", "/pay/" + id + "/", "", "").status, 200);
  }
  EXPECT_EQ(Ask("GET", "/_sandbox/orders/", "", "").status, 200);
}

TEST_F(SandboxAppTest, WrongMethodIsToldWithTheErrorObject) {
  const http::Response response = Ask("DELETE", "/v1/orders/");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.Find("Allow"), "POST");
  EXPECT_EQ(json::parse(response.body).at("error").at("type"), "MethodNotAllowed");
}

TEST_F(SandboxAppTest, HugeBodyIsRefusedWithTheErrorObject) {
  const http::Response response =
      Ask("POST", "/v1/orders/", std::string((std::size_t{1} << 20) + 1, ' '));
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(response.headers.Find("Content-Type"), "application/json");
  const json::value body = json::parse(response.body);
  EXPECT_EQ(body.at("error").at("status"), 413);
  EXPECT_EQ(body.at("error").at("type"), "ValidationError");
  EXPECT_TRUE(Admin("orders").empty());
}

TEST_F(SandboxAppTest, MissingKeyIsToldWithTheErrorObject) {
  const http::Response response = Ask("GET", "/v1/orders/x/", "", "");
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(json::parse(response.body).at("error").at("type"), "AuthenticationError");
}

}  // namespace
}  // namespace tollbridge::sandbox
