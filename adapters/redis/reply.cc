#include "adapters/redis/reply.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

namespace tollbridge::redis {
namespace {

/// What hiredis' reader makes its replies with, in place of objects of its own. One that is not
/// within another is the caller's: FreeReply.
Reply& Begin(const redisReadTask* task) {
  if (task->parent == nullptr) return *std::make_unique<Reply>().release();
  // The elements come in order, each whole before the next: nobody looks at those before it.
  return static_cast<Reply*>(task->parent->obj)->elements.emplace_back();
}

void FreeReply(void* reply) { delete static_cast<Reply*>(reply); }

void* MakeText(const redisReadTask* task, char* text, std::size_t size) {
  Reply& reply = Begin(task);
  reply.type = task->type == REDIS_REPLY_ERROR    ? Reply::Type::kError
               : task->type == REDIS_REPLY_STATUS ? Reply::Type::kStatus
                                                  : Reply::Type::kString;
  reply.text.assign(text, size);
  return &reply;
}

void* MakeArray(const redisReadTask* task, std::size_t size) {
  // What a stream says of itself takes no memory before it comes.
  constexpr std::size_t kMostBefore = 1024;
  Reply& reply = Begin(task);
  reply.type = Reply::Type::kArray;
  reply.elements.reserve(std::min(size, kMostBefore));
  return &reply;
}

void* MakeInteger(const redisReadTask* task, long long value) {
  Reply& reply = Begin(task);
  reply.type = Reply::Type::kInteger;
  reply.integer = value;
  return &reply;
}

void* MakeNil(const redisReadTask* task) { return &Begin(task); }

// RESP2 has neither of them.
void* MakeNoDouble(const redisReadTask* /*task*/, double /*value*/, char* /*text*/,
                   std::size_t /*size*/) {
  return nullptr;
}
void* MakeNoBool(const redisReadTask* /*task*/, int /*value*/) { return nullptr; }

redisReader* NewReader() {
  // hiredis changes nothing in them.
  static redisReplyObjectFunctions functions = {
      .createString = MakeText,
      .createArray = MakeArray,
      .createInteger = MakeInteger,
      .createDouble = MakeNoDouble,
      .createNil = MakeNil,
      .createBool = MakeNoBool,
      .freeObject = FreeReply,
  };
  return redisReaderCreateWithFunctions(&functions);
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

ReplyReader::ReplyReader() : reader_(NewReader()) {}

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
  const std::unique_ptr<Reply> reply(static_cast<Reply*>(raw));
  return std::optional<Reply>(std::move(*reply));
}

std::string FormatCommand(const Command& command) {
  constexpr std::size_t kMostOfALength = 16;
  std::size_t most = kMostOfALength;
  for (const std::string& part : command) most += kMostOfALength + part.size();
  std::string formatted;
  formatted.reserve(most);
  absl::StrAppend(&formatted, "*", command.size(), "\r\n");
  for (const std::string& part : command) {
    absl::StrAppend(&formatted, "$", part.size(), "\r\n", part, "\r\n");
  }
  return formatted;
}

}  // namespace tollbridge::redis
