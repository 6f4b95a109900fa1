#ifndef TOLLBRIDGE_TESTS_CHAOS_AUDITOR_HISTORY_FILE_H_
#define TOLLBRIDGE_TESTS_CHAOS_AUDITOR_HISTORY_FILE_H_

#include <boost/json/object.hpp>
#include <fstream>
#include <mutex>
#include <string>
#include <string_view>

#include "tests/chaos/auditor/history.h"

namespace tollbridge::chaos {

/// Names of the files in a run's folder.
namespace file {
inline constexpr std::string_view kTold = "callers.jsonl";
inline constexpr std::string_view kLedger = "ledger.jsonl";
inline constexpr std::string_view kOrders = "orders.jsonl";
inline constexpr std::string_view kOperations = "operations-topic.jsonl";
inline constexpr std::string_view kEvents = "events-topic.jsonl";
inline constexpr std::string_view kOpen = "open-operations.jsonl";
inline constexpr std::string_view kDisturbances = "disturbances.jsonl";
}  // namespace file

boost::json::object ToJson(const Told& line);
boost::json::object ToJson(const Effect& line);
boost::json::object ToJson(const KnownOrder& line);
boost::json::object ToJson(const OperationLine& line);
boost::json::object ToJson(const EventLine& line);
boost::json::object ToJson(const OpenLine& line);
boost::json::object ToJson(const Disturbance& line);

/// Reads what a run has left. A file that is not there counts as empty only where nothing may have
/// happened (open operations, disturbances); throws std::runtime_error naming file and line
/// otherwise, and for what is no JSON.
History ReadHistory(const std::string& folder);

/// A file of JSON lines that is written while things happen. Any thread.
class LineWriter {
 public:
  /// Throws std::runtime_error when the file cannot be written.
  LineWriter(const std::string& folder, std::string_view name);
  void Write(const boost::json::object& line);
  void Flush();

 private:
  std::mutex mutex_;
  std::ofstream out_;
};

/// Writes all lines of one part.
template <typename Lines>
void WriteAll(const std::string& folder, std::string_view name, const Lines& lines) {
  LineWriter writer(folder, name);
  for (const auto& line : lines) writer.Write(ToJson(line));
  writer.Flush();
}

/// Texts with one digest are the same.
std::string Digest(std::string_view bytes);

/// Milliseconds since 1970 of an RFC 3339 time in UTC; throws std::runtime_error for other text.
TimeMs ParseTime(std::string_view text);
/// The machine's own, which the payment service and Redis go by too: for comparing records only.
TimeMs NowMs();

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_AUDITOR_HISTORY_FILE_H_
