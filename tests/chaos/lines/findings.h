#ifndef TOLLBRIDGE_TESTS_CHAOS_LINES_FINDINGS_H_
#define TOLLBRIDGE_TESTS_CHAOS_LINES_FINDINGS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace tollbridge::chaos {

/// What an auditor says of one thing.
struct Finding {
  std::string kind;     ///< the rule that is broken, or what is noted
  std::string subject;  ///< id of the operation or the order
  std::string text;
};

/// The findings by kind, each kind under a line `<title> <kind>: <count>`; at most `each` of a
/// kind, 0: all.
void AppendFindings(const std::vector<Finding>& findings, const std::string& title,
                    std::size_t each, std::string* out);

/// Of what a run printed, what a person wants to see first when it failed: from the first
/// contradiction on, or where there is none its last lines.
std::string WhyItFailed(const std::string& output);

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_LINES_FINDINGS_H_
