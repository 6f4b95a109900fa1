#include "gateway/wiring/probes.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <memory>
#include <utility>

#include "base/core/signal.h"

namespace tollbridge::gateway {
namespace {

namespace asio = boost::asio;

/// A question to all shards. Touched on the asker's shard alone.
struct Asked {
  Asked(const asio::any_io_executor& asker, std::size_t shards)
      : all_answered(asker), answered(shards, false), left(shards) {}

  Signal all_answered;
  std::vector<bool> answered;
  std::size_t left;
};

http::Response Answer(const http::Request& request, const std::vector<std::string>& problems) {
  http::Response response;
  if (request.method != "GET" && request.method != "HEAD") {
    response.status = 405;
    response.headers.Add("Allow", "GET, HEAD");
    return response;
  }
  response.status = problems.empty() ? 200 : 503;
  response.headers.Add("Content-Type", "text/plain");
  response.headers.Add("Cache-Control", "no-store");
  response.body = (problems.empty() ? "ok" : absl::StrJoin(problems, "\n")) + "\n";
  return response;
}

}  // namespace

void Probes::AddRole(std::string_view role, Check ready, std::string_view otherwise) {
  roles_.push_back({std::string(role), std::move(ready), std::string(otherwise)});
}

std::vector<std::string> Probes::NotReady() const {
  switch (state_.load(std::memory_order_acquire)) {
    case State::kStarting:
      return {"starting"};
    case State::kLameDuck:
      return {"stopping"};
    case State::kStarted:
      break;
  }
  std::vector<std::string> problems;
  for (const Role& role : roles_) {
    if (!role.ready()) problems.push_back(absl::StrCat(role.name, ": ", role.otherwise));
  }
  return problems;
}

asio::awaitable<std::vector<std::string>> Probes::NotLive() {
  const asio::any_io_executor asker = co_await asio::this_coro::executor;
  const auto asked = std::make_shared<Asked>(asker, shards_.size());
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    asio::post(shards_.at(i).executor(), [asked, asker, i] {
      asio::post(asker, [asked, i] {
        asked->answered[i] = true;
        if (--asked->left == 0) asked->all_answered.Fire();
      });
    });
  }
  co_await asked->all_answered.Wait(BootClock::now() + patience_);
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < asked->answered.size(); ++i) {
    if (!asked->answered[i]) problems.push_back(absl::StrCat("shard ", i, ": does not answer"));
  }
  co_return problems;
}

http::Handler Probes::Handler(http::Handler other) {
  return [this, other = std::move(other)](const http::Request& request,
                                          const http::ConnectionInfo& connection) {
    const std::string_view target = request.target;
    const std::string_view path = target.substr(0, target.find('?'));
    if (path == "/readyz") return AnswerReady(request);
    if (path == "/livez") return AnswerLive(request);
    return other(request, connection);
  };
}

asio::awaitable<http::Response> Probes::AnswerReady(const http::Request& request) const {
  co_return Answer(request, NotReady());
}

asio::awaitable<http::Response> Probes::AnswerLive(const http::Request& request) {
  const std::vector<std::string> problems = co_await NotLive();
  co_return Answer(request, problems);
}

}  // namespace tollbridge::gateway
