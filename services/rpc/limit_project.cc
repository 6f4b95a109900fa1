#include "services/rpc/limit_project.h"

#include "services/rpc/call.h"
#include "services/rpc/overload.h"
#include "services/rpc/request_project.h"

namespace tollbridge::rpc {

AsyncStatus LimitProject::Handle(Call& call, Next next) {
  const domain::Project* project = call.waits() ? nullptr : ProjectOf(projects_, call.request());
  if (project == nullptr) {
    absl::Status uncounted = co_await next(call);
    co_return uncounted;
  }
  std::size_t& in_flight = in_flight_[project];
  if (in_flight >= settings_.max_in_flight) {
    co_return Overloaded("too many calls of this project at once", settings_.retry_after);
  }
  const Place place(in_flight);
  absl::Status status = co_await next(call);
  co_return status;
}

}  // namespace tollbridge::rpc
