#include "tests/chaos/events_driver/cluster.h"

#include <absl/strings/str_replace.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "tests/chaos/events_driver/planted.h"
#include "tests/support/http_call.h"
#include "tests/support/read_file.h"
#include "tollbridge/storage/v1/sweep.pb.h"

namespace tollbridge::pipeline {
namespace {

constexpr std::chrono::seconds kCallDeadline{6};

std::string Duration(std::chrono::seconds value) {
  return "PT" + std::to_string(value.count()) + "S";
}

/// "events" of "events-2".
std::string RoleOf(const std::string& name) { return name.substr(0, name.find('-')); }

}  // namespace

Cluster::Cluster(const Options& options)
    : intervals_(IntervalsFor(options)),
      other_reader_("events-" + std::to_string(options.readers - 1)),
      other_program_(options.other_program) {
  if (!options.planted.empty()) {
    environment_["TOLLBRIDGE_PLANTED_BUG"] =
        folder_.Write("planted-bug", chaos::FileOf(chaos::BugOf(PlantedBugs(), options.planted)));
  }
  test::StackOptions stack;
  stack.settings = SettingsFor(intervals_);
  stack.settings["webhooks"]["public_url"] = ingress_origin();
  stack.sandbox_arguments = {"--own-checkout-hold",
                             Duration(intervals_.own_checkout_hold),
                             "--index-lag",
                             Duration(intervals_.index_lag),
                             "--seed",
                             std::to_string(options.seed),
                             "--webhook-pause-ms",
                             std::to_string(intervals_.webhook_pause.count())};
  // A process that is killed has given its writes to the kernel: nothing acknowledged is lost. Not
  // so with `everysec`, which keeps them back while a slow disk still syncs those before; what a
  // store does that forgets is another disturbance, and the auditor is told of it.
  stack.redis_arguments = {"--appendonly", "yes", "--appendfsync", "no"};
  stack.redis_proxy = &redis_proxy_;
  if (options.cluster) {
    brokers_ = std::make_unique<test::KafkaCluster>();
    stack.brokers = brokers_->address();
    stack.settings["kafka"]["brokers"] =
        "[\"" + absl::StrReplaceAll(stack.brokers->brokers, {{",", "\", \""}}) + "\"]";
    stack.settings["kafka"]["replication"] = std::to_string(test::KafkaCluster::kBrokers);
  } else if (options.disturbed) {
    stack.kafka = &kafka_.emplace();
  }
  stack_ = std::make_unique<test::Stack>(stack);
  config_path_ = stack_->config_path();
  token_path_ = stack_->webhook_url().substr(stack_->ingress_origin().size());
  // The stack's own gateway has all roles; here each has a process.
  stack_->gateway().Signal(SIGTERM);
  stack_->gateway().WaitForExit();
  for (const std::string name : {"rpc", "webhooks-0", "webhooks-1", "reconcile"}) Start(name);
  rpc_ = &processes_.at("rpc")->grpc();
  for (std::size_t i = 0; i < options.readers; ++i) Start("events-" + std::to_string(i));
}

Cluster::~Cluster() = default;

void Cluster::KeepBrokerLogs(const std::string& folder) {
  if (kafka_) kafka_->KeepLog(folder + "/kafka.log");
  for (std::size_t i = 0; brokers_ != nullptr && i < test::KafkaCluster::kBrokers; ++i) {
    brokers_->broker(i).KeepLog(folder + "/kafka-" + std::to_string(i) + ".log");
  }
}

test::RpcReply Cluster::Call(std::string_view method, const std::string& request) {
  return rpc_->CallBytes(method, request, {.deadline = kCallDeadline});
}

void Cluster::Start(const std::string& name) {
  const std::string program = !other_program_.empty() && name == other_reader_
                                  ? other_program_
                                  : test::ProgramBeside("tollbridge");
  processes_[name] = std::make_unique<test::GatewayProcess>(
      config_path_, environment_, std::nullopt, std::vector<std::string>{RoleOf(name)}, program);
  PointIngress();
}

void Cluster::ShortenBaseline() {
  const std::string window = std::to_string(intervals_.baseline.count()) + "s";
  config_path_ = folder_.Write(
      "tollbridge-later.yaml",
      absl::StrReplaceAll(test::ReadFile(stack_->config_path()),
                          {{"events:\n", "events:\n  baseline_window: " + window + "\n"}}));
}

void Cluster::Kill(const std::string& name) {
  processes_.at(name)->process().Kill();
  KeepLog(name);
  processes_.erase(name);
  PointIngress();
}

void Cluster::Stop(const std::string& name) {
  test::Process& process = processes_.at(name)->process();
  process.Signal(SIGTERM);
  if (!process.WaitForExit()) process.Kill();
  KeepLog(name);
  processes_.erase(name);
  PointIngress();
}

void Cluster::Signal(const std::string& name, int signal) {
  processes_.at(name)->process().Signal(signal);
}

std::vector<std::string> Cluster::Running(std::string_view prefix) const {
  std::vector<std::string> names;
  for (const auto& [name, process] : processes_) {
    if (name.starts_with(prefix)) names.push_back(name);
  }
  return names;
}

bool Cluster::AllOrdersNoticed() const {
  std::string kept = stack_->RedisCommand({"HGET", test::DemoKey("sweep"), "p"});
  kept.pop_back();  // the end of the line
  storage::v1::SweepProgress progress;
  return progress.ParseFromString(kept) && progress.has_first_began() && !progress.has_first_pass();
}

double Cluster::EventsPublishedBy(const std::string& name) const {
  std::istringstream page(test::HttpGet(processes_.at(name)->metrics_url()));
  double sum = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("tollbridge_events_published_total{")) continue;
    sum += std::stod(line.substr(line.rfind(' ')));
  }
  return sum;
}

std::string Cluster::webhook_url() const { return ingress_origin() + token_path_; }

void Cluster::PointIngress() {
  for (const auto& [name, process] : processes_) {
    if (RoleOf(name) != "webhooks") continue;
    const std::string& origin = process->ingress_origin();
    ingress_.SetUpstream(
        static_cast<std::uint16_t>(std::stoi(origin.substr(origin.rfind(':') + 1))));
    return;
  }
  ingress_.SetUpstream(0);
}

void Cluster::KeepLog(const std::string& name) {
  test::Process& process = processes_.at(name)->process();
  logs_[name] += process.standard_output() + process.standard_error() + "\n-- ended --\n";
}

void Cluster::WriteLogs(const std::string& folder) {
  const std::filesystem::path path(folder);
  for (const auto& [name, process] : processes_) KeepLog(name);
  for (const auto& [name, text] : logs_) {
    std::ofstream(path / (name + ".log"), std::ios::binary) << text;
  }
  std::ofstream(path / "sandbox.log", std::ios::binary)
      << stack_->sandbox().standard_output() << stack_->sandbox().standard_error();
  std::filesystem::copy_file(stack_->config_path(), path / "tollbridge.yaml",
                             std::filesystem::copy_options::overwrite_existing);
}

}  // namespace tollbridge::pipeline
