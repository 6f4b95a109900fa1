// The report, over real sockets against a server that streams it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/payment_service/client.h"
#include "adapters/payment_service/deadline_transport.h"
#include "adapters/payment_service/http_transport.h"
#include "adapters/payment_service/retry_transport.h"
#include "adapters/system/system_clock.h"
#include "base/http/server.h"
#include "base/telemetry/metrics.h"
#include "services/domain/errors.h"
#include "tests/support/async_test.h"
#include "tests/support/fails_with.h"
#include "tests/unit/adapters/payment_service/pipe_support.h"
#include "tollbridge/common/v1/search.pb.h"

namespace tollbridge::payment_service {
namespace {

namespace asio = boost::asio;

/// A body in pieces, which then ends in order, or breaks off.
struct Pieces {
  std::vector<std::string> left;
  bool breaks_off = false;
};

Async<std::string> NextOf(std::shared_ptr<Pieces> pieces) {
  if (pieces->left.empty()) {
    if (pieces->breaks_off) co_return absl::DataLossError("broken off");
    co_return std::string();
  }
  std::string next = std::move(pieces->left.front());
  pieces->left.erase(pieces->left.begin());
  co_return next;
}

AsyncStatus Keep(std::string& text, const absl::Status& answer, std::string_view piece) {
  text += piece;
  co_return answer;
}

asio::awaitable<http::Response> Respond(http::Response response) { co_return response; }

class ReportTest : public testing::Test {
 protected:
  ReportTest() {
    auto server =
        http::Server::Start({context_.get_executor()}, {},
                            [this](const http::Request& request, const http::ConnectionInfo&) {
                              requests_.push_back(request);
                              http::Response response = std::move(answers_.at(0));
                              if (answers_.size() > 1) answers_.erase(answers_.begin());
                              return Respond(std::move(response));
                            });
    if (!server.ok()) throw std::runtime_error(std::string(server.status().message()));
    server_ = *std::move(server);
    http::ClientOptions options;
    options.base_url = *http::ParseUrl("http://" + server_->address());
    std::vector<std::unique_ptr<Transport>> links;
    links.push_back(std::make_unique<RetryTransport>(
        RetrySettings{.first_pause = std::chrono::milliseconds(1)}, &clock_, &metrics_));
    links.push_back(std::make_unique<HttpTransport>(
        OriginClients{std::make_shared<http::Client>(context_.get_executor(), options)}));
    client_ = std::make_unique<Client>(
        TransportChain(std::move(links)), [](const domain::Project&) { return "key"; },
        WalletNames{});
  }

  static http::Response Report(std::vector<std::string> pieces, bool breaks_off = false) {
    http::Response response;
    response.headers.Set("Content-Type", "text/csv");
    auto shared =
        std::make_shared<Pieces>(Pieces{.left = std::move(pieces), .breaks_off = breaks_off});
    response.body_producer = [shared] { return NextOf(shared); };
    return response;
  }

  static http::Response Plain(int status, std::string body) {
    http::Response response;
    response.status = status;
    response.body = std::move(body);
    return response;
  }

  absl::Status Read(absl::Status sink_answer = absl::OkStatus()) {
    common::v1::OrderSearch search;
    search.set_query("status:completed");
    search.set_sort("id asc");
    const ports::ReportSink sink = [this, &sink_answer](std::string_view piece) {
      return Keep(text_, sink_answer, piece);
    };
    const ports::Context call{.deadline = BootClock::now() + test::kAwaitLimit};
    return test::Await(context_, client_->ReadReport(project_, search, sink, call));
  }

  asio::io_context context_{1};
  domain::Project project_{.name = "shop"};
  system::SystemClock clock_;
  telemetry::Metrics metrics_;
  std::vector<http::Response> answers_;
  std::vector<http::Request> requests_;
  std::string text_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<Client> client_;
};

TEST_F(ReportTest, IsAskedForAsTheDocumentSaysAndGivenOn) {
  answers_ = {Report({"id,amount\n", "1,2\n", "3,4\n"})};
  EXPECT_EQ(Read(), absl::OkStatus());
  EXPECT_EQ(text_, "id,amount\n1,2\n3,4\n");
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].method, "POST");
  EXPECT_EQ(requests_[0].target, "/v1/search/orders/?format=csv");
  EXPECT_EQ(requests_[0].headers.Find("Accept"), "text/csv");
  EXPECT_EQ(requests_[0].headers.Find("Content-Type"), "application/json");
  EXPECT_TRUE(requests_[0].headers.Contains("Authorization"));
  EXPECT_EQ(boost::json::parse(requests_[0].body),
            boost::json::parse(R"({"query": "status:completed", "sort": "id asc"})"));
}

TEST_F(ReportTest, OneThatBreaksOffIsDataLossAndNotAskedForAgain) {
  answers_ = {Report({"id,amount\n", "1,2\n"}, true), Report({"id,amount\n", "1,2\n"})};
  const absl::Status status = Read();
  EXPECT_THAT(status, FailsWith(StatusCode::kDataLoss, domain::reason::kUpstreamUnreadable));
  EXPECT_EQ(requests_.size(), 1u);
  EXPECT_EQ(text_, "id,amount\n1,2\n");
}

TEST_F(ReportTest, IsAskedForAgainWhileNothingWasGiven) {
  answers_ = {Plain(503, ""), Report({"id,amount\n"})};
  EXPECT_EQ(Read(), absl::OkStatus());
  EXPECT_EQ(text_, "id,amount\n");
  EXPECT_EQ(requests_.size(), 2u);
}

TEST_F(ReportTest, ErrorOfTheSinkIsReturnedAsItIs) {
  answers_ = {Report({"id,amount\n", "1,2\n"})};
  const absl::Status gone = absl::CancelledError("the caller is gone");
  EXPECT_EQ(Read(gone), gone);
  EXPECT_EQ(requests_.size(), 1u);
}

TEST_F(ReportTest, RefusalIsReadAsAnErrorAndNotGivenOn) {
  answers_ = {Plain(422, R"({"error": {"status": 422, "type": "ValidationError"}})")};
  const absl::Status status = Read();
  EXPECT_EQ(domain::ReasonOf(status), domain::reason::kUpstreamRefused) << status;
  EXPECT_EQ(text_, "");
}

TEST_F(ReportTest, ServiceThatIsNotThereIsUnavailable) {
  ASSERT_TRUE(test::Await(context_, server_->Stop(BootClock::now() + test::kAwaitLimit)).ok());
  const absl::Status status = Read();
  EXPECT_THAT(status, FailsWith(StatusCode::kUnavailable, domain::reason::kUpstreamUnavailable));
}

/// The attempt deadline is for answers that are read whole.
TEST(ReportDeadlineTest, AttemptDeadlineDoesNotCutAReport) {
  asio::io_context context{1};
  Seen seen;
  const system::SystemClock clock;
  TransportChain chain =
      ChainOf(std::make_unique<DeadlineTransport>(std::chrono::milliseconds(10), &clock), &seen,
              InOrder({Answered(200)}));
  Exchange exchange;
  exchange.deadline = BootClock::now() + std::chrono::hours(1);
  const BootTime deadline = exchange.deadline;
  exchange.on_body = [](std::string_view) -> AsyncStatus { co_return absl::OkStatus(); };
  test::Await(context, chain.Send(std::move(exchange)));
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].deadline, deadline);
}

}  // namespace
}  // namespace tollbridge::payment_service
