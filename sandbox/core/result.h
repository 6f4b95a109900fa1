#ifndef TOLLBRIDGE_SANDBOX_CORE_RESULT_H_
#define TOLLBRIDGE_SANDBOX_CORE_RESULT_H_

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tollbridge::sandbox {

/// A request that the service does not accept (docs/interface.md#errors). `value` must not repeat
/// card data.
struct ApiError {
  int status = 500;
  std::string_view type = "ServerError";
  std::string value;
};

/// 422 ValidationError.
ApiError Invalid(std::string what);
/// 409 CanNotCancelTransaction: of the interface's types the one that speaks of a present state.
ApiError WrongState(std::string what);
/// 404 NotFound, also for what another project owns.
ApiError NotFound();

/// A value, or the error for which there is none. Which of both is asked for by ok() first.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Both implicit: `return value;` and `return Invalid("..");`.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(ApiError error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  const ApiError& error() const { return std::get<1>(state_); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, ApiError> state_;
};

/// Done, or the error for which nothing was.
template <>
class [[nodiscard]] Result<void> : public Result<std::monostate> {
 public:
  Result() : Result<std::monostate>(std::monostate{}) {}
  Result(ApiError error) : Result<std::monostate>(std::move(error)) {}
};

}  // namespace tollbridge::sandbox

/// Returns the error from the enclosing function, unless there is none.
#define SB_RETURN_IF_ERROR(expr)                      \
  do {                                                \
    if (auto sb_result_ = (expr); !sb_result_.ok()) { \
      return sb_result_.error();                      \
    }                                                 \
  } while (false)

/// Assigns the value to `lhs` (which may declare a variable), or returns the error.
#define SB_ASSIGN_OR_RETURN(lhs, expr) \
  SB_INTERNAL_ASSIGN(SB_INTERNAL_CONCAT(sb_result_, __LINE__), lhs, expr)

#define SB_INTERNAL_CONCAT_(a, b) a##b
#define SB_INTERNAL_CONCAT(a, b) SB_INTERNAL_CONCAT_(a, b)
#define SB_INTERNAL_ASSIGN(tmp, lhs, expr) \
  auto tmp = (expr);                       \
  if (!tmp.ok()) {                         \
    return tmp.error();                    \
  }                                        \
  lhs = std::move(tmp).value()

#endif  // TOLLBRIDGE_SANDBOX_CORE_RESULT_H_
