#ifndef TOLLBRIDGE_TESTS_BENCH_RPC_REPORT_H_
#define TOLLBRIDGE_TESTS_BENCH_RPC_REPORT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/rpc_load.h"
#include "tests/bench/rpc_servers.h"

namespace tollbridge::bench {

/// Rounds of one server, call and number in flight, and their medians.
class Cell {
 public:
  /// processor_time: of the server, then of Redis.
  void Add(const RpcLoadResult& round);

  double calls() const { return calls_; }
  /// Processor time of a call as a multiple of the other's: the median of the rounds' ratios, since
  /// what the machine does besides meets both in one round.
  double ProcessorRatioTo(const Cell& other) const;
  double processor_us() const { return Median(processor_us_); }
  double redis_us() const { return Median(redis_us_); }
  double p50_us() const { return Median(p50_us_); }
  double p99_us() const { return Median(p99_us_); }
  double calls_per_second() const { return Median(rates_); }
  double calls_per_second_per_core() const { return 1e6 / processor_us(); }

 private:
  static double Median(std::vector<double> values);

  double calls_ = 0;
  std::vector<double> processor_us_;
  std::vector<double> redis_us_;
  std::vector<double> p50_us_;
  std::vector<double> p99_us_;
  std::vector<double> rates_;
};

struct CellKey {
  std::string call;
  int in_flight = 0;
  std::string server;
  auto operator<=>(const CellKey&) const = default;
};
using Cells = std::map<CellKey, Cell>;

/// A number that must not be larger than its bound.
struct Bound {
  std::string name;
  double value = 0;
  double at_most = 0;
  bool holds() const { return value <= at_most; }
};

/// Those of issue and document whose servers and calls were measured.
std::vector<Bound> BoundsOf(const Cells& cells);

/// To stdout.
void PrintReport(const Cells& cells, const std::map<std::string, CallSizes>& sizes);
/// Each bound on a line; the missed ones say so.
void PrintBounds(const std::vector<Bound>& bounds);
/// All of it as JSON.
std::string ReportJson(const Cells& cells, const std::map<std::string, CallSizes>& sizes,
                       const std::vector<Bound>& bounds);

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_RPC_REPORT_H_
