#include "adapters/redis/sentinel.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <limits>
#include <optional>
#include <utility>

#include "adapters/redis/errors.h"
#include "base/core/status_macros.h"

namespace tollbridge::redis {
namespace {

absl::StatusOr<Endpoint> ParseAnswer(const Reply& reply, const std::string& master) {
  if (reply.is_nil()) {
    return absl::NotFoundError(absl::StrCat("knows no primary called '", master, "'"));
  }
  if (reply.elements.size() != 2) return UnexpectedReply("SENTINEL get-master-addr-by-name");
  const std::optional<std::int64_t> port = reply.elements[1].AsInteger();
  if (!port || *port < 1 || *port > std::numeric_limits<std::uint16_t>::max()) {
    return UnexpectedReply("SENTINEL get-master-addr-by-name");
  }
  return Endpoint{.host = reply.elements[0].text, .port = static_cast<std::uint16_t>(*port)};
}

}  // namespace

PrimaryFinder::PrimaryFinder(boost::asio::any_io_executor executor, SentinelOptions options)
    : executor_(std::move(executor)), options_(std::move(options)) {}

Async<Endpoint> PrimaryFinder::AskOne(Endpoint sentinel, BootTime deadline) {
  TB_CO_ASSIGN_OR_RETURN(
      const std::shared_ptr<Session> session,
      co_await OpenSession(executor_, sentinel, options_.tls,
                           {.user = options_.user, .password = options_.password.Get()}, {},
                           deadline));
  const absl::StatusOr<Reply> reply =
      co_await Ask(session, {"SENTINEL", "get-master-addr-by-name", options_.master}, deadline);
  session->Close(absl::CancelledError("the Sentinel was asked"));
  absl::StatusOr<Endpoint> primary =
      reply.ok() ? ParseAnswer(*reply, options_.master) : reply.status();
  if (!primary.ok()) {
    co_return absl::UnavailableError(
        absl::StrCat(sentinel.ToString(), ": ", primary.status().message()));
  }
  co_return primary;
}

Async<Endpoint> PrimaryFinder::Find(BootTime deadline) {
  std::vector<std::string> refusals;
  const std::size_t count = options_.sentinels.size();
  const std::size_t first = first_;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = (first + i) % count;
    const BootTime now = BootClock::now();
    if (now >= deadline) break;
    // One share more than there are Sentinels left: the caller still has to connect.
    const BootTime share = now + (deadline - now) / static_cast<int>(count - i + 1);
    absl::StatusOr<Endpoint> primary = co_await AskOne(options_.sentinels[index], share);
    if (primary.ok()) {
      first_ = index;
      co_return primary;
    }
    refusals.emplace_back(primary.status().message());
  }
  co_return absl::UnavailableError(absl::StrCat("no Sentinel names the primary '", options_.master,
                                                "': ", absl::StrJoin(refusals, "; ")));
}

void PrimaryFinder::Distrust() {
  if (!options_.sentinels.empty()) first_ = (first_ + 1) % options_.sentinels.size();
}

}  // namespace tollbridge::redis
