#ifndef TOLLBRIDGE_BASE_WIRE_CODEC_H_
#define TOLLBRIDGE_BASE_WIRE_CODEC_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wire/limits.h"

/// What gRPC adds to HTTP/2: a prefix before each message, and texts in headers.
namespace tollbridge::wire {

/// Names in lower case. Values of names that end in "-bin" are raw bytes here and base64 on the
/// wire.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// How a call ends. `details` are the bytes of a google.rpc.Status, or empty.
struct CallStatus {
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string message = {};
  std::string details = {};

  bool ok() const { return code == absl::StatusCode::kOk; }
};

/// `grpc-timeout`: one to eight digits and one of H M S m u n. nullopt for anything else. Longer
/// than a year is a year.
std::optional<std::chrono::nanoseconds> ParseTimeout(std::string_view text);

/// `grpc-message`: printable ASCII as it is, the percent sign and all else as %XX.
std::string PercentEncode(std::string_view text);

bool IsBinaryName(std::string_view name);
/// The value of a name that ends in "-bin" as it travels, without padding.
std::string EncodeBinary(std::string_view raw);
/// nullopt when it is no base64; padding may be there or not.
std::optional<std::string> DecodeBinary(std::string_view text);

/// "application/grpc", "application/grpc+proto", each with parameters or without.
bool IsGrpcContentType(std::string_view type);

/// Appends a message with its prefix.
void AppendMessage(std::string_view message, std::string* out);

/// Why bytes are no message that is taken.
struct BadMessage {
  CallStatus status;
  Refusal refusal;
};

/// Takes messages out of the bytes of a request.
class MessageReader {
 public:
  explicit MessageReader(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Takes further bytes in. Not after it has said that they are bad.
  std::optional<BadMessage> Add(std::string_view bytes);
  /// The request has ended: whether it did so between two messages.
  bool AtBoundary() const { return prefix_.empty(); }
  /// Of the message that is not there in whole.
  std::size_t partial_bytes() const {
    return prefix_.size() + (message_.empty() ? 0 : message_.capacity());
  }
  /// Those that are there in whole, oldest first.
  std::deque<std::string>& messages() { return messages_; }
  const std::deque<std::string>& messages() const { return messages_; }

 private:
  std::optional<BadMessage> ReadPrefix();

  std::size_t max_bytes_;
  std::string prefix_;
  std::size_t length_ = 0;
  std::string message_;
  std::deque<std::string> messages_;
};

}  // namespace tollbridge::wire

#endif  // TOLLBRIDGE_BASE_WIRE_CODEC_H_
