#ifndef TOLLBRIDGE_TESTS_BENCH_MEASURES_H_
#define TOLLBRIDGE_TESTS_BENCH_MEASURES_H_

#include <filesystem>
#include <string>
#include <vector>

namespace tollbridge::bench {

/// A number that was measured, and what it may be.
struct Measure {
  std::string name;
  double value = 0;
  std::string unit;
  /// Both count.
  double at_least = 0;
  double at_most = 1e18;

  bool holds() const { return value >= at_least && value <= at_most; }
};

using Measures = std::vector<Measure>;

double Median(std::vector<double> values);
/// The value below which this part of them lies, e.g. 0.99. `values` is not empty.
double Percentile(std::vector<double> values, double part);

/// To stdout, one a line; the missed ones say so.
void PrintTable(const Measures& measures);
void WriteJson(const Measures& measures, const std::filesystem::path& file);

}  // namespace tollbridge::bench

#endif  // TOLLBRIDGE_TESTS_BENCH_MEASURES_H_
