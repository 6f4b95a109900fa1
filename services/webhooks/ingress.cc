#include "services/webhooks/ingress.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/core/place.h"
#include "base/core/test_hook.h"
#include "base/telemetry/log.h"
#include "base/telemetry/metric_definitions.h"
#include "base/telemetry/span.h"
#include "services/domain/timestamps.h"
#include "services/webhooks/notification.h"

namespace tollbridge::webhooks {

using boost::asio::awaitable;

namespace {

constexpr std::string_view kPathPrefix = "/webhooks/";
constexpr std::string_view kAccepted = "accepted";

http::Response ResponseOf(int status) {
  http::Response response;
  response.status = status;
  response.headers.Add("Content-Type", "text/plain; charset=utf-8");
  if (status == 405) response.headers.Add("Allow", "POST");
  if (status == 429) response.headers.Add("Retry-After", "1");
  response.body.append(http::ReasonPhrase(status)).push_back('\n');
  return response;
}

telemetry::TraceContext SendersTrace(const http::Request& request) {
  const auto header = request.headers.Find("traceparent");
  if (!header) return {};
  const std::string_view state = request.headers.Find("tracestate").value_or(std::string_view());
  return telemetry::TraceContext::FromHeaders(*header, state).value_or(telemetry::TraceContext{});
}

}  // namespace

/// Counts a webhook as waiting for the hint log while it lives.
http::ServerLimits IngressLimits(std::size_t max_connections) {
  http::ServerLimits limits;
  limits.max_connections = max_connections;
  limits.max_body_bytes = 4 * 1024;
  limits.max_header_bytes = 8 * 1024;
  limits.header_timeout = std::chrono::seconds(5);
  limits.body_timeout = std::chrono::seconds(3);
  return limits;
}

Ingress::Ingress(const Ports& ports, PathTokens tokens, const Settings& settings)
    : ports_(ports),
      hints_(ports.metrics.Get(telemetry::kHints, {"webhook"})),
      accepted_seconds_(ports.metrics.Get(telemetry::kWebhookSeconds, {kAccepted})),
      tokens_(std::move(tokens)),
      settings_(settings) {}

Ingress::Answered Ingress::Answer(int status, std::string_view result,
                                  std::string_view project) const {
  ports_.metrics.Get(telemetry::kWebhooks, {result, project}).Increment();
  return {.response = ResponseOf(status), .result = result};
}

http::Response Ingress::Refuse(int status, std::string_view /*reason*/) const {
  switch (status) {
    case 408:
      return Answer(status, "too_slow").response;
    case 413:
    case 431:
      return Answer(status, "too_large").response;
    default:
      return Answer(status, "malformed").response;
  }
}

void Ingress::CountShed(std::size_t count) const {
  ports_.metrics.Get(telemetry::kWebhookConnectionsShed).Increment(static_cast<double>(count));
}

awaitable<http::Response> Ingress::Handle(const http::Request& request,
                                          const http::ConnectionInfo& /*connection*/) {
  const BootTime start = ports_.clock.BootNow();
  Answered answered = co_await Take(request);
  const std::chrono::duration<double> took = ports_.clock.BootNow() - start;
  const bool accepted = answered.result == kAccepted;
  (accepted ? accepted_seconds_ : ports_.metrics.Get(telemetry::kWebhookSeconds, {answered.result}))
      .Observe(took.count());
  co_return std::move(answered.response);
}

awaitable<Ingress::Answered> Ingress::Take(const http::Request& request) {
  const std::string_view path(request.target);
  if (!path.starts_with(kPathPrefix)) co_return Answer(404, "wrong_token");
  if (request.method != "POST") co_return Answer(405, "malformed");
  const domain::Project* project = tokens_.Find(path.substr(kPathPrefix.size()));
  if (project == nullptr) co_return Answer(404, "wrong_token");
  if (!WithinRate(*project)) co_return Answer(429, "over_limit", project->name);
  co_return co_await Accept(*project, request);
}

awaitable<Ingress::Answered> Ingress::Accept(const domain::Project& project,
                                             const http::Request& request) {
  telemetry::Span span = telemetry::StartSpan("POST /webhooks/{token}", SendersTrace(request),
                                              telemetry::SpanKind::kServer);
  Answered answered = co_await TakeDown(project, request, span);
  span.SetAttribute("http.request.method", "POST");
  span.SetAttribute("http.route", "/webhooks/{token}");
  span.SetAttribute("http.response.status_code", std::int64_t{answered.response.status});
  span.SetAttribute("tollbridge.project", project.name);
  if (answered.response.status >= 500) span.SetErrorType(answered.result);
  co_return answered;
}

awaitable<Ingress::Answered> Ingress::TakeDown(const domain::Project& project,
                                               const http::Request& request,
                                               telemetry::Span& span) {
  const std::optional<Notification> notification = ParseNotification(request.body);
  if (!notification || notification->project_id.value_or(project.id) != project.id) {
    SampleMalformed(project, request);
    co_return Answer(400, "malformed", project.name);
  }

  if (waiting_ >= settings_.max_waiting) {
    SampleNotTaken(project, "too many wait for the hint log");
    co_return Answer(503, "overloaded", project.name);
  }
  const Place counted(waiting_);

  const std::string order_id = notification->order_id.ToString();
  span.SetAttribute("tollbridge.order_id", std::string_view(order_id));
  events::v1::Hint hint;
  hint.set_order_id(order_id);
  hint.set_project(project.name);
  hint.set_source(events::v1::HINT_SOURCE_WEBHOOK);
  *hint.mutable_noticed_at() = domain::ToTimestamp(ports_.clock.WallNow());
  // A trace that nobody records, and that no sender began, begins with the reader.
  const bool traced = span.context().sampled() || request.headers.Contains("traceparent");
  const ports::Context context{.deadline = ports_.clock.BootNow() + settings_.answer_within,
                               .trace = traced ? span.context() : telemetry::TraceContext{}};
  const absl::Status appended = co_await ports_.hint_log.Append(hint, context);
  if (!appended.ok()) {
    SampleNotTaken(project, {appended.message().data(), appended.message().size()});
    co_return Answer(503, "unavailable", project.name);
  }
  hints_.Increment();
  ports_.metrics.Get(telemetry::kWebhooks, {kAccepted, project.name}).Increment();
  TB_TEST_HOOK("ingress.acknowledged");
  // At debug, since it would be the dearest part of a webhook: the counter says how many.
  telemetry::Log(
      telemetry::Severity::kDebug, "webhook_taken",
      {telemetry::OrderId(order_id), {"project", project.name}, telemetry::Trace(span.context())});
  co_return Answered{.response = ResponseOf(200), .result = kAccepted};
}

bool Ingress::WithinRate(const domain::Project& project) {
  const auto per_second = static_cast<double>(settings_.max_per_second);
  const auto [bucket, added] = buckets_.try_emplace(project.name, per_second, 2 * per_second);
  return bucket->second.Take(ports_.clock.BootNow());
}

void Ingress::SampleMalformed(const domain::Project& project, const http::Request& request) {
  const std::optional<std::uint64_t> count = malformed_.Count(ports_.clock.BootNow());
  if (!count) return;
  telemetry::Log(
      telemetry::Severity::kWarning, "webhook_malformed",
      {{"project", project.name}, {"body_bytes", request.body.size()}, {"count", *count}});
}

void Ingress::SampleNotTaken(const domain::Project& project, std::string_view cause) {
  const std::optional<std::uint64_t> count = not_taken_.Count(ports_.clock.BootNow());
  if (!count) return;
  telemetry::Log(telemetry::Severity::kWarning, "webhook_not_taken",
                 {{"project", project.name}, {"cause", cause}, {"count", *count}});
}

}  // namespace tollbridge::webhooks
