#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/payment_service/deadline_transport.h"
#include "adapters/payment_service/meter_transport.h"
#include "adapters/payment_service/trace_transport.h"
#include "adapters/payment_service/waited_transport.h"
#include "tests/support/async_test.h"
#include "tests/support/fakes/fake_clock.h"
#include "tests/unit/adapters/payment_service/pipe_support.h"

namespace tollbridge::payment_service {
namespace {

using std::chrono::milliseconds;
using telemetry::TraceContext;

class PipeLinksTest : public testing::Test {
 protected:
  ExchangeResult Send(std::unique_ptr<Transport> link, Exchange exchange,
                      ScriptedTransport::Script script = InOrder({Answered(200)})) {
    TransportChain chain = ChainOf(std::move(link), &seen_, std::move(script));
    return test::Await(context_, chain.Send(std::move(exchange)));
  }

  Exchange NewExchange() {
    Exchange exchange;
    exchange.operation = "get_order";
    exchange.project = "shop";
    exchange.deadline = clock_.BootNow() + milliseconds(10'000);
    return exchange;
  }

  boost::asio::io_context context_{1};
  test::FakeClock clock_;
  telemetry::Metrics metrics_;
  Seen seen_;
};

TEST_F(PipeLinksTest, ChainPassesItsLinksInOrder) {
  std::vector<std::unique_ptr<Transport>> links;
  links.push_back(std::make_unique<DeadlineTransport>(milliseconds(3000), &clock_));
  links.push_back(std::make_unique<DeadlineTransport>(milliseconds(2000), &clock_));
  links.push_back(std::make_unique<ScriptedTransport>(&seen_, InOrder({Answered(201)})));
  TransportChain chain(std::move(links));
  const ExchangeResult result = test::Await(context_, chain.Send(NewExchange()));
  EXPECT_EQ(result.response.status, 201);
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].deadline, clock_.BootNow() + milliseconds(2000));
}

TEST_F(PipeLinksTest, DeadlineOfAnAttemptCutsALongerOne) {
  Send(std::make_unique<DeadlineTransport>(milliseconds(3000), &clock_), NewExchange());
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].deadline, clock_.BootNow() + milliseconds(3000));
}

TEST_F(PipeLinksTest, DeadlineOfAnAttemptLeavesAShorterOne) {
  Exchange exchange = NewExchange();
  exchange.deadline = clock_.BootNow() + milliseconds(100);
  Send(std::make_unique<DeadlineTransport>(milliseconds(3000), &clock_), exchange);
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].deadline, clock_.BootNow() + milliseconds(100));
}

TEST_F(PipeLinksTest, DeadlineOfAnAttemptLeavesTheSendWindow) {
  Exchange exchange = NewExchange();
  exchange.write_before = clock_.BootNow() + milliseconds(9000);
  Send(std::make_unique<DeadlineTransport>(milliseconds(3000), &clock_), exchange);
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].write_before, clock_.BootNow() + milliseconds(9000));
}

TEST_F(PipeLinksTest, WhoAsksIsToldHowLongTheExchangeTook) {
  Exchange exchange = NewExchange();
  exchange.waited = std::make_shared<ports::Waited>();
  const std::shared_ptr<ports::Waited> waited = exchange.waited;
  const auto slow = [this](const Exchange&) {
    clock_.Advance(milliseconds(30));
    return Answered(200);
  };
  EXPECT_EQ(Send(std::make_unique<WaitedTransport>(&clock_), exchange, slow).response.status, 200);
  clock_.Advance(milliseconds(5));
  EXPECT_EQ(waited->Until(clock_.BootNow()), milliseconds(30));
  EXPECT_EQ(Send(std::make_unique<WaitedTransport>(&clock_), NewExchange(), slow).response.status,
            200)
      << "nobody asked";
  EXPECT_EQ(waited->Until(clock_.BootNow()), milliseconds(30));
}

TEST_F(PipeLinksTest, MeterCountsByOperationAndOutcome) {
  const struct {
    ExchangeResult result;
    std::string outcome;
  } rows[] = {{Answered(200), "answered"}, {Answered(201), "answered"}, {Answered(302), "refused"},
              {Answered(404), "refused"},  {Answered(500), "refused"},  {NotSent(), "not_sent"},
              {Unknown(), "unknown"}};
  std::map<std::string, double> expected;
  for (const auto& [result, outcome] : rows) {
    Send(std::make_unique<MeterTransport>(&metrics_, &clock_), NewExchange(), InOrder({result}));
    ++expected[outcome];
  }
  for (const auto& [outcome, count] : expected) {
    EXPECT_EQ(CountOf(metrics_, "tollbridge_outbound_exchanges_total",
                      {{"operation", "get_order"}, {"outcome", outcome}, {"project", "shop"}}),
              count)
        << outcome;
  }
}

TEST_F(PipeLinksTest, MeterCountsWhatWasHeldBackAndDoesNotTimeIt) {
  Send(std::make_unique<MeterTransport>(&metrics_, &clock_), NewExchange(),
       InOrder({HoldBack(HeldBackBy::kBreaker, milliseconds(10))}));
  EXPECT_EQ(CountOf(metrics_, "tollbridge_outbound_exchanges_total",
                    {{"operation", "get_order"}, {"outcome", "held_back"}, {"project", "shop"}}),
            1);
  EXPECT_EQ(CountOf(metrics_, "tollbridge_outbound_seconds", {{"operation", "get_order"}}), 0);
}

TEST_F(PipeLinksTest, MeterCountsAnswersByClassOfStatus) {
  for (const int status : {200, 201, 404, 422, 500}) {
    Send(std::make_unique<MeterTransport>(&metrics_, &clock_), NewExchange(),
         InOrder({Answered(status)}));
  }
  Send(std::make_unique<MeterTransport>(&metrics_, &clock_), NewExchange(), InOrder({Unknown()}));
  const auto count = [this](const std::string& status_class) {
    return CountOf(metrics_, "tollbridge_outbound_answers_total",
                   {{"operation", "get_order"}, {"status_class", status_class}});
  };
  EXPECT_EQ(count("2xx"), 2);
  EXPECT_EQ(count("4xx"), 2);
  EXPECT_EQ(count("5xx"), 1);
}

TEST_F(PipeLinksTest, MeterTimesTheWaitForAConnectionByHost) {
  ExchangeResult waited = Answered(200);
  waited.timings.pool_wait = milliseconds(40);
  Exchange exchange = NewExchange();
  exchange.origin = Origin::kVault;
  Send(std::make_unique<MeterTransport>(&metrics_, &clock_), exchange, InOrder({waited}));
  const Labels vault = {{"origin", "vault"}};
  EXPECT_DOUBLE_EQ(SumOf(metrics_, "tollbridge_outbound_pool_wait_seconds", vault), 0.04);
  EXPECT_EQ(CountOf(metrics_, "tollbridge_outbound_connect_seconds", vault), 0);
  waited.timings.connect = milliseconds(30);
  Send(std::make_unique<MeterTransport>(&metrics_, &clock_), exchange, InOrder({waited}));
  EXPECT_EQ(CountOf(metrics_, "tollbridge_outbound_connect_seconds", vault), 1);
  EXPECT_DOUBLE_EQ(SumOf(metrics_, "tollbridge_outbound_connect_seconds", vault), 0.03);
}

TEST_F(PipeLinksTest, MeterTimesAnAttempt) {
  Send(std::make_unique<MeterTransport>(&metrics_, &clock_), NewExchange(),
       [this](const Exchange&) {
         clock_.Advance(milliseconds(250));
         return Answered(200);
       });
  const Labels labels = {{"operation", "get_order"}};
  EXPECT_EQ(CountOf(metrics_, "tollbridge_outbound_seconds", labels), 1);
  EXPECT_DOUBLE_EQ(SumOf(metrics_, "tollbridge_outbound_seconds", labels), 0.25);
}

TEST_F(PipeLinksTest, TracePutsItsOwnSpanOnTheWire) {
  Exchange exchange = NewExchange();
  exchange.trace =
      *TraceContext::FromTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  const TraceContext parent = exchange.trace;
  Send(std::make_unique<TraceTransport>(OriginUrls()), std::move(exchange));
  ASSERT_EQ(seen_.size(), 1u);
  const auto header = seen_[0].request.headers.Find("traceparent");
  ASSERT_TRUE(header);
  const std::optional<TraceContext> wire = TraceContext::FromTraceparent(*header);
  ASSERT_TRUE(wire) << *header;
  EXPECT_EQ(wire->trace_id, parent.trace_id);
  EXPECT_NE(wire->span_id, parent.span_id);
  EXPECT_EQ(*wire, seen_[0].trace) << "what comes behind is a child of this span";
}

TEST_F(PipeLinksTest, TraceReplacesATraceparentOfAnEarlierAttempt) {
  Exchange exchange = NewExchange();
  exchange.request.headers.Set("traceparent", "00-old");
  Send(std::make_unique<TraceTransport>(OriginUrls()), std::move(exchange));
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_EQ(seen_[0].request.headers.FindAll("traceparent").size(), 1u);
}

TEST_F(PipeLinksTest, TraceStartsATraceWhereThereIsNone) {
  Send(std::make_unique<TraceTransport>(OriginUrls()), NewExchange());
  ASSERT_EQ(seen_.size(), 1u);
  EXPECT_TRUE(seen_[0].trace.valid());
}

TEST_F(PipeLinksTest, LinksHandTheResultBackAsItIs) {
  for (const ExchangeResult& result : {Answered(418, "short and stout"), Unknown(), NotSent()}) {
    const ExchangeResult traced =
        Send(std::make_unique<TraceTransport>(OriginUrls()), NewExchange(), InOrder({result}));
    const ExchangeResult metered = Send(std::make_unique<MeterTransport>(&metrics_, &clock_),
                                        NewExchange(), InOrder({result}));
    for (const ExchangeResult& got : {traced, metered}) {
      EXPECT_EQ(got.fate, result.fate);
      EXPECT_EQ(got.error, result.error);
      EXPECT_EQ(got.response.status, result.response.status);
      EXPECT_EQ(got.response.body, result.response.body);
    }
  }
}

}  // namespace
}  // namespace tollbridge::payment_service
