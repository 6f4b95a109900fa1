#include "adapters/redis/script_arguments.h"

#include <cstddef>

namespace tollbridge::redis {
namespace {

// MessagePack's marks of what follows: a map or a string, whose size has so many bytes.
constexpr char kMap32 = static_cast<char>(0xdf);
constexpr char kString32 = static_cast<char>(0xdb);
constexpr char kString8 = static_cast<char>(0xd9);
constexpr std::size_t kLargestOfOneByte = 0xff;
constexpr std::size_t kSizeBytes = 4;

/// Most scripts are given less.
constexpr std::size_t kUsualBytes = 1024;

void WriteSize32(std::size_t size, char* to) {
  for (int shift = 24; shift >= 0; shift -= 8) *to++ = static_cast<char>(size >> shift);
}

void AppendString(std::string_view text, std::string* packed) {
  if (text.size() <= kLargestOfOneByte) {
    *packed += kString8;
    *packed += static_cast<char>(text.size());
  } else {
    *packed += kString32;
    packed->append(kSizeBytes, '\0');
    WriteSize32(text.size(), packed->data() + packed->size() - kSizeBytes);
  }
  *packed += text;
}

}  // namespace

ScriptArguments::ScriptArguments(std::initializer_list<Argument> arguments) {
  packed_.reserve(kUsualBytes);
  packed_ += kMap32;
  packed_.append(kSizeBytes, '\0');
  for (const auto& [name, value] : arguments) Add(name, value);
}

void ScriptArguments::Add(std::string_view name, std::string_view value) {
  if (value.empty()) return;
  AppendString(name, &packed_);
  AppendString(value, &packed_);
  ++count_;
}

std::string ScriptArguments::Pack() && {
  WriteSize32(count_, packed_.data() + 1);
  return std::move(packed_);
}

}  // namespace tollbridge::redis
