#ifndef TOLLBRIDGE_TESTS_CHAOS_AUDITOR_HISTORY_FILE_H_
#define TOLLBRIDGE_TESTS_CHAOS_AUDITOR_HISTORY_FILE_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "tests/chaos/auditor/history.h"
#include "tests/chaos/lines/json_lines.h"

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

}  // namespace tollbridge::chaos

#endif  // TOLLBRIDGE_TESTS_CHAOS_AUDITOR_HISTORY_FILE_H_
