#ifndef TOLLBRIDGE_BASE_CORE_STATUS_MACROS_H_
#define TOLLBRIDGE_BASE_CORE_STATUS_MACROS_H_

#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

// Debian's abseil has Status and StatusOr but no macros for them. These are the only ones of the
// project. The coroutine forms may await: TB_CO_ASSIGN_OR_RETURN(Order order, co_await Read(id)).

#define TB_INTERNAL_CONCAT_(a, b) a##b
#define TB_INTERNAL_CONCAT(a, b) TB_INTERNAL_CONCAT_(a, b)

/// Returns the status from the enclosing function unless it is OK.
#define TB_RETURN_IF_ERROR(expr)                              \
  do {                                                        \
    if (absl::Status tb_status_ = (expr); !tb_status_.ok()) { \
      return tb_status_;                                      \
    }                                                         \
  } while (false)

/// Assigns the value of a StatusOr to `lhs` (which may declare a variable), or returns its status.
#define TB_ASSIGN_OR_RETURN(lhs, expr) \
  TB_INTERNAL_ASSIGN(TB_INTERNAL_CONCAT(tb_status_or_, __LINE__), lhs, expr, return)

/// TB_RETURN_IF_ERROR inside a coroutine.
#define TB_CO_RETURN_IF_ERROR(...)                                   \
  do {                                                               \
    if (absl::Status tb_status_ = (__VA_ARGS__); !tb_status_.ok()) { \
      co_return tb_status_;                                          \
    }                                                                \
  } while (false)

/// TB_ASSIGN_OR_RETURN inside a coroutine.
#define TB_CO_ASSIGN_OR_RETURN(lhs, ...) \
  TB_INTERNAL_ASSIGN(TB_INTERNAL_CONCAT(tb_status_or_, __LINE__), lhs, (__VA_ARGS__), co_return)

#define TB_INTERNAL_ASSIGN(tmp, lhs, expr, leave) \
  auto tmp = (expr);                              \
  if (!tmp.ok()) {                                \
    leave std::move(tmp).status();                \
  }                                               \
  lhs = std::move(tmp).value()

#endif  // TOLLBRIDGE_BASE_CORE_STATUS_MACROS_H_
