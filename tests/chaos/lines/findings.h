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

/// What a run printed, for a person who wants to know why it failed: first what there is from the
/// first contradiction on, or where there is none the last lines, and the errors; then all of it.
std::string WhyItFailed(const std::string& output, const std::string& error);

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_LINES_FINDINGS_H_
