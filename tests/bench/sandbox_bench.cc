#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/child_process.h"
#include "tests/bench/connection.h"
#include "tests/bench/load.h"
#include "tests/bench/measures.h"

// ./dev bench sandbox: what the stand-in costs. Start and memory, the rate of GET order beside a
// bare Beast server that returns the same bytes, and the memory of a streamed report.

namespace tollbridge::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kStarts = 20;
constexpr std::int64_t kOrders = 100'000;
constexpr int kRounds = 5;
constexpr double kMebibyte = 1024.0 * 1024.0;
/// Ids that are asked for, from all over the orders, so that the asking finds no warm corner.
constexpr std::size_t kIdsAskedFor = 20'000;

std::vector<std::string> SandboxCommand(const fs::path& programs) {
  return {programs / "tollbridge-sandbox", "--listen", "127.0.0.1:0"};
}

Measure MeasureStart(const fs::path& programs) {
  std::vector<double> times;
  for (int i = 0; i < kStarts; ++i) {
    times.push_back(ChildProcess(SandboxCommand(programs), -1).start_ms());
  }
  return {
      .name = "start, alone (median of 20)", .value = Median(times), .unit = "ms", .at_most = 200};
}

/// Takes the report apart as it comes.
class ReportReader {
 public:
  void Read(std::string_view piece) {
    for (const char c : piece) {
      if (c == '"') quoted_ = !quoted_;
      if (c == '\n' && !quoted_) {
        EndLine();
      } else if (c == ',' && !quoted_) {
        first_field_ = false;
      } else if (first_field_ && c != '"') {
        id_.push_back(c);
      }
    }
    bytes_ += static_cast<std::int64_t>(piece.size());
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t bytes() const { return bytes_; }
  /// Of the orders, in the order of the report.
  const std::vector<std::string>& ids() const { return ids_; }

 private:
  void EndLine() {
    if (!header_seen_) {
      if (id_ != "id") throw std::runtime_error("the report's first column is not id: " + id_);
      header_seen_ = true;
    } else {
      ++rows_;
      if (ids_.empty() || ids_.back() != id_) ids_.push_back(id_);
    }
    id_.clear();
    first_field_ = true;
  }

  bool quoted_ = false;
  bool first_field_ = true;
  bool header_seen_ = false;
  std::int64_t rows_ = 0;
  std::int64_t bytes_ = 0;
  std::string id_;
  std::vector<std::string> ids_;
};

/// Reads the report of all orders, slower than the sandbox can write it, so that what it has
/// written ahead shows in its memory.
std::vector<Measure> MeasureReport(const ChildProcess& sandbox, ReportReader* report) {
  constexpr std::int64_t kPieceBetweenPauses = 65536;
  Connection connection(sandbox.port(), static_cast<int>(kPieceBetweenPauses));
  const std::int64_t before = sandbox.ResidentBytes();
  std::int64_t highest = before;
  connection.Write(MakeRequest("POST", "/v1/search/orders/?format=csv", R"({"query":"*"})"));
  const std::string header = connection.ReadHeader();
  if (!header.starts_with("HTTP/1.1 200 ")) throw std::runtime_error("no report: " + header);
  std::int64_t next_pause = kPieceBetweenPauses;
  connection.ReadBody(header, [&](std::string_view piece) {
    report->Read(piece);
    if (report->bytes() < next_pause) return;
    next_pause = report->bytes() + kPieceBetweenPauses;
    poll(nullptr, 0, 1);
    highest = std::max(highest, sandbox.ResidentBytes());
  });
  return {{.name = "orders in the CSV report",
           .value = static_cast<double>(report->ids().size()),
           .at_least = static_cast<double>(kOrders)},
          {.name = "rows of the CSV report",
           .value = static_cast<double>(report->rows()),
           .at_least = static_cast<double>(kOrders)},
          {.name = "size of the CSV report",
           .value = static_cast<double>(report->bytes()) / kMebibyte,
           .unit = "MiB"},
          {.name = "memory grown while it streamed",
           .value = static_cast<double>(highest - before) / kMebibyte,
           .unit = "MiB",
           .at_most = 16}};
}

std::vector<std::string> GetRequests(const std::vector<std::string>& ids) {
  std::vector<std::string> requests;
  const std::size_t count = std::min(kIdsAskedFor, ids.size());
  for (std::size_t i = 0; i < count; ++i) {
    // Steps through all of them, not in the order in which they were made.
    const std::size_t at = i * 7919 % ids.size();
    requests.push_back(MakeRequest("GET", "/v1/orders/" + ids.at(at) + "/"));
  }
  return requests;
}

/// The answer to a request, whole, as it came.
std::string Fetch(std::uint16_t port, const std::string& request) {
  Connection connection(port);
  connection.Write(request);
  std::string answer = connection.ReadHeader();
  const std::string header = answer;
  connection.ReadBody(header, [&](std::string_view piece) { answer += piece; });
  return answer;
}

/// A rate, and the processor time that an answer took.
struct Rounds {
  std::vector<double> rates;
  std::vector<double> microseconds;

  void Add(const ChildProcess& server, const Load& load) {
    const double before = server.ProcessorSeconds();
    const LoadResult result = Run(load);
    rates.push_back(result.rate());
    microseconds.push_back((server.ProcessorSeconds() - before) * 1e6 /
                           static_cast<double>(result.answers));
  }
};

std::vector<Measure> MeasureRate(const ChildProcess& sandbox, const fs::path& programs,
                                 const fs::path& folder, int cpu,
                                 const std::vector<std::string>& ids) {
  const std::vector<std::string> requests = GetRequests(ids);
  const std::string answer = Fetch(sandbox.port(), requests.front());
  const fs::path file = folder / "order.http";
  std::ofstream(file, std::ios::binary) << answer;
  const ChildProcess floor({programs / "beast_floor", file}, cpu);
  if (Fetch(floor.port(), requests.front()) != answer) {
    throw std::runtime_error("the bare Beast server does not return the same bytes");
  }
  Load at_floor{.port = floor.port(), .requests = requests};
  Load at_sandbox{.port = sandbox.port(), .requests = requests};
  Rounds of_floor;
  Rounds of_sandbox;
  for (int round = 0; round < kRounds; ++round) {
    of_floor.Add(floor, at_floor);
    of_sandbox.Add(sandbox, at_sandbox);
  }
  const double floor_rate = Median(of_floor.rates);
  const double sandbox_rate = Median(of_sandbox.rates);
  return {
      {.name = "answer to GET order", .value = static_cast<double>(answer.size()), .unit = "B"},
      {.name = "bare Beast server", .value = floor_rate, .unit = "/s"},
      {.name = "bare Beast server, processor time",
       .value = Median(of_floor.microseconds),
       .unit = "us"},
      {.name = "GET order", .value = sandbox_rate, .unit = "/s", .at_least = 10'000},
      {.name = "GET order, processor time", .value = Median(of_sandbox.microseconds), .unit = "us"},
      {.name = "GET order : bare Beast server",
       .value = sandbox_rate / floor_rate,
       .at_least = 0.5}};
}

std::vector<Measure> MeasureAll(const fs::path& programs, const fs::path& folder) {
  const std::vector<int> processors = AllowedProcessors();
  if (processors.size() < 2)
    throw std::runtime_error("needs two processors, for server and client");
  const int server_cpu = processors[0];
  std::vector<Measure> measures = {MeasureStart(programs)};
  PinTo(processors[1]);
  std::vector<std::string> command = SandboxCommand(programs);
  command.insert(command.end(), {"--orders", std::to_string(kOrders)});
  const ChildProcess sandbox(command, server_cpu);
  measures.push_back(
      {.name = "start with 100,000 orders", .value = sandbox.start_ms(), .unit = "ms"});
  measures.push_back({.name = "memory with 100,000 orders",
                      .value = static_cast<double>(sandbox.ResidentBytes()) / kMebibyte,
                      .unit = "MiB",
                      .at_most = 500});
  const auto append = [&measures](const std::vector<Measure>& more) {
    measures.insert(measures.end(), more.begin(), more.end());
  };
  ReportReader report;
  append(MeasureReport(sandbox, &report));
  append(MeasureRate(sandbox, programs, folder, server_cpu, report.ids()));
  return measures;
}

int Main(const fs::path& folder) {
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
  fs::create_directories(folder);
  const std::vector<Measure> measures = MeasureAll(programs, folder);
  PrintTable(measures);
  WriteJson(measures, folder / "sandbox.json");
  return std::ranges::all_of(measures, &Measure::holds) ? 0 : 1;
}

}  // namespace
}  // namespace tollbridge::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: sandbox_bench FOLDER    writes its numbers to FOLDER/sandbox.json\n";
    return 2;
  }
  try {
    return tollbridge::bench::Main(argv[1]);
  } catch (const std::exception& problem) {
    std::cerr << "sandbox_bench: " << problem.what() << "\n";
    return 1;
  }
}
