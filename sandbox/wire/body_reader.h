#ifndef TOLLBRIDGE_SANDBOX_WIRE_BODY_READER_H_
#define TOLLBRIDGE_SANDBOX_WIRE_BODY_READER_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/uuid.h"
#include "sandbox/core/model.h"
#include "sandbox/core/result.h"

/// Strict reading of request bodies: a client's slip must show here and not in production. Errors
/// name a field by its path (`transactions[0].capture_mode`) and its rule, and never repeat a
/// value.
namespace tollbridge::sandbox {

/// Bounds of our own (docs/interface.md#17-lengths): the interface shows none.
inline constexpr std::size_t kMaxBodyDepth = 32;
inline constexpr std::size_t kMaxStringBytes = 4 * 1024;
inline constexpr std::size_t kMaxFreeBytes = 64 * 1024;
/// The largest integer that every JSON reader reads exactly: 2^53 - 1.
inline constexpr std::int64_t kMaxInteger = 9'007'199'254'740'991;

/// 422 MissingInformationToCreateTransaction.
ApiError MissingInformation(std::string what);

/// The JSON value of a body. 400 ValidationError for what is no JSON or nested past kMaxBodyDepth.
Result<boost::json::value> ParseJson(std::string_view body);
/// As above; 422 ValidationError for what is no object.
Result<boost::json::object> ParseBody(std::string_view body);
/// For calls without a body: nothing, {}, [] and null count as none, anything else is an error.
Result<void> CheckNoBody(std::string_view body);

/// The fields of one object. A field that is null counts as absent. The first error stays, and from
/// then on every field reads as absent: read all, then ask Done() once.
class FieldReader {
 public:
  /// `path` leads to the object, "" at the top. Refuses fields that are not in `known`.
  FieldReader(const boost::json::object& object, std::string_view path,
              std::span<const std::string_view> known);

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  /// ValidationError when the field is absent.
  void Require(std::string_view name);

  std::optional<std::string> String(std::string_view name, std::size_t max_bytes = kMaxStringBytes);
  /// A string out of `allowed`.
  std::optional<std::string> OneOf(std::string_view name,
                                   std::span<const std::string_view> allowed);
  /// As many decimal digits as a string.
  std::optional<std::string> Digits(std::string_view name, std::size_t at_least,
                                    std::size_t at_most);
  std::optional<Uuid> Id(std::string_view name);
  std::optional<std::int64_t> Integer(std::string_view name, std::int64_t at_least,
                                      std::int64_t at_most = kMaxInteger);
  std::optional<bool> Bool(std::string_view name);
  /// ^[A-Z]{3}$
  std::optional<std::string> Currency(std::string_view name);
  /// An absolute http or https URL to which the service sends something: without a fragment.
  std::optional<std::string> Url(std::string_view name);
  /// An absolute http or https URL for a browser.
  std::optional<std::string> PageUrl(std::string_view name);
  /// An ISO 8601 duration longer than zero.
  std::optional<std::string> Duration(std::string_view name);
  std::optional<std::vector<std::string>> Strings(std::string_view name);
  /// nullptr when absent.
  const boost::json::object* Object(std::string_view name);
  const boost::json::array* Array(std::string_view name);
  /// An object without rules of its own, as JSON text of at most `max_bytes`. Its strings keep to
  /// kMaxStringBytes, and its numbers are finite.
  std::optional<std::string> FreeObject(std::string_view name,
                                        std::size_t max_bytes = kMaxFreeBytes);

  /// Path of a field of this object, for rules of the caller's own.
  std::string PathOf(std::string_view name) const;
  /// Keeps the error, unless there is one already.
  void Fail(ApiError error);
  /// Fails with "<path> <rule>", as ValidationError.
  void Refuse(std::string_view name, std::string_view rule);
  /// Keeps the error of an object further in, if it has one.
  void Include(const Result<void>& inner);

  bool ok() const { return !error_; }
  /// The first error, once all is read.
  Result<void> Done() const;

 private:
  const boost::json::value* Find(std::string_view name) const;

  const boost::json::object& object_;
  std::string path_;
  std::optional<ApiError> error_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_WIRE_BODY_READER_H_
