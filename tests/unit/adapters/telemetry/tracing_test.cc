#include "adapters/telemetry/tracing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>

#include "base/core/boot_clock.h"
#include "base/core/shard.h"
#include "base/http/server.h"
#include "base/net/tls.h"
#include "base/telemetry/log.h"
#include "base/telemetry/span.h"
#include "tests/support/test_certificates.h"
#include "tollbridge/otlp/v1/traces.pb.h"

namespace tollbridge::telemetry_exporters {
namespace {

using telemetry::Span;
using telemetry::StartSpan;
using telemetry::TraceContext;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::chrono::seconds kPatience{20};

template <std::size_t n>
std::string Bytes(const std::array<std::uint8_t, n>& id) {
  return {reinterpret_cast<const char*>(id.data()), n};
}

/// A collector that keeps what it is sent, and gives `answer_`.
class TracingTest : public ::testing::Test {
 protected:
  TracingTest() {
    shard_.Start();
    Listen({});
    settings_.service_version = "1.2.3";
  }
  ~TracingTest() override { shard_.Stop(); }

  void Listen(const http::ServerOptions& options) {
    server_ = *http::Server::Start(
        {shard_.executor()}, options,
        [this](const http::Request& request,
               const http::ConnectionInfo&) -> boost::asio::awaitable<http::Response> {
          const std::scoped_lock lock(mutex_);
          targets_ += request.method + " " + request.target + "\n";
          token_ = request.headers.Find("x-token").value_or("");
          received_ += request.body;
          co_return answer_;
        });
    settings_.otlp_endpoint =
        (options.tls == nullptr ? "http://" : "https://") + server_->address() + "/v1/traces";
  }

  /// Exports so many spans, each in a batch of its own; the lines that the log has of it.
  std::vector<std::string> Export(int spans) {
    const telemetry::LogCapture capture;
    auto tracing = Tracing::Start(settings_);
    EXPECT_TRUE(tracing.ok()) << tracing.status();
    if (!tracing.ok()) return {};
    for (int i = 0; i < spans; ++i) {
      const Span span = StartSpan("exported", TraceContext());
    }
    EXPECT_TRUE((*tracing)->ShutDown(kPatience).ok());
    return capture.lines();
  }

  Shard shard_{0};
  std::unique_ptr<http::Server> server_;
  TracingSettings settings_;
  std::mutex mutex_;
  http::Response answer_;
  std::string targets_;
  std::string token_;
  std::string received_;
};

TEST_F(TracingTest, ShutDownExportsSpansWithParentAttributesLinkAndError) {
  auto tracing = Tracing::Start(settings_);
  ASSERT_TRUE(tracing.ok()) << tracing.status();
  const TraceContext caller =
      *TraceContext::FromTraceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  const TraceContext linked =
      *TraceContext::FromTraceparent("00-11111111111111111111111111111111-2222222222222222-01");
  TraceContext recorded;
  {
    Span span = StartSpan("Payments.CreateOrder", caller, telemetry::SpanKind::kServer, linked);
    recorded = span.context();
    span.SetAttribute("order_id", std::string_view("order-77"));
    span.SetAttribute("note", std::string_view("4111111111111111"));
    span.SetError("it broke");
  }
  EXPECT_EQ(recorded.trace_id, caller.trace_id);
  EXPECT_TRUE(recorded.sampled());
  EXPECT_TRUE((*tracing)->ShutDown(kPatience).ok());
  EXPECT_TRUE((*tracing)->ShutDown(kPatience).ok());
  const std::scoped_lock lock(mutex_);
  EXPECT_EQ(targets_, "POST /v1/traces\n");
  for (const std::string& part :
       {std::string("Payments.CreateOrder"), std::string("order-77"), std::string("it broke"),
        std::string("tollbridge"), std::string("1.2.3"), Bytes(caller.trace_id),
        Bytes(caller.span_id), Bytes(recorded.span_id), Bytes(linked.trace_id)}) {
    EXPECT_THAT(received_, HasSubstr(part));
  }
  EXPECT_THAT(received_, Not(HasSubstr("4111111111111111")));
}

TEST_F(TracingTest, FollowsTheCallersDecisionNotToSample) {
  auto tracing = Tracing::Start(settings_);
  ASSERT_TRUE(tracing.ok()) << tracing.status();
  const TraceContext caller =
      *TraceContext::FromTraceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");
  TraceContext context = StartSpan("unsampled", caller).context();
  EXPECT_TRUE(context.valid());
  EXPECT_EQ(context.trace_id, caller.trace_id);
  EXPECT_FALSE(context.sampled());
  EXPECT_TRUE((*tracing)->ShutDown(kPatience).ok());
  const std::scoped_lock lock(mutex_);
  EXPECT_EQ(received_, "");
}

TEST_F(TracingTest, OfWhatIsNotSampledErrorsAndWhatIsToBeKeptAreExported) {
  settings_.sample_ratio = 0;
  auto tracing = Tracing::Start(settings_);
  ASSERT_TRUE(tracing.ok()) << tracing.status();
  {
    Span failed = StartSpan("failed-one", TraceContext());
    EXPECT_FALSE(failed.context().sampled()) << "others must not export it because of us";
    failed.SetErrorType("UPSTREAM_UNAVAILABLE");
    Span child = StartSpan("kept-child", failed.context());
    child.Keep();
    const Span well = StartSpan("well-one", failed.context());
  }
  EXPECT_TRUE((*tracing)->ShutDown(kPatience).ok());
  const std::scoped_lock lock(mutex_);
  EXPECT_THAT(received_, AllOf(HasSubstr("failed-one"), HasSubstr("kept-child"),
                               HasSubstr("UPSTREAM_UNAVAILABLE"), Not(HasSubstr("well-one"))));
}

TEST_F(TracingTest, CallersGetSoManyTracesASecondBeyondTheShare) {
  settings_.sample_ratio = 0;
  settings_.wanted_per_second = 3;
  auto tracing = Tracing::Start(settings_);
  ASSERT_TRUE(tracing.ok()) << tracing.status();
  const TraceContext caller =
      *TraceContext::FromTraceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  const BootTime begun = BootClock::now();
  int sampled = 0;
  for (int i = 0; i < 1000; ++i) {
    const Span call = StartSpan("call", caller, telemetry::SpanKind::kServer);
    // What is done for it is exported with it or not at all.
    EXPECT_EQ(StartSpan("step", call.context()).context().sampled(), call.context().sampled());
    sampled += call.context().sampled() ? 1 : 0;
  }
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(BootClock::now() - begun).count();
  EXPECT_GE(sampled, 3);
  EXPECT_LE(sampled, 3 * (seconds + 1));
}

TEST_F(TracingTest, CallersWhoChooseIdsInTheShareGetNoMoreThanByChance) {
  constexpr int kCalls = 2000;
  settings_.sample_ratio = 0.01;
  settings_.wanted_per_second = 0;
  const auto tracing = *Tracing::Start(settings_);
  const auto share_of = [](bool chosen) {
    int sampled = 0;
    for (int i = 0; i < kCalls; ++i) {
      TraceContext caller = StartSpan("made", TraceContext()).context();
      caller.flags = 1;
      // Whichever end of the id the share is taken of.
      if (chosen) {
        caller.trace_id = {};
        caller.trace_id[6] = static_cast<std::uint8_t>(1 + i % 200);
      }
      if (StartSpan("call", caller, telemetry::SpanKind::kServer).context().sampled()) ++sampled;
    }
    return sampled;
  };
  const int by_chance = share_of(false);
  EXPECT_GT(by_chance, 0);
  EXPECT_LT(by_chance, 60);
  const int by_choice = share_of(true);
  EXPECT_GT(by_choice, 0) << "the ids are in the share";
  EXPECT_LE(by_choice, 100 + 2 * kCalls / 100);
}

TEST_F(TracingTest, AShareOfTheTracesIsTheSameInEveryProcess) {
  settings_.sample_ratio = 0.25;
  settings_.wanted_per_second = 0;
  const auto sampled = [this] {
    auto tracing = Tracing::Start(settings_);
    std::vector<bool> decisions;
    for (int i = 0; i < 400; ++i) {
      TraceContext caller{.span_id = {1}, .flags = 1};
      for (std::size_t at = 0; at < caller.trace_id.size(); ++at) {
        caller.trace_id[at] =
            static_cast<std::uint8_t>((static_cast<unsigned>(i) * 131) + (at * 17));
      }
      decisions.push_back(
          StartSpan("call", caller, telemetry::SpanKind::kServer).context().sampled());
    }
    return decisions;
  };
  const std::vector<bool> first = sampled();
  EXPECT_EQ(first, sampled());
  const auto kept = std::ranges::count(first, true);
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, 400);
}

TEST_F(TracingTest, WhatIsDoneAgainAndAgainIsExportedWhenItFails) {
  auto tracing = Tracing::Start(settings_);
  ASSERT_TRUE(tracing.ok()) << tracing.status();
  {
    const Span well = StartSpan("well-sweep", {}, telemetry::SpanKind::kRoutine);
    const Span search = StartSpan("search", well.context(), telemetry::SpanKind::kClient);
    Span failed = StartSpan("failed-sweep", {}, telemetry::SpanKind::kRoutine);
    failed.SetError("it broke");
  }
  EXPECT_TRUE((*tracing)->ShutDown(kPatience).ok());
  const std::scoped_lock lock(mutex_);
  EXPECT_THAT(received_, AllOf(HasSubstr("failed-sweep"), Not(HasSubstr("well-sweep")),
                               Not(HasSubstr("search"))));
}

TEST_F(TracingTest, TheStateOfATraceGoesOnAndIsExported) {
  auto tracing = Tracing::Start(settings_);
  ASSERT_TRUE(tracing.ok()) << tracing.status();
  const TraceContext caller = *TraceContext::FromHeaders(
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "vendor=abc,other=1");
  EXPECT_EQ(StartSpan("call", caller, telemetry::SpanKind::kServer).context().ToTracestate(),
            "vendor=abc,other=1");
  EXPECT_TRUE((*tracing)->ShutDown(kPatience).ok());
  const std::scoped_lock lock(mutex_);
  EXPECT_THAT(received_, HasSubstr("vendor=abc,other=1"));
}

TEST_F(TracingTest, CountsSpansThatTheCollectorDoesNotTake) {
  std::atomic<std::size_t> dropped{0};
  settings_.on_dropped = [&dropped](std::size_t spans) { dropped += spans; };
  answer_.status = 503;
  auto tracing = Tracing::Start(settings_);
  ASSERT_TRUE(tracing.ok()) << tracing.status();
  {
    const Span first = StartSpan("first", TraceContext());
  }
  {
    const Span second = StartSpan("second", TraceContext());
  }
  (*tracing)->ShutDown(kPatience).IgnoreError();
  EXPECT_EQ(dropped, 2u);
}

TEST_F(TracingTest, AfterShutDownSpansStillHaveIds) {
  auto tracing = Tracing::Start(settings_);
  ASSERT_TRUE(tracing.ok()) << tracing.status();
  EXPECT_TRUE((*tracing)->ShutDown(kPatience).ok());
  EXPECT_TRUE(StartSpan("late", TraceContext()).context().valid());
}

TEST_F(TracingTest, ACollectorThatRefusesIsOneLineWithTheNumberLost) {
  settings_.max_queued_spans = 1;  // a batch is one span then
  answer_.status = 503;
  const std::vector<std::string> lines = Export(1);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0], AllOf(HasSubstr("spans_not_exported"), HasSubstr("\"spans\":1"),
                              HasSubstr("503 Service Unavailable")));
}

TEST_F(TracingTest, SpansThatTheCollectorRejectsAreTold) {
  otlp::v1::ExportTracesResponse answer;
  answer.mutable_partial_success()->set_rejected_spans(1);
  answer.mutable_partial_success()->set_error_message("too old");
  answer_.body = answer.SerializeAsString();
  EXPECT_THAT(Export(1), ElementsAre(HasSubstr("rejects 1 spans: too old")));
  answer_.body = "{}";  // as some collectors answer, whatever was accepted
  EXPECT_THAT(Export(1), IsEmpty());
}

TEST_F(TracingTest, SpeaksTlsAndSendsTheHeaders) {
  const test::TestCertificates certificates("IP:127.0.0.1");
  Listen({.tls = *net::TlsContext::ForServer(
              {.certificate_chain_file = certificates.certificate_file(),
               .private_key_file = certificates.key_file()})});
  settings_.otlp_headers = [] { return http::Headers{{"x-token", "abc"}}; };
  settings_.otlp_tls = *net::TlsContext::ForClient({});
  EXPECT_THAT(Export(1), ElementsAre(HasSubstr("spans_not_exported")));
  settings_.otlp_tls = *net::TlsContext::ForClient({.ca_file = certificates.ca_file()});
  EXPECT_THAT(Export(1), IsEmpty());
  const std::scoped_lock lock(mutex_);
  EXPECT_EQ(targets_, "POST /v1/traces\n");
  EXPECT_EQ(token_, "abc");
  EXPECT_THAT(received_, HasSubstr("exported"));
}

TEST_F(TracingTest, ShutDownBreaksOffWhatACollectorThatHangsHolds) {
  // The collector accepts and never answers: its thread is stopped.
  shard_.Stop();
  settings_.export_timeout = 2 * kPatience;
  const auto started = std::chrono::steady_clock::now();
  auto tracing = Tracing::Start(settings_);
  ASSERT_TRUE(tracing.ok()) << tracing.status();
  {
    const Span span = StartSpan("stuck", TraceContext());
  }
  EXPECT_EQ((*tracing)->ShutDown(std::chrono::milliseconds(50)).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_LT(std::chrono::steady_clock::now() - started, kPatience);
}

TEST(TracingSettingsTest, WithoutAnEndpointNothingIsExported) {
  auto tracing = Tracing::Start({});
  ASSERT_TRUE(tracing.ok()) << tracing.status();
  EXPECT_TRUE((*tracing)->ShutDown(kPatience).ok());
}

TEST(TracingSettingsTest, RefusesABadEndpointOrRatio) {
  TracingSettings settings;
  settings.otlp_endpoint = "collector:4318";
  EXPECT_EQ(Tracing::Start(settings).status().code(), absl::StatusCode::kInvalidArgument);
  settings.otlp_endpoint = "https://collector.example/v1/traces";
  EXPECT_EQ(Tracing::Start(settings).status().message(), "https without what TLS needs");
  settings.otlp_endpoint = "";
  settings.sample_ratio = 1.5;
  EXPECT_EQ(Tracing::Start(settings).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tollbridge::telemetry_exporters
