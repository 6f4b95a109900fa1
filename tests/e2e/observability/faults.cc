#include "tests/e2e/observability/faults.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/read_file.h"

namespace tollbridge::test {
namespace {

constexpr std::string_view kBegin = "<!-- faults -->\n";
constexpr std::string_view kEnd = "<!-- /faults -->\n";

std::filesystem::path Page() {
  return std::filesystem::path(TOLLBRIDGE_SOURCE_DIR) / "docs/reliability.md";
}

std::string Listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "`" : ", `") + name + "`";
  return text;
}

std::string RowOf(const Fault& fault) {
  return "| " + fault.name + " | " + Listed(fault.alerts) +
         (fault.held_back.empty() ? "" : "; held back: " + Listed(fault.held_back)) + " |";
}

/// What stands between the two marks, and around them.
struct Parts {
  std::string before;
  std::string table;
  std::string after;
};
Parts Read() {
  const std::string text = ReadFile(Page());
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos) {
    throw std::runtime_error("docs/reliability.md has no place for the table of faults");
  }
  const std::size_t table = begin + kBegin.size();
  return {text.substr(0, table), text.substr(table, end - table), text.substr(end)};
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string Seconds(double seconds) {
  return std::to_string(static_cast<int>(std::ceil(seconds))) + " s";
}

std::set<std::string> And(const std::string& name, std::set<std::string> names) {
  names.insert(name);
  return names;
}

}  // namespace

const std::vector<Fault>& Faults() {
  static const std::set<std::string> kOfThePaymentService = {
      "CallsFail",        "EventsLate",      "HintsPileUp",     "NobodyResolves",
      "OperationOverdue", "OutboxesPending", "OutcomesUnknown", "PaymentServiceFails"};
  static const std::set<std::string> kOfAShard = {
      "CallsFail",        "EventsLate",      "HintsPileUp",    "NobodyResolves",
      "OperationOverdue", "OutboxesPending", "OutcomesUnknown"};
  static const std::set<std::string> kOfRedis = And("StoreSlow", kOfAShard);
  static const std::set<std::string> kOfWritesToRedis = And("RecordsNotDrained", kOfRedis);
  static const std::vector<Fault> faults = {
      {"Redis is stopped", {"StoreAway"}, kOfRedis, "it is started"},
      {"Redis loses its last writes", {"StoreDoubtful"}, {"OutcomesUnknown"}, "the doubt is over"},
      {"Redis hangs", {"StoreAway"}, kOfRedis, "it goes on", {{2, 0.1}}},
      {"Redis is slow", {"StoreSlow"}, {}, "it is quick again", {{2, 0.1}, {13, 0.025}}},
      {"The clock of Redis is set", {"StoreClockStepped"}, {}, "an hour goes by"},
      {"Redis is flushed", {"StoreDoubtful"}, {"OutcomesUnknown"}, "the doubt is over", {{1, 1}}},
      {"The memory of Redis is full",
       {"StoreFills", "StoreRefuses"},
       kOfWritesToRedis,
       "it has more",
       {{12, 1}}},
      {"A right at Redis is taken away", {"CallsFail"}, {}, "it is given back"},
      {"The payment service is away",
       {"BreakerOpen", "RetryBudgetSpent", "SweepStale"},
       kOfThePaymentService,
       "it is back"},
      {"The payment service hangs", {"BreakerOpen"}, kOfThePaymentService, "it goes on"},
      {"The payment service answers 401",
       {"ApiKeyRefused"},
       {"CallsFail", "EventsLate", "OperationOverdue", "OutboxesPending"},
       "it takes the key",
       {{6, 0.01}, {7, 0.01}}},
      {"The payment service answers 429",
       {"PaymentServiceFails", "RateLimited"},
       {},
       "it takes calls"},
      {"Answers are lost", {"OutcomesUnknown", "OutcomesUnknownSlowly"}, {}, "they come", {{9, 1}}},
      {"A refund cannot be found again",
       {"OperationsNeedReview"},
       {},
       "`tollbridge operations resolve`"},
      {"An order that nobody knows is paid", {"PaidOrphan"}, {}, "`tollbridge operations resolve`"},
      {"Kafka is stopped",
       {"EventsLate", "ProduceFails", "RecordsNotDrained", "WebhooksRefused"},
       {"OutboxesPending"},
       "it is started",
       {{4, 0.01}, {5, 0.5}}},
      {"No process has the role events",
       {"RoleMissing"},
       {"EventsLate", "OutboxesPending"},
       "one is started",
       {{14, 1}}},
      {"No process has the role reconcile",
       {"RecordsNotDrained", "RoleMissing"},
       {"EventsLate", "OutboxesPending"},
       "one is started"},
      {"No process has the role rpc", {"RoleMissing"}, {"NobodyResolves"}, "one is started"},
      {"The token of the webhooks is taken away", {"WebhooksRefused"}, {}, "it is put back"},
      {"No webhook comes", {"WebhooksSilent"}, {}, "they come", {{8, 0.001}}},
      {"What is no hint stands on the topic of hints", {"DeadLetters"}, {}, "an hour goes by"},
      {"More hints come than can be read",
       {"BreakerOpen"},
       kOfThePaymentService,
       "they are read",
       {{3, 1000}}},
      {"Nobody publishes an outbox", {"OutboxesPending"}, {}, "it is published"},
      {"A caller asks for what it may not",
       {"CallersRefused"},
       {},
       "15 minutes go by",
       {{15, 0.5}}},
      {"The disk of the log is full", {"LogLinesLost"}, {}, "there is room, or the process ends"},
      {"A certificate is about to end", {"CertificateEnds"}, {}, "its file is exchanged"},
      {"The file of a secret is empty", {"SecretFileUnusable"}, {}, "it is written", {{11, 0.5}}},
      {"A shard is stuck",
       {"ShardStuck"},
       kOfAShard,
       "it goes on, or its process is killed",
       {{10, 1}}},
      {"The only process is killed", {"RoleMissing"}, {"NobodyResolves"}, "one is started"},
  };
  return faults;
}

const Fault& FaultOf(std::string_view name) {
  const auto found = std::ranges::find(Faults(), name, &Fault::name);
  if (found == Faults().end()) throw std::runtime_error("no such fault: " + std::string(name));
  return *found;
}

std::vector<std::string> FaultRows() {
  std::vector<std::string> rows;
  for (const Fault& fault : Faults()) rows.push_back(RowOf(fault));
  return rows;
}

std::vector<std::string> DocumentedFaults() {
  std::vector<std::string> rows;
  for (const std::string& line : Lines(Read().table)) {
    if (!line.starts_with("| ") || line.starts_with("| fault |")) continue;
    rows.push_back(line.substr(0, line.find('|', line.find('|', 1) + 1) + 1));
  }
  return rows;
}

void WriteFaults(const std::map<std::string, FaultTimes>& figures) {
  const Parts parts = Read();
  const std::vector<std::string> old = Lines(parts.table);
  std::ofstream out(Page(), std::ios::binary);
  out << parts.before
      << "| fault | alert | fires after | ends by | resolves after |\n|---|---|---|---|---|\n";
  for (const Fault& fault : Faults()) {
    const auto measured = figures.find(fault.name);
    const auto had = std::ranges::find_if(
        old, [&](const std::string& line) { return line.starts_with("| " + fault.name + " |"); });
    std::string fires = "-";
    std::string resolves = "-";
    if (measured != figures.end()) {
      fires = Seconds(measured->second.fires);
      resolves = Seconds(measured->second.resolves);
    } else if (had != old.end()) {
      std::vector<std::string> cells;
      std::istringstream stream(*had);
      for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(cell);
      if (cells.size() == 6) {
        fires = cells[3].substr(1, cells[3].size() - 2);
        resolves = cells[5].substr(1, cells[5].size() - 2);
      }
    }
    out << RowOf(fault) << " " << fires << " | " << fault.ends_by << " | " << resolves << " |\n";
  }
  out << parts.after;
}

}  // namespace tollbridge::test
