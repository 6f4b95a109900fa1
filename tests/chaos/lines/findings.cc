#include "tests/chaos/lines/findings.h"

#include <algorithm>
#include <map>

namespace tollbridge::chaos {

void AppendFindings(const std::vector<Finding>& findings, const std::string& title,
                    std::size_t each, std::string* out) {
  std::map<std::string, std::vector<const Finding*>> by_kind;
  for (const Finding& finding : findings) by_kind[finding.kind].push_back(&finding);
  for (const auto& [kind, list] : by_kind) {
    *out += title + " " + kind + ": " + std::to_string(list.size()) + "\n";
    std::size_t written = 0;
    for (const Finding* finding : list) {
      if (each != 0 && written++ == each) {
        *out += "  ...\n";
        break;
      }
      *out += "  " + finding->subject + ": " + finding->text + "\n";
    }
  }
}

std::string WhyItFailed(const std::string& output, const std::string& error) {
  constexpr std::size_t kEnd = 1'000;
  const std::size_t found = output.find("CONTRADICTION");
  const std::size_t from =
      found != std::string::npos ? found : output.size() - std::min(output.size(), kEnd);
  return output.substr(from) + error + "\nIn full:\n" + output;
}

}  // namespace tollbridge::chaos
