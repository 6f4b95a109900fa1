#ifndef TOLLBRIDGE_ADAPTERS_REDIS_REPLY_H_
#define TOLLBRIDGE_ADAPTERS_REDIS_REPLY_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct redisReader;

namespace tollbridge::redis {

/// A number of decimal digits, perhaps with a minus sign; nullopt for any other text.
std::optional<std::int64_t> ParseInteger(std::string_view text);

/// A value that Redis answered (RESP2).
struct Reply {
  enum class Type { kNil, kString, kStatus, kInteger, kArray, kError };
  Type type = Type::kNil;
  /// kString (any bytes), kStatus and kError have a text.
  std::string text;
  std::int64_t integer = 0;
  std::vector<Reply> elements;

  bool is_nil() const { return type == Type::kNil; }
  /// The value as a number: an integer, or a string of decimal digits (sorted-set scores are such).
  std::optional<std::int64_t> AsInteger() const;
};

/// Cuts a byte stream into replies, with hiredis' reader.
class ReplyReader {
 public:
  ReplyReader();
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  /// Adds bytes as they came.
  void Feed(std::string_view bytes);
  /// The next whole reply; nullopt when more bytes are needed. DATA_LOSS when the stream is not
  /// RESP: then it is broken for good.
  absl::StatusOr<std::optional<Reply>> Next();

 private:
  redisReader* reader_;
};

/// Name and arguments of a command; any bytes.
struct Command : std::vector<std::string> {
  using std::vector<std::string>::vector;
  /// The script that it runs, one of scripts/, for metrics; empty: none.
  std::string_view script;
};

/// The command as it goes over the wire.
std::string FormatCommand(const Command& command);

}  // namespace tollbridge::redis

#endif  // TOLLBRIDGE_ADAPTERS_REDIS_REPLY_H_
