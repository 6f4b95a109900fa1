#ifndef TOLLBRIDGE_GATEWAY_COMMANDS_DLQ_COMMAND_H_
#define TOLLBRIDGE_GATEWAY_COMMANDS_DLQ_COMMAND_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/config/config.h"
#include "gateway/config/secrets.h"
#include "services/ports/clock.h"

/// `tollbridge dlq list|show|replay`: the hints that nobody could use (docs/design/events.md#reader
/// and #tools). They read the topic up to the end that it had when they began, in memory that does
/// not depend on its size, and delete nothing: letters go when their time of keeping is over.
///
/// Exit codes: 0; 1 when a letter is not there or cannot be replayed; 2 when Kafka cannot be asked,
/// does not take a hint, or the arguments make no sense.
namespace tollbridge::gateway {

struct DlqOptions {
  bool json = false;
};

struct DlqListOptions : DlqOptions {
  /// Only letters of this cause; empty: all.
  std::string cause;
  /// Only those whose last failure is not before: RFC 3339, or how long ago ("90m", "24h").
  std::string since;
  /// Letters shown at most.
  int limit = 100;
  /// Of those that are shown, and of which are shown when there are more; else the newest first.
  bool oldest_first = false;
};

struct DlqShowOptions : DlqOptions {
  /// PARTITION:OFFSET
  std::string letter;
};

/// One of `letters`, `all` and `cause` says which.
struct DlqReplayOptions : DlqOptions {
  std::vector<std::string> letters;
  bool all = false;
  std::string cause;
  /// Says what it would do, and writes nothing.
  bool dry_run = false;
};

int RunDlqList(const Config& config, const Secrets& secrets, const DlqListOptions& options);
int RunDlqShow(const Config& config, const Secrets& secrets, const DlqShowOptions& options);
/// Writes the hints of letters to the topic of hints again, each acknowledged before the next:
/// source OPERATOR, noticed now, order, project and member as they were. An order that several
/// letters are about is hinted at once. A hint only says where to look, so that a replay can be
/// repeated at will. What the reader would not understand either is refused by name.
int RunDlqReplay(const Config& config, const Secrets& secrets, const DlqReplayOptions& options);

}  // namespace tollbridge::gateway

#endif  // TOLLBRIDGE_GATEWAY_COMMANDS_DLQ_COMMAND_H_
