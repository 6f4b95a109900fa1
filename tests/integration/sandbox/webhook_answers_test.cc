// What a webhook's request and its answer mean: nothing proves where the one comes from, and of the
// other only the status counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/http/server.h"
#include "sandbox/core/simulation.h"
#include "sandbox/faults/fault_injector.h"
#include "sandbox/webhooks/webhook_sender.h"
#include "tests/support/async_test.h"

namespace tollbridge::sandbox {
namespace {

class WebhookAnswersTest : public testing::Test {
 protected:
  WebhookAnswersTest() {
    auto server =
        http::Server::Start({context_.get_executor()}, {},
                            [this](const http::Request& request, const http::ConnectionInfo&) {
                              received_ = request;
                              return Answer();
                            });
    if (!server.ok()) throw std::runtime_error(std::string(server.status().message()));
    server_ = *std::move(server);
  }

  /// Sends one webhook, which is answered so, and gives its line of the log.
  boost::json::value Sent(int status, std::string body) {
    answer_.status = status;
    answer_.body = std::move(body);
    sender_.Clear();
    Order order;
    order.id = *Uuid::Parse("aaaaaaaa-1111-4111-8111-111111111111");
    order.project_id = simulation_.settings.projects.front().id;
    order.webhook_url = "http://" + server_->address() + "/hook";
    sender_.Notify(order);
    simulation_.timeline.RunDue();
    test::Await(context_, sender_.Idle());
    const boost::json::array log = sender_.Log();
    EXPECT_EQ(log.size(), 1U);
    return log.empty() ? boost::json::value() : log.front();
  }

  boost::asio::io_context context_{1};
  Simulation simulation_{Settings{}, 7, ParseTime("2026-11-21T08:00:00Z")};
  FaultInjector faults_{&simulation_, context_.get_executor()};
  WebhookSender sender_{context_.get_executor(), &simulation_, &faults_};
  http::Request received_;

 private:
  boost::asio::awaitable<http::Response> Answer() { co_return answer_; }

  http::Response answer_;
  std::unique_ptr<http::Server> server_;
};

TEST_F(WebhookAnswersTest, BodyOfTheAnswerIsIgnored) {
  for (const std::string& body :
       {std::string(), std::string("ok"), std::string("{\"error\": {\"status\": 500}}"),
        std::string("\xff\0{", 3), std::string(100'000, 'x')}) {
    const boost::json::value row = Sent(200, body);
    EXPECT_EQ(row.at("outcome"), "delivered") << body.substr(0, 50);
    EXPECT_EQ(row.at("final"), true);
    EXPECT_EQ(sender_.pending(), 0U);
  }
}

TEST_F(WebhookAnswersTest, WebhookIsNotSigned) {
  Sent(200, "");
  std::vector<std::string> names;
  for (const http::Headers::Field& field : received_.headers) names.push_back(field.name);
  EXPECT_THAT(
      names, testing::UnorderedElementsAre("Host", "User-Agent", "Content-Type", "Content-Length"));
}

TEST_F(WebhookAnswersTest, AnyClientOrServerErrorIsAFailureWhateverItsBodySays) {
  for (const int status : {400, 401, 404, 410, 429, 500, 502, 503, 599}) {
    const boost::json::value row = Sent(status, "{\"status\": \"ok\"}");
    EXPECT_EQ(row.at("outcome"), "failed") << status;
    EXPECT_EQ(row.at("final"), false) << "it is repeated";
    EXPECT_EQ(sender_.pending(), 1U);
  }
}

}  // namespace
}  // namespace tollbridge::sandbox
