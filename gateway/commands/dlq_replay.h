#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_DLQ_REPLAY_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_DLQ_REPLAY_H_

#include <absl/status/status.h>

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/commands/dlq_text.h"
#include "services/domain/project.h"

namespace tollbridge::gateway {

/// What `tollbridge dlq replay` does with the letters it is given: writes their hints and counts.
class DlqReplay {
 public:
  /// Writes a hint in the trace of the first one; OK when the broker has acknowledged.
  using Write =
      std::function<absl::Status(const events::v1::Hint&, const telemetry::TraceContext&)>;

  /// Without `write` it is a dry run. `projects` outlives it.
  DlqReplay(const domain::Projects& projects, Write write)
      : projects_(projects), write_(std::move(write)) {}

  /// Writes the letter's hint with source OPERATOR, unless it wrote one for the same order before,
  /// or refuses it. The error of `write`: then the letter does not count.
  absl::Status Take(const PlacedLetter& letter, WallTime now);
  /// Counts a letter that cannot be replayed, and says why.
  void Refuse(const LetterPlace& place, std::string_view why);

  /// What was done, and why letters were refused.
  std::string Text() const;
  std::string Json() const;
  /// Letters that were not replayed and never will be.
  std::size_t refused() const { return refused_; }

 private:
  const domain::Projects& projects_;
  Write write_;
  /// What was hinted at in this run, so that it is once; bounded.
  std::set<std::string> hinted_;
  std::size_t letters_ = 0;
  std::size_t hints_ = 0;
  std::size_t refused_ = 0;
  /// The first of them, in words.
  std::vector<std::string> refusals_;
};

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_DLQ_REPLAY_H_
