#include "services/webhooks/ingress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/http/server.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/metrics.h"
#include "services/domain/timestamps.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/support/series.h"

namespace tollbridge::webhooks {
namespace {

using boost::asio::awaitable;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kOrder[] = "7f5de9c1-93b1-4f7a-8a53-1d0f6a4c2b10";
constexpr char kProject[] = "0b3c8a52-4a6b-4f7e-9f0d-1a2b3c4d5e6f";
constexpr char kOtherProject[] = "22222222-4a6b-4f7e-9f0d-1a2b3c4d5e6f";
const std::string kToken(32, 'a');
const std::string kRotated(32, 'b');
constexpr auto kAsTuple = boost::asio::as_tuple(boost::asio::use_awaitable);

/// Keeps hints; can be down, or let its acknowledgement wait.
class KeptHints final : public ports::HintLog {
 public:
  explicit KeptHints(boost::asio::io_context& context) : gate_(context, 1) {}

  absl::Status down;
  bool held = false;
  std::vector<events::v1::Hint> hints;
  std::vector<ports::Context> contexts;

  void Release() { gate_.try_send(boost::system::error_code()); }

  AsyncStatus Append(const events::v1::Hint& hint, const ports::Context& context) override {
    contexts.push_back(context);
    if (held) co_await gate_.async_receive(kAsTuple);
    if (!down.ok()) co_return down;
    hints.push_back(hint);
    co_return absl::OkStatus();
  }

 private:
  boost::asio::experimental::channel<void(boost::system::error_code)> gate_;
};

class IngressTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<PathTokens> tokens =
        PathTokens::Create({{.project = &shop_, .tokens = {kToken, kRotated}, .file = ""}});
    ASSERT_TRUE(tokens.ok()) << tokens.status();
    ingress_.emplace(Ingress::Ports{.hint_log = hints_, .clock = clock_, .metrics = metrics_},
                     *std::move(tokens), settings_);
    http::ServerOptions options;
    options.limits = IngressLimits(4);
    options.on_shed = [this](std::size_t count) { ingress_->CountShed(count); };
    options.error_response = [this](int status, std::string_view reason) {
      return ingress_->Refuse(status, reason);
    };
    auto server = http::Server::Start(
        {context_.get_executor()}, options,
        [this](const http::Request& request, const http::ConnectionInfo& connection) {
          return ingress_->Handle(request, connection);
        });
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  static std::string Body(const std::string& order = kOrder,
                          const std::string& project = kProject) {
    return R"({"event":"status_changed","order_id":")" + order + R"(","project_id":")" + project +
           "\"}";
  }

  awaitable<std::string> Exchange(std::string request) {
    boost::asio::ip::tcp::socket socket(context_);
    const boost::asio::ip::tcp::endpoint server(boost::asio::ip::address_v4::loopback(),
                                                server_->port());
    co_await socket.async_connect(server, boost::asio::use_awaitable);
    co_await boost::asio::async_write(socket, boost::asio::buffer(request), kAsTuple);
    std::string answer;  // to its end: the server closes
    co_await boost::asio::async_read(socket, boost::asio::dynamic_buffer(answer), kAsTuple);
    co_return answer;
  }

  static std::string Request(const std::string& method, const std::string& target,
                             const std::string& body, const std::string& headers = "") {
    return method + " " + target + " HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n" +
           "Content-Type: application/json\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  /// The whole answer, head and body.
  std::string Send(const std::string& method, const std::string& target, const std::string& body,
                   const std::string& headers = "") {
    return test::Await(context_, Exchange(Request(method, target, body, headers)));
  }
  std::string Post(const std::string& body, const std::string& token = kToken) {
    return Send("POST", "/webhooks/" + token, body);
  }

  /// The sum of a counter's series whose label value is this one; of all with an empty one.
  double Counted(std::string_view metric, std::string_view value = "") const {
    double sum = 0;
    for (const prometheus::MetricFamily& family : metrics_.collectable().Collect()) {
      if (family.name != metric) continue;
      for (const prometheus::ClientMetric& series : family.metric) {
        const bool has = std::ranges::any_of(
            series.label, [&](const auto& label) { return label.value == value; });
        if (value.empty() || has) sum += series.counter.value;
      }
    }
    return sum;
  }
  double Count(std::string_view result) const { return Counted(telemetry::kWebhooks.name, result); }

  boost::asio::io_context context_;
  test::FakeClock clock_;
  telemetry::Metrics metrics_;
  KeptHints hints_{context_};
  domain::Project shop_{.name = "shop", .id = *Uuid::Parse(kProject), .webhook_url = ""};
  Settings settings_{.max_per_second = 10, .max_waiting = 3};
  std::optional<Ingress> ingress_;
  std::unique_ptr<http::Server> server_;
};

TEST_F(IngressTest, AWebhookBecomesAHintAndGets200) {
  EXPECT_THAT(Post(Body()), StartsWith("HTTP/1.1 200 "));
  ASSERT_EQ(hints_.hints.size(), 1U);
  const events::v1::Hint& hint = hints_.hints.front();
  EXPECT_EQ(hint.order_id(), kOrder);
  EXPECT_EQ(hint.project(), "shop");
  EXPECT_EQ(hint.source(), events::v1::HINT_SOURCE_WEBHOOK);
  EXPECT_EQ(domain::ToWallTime(hint.noticed_at()), clock_.WallNow());
  EXPECT_FALSE(hint.has_member());
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kWebhooks, {"accepted", "shop"}), 1);
}

TEST_F(IngressTest, WebhooksAreCountedByProjectOnceItIsKnown) {
  EXPECT_THAT(Post("no json"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Send("POST", "/webhooks/" + std::string(32, 'x'), Body()),
              StartsWith("HTTP/1.1 404 "));
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kWebhooks, {"malformed", "shop"}), 1);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kWebhooks, {"wrong_token", "other"}), 1);
}

TEST_F(IngressTest, BothTokensAreLiveWhileRotating) {
  EXPECT_THAT(Post(Body(), kRotated), StartsWith("HTTP/1.1 200 "));
  absl::StatusOr<PathTokens> next =
      PathTokens::Create({{.project = &shop_, .tokens = {kRotated}, .file = ""}});
  ASSERT_TRUE(next.ok());
  ingress_->ReplaceTokens(*std::move(next));
  EXPECT_THAT(Post(Body(), kRotated), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Post(Body(), kToken), StartsWith("HTTP/1.1 404 "));
}

TEST_F(IngressTest, TimesWebhooksByResult) {
  hints_.held = true;
  std::string answer;
  boost::asio::co_spawn(context_, Exchange(Request("POST", "/webhooks/" + kToken, Body())),
                        [&](std::exception_ptr, std::string text) { answer = std::move(text); });
  ASSERT_TRUE(test::RunUntil(context_, [&] { return hints_.contexts.size() == 1; }));
  clock_.Advance(std::chrono::milliseconds(750));
  hints_.Release();
  ASSERT_TRUE(test::RunUntil(context_, [&] { return !answer.empty(); }));
  Post("{}");
  double sum = 0;
  for (const prometheus::MetricFamily& family : metrics_.collectable().Collect()) {
    if (family.name != telemetry::kWebhookSeconds.name) continue;
    for (const auto& series : family.metric) sum += series.histogram.sample_sum;
  }
  EXPECT_DOUBLE_EQ(sum, 0.75);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kWebhookSeconds, {"accepted"}), 1);
  EXPECT_EQ(test::SeriesOf(metrics_, telemetry::kWebhookSeconds, {"malformed"}), 1);
}

TEST_F(IngressTest, Answers200OnlyAfterTheHintIsAcknowledged) {
  hints_.held = true;
  std::string answer;
  boost::asio::co_spawn(context_, Exchange(Request("POST", "/webhooks/" + kToken, Body())),
                        [&](std::exception_ptr, std::string text) { answer = std::move(text); });
  ASSERT_TRUE(test::RunUntil(context_, [&] { return hints_.contexts.size() == 1; }));
  context_.poll();
  EXPECT_EQ(answer, "");
  hints_.Release();
  ASSERT_TRUE(test::RunUntil(context_, [&] { return !answer.empty(); }));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
}

TEST_F(IngressTest, ALogThatDoesNotAcknowledgeGives503WithinTheSendersPatience) {
  hints_.down = absl::UnavailableError("the log is down");
  EXPECT_THAT(Post(Body()), StartsWith("HTTP/1.1 503 "));
  ASSERT_EQ(hints_.contexts.size(), 1U);
  EXPECT_LE(hints_.contexts[0].deadline - clock_.BootNow(), std::chrono::milliseconds(2400));
}

TEST_F(IngressTest, MoreThanMayWaitForTheLogGet503AtOnceAndAreLetInAgainLater) {
  hints_.held = true;
  std::vector<std::string> answers;
  for (int i = 0; i < 3; ++i) {
    boost::asio::co_spawn(context_, Exchange(Request("POST", "/webhooks/" + kToken, Body())),
                          [&](std::exception_ptr, std::string text) { answers.push_back(text); });
  }
  ASSERT_TRUE(test::RunUntil(context_, [&] { return hints_.contexts.size() == 3; }));
  EXPECT_THAT(Post(Body()), StartsWith("HTTP/1.1 503 "));
  EXPECT_EQ(hints_.contexts.size(), 3U) << "the log was not asked";
  EXPECT_THAT(answers, IsEmpty());
  hints_.held = false;
  for (std::size_t i = 1; i <= 3; ++i) {
    hints_.Release();
    ASSERT_TRUE(test::RunUntil(context_, [&] { return answers.size() == i; }));
    EXPECT_THAT(answers.back(), StartsWith("HTTP/1.1 200 "));
  }
  EXPECT_THAT(Post(Body()), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(Count("overloaded"), 1);
  EXPECT_EQ(Count("accepted"), 4);
}

TEST_F(IngressTest, EveryRefusalIsCountedByItsCause) {
  Post(Body(), std::string(32, 'x'));
  Post("no json");
  Post(std::string(4097, 'x'));
  Send("POST", "/webhooks/" + kToken, Body(), "X: " + std::string(8192, 'x') + "\r\n");
  hints_.down = absl::UnavailableError("the log is down");
  Post(Body());
  EXPECT_EQ(Count("wrong_token"), 1);
  EXPECT_EQ(Count("malformed"), 1);
  EXPECT_EQ(Count("too_large"), 2);
  EXPECT_EQ(Count("unavailable"), 1);
  EXPECT_EQ(ingress_->Refuse(408, "").status, 408);
  EXPECT_EQ(Count("too_slow"), 1);
  for (int i = 0; i < 20; ++i) Post(Body());
  EXPECT_GT(Count("over_limit"), 0);
}

TEST_F(IngressTest, TheBoundsOfWhatIsReadAreThoseOfTheDocument) {
  const http::ServerLimits limits = IngressLimits(77);
  EXPECT_EQ(limits.max_body_bytes, 4096U);
  EXPECT_EQ(limits.max_header_bytes, 8192U);
  EXPECT_EQ(limits.header_timeout, std::chrono::seconds(5));
  EXPECT_EQ(limits.body_timeout, std::chrono::seconds(3));
  EXPECT_EQ(limits.max_connections, 77U);
}

TEST_F(IngressTest, SilentConnectionsKeepNobodyOut) {
  std::vector<boost::asio::ip::tcp::socket> silent;
  for (int i = 0; i < 8; ++i) {
    silent.emplace_back(context_).connect(
        {boost::asio::ip::address_v4::loopback(), server_->port()});
  }
  EXPECT_THAT(Post(Body()), StartsWith("HTTP/1.1 200 "));
  EXPECT_GE(Counted(telemetry::kWebhookConnectionsShed.name), 5);
}

TEST_F(IngressTest, AWrongTokenOrPathGives404AndNoHint) {
  for (const std::string& target :
       {std::string("/webhooks/") + std::string(32, 'x'), std::string("/webhooks/"),
        std::string("/webhooks"), std::string("/"), "/webhooks/" + kToken + "/",
        "/webhooks/" + kToken + "?x=1", "/Webhooks/" + kToken}) {
    EXPECT_THAT(Send("POST", target, Body()), StartsWith("HTTP/1.1 404 ")) << target;
  }
  EXPECT_THAT(hints_.hints, IsEmpty());
}

TEST_F(IngressTest, AnotherMethodGives405WhateverTheToken) {
  EXPECT_THAT(Send("GET", "/webhooks/" + kToken, ""), StartsWith("HTTP/1.1 405 "));
  const std::string answer = Send("PUT", "/webhooks/wrong", Body());
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(answer, HasSubstr("Allow: POST"));
}

TEST_F(IngressTest, ABadBodyGives400AndIsSampledToTheLogWithoutItsContent) {
  const telemetry::LogCapture log;
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(Post("SECRET not json"), StartsWith("HTTP/1.1 400 "));
  }
  EXPECT_THAT(Post(Body("no-uuid")), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Post(""), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(hints_.hints, IsEmpty());
  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_THAT(log.lines()[0], HasSubstr("webhook_malformed"));
  EXPECT_THAT(log.lines()[0], Not(HasSubstr("SECRET")));
  clock_.Advance(std::chrono::seconds(10));
  Post("again");
  ASSERT_EQ(log.lines().size(), 2U);
  EXPECT_THAT(log.lines()[1], HasSubstr("\"count\":5"));
}

TEST_F(IngressTest, TheTokenNamesTheProjectWhereTheBodyNamesNone) {
  EXPECT_THAT(Post(R"({"order_id":")" + std::string(kOrder) + "\"}"), StartsWith("HTTP/1.1 200 "));
  ASSERT_EQ(hints_.hints.size(), 1U);
  EXPECT_EQ(hints_.hints[0].project(), "shop");
}

TEST_F(IngressTest, AnotherProjectThanTheTokensGives400) {
  EXPECT_THAT(Post(Body(kOrder, kOtherProject)), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(hints_.hints, IsEmpty());
}

TEST_F(IngressTest, ABodyOver4KiBIsRefusedUnread) {
  std::string body = Body();
  body.insert(1, R"("pad":")" + std::string(4096, 'x') + R"(",)");
  EXPECT_THAT(Post(body), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(hints_.hints, IsEmpty());
}

TEST_F(IngressTest, ABodyOfExactly4KiBIsTaken) {
  std::string body = Body();
  const std::string frame = R"("pad":"",)";
  body.insert(1, R"("pad":")" + std::string(4096 - body.size() - frame.size(), 'x') + R"(",)");
  ASSERT_EQ(body.size(), 4096U);
  EXPECT_THAT(Post(body), StartsWith("HTTP/1.1 200 "));
}

TEST_F(IngressTest, AProjectOverItsRateGets429AndIsLetInAgainLater) {
  for (int i = 0; i < 20; ++i) ASSERT_THAT(Post(Body()), StartsWith("HTTP/1.1 200 "));
  const std::string answer = Post(Body());
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(answer, HasSubstr("Retry-After: 1"));
  EXPECT_EQ(hints_.hints.size(), 20U);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_THAT(Post(Body()), StartsWith("HTTP/1.1 200 "));
}

TEST_F(IngressTest, WrongTokensDoNotUseUpAProjectsRate) {
  for (int i = 0; i < 25; ++i) Post(Body(), std::string(32, 'x'));
  EXPECT_THAT(Post(Body()), StartsWith("HTTP/1.1 200 "));
}

TEST_F(IngressTest, TheHintTravelsInTheTraceOfTheWebhook) {
  const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  Send("POST", "/webhooks/" + kToken, Body(), "traceparent: " + parent + "\r\n");
  Post(Body());
  ASSERT_EQ(hints_.contexts.size(), 2U);
  EXPECT_EQ(hints_.contexts[0].trace.TraceIdHex(), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_NE(hints_.contexts[0].trace.SpanIdHex(), "b7ad6b7169203331") << "a span of its own";
  EXPECT_FALSE(hints_.contexts[1].trace.valid()) << "nobody records, and no sender began one";
}

}  // namespace
}  // namespace tollbridge::webhooks
