#include "adapters/redis/errors.h"

#include <algorithm>
#include <array>
#include <string>

#include "services/domain/errors.h"

namespace tollbridge::redis {
namespace {

constexpr std::array<std::string_view, 10> kNotServing = {
    "LOADING",  "READONLY", "OOM",        "MISCONF",    "BUSY",
    "TRYAGAIN", "NOAUTH",   "MASTERDOWN", "NOREPLICAS", "CLUSTERDOWN"};

/// Of an error inside a script Redis 7 says "-OOM ... script: ...": the code still comes first.
std::string_view WithoutDash(std::string_view error) {
  if (error.starts_with('-')) error.remove_prefix(1);
  return error;
}

}  // namespace

absl::Status StoreUnavailable(std::string_view message) {
  return domain::MakeError(
      absl::StatusCode::kUnavailable, message,
      {.reason = domain::reason::kStoreUnavailable, .retry = domain::Retry::kSafeSameKey});
}

absl::Status MemoryLost() {
  return domain::MakeError(
      absl::StatusCode::kUnavailable,
      "no operation has this id, but the store lost some of its memory and may have forgotten it",
      {.reason = domain::reason::kMemoryLost, .retry = domain::Retry::kSafeSameKey});
}

bool IsNotServing(const Reply& reply) {
  if (reply.type != Reply::Type::kError) return false;
  const std::string_view text = WithoutDash(reply.text);
  return std::ranges::find(kNotServing, text.substr(0, text.find(' '))) != kNotServing.end();
}

absl::Status StatusOf(const Reply& reply) {
  if (reply.type != Reply::Type::kError) return absl::OkStatus();
  const std::string_view text = WithoutDash(reply.text);
  if (IsNotServing(reply)) {
    return StoreUnavailable("Redis does not serve now: " + std::string(text));
  }
  return domain::MakeError(
      absl::StatusCode::kInternal,
      "Redis refused a command of the gateway, whose operators have to mend that: " +
          std::string(text),
      {.reason = domain::reason::kInternal, .retry = domain::Retry::kSafeSameKey});
}

absl::Status OtherLayout() {
  return StoreUnavailable(
      "the store has the keys of another version of Tollbridge; it is left alone");
}

absl::Status UnexpectedReply(std::string_view what) {
  return domain::MakeError(
      absl::StatusCode::kInternal,
      "Redis gave an answer in an unknown form: to " + std::string(what),
      {.reason = domain::reason::kInternal, .retry = domain::Retry::kSafeSameKey});
}

}  // namespace tollbridge::redis
