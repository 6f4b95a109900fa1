#include "services/rpc/limit_project.h"

#include "base/core/place.h"
#include "services/rpc/call.h"
#include "services/rpc/overload.h"

namespace tollbridge::rpc {

AsyncStatus LimitProject::Handle(Call& call, Next next) {
  const domain::Project* project = call.waits() ? nullptr : call.project();
  if (project == nullptr) {
    co_return co_await next(call);
  }
  std::int64_t& in_flight = in_flight_[project];
  if (in_flight >= settings_.max_in_flight) {
    co_return Overloaded("too many calls of this project at once", settings_.retry_after);
  }
  const Place place(in_flight);
  co_return co_await next(call);
}

}  // namespace tollbridge::rpc
