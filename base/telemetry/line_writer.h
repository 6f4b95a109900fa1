#ifndef TOLLBRIDGE_BASE_TELEMETRY_LINE_WRITER_H_
#define TOLLBRIDGE_BASE_TELEMETRY_LINE_WRITER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace tollbridge::telemetry {

/// Writes lines to a file descriptor on a thread of its own. Lines that come within a few
/// milliseconds share one write: waking a thread for each would cost more than the line
/// (docs/adr/0017-log-lines-are-written-together.md). Any thread.
class LineWriter {
 public:
  /// `fd` stays open as long as this lives. With more than `most_waiting` lines behind, the oldest
  /// are dropped.
  LineWriter(int fd, std::size_t most_waiting);
  /// Writes what is waiting.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  /// Never blocks. `line` without its end.
  void Write(std::string_view line);
  /// How many lines were dropped, or were not taken, as by a full disk: of these all that were to
  /// be written together.
  std::uint64_t dropped() const;

 private:
  struct Chunk {
    std::string text;
    std::size_t lines = 0;
  };

  void Run();

  const int fd_;
  const std::size_t most_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Chunk> chunks_;
  std::size_t waiting_ = 0;
  std::uint64_t dropped_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

/// The whole of `text`, on the calling thread; gives up when the descriptor does not take it.
/// Whether it took all of it.
bool WriteAll(int fd, std::string_view text);

}  // namespace tollbridge::telemetry

#endif  // TOLLBRIDGE_BASE_TELEMETRY_LINE_WRITER_H_
