#include "services/rpc/settings.h"

#include <chrono>

#include "base/config/config_schema.h"

namespace tollbridge::rpc {

using std::chrono::hours;
using std::chrono::seconds;

void Describe(config::Section& section, CallerGrant* caller) {
  section.Text("identity", &caller->identity,
               "A URI or DNS name in the caller's certificate, or the beginning of a URI with a "
               "star behind a slash at its end, as spiffe://shop.example/*");
  section.TextList("projects", &caller->projects, "Names of projects; * is all");
  section.TextList("permissions", &caller->permissions,
                   "Permissions of methods, as payments.create; payments.* is a group, * is all");
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

void Describe(config::Section& section, ServerSettings* server) {
  section.Number("max_request_bytes", &server->max_request_bytes, 1024, 64 << 20,
                 "Longer requests are refused by gRPC");
  section.Duration("max_deadline", &server->deadlines.unary, seconds(1), hours(1),
                   "Longer deadlines of callers are cut to this");
}

}  // namespace tollbridge::rpc
