#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/http/message.h"
#include "base/http/server.h"
#include "base/http/url.h"
#include "sandbox/app.h"
#include "sandbox/wire/error_response.h"
#include "tests/fuzz/answer_check.h"
#include "tests/fuzz/placeholders.h"
#include "tests/fuzz/wire.h"

// Any bytes on a socket of the sandbox: an input is what one client writes on one connection, with
// the placeholders of placeholders.h put in. It goes through the HTTP server's connection code into
// the App, whose state is kept from input to input; the clock stands, and webhooks are refused. A
// finding is a crash, a connection that hangs, an answer that is not well-formed (answer_check.h),
// or an order that breaks an invariant of money.
//
// As an input alone does not show the state it met, all inputs since the last fresh state are kept
// in the file TOLLBRIDGE_FUZZ_HISTORY, if that is set. Such a file is itself an input.

namespace tollbridge::fuzz {
namespace {

/// After so many inputs, or so many with a full sandbox, the state is made anew; after each input
/// that gives a plan of faults, too.
constexpr int kInputsOfAState = 5000;
constexpr int kInputsWhenFull = 100;
constexpr std::size_t kMaxOrders = 2000;
constexpr std::size_t kOrdersLookedAt = 10;
constexpr std::string_view kHistory = "#history\n";
constexpr std::string_view kStart = "2026-11-21T08:00:00.000Z";

[[noreturn]] void Found(const std::string& what) {
  std::fprintf(stderr, "\nFINDING: %s\n", what.c_str());
  std::abort();
}

http::ServerOptions Options() {
  http::ServerOptions options;
  // Bounds the time of an input: each of its requests may ask for a report of all orders.
  options.limits.max_requests_per_connection = 40;
  options.error_response = [](int status, std::string_view reason) {
    return sandbox::ToResponse(status, reason);
  };
  return options;
}

sandbox::AppOptions AppOptions() {
  sandbox::AppOptions options;
  options.settings.max_orders = kMaxOrders;
  options.seed = 1;
  options.start = sandbox::ParseTime(kStart);
  return options;
}

/// A sandbox and the connections to it.
class Rig {
 public:
  Rig()
      : wire_(Options(),
              [this](const http::Request& request, const http::ConnectionInfo& connection) {
                return app_.Handle(request, connection);
              }),
        app_(wire_.context().get_executor(), AppOptions()),
        placeholders_(&app_.world()) {
    app_.SetAddresses({.base_url = "http://sandbox.test",
                       .vault_url = "http://sandbox.test/vault",
                       .wallet_token_url = "http://sandbox.test/wallet-b"});
  }

  void Take(std::string_view input) {
    ++inputs_;
    if (app_.world().orders.full()) ++inputs_when_full_;
    const Exchange exchange = wire_.Converse(
        [this, &input](std::string_view answered) -> std::optional<std::string> {
          placeholders_.Learn(answered);
          if (input.empty()) return std::nullopt;
          return placeholders_.TakePiece(&input);
        },
        [this] { return WaitForOthers() || StepClock(); });
    faulty_ = std::ranges::any_of(exchange.handled, &SetsFaults);
    CheckMoney();
    // A plan of faults may ask for exactly what is wrong otherwise.
    if (faulty_) return;
    if (const std::string wrong = WhatIsWrong(exchange); !wrong.empty()) Found(wrong);
    if (!exchange.ended) Found("the connection hangs");
  }

  bool worn() const {
    return faulty_ || inputs_ >= kInputsOfAState || inputs_when_full_ >= kInputsWhenFull;
  }

 private:
  static bool SetsFaults(const Handled& handled) {
    const auto target = http::ParseTarget(handled.target);
    return target.ok() && target->segments.size() > 1 && target->segments[0] == "_sandbox" &&
           target->segments[1] == "faults" && handled.method == "POST";
  }

  /// Names are resolved on a thread of Asio's, and an answer may wait for a webhook that waits for
  /// that.
  bool WaitForOthers() {
    constexpr std::chrono::milliseconds kLonger{20};
    wire_.context().restart();
    return wire_.context().run_one_for(kLonger) > 0;
  }

  /// Moves to the next thing that happens within a minute, for answers that wait for it.
  bool StepClock() {
    sandbox::Simulation& simulation = app_.world().simulation;
    return simulation.timeline.StepTowards(simulation.clock.Now() + std::chrono::minutes(1));
  }

  void CheckMoney() {
    const sandbox::Orders& orders = app_.world().orders;
    const auto& ids = orders.by_creation();
    const std::size_t count = std::min(ids.size(), kOrdersLookedAt);
    for (std::size_t i = ids.size() - count; i < ids.size(); ++i) {
      const sandbox::Order* order = orders.Find(ids[i]);
      if (order == nullptr) Found("an order that is listed and not there");
      if (order->amount < 0 || order->refunded_amount < 0 ||
          order->refunded_amount > order->amount) {
        Found("refunded more than the order: " + order->id.ToString());
      }
      for (const sandbox::Transaction& transaction : order->transactions) {
        if (transaction.captured_amount < 0 || transaction.voided_amount < 0 ||
            transaction.remaining_authorized() < 0) {
          Found("captured or voided more than was authorized: " + order->id.ToString());
        }
      }
    }
  }

  Wire wire_;
  sandbox::App app_;
  Placeholders placeholders_;
  bool faulty_ = false;
  int inputs_ = 0;
  int inputs_when_full_ = 0;
};

/// The rig, and what it was given since it was made.
class Session {
 public:
  Session() {
    if (const char* path = std::getenv("TOLLBRIDGE_FUZZ_HISTORY"); path != nullptr) path_ = path;
    Renew();
  }

  void Take(std::string_view input) {
    if (rig_->worn()) Renew();
    if (!path_.empty()) {
      history_ << input.size() << '\n' << input;
      history_.flush();
    }
    rig_->Take(input);
  }

  /// Runs what a history file holds, on a fresh state.
  void TakeHistory(std::string_view history) {
    Renew();
    while (!history.empty()) {
      const std::size_t line = history.find('\n');
      if (line == history.npos) return;
      const std::size_t size =
          std::strtoul(std::string(history.substr(0, line)).c_str(), nullptr, 10);
      history.remove_prefix(line + 1);
      if (rig_->worn()) Renew();
      rig_->Take(history.substr(0, size));
      history.remove_prefix(std::min(size, history.size()));
    }
    Renew();
  }

 private:
  void Renew() {
    rig_ = std::make_unique<Rig>();
    if (path_.empty()) return;
    history_ = std::ofstream(path_, std::ios::binary | std::ios::trunc);
    history_ << kHistory;
  }

  std::unique_ptr<Rig> rig_;
  std::string path_;
  std::ofstream history_;
};

}  // namespace
}  // namespace tollbridge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static tollbridge::fuzz::Session session;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.starts_with(tollbridge::fuzz::kHistory)) {
    session.TakeHistory(input.substr(tollbridge::fuzz::kHistory.size()));
  } else {
    session.Take(input);
  }
  return 0;
}
