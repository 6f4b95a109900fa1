#include "adapters/redis/script_arguments.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tollbridge::redis {
namespace {

// MessagePack's marks of what follows: a map or a string, whose size has so many bytes.
constexpr char kMap32 = static_cast<char>(0xdf);
constexpr char kString32 = static_cast<char>(0xdb);
constexpr char kString8 = static_cast<char>(0xd9);
constexpr std::size_t kLargestOfOneByte = 0xff;

void AppendSize32(std::size_t size, std::string* packed) {
  for (int shift = 24; shift >= 0; shift -= 8) *packed += static_cast<char>(size >> shift);
}

void AppendString(std::string_view text, std::string* packed) {
  if (text.size() <= kLargestOfOneByte) {
    *packed += kString8;
    *packed += static_cast<char>(text.size());
  } else {
    *packed += kString32;
    AppendSize32(text.size(), packed);
  }
  *packed += text;
}

}  // namespace

std::string PackArguments(const ScriptArguments& arguments) {
  const auto is_given = [](const auto& argument) { return !argument.second.empty(); };
  std::string packed(1, kMap32);
  AppendSize32(static_cast<std::size_t>(std::ranges::count_if(arguments, is_given)), &packed);
  for (const auto& argument : arguments) {
    if (!is_given(argument)) continue;
    AppendString(argument.first, &packed);
    AppendString(argument.second, &packed);
  }
  return packed;
}

}  // namespace tollbridge::redis
