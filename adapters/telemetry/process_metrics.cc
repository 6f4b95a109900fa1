#include "adapters/telemetry/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

#include "base/telemetry/metric_definitions.h"

namespace tollbridge::telemetry_exporters {
namespace {

void Show(telemetry::Metrics& metrics, const telemetry::GaugeDef& def,
          std::optional<double> value) {
  const telemetry::Gauge gauge = metrics.Get(def);
  value ? gauge.Set(*value) : gauge.Clear();
}

void ShowMemory(telemetry::Metrics& metrics, const std::string& folder) {
  std::ifstream statm(folder + "/statm");
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  std::optional<double> pages[2];
  for (std::optional<double>& read : pages) {
    if (double value = 0; statm >> value) read = value * page;
  }
  Show(metrics, telemetry::kProcessVirtual, pages[0]);
  Show(metrics, telemetry::kProcessResident, pages[1]);
}

void ShowFiles(telemetry::Metrics& metrics, const std::string& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator files(folder + "/fd", error);
  std::optional<double> open;
  // Less the one by which they are counted.
  if (!error) open = static_cast<double>(std::distance(begin(files), end(files)) - 1);
  Show(metrics, telemetry::kProcessOpenFds, open);
  rlimit limit{};
  std::optional<double> most;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) most = static_cast<double>(limit.rlim_cur);
  Show(metrics, telemetry::kProcessMaxFds, most);
}

/// Unix time; nullopt when it is not told.
std::optional<double> StartOf(const std::string& folder) {
  std::ifstream stat(folder + "/stat");
  std::string text{std::istreambuf_iterator<char>(stat), {}};
  // The name of the program stands in brackets and may hold anything.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  constexpr int kBetween = 19;  // from the state to what stands before starttime
  std::string skipped;
  for (int i = 0; i < kBetween; ++i) fields >> skipped;
  double ticks = 0;
  if (!(fields >> ticks)) return std::nullopt;
  std::ifstream system(folder + "/../stat");
  for (std::string word; system >> word;) {
    double booted = 0;
    if (word == "btime" && system >> booted) {
      return booted + ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
    }
  }
  return std::nullopt;
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

void ReportProcess(telemetry::Metrics& metrics, const std::string& folder) {
  Show(metrics, telemetry::kProcessStart, StartOf(folder));
  metrics.OnCollect([folder, counted = 0.0](telemetry::Metrics& collected) mutable {
    const double cpu = CpuSeconds();
    collected.Get(telemetry::kProcessCpu).Increment(std::max(0.0, cpu - counted));
    counted = cpu;
    ShowMemory(collected, folder);
    ShowFiles(collected, folder);
  });
}

}  // namespace tollbridge::telemetry_exporters
