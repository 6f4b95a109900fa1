#include "adapters/redis/reply.h"

#include <absl/status/status.h>
#include <hiredis/hiredis.h>

#include <charconv>
#include <cstddef>

namespace tollbridge::redis {
namespace {

Reply Convert(const redisReply& raw) {
  Reply reply;
  switch (raw.type) {
    case REDIS_REPLY_STRING:
      reply.type = Reply::Type::kString;
      reply.text.assign(raw.str, raw.len);
      break;
    case REDIS_REPLY_STATUS:
      reply.type = Reply::Type::kStatus;
      reply.text.assign(raw.str, raw.len);
      break;
    case REDIS_REPLY_ERROR:
      reply.type = Reply::Type::kError;
      reply.text.assign(raw.str, raw.len);
      break;
    case REDIS_REPLY_INTEGER:
      reply.type = Reply::Type::kInteger;
      reply.integer = raw.integer;
      break;
    case REDIS_REPLY_ARRAY:
      reply.type = Reply::Type::kArray;
      reply.elements.reserve(raw.elements);
      for (std::size_t i = 0; i < raw.elements; ++i) {
        reply.elements.push_back(Convert(*raw.element[i]));
      }
      break;
    default:
      break;
  }
  return reply;
}

}  // namespace

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::optional<std::int64_t> Reply::AsInteger() const {
  if (type == Type::kInteger) return integer;
  if (type == Type::kString) return ParseInteger(text);
  return std::nullopt;
}

ReplyReader::ReplyReader() : reader_(redisReaderCreate()) {}

ReplyReader::~ReplyReader() { redisReaderFree(reader_); }

void ReplyReader::Feed(std::string_view bytes) {
  // A failure stays in the reader and comes out of Next().
  redisReaderFeed(reader_, bytes.data(), bytes.size());
}

absl::StatusOr<std::optional<Reply>> ReplyReader::Next() {
  void* raw = nullptr;
  if (redisReaderGetReply(reader_, &raw) != REDIS_OK) {
    return absl::DataLossError(reader_->errstr);
  }
  if (raw == nullptr) return std::optional<Reply>();
  std::unique_ptr<redisReply, decltype(&freeReplyObject)> owned(static_cast<redisReply*>(raw),
                                                                &freeReplyObject);
  return std::optional<Reply>(Convert(*owned));
}

std::string FormatCommand(const Command& command) {
  std::vector<const char*> parts;
  std::vector<std::size_t> lengths;
  parts.reserve(command.size());
  lengths.reserve(command.size());
  for (const std::string& part : command) {
    parts.push_back(part.data());
    lengths.push_back(part.size());
  }
  char* bytes = nullptr;
  const long long length = redisFormatCommandArgv(&bytes, static_cast<int>(command.size()),
                                                  parts.data(), lengths.data());
  if (length < 0) return {};
  std::string formatted(bytes, static_cast<std::size_t>(length));
  redisFreeCommand(bytes);
  return formatted;
}

}  // namespace tollbridge::redis
