#include "services/telemetry/log.h"

#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <atomic>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "services/base/card_numbers.h"
#include "services/base/uuid.h"
#include "services/telemetry/utf8.h"

namespace tollbridge::telemetry {
namespace {

constexpr std::size_t kQueuedLines = 8192;
constexpr std::size_t kSeverityCount = 4;

/// Where lines go. Never destroyed, so that threads which outlive main may still log.
class Output {
 public:
  static Output& Get() {
    static Output* const output = new Output();
    return *output;
  }

  void Write(std::string line) {
    const std::scoped_lock lock(mutex_);
    if (capture_ != nullptr) {
      capture_->push_back(std::move(line));
      return;
    }
    if (logger_ == nullptr) StartWriter();
    logger_->info(std::move(line));
  }

  void Flush() {
    std::shared_ptr<spdlog::details::thread_pool> writer;
    {
      const std::scoped_lock lock(mutex_);
      flushed_ = true;
      logger_ = nullptr;
      writer = std::move(writer_);
    }
    if (writer == nullptr) return;
    const std::uint64_t lost = writer->overrun_counter();
    // The pool's destructor writes what is queued.
    writer = nullptr;
    dropped_before_.fetch_add(lost);
  }

  std::uint64_t dropped() {
    const std::scoped_lock lock(mutex_);
    return dropped_before_.load() + (writer_ == nullptr ? 0 : writer_->overrun_counter());
  }

  /// nullptr ends the capture.
  void Capture(std::vector<std::string>* lines) {
    const std::scoped_lock lock(mutex_);
    capture_ = lines;
  }
  std::vector<std::string> Captured(const std::vector<std::string>& lines) {
    const std::scoped_lock lock(mutex_);
    return lines;
  }

 private:
  void StartWriter() {
    auto sink = std::make_shared<spdlog::sinks::stdout_sink_mt>();
    if (flushed_) {
      logger_ = std::make_shared<spdlog::logger>("tollbridge", std::move(sink));
    } else {
      std::atexit([] { FlushLog(); });
      writer_ = std::make_shared<spdlog::details::thread_pool>(kQueuedLines, 1);
      logger_ = std::make_shared<spdlog::async_logger>(
          "tollbridge", std::move(sink), writer_, spdlog::async_overflow_policy::overrun_oldest);
    }
    logger_->set_pattern("%v");
  }

  std::mutex mutex_;
  std::shared_ptr<spdlog::details::thread_pool> writer_;
  std::shared_ptr<spdlog::logger> logger_;
  std::vector<std::string>* capture_ = nullptr;
  bool flushed_ = false;
  std::atomic<std::uint64_t> dropped_before_{0};
};

std::atomic<Severity> lowest_severity{Severity::kInfo};
std::array<std::atomic<std::uint64_t>, kSeverityCount> line_counts{};

void Put(boost::json::object& line, const Field& field) {
  if (const auto* const* context = std::get_if<const TraceContext*>(&field.value())) {
    if (!(*context)->valid()) return;
    line["trace_id"] = (*context)->TraceIdHex();
    line["span_id"] = (*context)->SpanIdHex();
    return;
  }
  boost::json::value& value = line[field.name()];
  std::visit(
      [&value]<typename T>(const T& raw) {
        if constexpr (std::is_same_v<T, std::string_view>) {
          // A UUID has no run of digits that is a card number, but hyphens between some that look
          // like one.
          value = Uuid::Parse(raw).has_value() ? std::string(raw)
                                               : WellFormedUtf8(MaskCardNumbers(raw));
        } else if constexpr (!std::is_same_v<T, const TraceContext*>) {
          value = raw;
        }
      },
      field.value());
}

}  // namespace

std::string_view SeverityName(Severity severity) {
  static constexpr std::array<std::string_view, kSeverityCount> kNames = {"debug", "info",
                                                                          "warning", "error"};
  return kNames[static_cast<std::size_t>(severity)];
}

void Log(Severity severity, std::string_view event, std::initializer_list<Field> fields) {
  if (severity < lowest_severity.load(std::memory_order_relaxed)) return;
  line_counts[static_cast<std::size_t>(severity)].fetch_add(1, std::memory_order_relaxed);
  boost::json::object line;
  line["time"] = absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::Now(), absl::UTCTimeZone());
  line["severity"] = SeverityName(severity);
  line["event"] = event;
  for (const Field& field : fields) Put(line, field);
  Output::Get().Write(boost::json::serialize(line));
}

void SetLogLevel(Severity lowest) { lowest_severity.store(lowest, std::memory_order_relaxed); }

void FlushLog() { Output::Get().Flush(); }

std::uint64_t LogLines(Severity severity) {
  return line_counts[static_cast<std::size_t>(severity)].load(std::memory_order_relaxed);
}

std::uint64_t DroppedLogLines() { return Output::Get().dropped(); }

LogCapture::LogCapture() { Output::Get().Capture(&lines_); }

LogCapture::~LogCapture() { Output::Get().Capture(nullptr); }

std::vector<std::string> LogCapture::lines() const { return Output::Get().Captured(lines_); }

}  // namespace tollbridge::telemetry
