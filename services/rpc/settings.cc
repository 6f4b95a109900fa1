#include "services/rpc/settings.h"

#include <chrono>
#include <string>

#include "base/config/config_schema.h"

namespace tollbridge::rpc {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

void Describe(config::Section& section, CallerLimits* limits, std::string_view unsaid) {
  constexpr std::int64_t kMost = 1'000'000;
  const auto with_unsaid = [unsaid](std::string_view text) {
    return std::string(text) + "; 0: " + std::string(unsaid);
  };
  section.Number("calls_per_second", &limits->calls_per_second, 0, kMost,
                 with_unsaid("Calls of one caller that begin in a second on a shard"));
  section.Number("burst", &limits->burst, 0, kMost,
                 "Of those, calls at once after a pause; 0: those of a second");
  section.Number(
      "max_in_flight", &limits->max_in_flight, 0, kMost,
      with_unsaid("Calls of one caller under way on a shard, streams that wait left out"));
  section.Number("max_watchers", &limits->max_watchers, 0, kMost,
                 with_unsaid("WatchOrder streams of one caller on a shard"));
}

void Describe(config::Section& section, CallerGrant* caller) {
  section.Text("identity", &caller->identity,
               "A URI or DNS name in the caller's certificate, or the beginning of a URI with a "
               "star behind a slash at its end, as spiffe://shop.example/*");
  section.TextList("projects", &caller->projects, "Names of projects; * is all");
  section.TextList("permissions", &caller->permissions,
                   "Permissions of methods, as payments.create; payments.* is a group, * is all");
  Describe(
      section.Sub("limits",
                  "Of each caller that the identity covers; of several entries the most counts"),
      &caller->limits, "as rpc.limits_per_caller says");
}

void Describe(config::Section& section, LimitSettings* limit, LimitProjectSettings* of_project) {
  section.Number("max_in_flight", &limit->max_in_flight, 1, 1'000'000,
                 "Calls under way on a shard; more answer RESOURCE_EXHAUSTED");
  section.Number("max_in_flight_per_project", &of_project->max_in_flight, 1, 1'000'000,
                 "Of those, calls of one project; more answer RESOURCE_EXHAUSTED");
  section.Number("max_watchers", &limit->max_watchers, 0, 1'000'000,
                 "WatchOrder streams on a shard, which are no calls under way; more answer "
                 "RESOURCE_EXHAUSTED");
}

namespace {

void DescribeFrames(config::Section& section, wire::Limits* limits) {
  section.Number("max_resets_per_second", &limits->max_resets_per_second, 1, 100'000,
                 "Calls that a connection resets in a second; more end it");
  section.Number("max_settings_per_second", &limits->max_settings_per_second, 1, 100'000,
                 "SETTINGS frames of a connection in a second; more end it");
  section.Number(
      "max_pings_per_second", &limits->max_pings_per_second, 1, 100'000,
      "PING frames of a connection in a second, beyond one behind each answer; more end it");
  section.Number("max_empty_frames_per_second", &limits->max_empty_frames_per_second, 1, 100'000,
                 "Frames of a connection in a second that carry nothing; more end it");
}

void DescribeTimes(config::Section& section, wire::Limits* limits) {
  section.Duration("handshake_timeout", &limits->handshake_timeout, milliseconds(100), minutes(2),
                   "From accepting a connection to its first SETTINGS, TLS included");
  section.Duration("request_timeout", &limits->request_timeout, milliseconds(100), hours(1),
                   "From a request's headers to its end");
  section.Duration("keepalive_time", &limits->keepalive_time, seconds(1), hours(24),
                   "A connection that says nothing for so long is sent a PING");
  section.Duration("keepalive_timeout", &limits->keepalive_timeout, milliseconds(100), hours(1),
                   "A connection that answers none within it is ended");
  section.Duration("write_timeout", &limits->write_timeout, milliseconds(100), hours(1),
                   "For a caller to take what is written, and the rest of an answer");
  section.Duration("max_connection_age", &limits->max_connection_age, seconds(1), hours(24 * 30),
                   "Older connections are asked to end, so that callers spread over replicas");
  section.Duration("max_connection_age_grace", &limits->max_connection_age_grace, milliseconds(100),
                   hours(24), "For the calls on such a connection");
}

void DescribeWire(config::Section& section, wire::Limits* limits) {
  section.Number("max_connections", &limits->max_connections, 1, 1'000'000,
                 "Connections at a time; for more, those are closed that have had no call for "
                 "longest");
  section.Number("max_connections_per_address", &limits->max_connections_per_address, 1, 1'000'000,
                 "Of those, from one address, or one /64 of IPv6; more are closed");
  section.Number("max_streams", &limits->max_streams, 1, 10'000,
                 "Calls of one connection at a time");
  section.Number("max_request_bytes", &limits->max_request_bytes, 1024, 64 << 20,
                 "Longer requests answer RESOURCE_EXHAUSTED");
  section.Number("max_header_bytes", &limits->max_header_bytes, 1024, 1 << 20,
                 "Headers of a request; longer ones answer RESOURCE_EXHAUSTED");
  section.Number("max_held_bytes", &limits->max_held_bytes, 1 << 20, std::int64_t{1} << 40,
                 "Of requests that are not there in whole, all together; more answer "
                 "RESOURCE_EXHAUSTED");
  section.Number("max_unsent_bytes", &limits->max_unsent_bytes, 1 << 20, std::int64_t{1} << 40,
                 "Of answers that wait for their callers, all together; while it is more, a caller "
                 "that has not taken its answer in a second is not sent the rest");
  DescribeFrames(section, limits);
  DescribeTimes(section, limits);
}

}  // namespace

void Describe(config::Section& section, ServerSettings* server) {
  section.Duration("max_deadline", &server->deadlines.unary, seconds(1), hours(1),
                   "Longer deadlines of callers are cut to this");
  section.Number("max_health_watchers", &server->max_health_watchers, 1, 100'000,
                 "Streams of grpc.health.v1 Watch of one caller at a time");
  DescribeWire(section, &server->wire);
}

}  // namespace tollbridge::rpc
