#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_PATH_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_PATH_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace tollbridge::payment_service {

// Where the codec is within a body. A chain of frames on the stack: costs nothing until someone
// asks for the text. For the codec only.

class WirePath {
 public:
  /// The body itself.
  WirePath() = default;
  /// Names a field of `parent`.
  WirePath(const WirePath& parent, std::string_view name) : parent_(&parent), name_(name) {}
  /// An element of `parent`, counted from 0.
  WirePath(const WirePath& parent, std::size_t index)
      : parent_(&parent), index_(index), is_element_(true) {}

  /// Whether this is the body itself.
  bool IsBody() const { return parent_ == nullptr; }

  WirePath(const WirePath&) = delete;
  WirePath& operator=(const WirePath&) = delete;

  /// Gives the path as text, for example "transactions[0].status"; empty for the body itself. Names
  /// that come from the other side and do not look like a field's name could be anything, so they
  /// are shown as "*".
  std::string Text() const;

 private:
  const WirePath* parent_ = nullptr;
  std::string_view name_;
  std::size_t index_ = 0;
  bool is_element_ = false;
};

/// The name of a map's key in a path: keys are data.
inline constexpr std::string_view kAnyKey = "*";

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_WIRE_PATH_H_
