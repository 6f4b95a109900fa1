#ifndef TOLLBRIDGE_BASE_CORE_LIVE_TEXT_H_
#define TOLLBRIDGE_BASE_CORE_LIVE_TEXT_H_

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace tollbridge {

/// A text that may be another one each time it is asked for, as a password whose file changes; or
/// one that stays. Copies ask the same source. Thread-safe where the source is.
class LiveText {
 public:
  /// Stays empty.
  LiveText() = default;
  /// Stays as it is. Implicit, so that who has a text need not know of this.
  template <std::convertible_to<std::string_view> Text>
  LiveText(const Text& text) : text_(std::string_view(text)) {}
  explicit LiveText(std::function<std::string()> source) : source_(std::move(source)) {}

  /// As it is now.
  std::string Get() const { return source_ ? source_() : text_; }

 private:
  std::string text_;
  std::function<std::string()> source_;
};

}  // namespace tollbridge

#endif  // TOLLBRIDGE_BASE_CORE_LIVE_TEXT_H_
