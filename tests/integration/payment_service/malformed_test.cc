// Every function of the port times every kind of malformed answer, with the whole pipe over real
// sockets: what cannot be read is not known, is never guessed at, and leaves nothing behind that
// the next call could stumble over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "adapters/payment_service/breaker_transport.h"
#include "adapters/payment_service/client.h"
#include "adapters/payment_service/deadline_transport.h"
#include "adapters/payment_service/http_transport.h"
#include "adapters/payment_service/meter_transport.h"
#include "adapters/payment_service/rate_gate.h"
#include "adapters/payment_service/retry_transport.h"
#include "adapters/payment_service/trace_transport.h"
#include "adapters/system/system_clock.h"
#include "base/telemetry/metrics.h"
#include "services/domain/errors.h"
#include "services/search/export_orders.h"
#include "tests/integration/payment_service/byte_server.h"
#include "tests/integration/payment_service/malformed_answers.h"
#include "tests/support/async_test.h"
#include "tests/support/decoded.h"
#include "tests/support/endpoint_calls.h"
#include "tests/support/read_file.h"
#include "tollbridge/common/v1/order.pb.h"

namespace tollbridge::test {
namespace {

namespace ps = payment_service;
using Fate = ports::Answer::Fate;
using search::v1::ExportOrdersResponse;

/// The client with the gateway's links, fresh, so that no breaker remembers an answer before.
class Pipe {
 public:
  Pipe(boost::asio::io_context& context, std::uint16_t port) {
    ps::OriginClients clients;
    for (auto& client : clients) {
      http::ClientOptions options;
      options.base_url = *http::ParseUrl("http://127.0.0.1:" + std::to_string(port));
      client = std::make_shared<http::Client>(context.get_executor(), std::move(options));
    }
    std::vector<std::unique_ptr<ps::Transport>> links;
    links.push_back(std::make_unique<ps::RetryTransport>(
        ps::RetrySettings{.first_pause = std::chrono::milliseconds(1)}, &clock_, &metrics_));
    links.push_back(std::make_unique<ps::TraceTransport>(ps::OriginUrls()));
    links.push_back(std::make_unique<ps::MeterTransport>(&metrics_, &clock_));
    links.push_back(std::make_unique<ps::BreakerTransport>(
        ps::BreakerSettings{}, ps::Breaker::Events{}, &clock_, &metrics_));
    links.push_back(std::make_unique<ps::RateGate>(ps::RateGateSettings{}, &clock_, &metrics_));
    links.push_back(std::make_unique<ps::DeadlineTransport>(kAwaitLimit, &clock_));
    links.push_back(std::make_unique<ps::HttpTransport>(std::move(clients)));
    client_ = std::make_unique<ps::Client>(
        ps::TransportChain(std::move(links)), [](const domain::Project&) { return "key"; },
        ps::WalletNames{});
  }

  ps::Client& client() { return *client_; }

 private:
  system::SystemClock clock_;
  telemetry::Metrics metrics_;
  std::unique_ptr<ps::Client> client_;
};

AsyncStatus Keep(std::vector<ExportOrdersResponse>& all, ExportOrdersResponse one) {
  all.push_back(std::move(one));
  co_return absl::OkStatus();
}

class ByteServerTest : public testing::Test {
 protected:
  ports::Context Context() const {
    return {.deadline = BootClock::now() + kAwaitLimit, .trace = {}};
  }

  Told Call(Pipe& pipe, const EndpointCall& endpoint) {
    if (IsReport(endpoint)) return Export(pipe);
    const ports::SendGuard guard{.write_before = BootClock::now() + kAwaitLimit};
    const ports::Context call = Context();
    return Await(context_, endpoint.call(pipe.client(), project_, call, guard));
  }

  /// The port hands a report on as it comes; its reader is who checks it.
  Told Export(Pipe& pipe) {
    search::v1::ExportOrdersRequest request;
    request.mutable_query()->set_raw("*");
    std::vector<ExportOrdersResponse> given;
    const search::StreamSink<ExportOrdersResponse> sink =
        [&given](const domain::Encoded<ExportOrdersResponse>& response) {
          return Keep(given, Decoded(response));
        };
    const ports::Context call = Context();
    Told told;
    told.status =
        Await(context_, search::ExportOrders(pipe.client(), project_, request, call, sink));
    const bool summed_up = !given.empty() && given.back().has_summary();
    if (summed_up) told.result = std::make_shared<ExportOrdersResponse>(given.back());
    return told;
  }

  boost::asio::io_context context_{1};
  domain::Project project_{.name = "shop"};
  Bytes answer_;
  ByteServer server_{context_, [this](std::string_view request) {
                       // Before the report the orders are counted.
                       if (count_well_ && request.find("format=csv") == std::string_view::npos) {
                         return HttpAnswer(200, R"({"hits":1,"orders":[]})");
                       }
                       return answer_;
                     }};
  bool count_well_ = false;
};

class MalformedTest : public ByteServerTest,
                      public testing::WithParamInterface<std::tuple<EndpointCall, Malformation>> {
 protected:
  static void ExpectUnknown(const ports::Answer& answer) {
    EXPECT_EQ(answer.fate, Fate::kUnknown);
    EXPECT_FALSE(answer.cause.empty());
    EXPECT_THAT(answer.cause, testing::Not(testing::HasSubstr(kForeignText)));
  }

  static void ExpectError(const absl::Status& status, const Malformation& how, bool report) {
    // Of a report, what came before is with the reader already.
    const bool lost = report && status.code() == absl::StatusCode::kDataLoss;
    EXPECT_TRUE(lost || status.code() == how.code) << status;
    if (!lost) EXPECT_EQ(domain::ReasonOf(status), how.reason) << status;
    EXPECT_FALSE(domain::ReasonOf(status).empty()) << status;
    EXPECT_THAT(std::string(status.message()), testing::Not(testing::HasSubstr(kForeignText)));
  }
};

TEST_P(MalformedTest, AnswerIsNotKnownAndTheNextOneIsReadAsItIs) {
  const auto& [endpoint, how] = GetParam();
  count_well_ = IsReport(endpoint);
  for (const Bytes& malformed : how.answers(endpoint)) {
    SCOPED_TRACE(malformed.bytes.substr(0, 300));
    Pipe pipe(context_, server_.port());
    answer_ = malformed;
    const Told told = Call(pipe, endpoint);
    EXPECT_EQ(told.result, nullptr);
    endpoint.mutation ? ExpectUnknown(told.answer)
                      : ExpectError(told.status, how, IsReport(endpoint));
    const int spoiled = server_.connections().back();

    answer_ = HttpAnswer(200, endpoint.good);
    const Told next = Call(pipe, endpoint);
    EXPECT_NE(next.result, nullptr) << next.answer.cause << next.status;
    EXPECT_TRUE(next.status.ok()) << next.status;
    if (endpoint.mutation) EXPECT_EQ(next.answer.fate, Fate::kAnswered);
    if (how.spoils_connection) EXPECT_NE(server_.connections().back(), spoiled);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryEndpoint, MalformedTest,
                         testing::Combine(testing::ValuesIn(EndpointCalls()),
                                          testing::ValuesIn(Malformations())),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
                         });

class LeftoverTest : public ByteServerTest {
 protected:
  static std::string Order(std::string_view status) {
    return R"({"id":"5a0e1c2d-7f4b-4c0a-9d53-2f6f6c1f3a10","status":")" + std::string(status) +
           "\"}";
  }
  common::v1::OrderStatus Read(Pipe& pipe) {
    const ports::Context call = Context();
    const auto order = Await(
        context_, pipe.client().GetOrder(project_, "5a0e1c2d-7f4b-4c0a-9d53-2f6f6c1f3a10", call));
    EXPECT_TRUE(order.ok()) << order.status();
    return order.ok() ? order->status() : common::v1::ORDER_STATUS_UNSPECIFIED;
  }
};

TEST_F(LeftoverTest, AnswerBehindAnAnswerIsNotTakenForTheNext) {
  Pipe pipe(context_, server_.port());
  answer_ = HttpAnswer(200, Order("new"));
  answer_.bytes += HttpAnswer(200, Order("completed")).bytes;
  EXPECT_EQ(Read(pipe), common::v1::ORDER_STATUS_NEW);
  answer_ = HttpAnswer(200, Order("expired"));
  EXPECT_EQ(Read(pipe), common::v1::ORDER_STATUS_EXPIRED);
}

TEST_F(LeftoverTest, AnswerThatComesUnaskedOnAnIdleConnectionIsNotTakenForTheNext) {
  Pipe pipe(context_, server_.port());
  answer_ = HttpAnswer(200, Order("new"));
  EXPECT_EQ(Read(pipe), common::v1::ORDER_STATUS_NEW);
  server_.WriteMore(HttpAnswer(200, Order("completed")).bytes);
  answer_ = HttpAnswer(200, Order("expired"));
  EXPECT_EQ(Read(pipe), common::v1::ORDER_STATUS_EXPIRED);
  EXPECT_EQ(server_.connections().back(), 2);
}

TEST(EndpointCallsTest, NameEveryFunctionOfThePort) {
  const std::string text =
      ReadFile(std::string(TOLLBRIDGE_SOURCE_DIR) + "/services/ports/payment_service.h");
  static const std::regex function(R"(virtual\s[^;~]*?\s(\w+)\([^;]*\) = 0;)");
  std::set<std::string> port;
  for (std::sregex_iterator it(text.begin(), text.end(), function), end; it != end; ++it) {
    port.insert((*it)[1]);
  }
  EXPECT_GE(port.size(), 17U);
  std::set<std::string> called;
  for (const EndpointCall& endpoint : EndpointCalls()) {
    const std::size_t part = endpoint.name.find("InPart");
    called.insert(endpoint.name.substr(0, part));
  }
  EXPECT_EQ(called, port);
}

}  // namespace
}  // namespace tollbridge::test
