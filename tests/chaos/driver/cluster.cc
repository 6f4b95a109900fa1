#include "tests/chaos/driver/cluster.h"

#include <absl/status/status.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "tests/chaos/driver/planted.h"
#include "tests/support/read_file.h"

namespace tollbridge::chaos {
namespace {

/// Whole seconds, as the sandbox takes them.
std::string Duration(Millis value) {
  return "PT" + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(value).count()) +
         "S";
}

}  // namespace

Cluster::Cluster(const Options& options) {
  const Intervals intervals = IntervalsFor(options);
  programs_.fill(test::ProgramBeside("tollbridge"));
  if (!options.other_program.empty()) programs_.back() = options.other_program;
  if (!options.planted.empty()) {
    environment_["TOLLBRIDGE_PLANTED_BUG"] =
        folder_.Write("planted-bug", FileOf(PlantedBugOf(options.planted)));
  }
  test::StackOptions stack;
  stack.settings = SettingsFor(intervals);
  stack.settings["webhooks"]["public_url"] = "http://" + ingress_.address();
  stack.sandbox_arguments = {"--own-checkout-hold",         "PT0S",   "--index-lag",
                             Duration(intervals.index_lag), "--seed", std::to_string(options.seed),
                             "--webhook-pause-ms",          "5000"};
  // A process that is killed has given its writes to the kernel: nothing acknowledged is lost. Not
  // so with `everysec`, which keeps them back while a slow disk still syncs those before; what a
  // store does that forgets is another disturbance, and the auditor is told of it.
  stack.redis_arguments = {"--appendonly", "yes", "--appendfsync", "no"};
  if (options.sentinels) {
    sentinels_ = std::make_unique<Sentinels>();
    sentinels_->PutInto(&stack.settings);
  } else {
    stack.redis_proxy = redis_ways_.first();
  }
  stack.kafka = &kafka_;
  stack.two_projects = true;
  stack_ = std::make_unique<test::Stack>(stack);
  redis_ways_.Lead(stack_->redis().port());
  WriteConfigurations();
  // The stack's own gateway is the first; three of a kind are simpler to kill.
  stack_->gateway().Signal(SIGTERM);
  stack_->gateway().WaitForExit();
  for (std::size_t i = 0; i < kGateways; ++i) StartGateway(i);
}

void Cluster::Start(std::size_t gateway, std::string_view method, const std::string& request,
                    Millis deadline, std::function<void(test::RpcReply)> done) {
  {
    const std::lock_guard lock(mutex_);
    if (gateways_[gateway] != nullptr) {
      gateways_[gateway]->grpc().Start(method, request, {.deadline = deadline}, std::move(done));
      return;
    }
  }
  test::RpcReply down;
  down.status.code = static_cast<int>(absl::StatusCode::kUnavailable);
  done(std::move(down));
}

void Cluster::KillGateway(std::size_t gateway) {
  gateways_[gateway]->process().Kill();
  KeepLog(gateway);
  const std::lock_guard lock(mutex_);
  gateways_[gateway].reset();
  PointIngress();
}

void Cluster::StartGateway(std::size_t gateway) {
  auto started = std::make_unique<test::GatewayProcess>(configurations_.at(gateway), environment_,
                                                        std::nullopt, std::vector<std::string>(),
                                                        programs_.at(gateway));
  const std::lock_guard lock(mutex_);
  gateways_[gateway] = std::move(started);
  PointIngress();
}

void Cluster::WriteConfigurations() {
  const std::string shared = test::ReadFile(stack_->config_path());
  const std::string first = redis_ways_.address(0);
  key_rings_ = std::make_unique<KeyRings>(shared);
  for (std::size_t i = 0; i < kGateways; ++i) {
    std::string own = key_rings_->Configured(shared, i);
    const std::size_t at = own.find(first);
    if (at != std::string::npos) own.replace(at, first.size(), redis_ways_.address(i));
    configurations_.at(i) = folder_.Write("gateway-" + std::to_string(i) + ".yaml", own);
  }
}

void Cluster::PointIngress() {
  for (const std::unique_ptr<test::GatewayProcess>& gateway : gateways_) {
    if (gateway == nullptr) continue;
    const std::string& origin = gateway->ingress_origin();
    ingress_.SetUpstream(
        static_cast<std::uint16_t>(std::stoi(origin.substr(origin.rfind(':') + 1))));
    return;
  }
}

void Cluster::SignalGateway(std::size_t gateway, int signal) {
  gateways_[gateway]->process().Signal(signal);
}

void Cluster::KeepLog(std::size_t gateway) {
  test::Process& process = gateways_[gateway]->process();
  logs_[gateway] += process.standard_output() + process.standard_error() + "\n-- ended --\n";
}

void Cluster::WriteLogs(const std::string& folder) {
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(std::filesystem::path(folder) / name, std::ios::binary) << text;
  };
  for (std::size_t i = 0; i < kGateways; ++i) {
    if (gateways_[i] != nullptr) KeepLog(i);
    write("gateway-" + std::to_string(i) + ".log", logs_[i]);
  }
  write("sandbox.log", stack_->sandbox().standard_output() + stack_->sandbox().standard_error());
  std::filesystem::copy_file(stack_->config_path(),
                             std::filesystem::path(folder) / "tollbridge.yaml",
                             std::filesystem::copy_options::overwrite_existing);
}

}  // namespace tollbridge::chaos
