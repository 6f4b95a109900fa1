#ifndef TOLLBRIDGE_TESTS_FUZZ_FINDING_H_
#define TOLLBRIDGE_TESTS_FUZZ_FINDING_H_

#include <cstdio>
#include <cstdlib>
#include <string>

namespace tollbridge::fuzz {

/// Ends the process, which is how libFuzzer is told of a finding.
[[noreturn]] inline void Found(const std::string& what) {
  std::fprintf(stderr, "\nFINDING: %s\n", what.c_str());
  std::abort();
}

}  // namespace tollbridge::fuzz

#endif  // TOLLBRIDGE_TESTS_FUZZ_FINDING_H_
