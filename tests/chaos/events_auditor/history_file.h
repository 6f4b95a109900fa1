#ifndef TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_HISTORY_FILE_H_
#define TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_HISTORY_FILE_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "tests/chaos/events_auditor/history.h"
#include "tests/chaos/lines/json_lines.h"

namespace tollbridge::pipeline {

/// Names of the files in a run's folder.
namespace file {
inline constexpr std::string_view kOrders = "orders.jsonl";
inline constexpr std::string_view kStatuses = "statuses.jsonl";
inline constexpr std::string_view kCalls = "calls.jsonl";
inline constexpr std::string_view kDeliveries = "deliveries.jsonl";
inline constexpr std::string_view kHints = "hints-topic.jsonl";
inline constexpr std::string_view kEvents = "events-topic.jsonl";
inline constexpr std::string_view kHeartbeats = "heartbeats.jsonl";
inline constexpr std::string_view kDisturbances = "disturbances.jsonl";
inline constexpr std::string_view kMoney = "ledger.jsonl";
inline constexpr std::string_view kReads = "reads.jsonl";
inline constexpr std::string_view kBookings = "bookings.jsonl";
inline constexpr std::string_view kBookNotes = "book-notes.jsonl";
}  // namespace file

boost::json::object ToJson(const OrderLine& line);
boost::json::object ToJson(const StatusLine& line);
boost::json::object ToJson(const CallLine& line);
boost::json::object ToJson(const DeliveryLine& line);
boost::json::object ToJson(const HintLine& line);
boost::json::object ToJson(const EventLine& line);
boost::json::object ToJson(const HeartbeatLine& line);
boost::json::object ToJson(const DisturbanceLine& line);
boost::json::object ToJson(const MoneyLine& line);
boost::json::object ToJson(const ReadsLine& line);
boost::json::object ToJson(const BookingLine& line);
boost::json::object ToJson(const BookNoteLine& line);

/// Writes all parts.
void WriteHistory(const std::string& folder, const History& history);
/// Reads what a run has left. Throws std::runtime_error naming the file that is not there, or the
/// line that is no JSON.
History ReadHistory(const std::string& folder);

}  // namespace tollbridge::pipeline

#endif  // TOLLBRIDGE_TESTS_CHAOS_EVENTS_AUDITOR_HISTORY_FILE_H_
