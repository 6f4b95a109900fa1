#ifndef TOLLBRIDGE_TESTS_SUPPORT_UNREADABLE_ORDERS_H_
#define TOLLBRIDGE_TESTS_SUPPORT_UNREADABLE_ORDERS_H_

#include <cstddef>
#include <functional>
#include <set>
#include <string>

namespace tollbridge::test {

/// Gives a few of the orders, all within a few pages of a hundred that are sorted by id, an `extra`
/// that is nested deep or is large; two of them cannot be read with it. Takes those two out of
/// `ids`, and returns them.
inline std::set<std::string> MakeSomeUnreadable(
    std::set<std::string>& ids,
    const std::function<void(const std::string& id, const std::string& extra)>& set_extra) {
  const auto nested = [](std::size_t depth) {
    return R"({"a":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  std::set<std::string> unreadable;
  std::size_t place = 0;
  for (const std::string& id : ids) {
    if (place >= 10 && place < 13) set_extra(id, nested(27));
    if (place >= 100 && place < 112) set_extra(id, R"({"a":")" + std::string(900'000, 'x') + "\"}");
    if (place == 50 || place == 199) {
      set_extra(id, place == 50 ? nested(29) : R"({"a":"\ud800"})");
      unreadable.insert(id);
    }
    ++place;
  }
  for (const std::string& id : unreadable) ids.erase(id);
  return unreadable;
}

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_UNREADABLE_ORDERS_H_
