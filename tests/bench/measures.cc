#include "tests/bench/measures.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>

namespace tollbridge::bench {
namespace {

std::string Bound(const Measure& measure) {
  char text[64] = "";
  if (measure.at_least > 0) std::snprintf(text, sizeof(text), ">= %g", measure.at_least);
  if (measure.at_most < 1e18) std::snprintf(text, sizeof(text), "< %g", measure.at_most);
  return text;
}

}  // namespace

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.at(values.size() / 2);
}

double Percentile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  const auto at = static_cast<std::size_t>(part * static_cast<double>(values.size()));
  return values.at(std::min(at, values.size() - 1));
}

void PrintTable(const Measures& measures) {
  for (const Measure& measure : measures) {
    std::printf("%-52s %12.2f %-4s %-10s %s\n", measure.name.c_str(), measure.value,
                measure.unit.c_str(), Bound(measure).c_str(), measure.holds() ? "" : "MISSED");
  }
}

void WriteJson(const Measures& measures, const std::filesystem::path& file) {
  std::ofstream out(file);
  out << "[\n";
  for (const Measure& measure : measures) {
    out << R"(  {"name":")" << measure.name << R"(","value":)" << measure.value << R"(,"unit":")"
        << measure.unit << R"(","bound":")" << Bound(measure) << R"(","holds":)"
        << (measure.holds() ? "true" : "false") << "}"
        << (&measure == &measures.back() ? "\n" : ",\n");
  }
  out << "]\n";
}

}  // namespace tollbridge::bench
