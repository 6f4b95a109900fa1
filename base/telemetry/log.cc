#include "base/telemetry/log.h"

#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "base/core/card_numbers.h"
#include "base/core/uuid.h"
#include "base/telemetry/line_writer.h"
#include "base/telemetry/log_stream.h"
#include "base/telemetry/utf8.h"

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

  void Write(std::string& line) {
    const std::scoped_lock lock(mutex_);
    if (capture_ != nullptr) {
      capture_->push_back(line);
      return;
    }
    if (flushed_) {
      line.push_back('\n');
      if (!WriteAll(file_, line)) dropped_before_.fetch_add(1);
      return;
    }
    if (writer_ == nullptr) {
      std::atexit([] { FlushLog(); });
      writer_ = std::make_unique<LineWriter>(file_, kQueuedLines);
    }
    writer_->Write(line);
  }

  void Flush() {
    std::unique_ptr<LineWriter> writer;
    {
      const std::scoped_lock lock(mutex_);
      flushed_ = true;
      writer = std::move(writer_);
    }
    if (writer != nullptr) dropped_before_.fetch_add(writer->dropped());
  }

  std::uint64_t dropped() {
    const std::scoped_lock lock(mutex_);
    return dropped_before_.load() + (writer_ == nullptr ? 0 : writer_->dropped());
  }

  void WriteTo(int file) {
    const std::scoped_lock lock(mutex_);
    file_ = file;
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
  std::mutex mutex_;
  int file_ = STDOUT_FILENO;
  std::unique_ptr<LineWriter> writer_;
  std::vector<std::string>* capture_ = nullptr;
  bool flushed_ = false;
  std::atomic<std::uint64_t> dropped_before_{0};
};

std::atomic<Severity> lowest_severity{Severity::kInfo};
std::array<std::atomic<std::uint64_t>, kSeverityCount> line_counts{};

/// How every line ends. Never destroyed, as Output.
std::string& ProcessField() {
  static auto* const field = new std::string;
  return *field;
}

void AppendQuoted(std::string_view text, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out.append("\\n");
    } else if (byte < 0x20) {
      out.append("\\u00");
      out.push_back(kHex[byte >> 4]);
      out.push_back(kHex[byte & 0xf]);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

void AppendName(std::string_view name, std::string& out) {
  out.append(",\"").append(name).append("\":");
}

template <typename Number>
void AppendNumber(Number number, std::string& out) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end.ptr);
}

/// As in 2026-11-21T09:30:00.000000Z. The date is worked out once a second.
void AppendTime(absl::Time now, std::string& out) {
  struct Second {
    std::int64_t unix_second = -1;
    std::string text;
  };
  thread_local Second last;
  const std::int64_t micros = absl::ToUnixMicros(now);
  const std::int64_t second = micros / 1'000'000;
  if (second != last.unix_second) {
    last = {second, absl::FormatTime("%Y-%m-%dT%H:%M:%S.", absl::FromUnixSeconds(second),
                                     absl::UTCTimeZone())};
  }
  out.append(last.text);
  // A digit in front keeps the zeros.
  const std::size_t at = out.size();
  AppendNumber(1'000'000 + micros % 1'000'000, out);
  out.erase(at, 1);
  out.push_back('Z');
}

void AppendText(std::string_view text, std::string& out) {
  // A UUID has no run of digits that is a card number, but hyphens between some that look like one.
  if (text.empty() || Uuid::Parse(text).has_value()) return AppendQuoted(text, out);
  AppendQuoted(WellFormedUtf8(MaskCardNumbers(text)), out);
}

void Append(const Field& field, std::string& out) {
  if (const auto* const* context = std::get_if<const TraceContext*>(&field.value())) {
    if (!(*context)->valid()) return;
    AppendName("trace_id", out);
    AppendQuoted((*context)->TraceIdHex(), out);
    AppendName("span_id", out);
    AppendQuoted((*context)->SpanIdHex(), out);
    return;
  }
  if (field.name().empty()) return;
  AppendName(field.name(), out);
  std::visit(
      [&out]<typename T>(const T& raw) {
        if constexpr (std::is_same_v<T, std::string_view>) {
          AppendText(raw, out);
        } else if constexpr (std::is_same_v<T, bool>) {
          out.append(raw ? "true" : "false");
        } else if constexpr (std::is_same_v<T, double>) {
          std::isfinite(raw) ? AppendNumber(raw, out) : void(out.append("null"));
        } else if constexpr (!std::is_same_v<T, const TraceContext*>) {
          AppendNumber(raw, out);
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
  thread_local std::string line;
  line.assign("{\"time\":\"");
  AppendTime(absl::Now(), line);
  line.append("\",\"severity\":\"").append(SeverityName(severity));
  line.append("\",\"event\":\"").append(event).push_back('"');
  for (const Field& field : fields) Append(field, line);
  line.append(ProcessField()).push_back('}');
  Output::Get().Write(line);
}

void SetLogProcess(std::string_view name) {
  std::string& field = ProcessField();
  field.clear();
  if (!name.empty()) Append(Field("process", name), field);
}

void LogToStderr() { Output::Get().WriteTo(STDERR_FILENO); }

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
