#include "tests/support/packed_record.h"

#include <absl/strings/str_cat.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace tollbridge::test {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view packed) : rest_(packed) {}

  PackedRecord Read() {
    Value("");
    if (!rest_.empty()) throw std::runtime_error("more than one value");
    return std::move(found_);
  }

 private:
  std::string_view Take(std::size_t count) {
    if (count > rest_.size()) throw std::runtime_error("a value is cut off");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::uint64_t Unsigned(std::size_t bytes) {
    std::uint64_t value = 0;
    for (const char c : Take(bytes)) value = (value << 8U) | static_cast<unsigned char>(c);
    return value;
  }

  /// A text, a list or a map of so many; what it is is said by `kind`.
  void Text(const std::string& path, std::size_t bytes) { found_[path] = Take(bytes); }
  void List(const std::string& path, std::size_t count) {
    found_[path] = absl::StrCat(count);
    for (std::size_t i = 1; i <= count; ++i) Value(absl::StrCat(path, ".", i));
  }
  void Map(const std::string& path, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Value("key");
      std::string name = std::move(found_.extract("key").mapped());
      Value(path.empty() ? std::move(name) : absl::StrCat(path, ".", name));
    }
  }

  void Value(const std::string& path) {
    const std::uint64_t type = Unsigned(1);
    if (type < 0x80) {
      found_[path] = absl::StrCat(type);
    } else if (type < 0x90) {
      Map(path, type & 0x0fU);
    } else if (type < 0xa0) {
      List(path, type & 0x0fU);
    } else if (type < 0xc0) {
      Text(path, type & 0x1fU);
    } else if (type >= 0xe0) {
      // A number from -32 to -1.
      found_[path] = absl::StrCat(static_cast<std::int64_t>(type) - 0x100);
    } else if (type >= 0xcc && type <= 0xcf) {
      found_[path] = absl::StrCat(Unsigned(std::size_t{1} << (type - 0xccU)));
    } else if (type >= 0xd0 && type <= 0xd3) {
      const std::size_t bytes = std::size_t{1} << (type - 0xd0U);
      const auto shift = static_cast<unsigned>(64 - 8 * bytes);
      found_[path] = absl::StrCat(static_cast<std::int64_t>(Unsigned(bytes) << shift) >> shift);
    } else if (type >= 0xd9 && type <= 0xdb) {
      Text(path, Unsigned(std::size_t{1} << (type - 0xd9U)));
    } else if (type == 0xdc || type == 0xdd) {
      List(path, Unsigned(type == 0xdc ? 2 : 4));
    } else if (type == 0xde || type == 0xdf) {
      Map(path, Unsigned(type == 0xde ? 2 : 4));
    } else {
      throw std::runtime_error(absl::StrCat("a value of type ", type));
    }
  }

  std::string_view rest_;
  PackedRecord found_;
};

}  // namespace

PackedRecord ReadPackedRecord(std::string_view packed) { return Reader(packed).Read(); }

}  // namespace tollbridge::test
