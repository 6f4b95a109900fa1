// ./dev bench export: the report of 100,000 orders through Search.ExportOrders, and the same read
// from the sandbox by curl, one after the other, several times. Fails when the best of the first
// has less than 80 % of the speed of the best of the others.

#include <algorithm>
#include <iostream>
#include <limits>

#include "tests/e2e/support/exports.h"
#include "tests/support/stack.h"

int main() {
  using namespace tollbridge::test;  // NOLINT(google-build-using-namespace): a program of one main
  constexpr int kOrders = 100'000;
  constexpr int kRounds = 5;
  constexpr double kBound = 0.8;
  Stack stack;
  Seed(stack, kOrders);
  double direct = std::numeric_limits<double>::max();
  double exported = std::numeric_limits<double>::max();
  for (int round = 0; round < kRounds; ++round) {
    const DirectReport report = ReadDirectly(stack);
    const Export through = ExportAll(stack);
    if (!through.end.ok() || through.bytes != report.bytes) {
      std::cerr << "the export failed: " << through.end.message << "\n";
      return 1;
    }
    direct = std::min(direct, report.seconds);
    exported = std::min(exported, through.seconds);
    std::cout << report.bytes << " bytes: curl " << report.seconds << " s, ExportOrders "
              << through.seconds << " s\n";
  }
  const double ratio = direct / exported;
  std::cout << "best: curl " << direct << " s, ExportOrders " << exported << " s; ratio " << ratio
            << ", bound " << kBound << "\n";
  return ratio >= kBound ? 0 : 1;
}
