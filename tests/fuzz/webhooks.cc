#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http/server.h"
#include "base/telemetry/metrics.h"
#include "services/webhooks/ingress.h"
#include "services/webhooks/notification.h"
#include "tests/fuzz/answer_check.h"
#include "tests/fuzz/finding.h"
#include "tests/fuzz/wire.h"
#include "tests/support/fakes/fake_clock.h"

// Any bytes on a connection of the ingress, through the HTTP server's connection code to the hint
// log. In an input `{T}` stands for the path token, and `{|}` ends a write. A finding is a crash, a
// connection that hangs, an answer that is not well-formed, a webhook that is answered 200 without
// a hint or otherwise with one, or a hint of what the input does not name.

namespace tollbridge::fuzz {
namespace {

constexpr std::string_view kToken = "fuzz-0123456789abcdef0123456789";
constexpr std::string_view kTokenHere = "{T}";
constexpr std::string_view kNextWrite = "{|}";

/// Keeps the hints.
class Hints final : public ports::HintLog {
 public:
  std::vector<events::v1::Hint> taken;

  AsyncStatus Append(const events::v1::Hint& hint, const ports::Context&) override {
    taken.push_back(hint);
    co_return absl::OkStatus();
  }
};

webhooks::Settings Unbounded() {
  webhooks::Settings settings;
  // The clock stands.
  settings.max_per_second = std::int64_t{1} << 40;
  return settings;
}

class Rig {
 public:
  Rig()
      : ingress_({.hint_log = hints_, .clock = clock_, .metrics = metrics_},
                 *webhooks::PathTokens::Create({{&project_, {std::string(kToken)}}}), Unbounded()),
        wire_(Options(),
              [this](const http::Request& request, const http::ConnectionInfo& connection) {
                bodies_.push_back(request.body);
                return ingress_.Handle(request, connection);
              }) {}

  void Take(std::string_view input) {
    hints_.taken.clear();
    bodies_.clear();
    const Exchange exchange = wire_.Converse(
        [&input](std::string_view) -> std::optional<std::string> {
          if (input.empty()) return std::nullopt;
          const std::size_t end = std::min(input.find(kNextWrite), input.size());
          std::string piece(input.substr(0, end));
          input.remove_prefix(std::min(end + kNextWrite.size(), input.size()));
          for (std::size_t at = 0; (at = piece.find(kTokenHere, at)) != piece.npos;) {
            piece.replace(at, kTokenHere.size(), kToken);
          }
          return piece;
        },
        [] { return false; });
    if (const std::string wrong = WhatIsWrong(exchange, Errors::kText); !wrong.empty()) {
      Found(wrong);
    }
    if (!exchange.ended) Found("the connection hangs");
    CheckHints(exchange);
  }

 private:
  http::ServerOptions Options() {
    http::ServerOptions options;
    options.limits = webhooks::IngressLimits(64);
    options.error_response = [this](int status, std::string_view reason) {
      return ingress_.Refuse(status, reason);
    };
    return options;
  }

  /// One for each 200, of the order that the body of its request names.
  void CheckHints(const Exchange& exchange) const {
    constexpr std::string_view kTaken = "HTTP/1.1 200 ";
    std::size_t taken = 0;
    for (std::size_t at = 0; (at = exchange.answered.find(kTaken, at)) != std::string::npos; ++at) {
      ++taken;
    }
    if (taken != hints_.taken.size()) Found("not as many hints as webhooks that were taken");
    std::size_t next = 0;
    for (const events::v1::Hint& hint : hints_.taken) {
      if (hint.project() != project_.name || hint.has_member()) Found("a hint of something else");
      const auto names = [&](const std::string& body) {
        const auto notification = webhooks::ParseNotification(body);
        return notification && notification->order_id.ToString() == hint.order_id();
      };
      while (next < bodies_.size() && !names(bodies_[next])) ++next;
      if (next == bodies_.size()) Found("a hint of an order that no body names");
      ++next;
    }
  }

  const domain::Project project_{.name = "shop",
                                 .id = *Uuid::Parse("0b3c8a52-4a6b-4f7e-9f0d-1a2b3c4d5e6f")};
  Hints hints_;
  test::FakeClock clock_;
  telemetry::Metrics metrics_;
  std::vector<std::string> bodies_;
  webhooks::Ingress ingress_;
  Wire wire_;
};

}  // namespace
}  // namespace tollbridge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static tollbridge::fuzz::Rig rig;
  rig.Take({reinterpret_cast<const char*>(data), size});
  return 0;
}
