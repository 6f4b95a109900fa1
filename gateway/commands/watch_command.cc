#include "gateway/commands/watch_command.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/core/boot_clock.h"
#include "base/core/card_numbers.h"
#include "base/core/uuid.h"
#include "gateway/commands/grpc_channel.h"
#include "gateway/commands/orders_show_command.h"
#include "gateway/commands/terminal_text.h"
#include "services/domain/deterministic.h"
#include "services/domain/timestamps.h"
#include "services/domain/wire_names.h"
#include "tollbridge/payments/v1/payments.pb.h"

namespace tollbridge::gateway {
namespace {

namespace v1 = payments::v1;
using Millis = std::chrono::milliseconds;

/// Of one call; the gateway bounds it too.
constexpr Millis kOneWatch = std::chrono::minutes(1);
/// A gateway that goes away is looked for again, so long.
constexpr Millis kPatience = std::chrono::seconds(30);
constexpr Millis kPause{250};

struct Options {
  ChannelOptions channel;
  /// May be empty when the gateway has one.
  std::string project;
  /// Id of the order, a UUID.
  std::string order;
  bool json = false;
  /// Gives up after so long; 0 = never.
  int timeout_seconds = 0;
};

/// What the interface calls it, also a status that we do not know.
std::string StatusText(const common::v1::Order& order) {
  if (order.has_status_text()) return Printable(MaskCardNumbers(order.status_text()));
  return OrDash(std::string(domain::WireName(order.status())));
}

std::string OrderLine(const common::v1::Order& order) {
  std::string line = order.has_modified() ? domain::ToRfc3339(domain::ToWallTime(order.modified()))
                                          : std::string("-");
  absl::StrAppend(&line, "  ", StatusText(order));
  if (order.has_amount()) {
    absl::StrAppend(&line, "  ", order.amount(), " ", OrDash(order.currency()),
                    " in the smallest unit");
  }
  if (order.refunded_amount() > 0) absl::StrAppend(&line, "  refunded ", order.refunded_amount());
  if (order.has_reason()) {
    absl::StrAppend(&line, "  reason: ", Printable(MaskCardNumbers(order.reason())));
  }
  return line;
}

class OrderWatch {
 public:
  OrderWatch(const Options& options, std::shared_ptr<grpc::Channel> channel)
      : options_(options), channel_(std::move(channel)), begun_(BootClock::now()) {
    if (!options_.project.empty()) request_.set_project(options_.project);
    request_.set_order_id(options_.order);
  }

  int Run() {
    while (true) {
      const UnaryEnd end = WatchOnce();
      if (final_) return 0;
      if (TimeLeft() == Millis::zero()) {
        std::cerr << "the order was not final in time\n";
        return kCallFailed;
      }
      if (!MayGoOn(end)) return PrintCallError(end);
      std::this_thread::sleep_for(std::min(kPause, TimeLeft().value_or(kPause)));
    }
  }

 private:
  /// nullopt: as long as it takes.
  std::optional<Millis> TimeLeft() const {
    if (options_.timeout_seconds == 0) return std::nullopt;
    const auto left = std::chrono::seconds(options_.timeout_seconds) - (BootClock::now() - begun_);
    return std::max(std::chrono::ceil<Millis>(left), Millis::zero());
  }

  UnaryEnd WatchOnce() {
    const auto* method = v1::WatchOrderRequest::descriptor()
                             ->file()
                             ->FindServiceByName("Payments")
                             ->FindMethodByName("WatchOrder");
    v1::WatchOrderResponse response;
    return CallStream(
        channel_, *method, request_, &response, [this, &response] { Show(response); },
        {.timeout = std::min(kOneWatch, TimeLeft().value_or(kOneWatch)), .traceparent = {}});
  }

  void Show(const v1::WatchOrderResponse& response) {
    heard_ = BootClock::now();
    final_ = response.final();
    std::string bytes = domain::SerializeDeterministically(response);
    if (bytes == shown_) return;
    shown_ = std::move(bytes);
    std::cout << (options_.json ? ToJsonLine(response) : OrderLine(response.order())) << std::endl;
  }

  /// Whether the watch ended for a reason that another one may not meet.
  bool MayGoOn(const UnaryEnd& end) const {
    if (!heard_) return false;
    switch (static_cast<absl::StatusCode>(end.code)) {
      case absl::StatusCode::kOk:
      case absl::StatusCode::kDeadlineExceeded:
      case absl::StatusCode::kUnavailable:
      case absl::StatusCode::kResourceExhausted:
        return BootClock::now() - *heard_ < kOneWatch + kPatience;
      default:
        return false;
    }
  }

  const Options& options_;
  const std::shared_ptr<grpc::Channel> channel_;
  const BootTime begun_;
  v1::WatchOrderRequest request_;
  std::optional<BootTime> heard_;  ///< when the gateway last told something
  std::string shown_;
  bool final_ = false;
};

int Run(const Options& options) {
  if (!Uuid::Parse(options.order)) {
    std::cerr << "tollbridge: an order's id is a UUID\n";
    return kCallNotMade;
  }
  auto channel = MakeChannel(options.channel);
  if (!channel.ok()) {
    std::cerr << "tollbridge: " << channel.status().message() << "\n";
    return kCallNotMade;
  }
  return OrderWatch(options, *std::move(channel)).Run();
}

}  // namespace

void AddOrders(CLI::App& app, Action* action) {
  CLI::App* orders = app.add_subcommand("orders", "an order's story, or its changes as they come");
  orders->require_subcommand(1);
  AddOrdersShow(orders, action);
  CLI::App* watch =
      orders->add_subcommand("watch", "print an order after each change, until it is final");
  const auto options = std::make_shared<Options>();
  AddChannelOptions(watch, &options->channel);
  watch->add_option("order", options->order, "order id, a UUID")->required();
  watch->add_option("--project", options->project, "project; needed when there are several");
  AddTimeoutOption(watch, &options->timeout_seconds,
                   "give up after so many seconds, and end with 1; without: never");
  AddJsonOption(watch, &options->json);
  watch->callback([options, action] { *action = [options] { return Run(*options); }; });
}

}  // namespace tollbridge::gateway
