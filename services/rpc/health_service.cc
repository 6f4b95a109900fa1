#include "services/rpc/health_service.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "grpc/health/v1/health.pb.h"
#include "services/rpc/wire_binding.h"

namespace tollbridge::rpc {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

std::string Answer(HealthCheckResponse::ServingStatus status) {
  HealthCheckResponse response;
  response.set_status(status);
  return response.SerializeAsString();
}

HealthCheckResponse::ServingStatus StatusOf(std::optional<bool> serving) {
  if (!serving.has_value()) return HealthCheckResponse::SERVICE_UNKNOWN;
  return *serving ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
}

/// Whom the call's request names; nullopt when it is no request, and the call has ended.
std::optional<std::string> NameOf(wire::ServerCall& call) {
  HealthCheckRequest request;
  if (request.ParseFromString(call.TakeRequest())) return request.service();
  call.Finish({absl::StatusCode::kInvalidArgument, "the request is no HealthCheckRequest"}, nullptr,
              {}, {});
  return std::nullopt;
}

}  // namespace

void HealthService::SetServing(std::string_view name, bool serving) {
  const std::lock_guard lock(mutex_);
  serving_[std::string(name)] = serving && !shut_down_;
  TellWatchers();
}

void HealthService::ShutDown() {
  const std::lock_guard lock(mutex_);
  shut_down_ = true;
  for (auto& [name, serving] : serving_) serving = false;
  TellWatchers();
}

std::size_t HealthService::watchers() const {
  const std::lock_guard lock(mutex_);
  return watching_.size();
}

void HealthService::TellWatchers() const {
  for (const Watching& watching : watching_) {
    boost::asio::post(watching.shard, [weak = watching.call] {
      if (const auto call = weak.lock(); call != nullptr) call->Wake();
    });
  }
}

std::optional<bool> HealthService::IsServing(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = serving_.find(name);
  return found == serving_.end() ? std::nullopt : std::optional(found->second);
}

void HealthService::AddTo(wire::Methods& methods) {
  const auto self = shared_from_this();
  methods["/grpc.health.v1.Health/Check"] = {
      .streams_requests = false,
      .start = [self](const std::shared_ptr<wire::ServerCall>& call) { self->Check(call); }};
  methods["/grpc.health.v1.Health/Watch"] = {
      .streams_requests = false, .start = [self](std::shared_ptr<wire::ServerCall> call) {
        const auto executor = call->executor();
        boost::asio::co_spawn(executor, self->Watch(std::move(call)), boost::asio::detached);
      }};
}

void HealthService::Check(const std::shared_ptr<wire::ServerCall>& call) {
  const std::optional<std::string> name = NameOf(*call);
  if (!name.has_value()) return;
  const std::optional<bool> serving = IsServing(*name);
  if (!serving.has_value()) {
    call->Finish({absl::StatusCode::kNotFound, "there is no such name"}, nullptr, {}, {});
    return;
  }
  const std::string answer = Answer(StatusOf(serving));
  call->Finish({}, &answer, {}, {});
}

std::optional<HealthService::Watchers::iterator> HealthService::Enter(
    const std::shared_ptr<wire::ServerCall>& call, const std::string& caller) {
  const std::lock_guard lock(mutex_);
  std::size_t& of_caller = watchers_[caller];
  if (of_caller >= max_watchers_) return std::nullopt;
  ++of_caller;
  return watching_.insert(watching_.end(), {call->executor(), call});
}

void HealthService::Leave(Watchers::iterator place, const std::string& caller) {
  const std::lock_guard lock(mutex_);
  watching_.erase(place);
  const auto found = watchers_.find(caller);
  if (found != watchers_.end() && --found->second == 0) watchers_.erase(found);
}

boost::asio::awaitable<void> HealthService::Watch(std::shared_ptr<wire::ServerCall> call) {
  const auto self = shared_from_this();
  const std::optional<std::string> name = NameOf(*call);
  if (!name.has_value()) co_return;
  const std::string caller = CallerOf(call->peer()).identity;
  const auto place = Enter(call, caller);
  if (!place.has_value()) {
    call->Finish({absl::StatusCode::kResourceExhausted, "too many watchers of this caller"},
                 nullptr, {}, {});
    co_return;
  }
  std::optional<HealthCheckResponse::ServingStatus> told;
  absl::Status written;
  while (written.ok() && !call->cancelled()) {
    const HealthCheckResponse::ServingStatus now = StatusOf(IsServing(*name));
    if (told != now) {
      told = now;
      written = co_await call->Write(Answer(now), {});
    } else {
      co_await call->WaitForNews();
    }
  }
  Leave(*place, caller);
  call->Finish({absl::StatusCode::kCancelled, "the caller has gone"}, nullptr, {}, {});
}

}  // namespace tollbridge::rpc
