#include "tests/e2e/dev_script.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <utility>

namespace tollbridge::test {
namespace {

namespace fs = std::filesystem;

// A build that is not there yet is made on the way.
constexpr std::chrono::seconds kUpLimit{180};
constexpr std::chrono::seconds kEndLimit{30};

std::vector<std::string> InRoot(const std::string& line) {
  return {"bash", "-c", "cd '" TOLLBRIDGE_SOURCE_DIR "' && " + line};
}

/// A process's state and its parent, of /proc/PID/stat (proc_pid_stat(5)); nullopt when it is gone.
struct Stat {
  char state = 'Z';
  pid_t parent = 0;
};
std::optional<Stat> StatOf(const std::string& pid) {
  std::string text;
  std::getline(std::ifstream("/proc/" + pid + "/stat"), text);
  // The name, in parentheses, may hold anything.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  Stat stat;
  std::istringstream(text.substr(name_end + 1)) >> stat.state >> stat.parent;
  return stat;
}

std::string FirstGroup(const std::string& text, const char* pattern) {
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : "";
}

}  // namespace

Finished Bash(const std::string& line, const Environment& environment,
              std::chrono::milliseconds limit) {
  return Run(InRoot(line), environment, limit);
}

DevScript::DevScript(const std::string& arguments, const Environment& environment)
    : process_(InRoot("exec ./dev " + arguments + " 2>&1"), environment) {}

bool DevScript::WaitUntilItStaysUp() {
  return process_.WaitForLine("tollbridge_events_published_total", kUpLimit).has_value();
}

std::string DevScript::folder() const {
  return FirstGroup(output(), R"(starting [^\n]* in (build/\S+)\n)");
}

std::string DevScript::order() const {
  return FirstGroup(output(), R"(tollbridge\.payment\.completed\.v1 +([0-9a-f-]{36}))");
}

std::string DevScript::Address(const std::string& name) const {
  std::ifstream file(fs::path(TOLLBRIDGE_SOURCE_DIR) / folder() / "addresses.env");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
  }
  return "";
}

std::vector<pid_t> DevScript::Descendants() const {
  std::vector<std::pair<pid_t, pid_t>> parents;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc()) continue;
    if (const auto stat = StatOf(name)) parents.emplace_back(pid, stat->parent);
  }
  std::vector<pid_t> found{process_.pid()};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const auto& [pid, parent] : parents) {
      if (parent == found[i]) found.push_back(pid);
    }
  }
  found.erase(found.begin());
  return found;
}

std::optional<int> DevScript::Interrupt() {
  process_.Signal(SIGINT);
  return WaitForExit(kEndLimit);
}

std::optional<int> DevScript::WaitForExit(std::chrono::milliseconds limit) {
  const std::optional<ExitStatus> exit = process_.WaitForExit(limit);
  return exit ? exit->code : std::nullopt;
}

bool AllEnd(const std::vector<pid_t>& processes) {
  return Eventually([&] {
    return std::ranges::none_of(processes, [](pid_t pid) {
      const auto stat = StatOf(std::to_string(pid));
      return stat && stat->state != 'Z';
    });
  });
}

}  // namespace tollbridge::test
