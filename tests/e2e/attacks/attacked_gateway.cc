#include "tests/e2e/attacks/attacked_gateway.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/e2e/support/payments.h"
#include "tests/e2e/support/steady_load.h"

namespace tollbridge::test {
namespace {

using std::chrono::steady_clock;
using testing::IsEmpty;

constexpr double kMostP99Ms = 50;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
/// Shadow memory, and what is kept of freed blocks.
constexpr double kMostMegabytes = 1500;
#else
constexpr double kMostMegabytes = 150;
#endif

/// How long honest calls go on beside an attack, at least.
std::chrono::seconds Duration() {
  return IsStrict() ? std::chrono::seconds(10) : std::chrono::seconds(1);
}

StackSettings Settings(const std::string& roles) {
  StackSettings settings{{"process", {{"roles", roles}, {"log_level", "info"}}},
                         {"webhooks", {{"public_url", "https://gateway.example"}}}};
  if (!IsStrict()) {
    settings["rpc"] = {
        {"handshake_timeout", "2s"}, {"request_timeout", "2s"}, {"write_timeout", "2s"}};
    // However busy the machine is, calls wait for the sandbox and do not fail.
    settings["payment_service"] = {{"max_pool_wait", "1m"}, {"max_in_flight", "10000"}};
  }
  return settings;
}

std::string FilesOf(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

/// The most resident memory of a process since the last time, in MB.
double TakePeakMegabytes(pid_t pid) {
  double kilobytes = -1;
  std::ifstream status(FilesOf(pid, "status"));
  for (std::string word; status >> word && word != "VmHWM:";) {
  }
  status >> kilobytes;
  // proc(5): resets the peak.
  std::ofstream(FilesOf(pid, "clear_refs")) << "5";
  return kilobytes / 1024;
}

std::uint16_t PortOf(std::string_view address) {
  return static_cast<std::uint16_t>(std::stoi(std::string(address.substr(address.rfind(':') + 1))));
}

}  // namespace

bool IsStrict() {
  const char* const strict = std::getenv("TOLLBRIDGE_ATTACKS_STRICT");
  return strict != nullptr && *strict != '\0';
}

AttackedGateway::AttackedGateway(bool tls, const std::string& roles) {
  const std::string program = folder_.Write(
      "tollbridge", "#!/bin/sh\nulimit -n 1024\nexec " + ProgramBeside("tollbridge") + " \"$@\"\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  stack_ = std::make_unique<Stack>(
      StackOptions{.program = program, .settings = Settings(roles), .tls = tls});
  order_ = OrderOf(CreateOrder(*stack_, OrderRequest("attacked"))).id();
}

std::uint16_t AttackedGateway::port() const { return PortOf(stack_->grpc_address()); }

std::uint16_t AttackedGateway::metrics_port() const {
  const std::string& url = stack_->metrics_url();
  return PortOf(url.substr(0, url.rfind('/')));
}

std::uint16_t AttackedGateway::webhooks_port() const { return PortOf(stack_->ingress_origin()); }

double AttackedGateway::Refusals(std::string_view cause) const {
  return stack_->Metric("tollbridge_rpc_wire_refusals_total{cause=\"" + std::string(cause) + "\"}");
}

bool AttackedGateway::AwaitRefusals(std::string_view cause, double before, double more) const {
  return Eventually([&] { return Refusals(cause) >= before + more; });
}

void AttackedGateway::Endures(const std::string& name, std::string_view cause, double least,
                              const std::function<void()>& attack) {
  const pid_t pid = stack_->gateway().pid();
  TakePeakMegabytes(pid);
  const double before = Refusals(cause);
  SteadyLoad honest(stack_->grpc_address(), {.tls = stack_->caller_tls(), .call = ReadsOf(order_)});
  const auto begin = steady_clock::now();
  int times = 0;
  do {
    attack();
    ++times;
  } while (IsStrict() && steady_clock::now() < begin + Duration());
  Eventually([&] { return steady_clock::now() >= begin + Duration(); });
  // Those who come when it is over, and those who were there, once more.
  GrpcClient anew(stack_->grpc_address(), stack_->caller_tls());
  payments::v1::GetOrderRequest request;
  request.set_order_id(order_);
  const RpcReply first = anew.Call(kGetOrder, request);
  const SteadyCalls calls = honest.Stop();
  const double megabytes = TakePeakMegabytes(pid);
  EXPECT_TRUE(AwaitRefusals(cause, before, least * times))
      << Refusals(cause) - before << " counted";
  std::printf("%-44s honest calls %5d  p99 %7.1f ms  longest %7.1f ms  memory %6.1f MB  %s %.0f\n",
              name.c_str(), calls.calls, calls.p99_ms, calls.longest_ms, megabytes,
              std::string(cause).c_str(), Refusals(cause) - before);
  std::fflush(stdout);

  EXPECT_THAT(calls.failures, IsEmpty());
  EXPECT_TRUE(first.status.ok()) << first.status.message;
  if (IsStrict()) EXPECT_LT(calls.p99_ms, kMostP99Ms);
  EXPECT_LT(megabytes, kMostMegabytes);
  EXPECT_GT(megabytes, 1) << "no process";
}

}  // namespace tollbridge::test
