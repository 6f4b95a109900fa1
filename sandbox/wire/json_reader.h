#ifndef TOLLBRIDGE_SANDBOX_WIRE_JSON_READER_H_
#define TOLLBRIDGE_SANDBOX_WIRE_JSON_READER_H_

#include <absl/functional/function_ref.h>
#include <absl/types/span.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/uuid.h"
#include "sandbox/core/clock.h"
#include "sandbox/core/result.h"
#include "sandbox/core/variants.h"

/// Strict reading of JSON: request bodies, the configuration, fault plans. A slip must show here
/// and not in production.
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
/// The JSON object of a body. Errors as ParseJson; 422 ValidationError for what is no object.
Result<boost::json::object> ParseBody(std::string_view body);
/// The same for a call that may come without a body, which counts as {}.
Result<boost::json::object> ParseBodyOrNone(std::string_view body);
/// For calls without a body: nothing, {}, [] and null count as none, anything else is an error.
Result<void> CheckNoBody(std::string_view body);

/// What becomes of fields that a reader does not know.
enum class Unknown {
  kRefused,
  kKept,  ///< Variants::unknown_fields
};

inline Unknown UnknownFields(const Variants& variants) {
  return variants.unknown_fields ? Unknown::kKept : Unknown::kRefused;
}

/// The fields of one object. A field that is null counts as absent. The first error stays, and from
/// then on every field reads as absent: read all, then ask Done() once. Errors are 422
/// ValidationError, name a field by its path (`transactions[0].capture_mode`) and its rule, and
/// never repeat a value. Copies, and the readers of what is further in, share object and error.
class JsonReader {
 public:
  using Names = absl::Span<const std::string_view>;
  using Rule = absl::FunctionRef<bool(std::string_view)>;

  /// Reads `body`, or has its error. Refuses fields that are not in `known`, unless they are kept.
  JsonReader(Result<boost::json::object> body, Names known, Unknown unknown = Unknown::kRefused);

  /// Refuses fields that are not in `known`, unless they are kept: the first thing to do with a
  /// reader that another one gave.
  void Only(Names known);
  /// The fields that are kept, without those that the answer has of its own. Bounded as FreeObject.
  boost::json::object Kept(Names known, Names of_answer);

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  /// Refuses that any of these is absent.
  void Require(Names names);

  std::optional<std::string> String(std::string_view name, std::size_t max_bytes = kMaxStringBytes);
  /// A string of 1 to `max_bytes` bytes.
  std::optional<std::string> Filled(std::string_view name, std::size_t max_bytes);
  /// A string that `keeps` takes; `rule` says which those are.
  std::optional<std::string> Text(std::string_view name, Rule keeps, std::string_view rule);
  /// A string out of `allowed`.
  std::optional<std::string> OneOf(std::string_view name, Names allowed);
  /// As many decimal digits as a string.
  std::optional<std::string> Digits(std::string_view name, std::size_t at_least,
                                    std::size_t at_most);
  std::optional<Uuid> Id(std::string_view name);
  std::optional<std::int64_t> Integer(std::string_view name, std::int64_t at_least,
                                      std::int64_t at_most = kMaxInteger);
  /// An integer or a fraction.
  std::optional<double> Number(std::string_view name, std::int64_t at_least, std::int64_t at_most);
  std::optional<bool> Bool(std::string_view name);
  /// ^[A-Z]{3}$
  std::optional<std::string> Currency(std::string_view name);
  /// An absolute http or https URL to which the service sends something: without a fragment.
  std::optional<std::string> Url(std::string_view name);
  /// An absolute http or https URL for a browser.
  std::optional<std::string> PageUrl(std::string_view name);
  /// An ISO 8601 duration; String() gives it as it was written.
  std::optional<Millis> Duration(std::string_view name, Millis at_least = Millis{1},
                                 Millis at_most = Millis::max());
  std::optional<std::vector<std::string>> Strings(std::string_view name);
  /// Strings that `keeps` takes, each; `rule` says which those are.
  std::optional<std::vector<std::string>> Texts(std::string_view name, Rule keeps,
                                                std::string_view rule);
  /// nullptr when absent.
  const boost::json::array* Array(std::string_view name);
  std::optional<JsonReader> Object(std::string_view name);
  /// The elements of an array of objects; none when it is absent.
  std::vector<JsonReader> Objects(std::string_view name);
  /// An object without rules of its own, as JSON text of at most `max_bytes`. Its strings keep to
  /// kMaxStringBytes, and its numbers are finite.
  std::optional<std::string> FreeObject(std::string_view name,
                                        std::size_t max_bytes = kMaxFreeBytes);
  /// All of the object, as it came.
  const boost::json::object& object() const { return *object_; }

  /// Path of a field of this object, for rules of the caller's own.
  std::string PathOf(std::string_view name) const;
  /// Keeps the error, unless there is one already.
  void Fail(ApiError error);
  /// Fails with "<path> <rule>", as ValidationError.
  void Refuse(std::string_view name, std::string_view rule);

  bool ok() const { return !read_->error; }
  /// The first error, once all is read.
  Result<void> Done() const;

 private:
  struct Read {
    boost::json::object body;
    Unknown unknown = Unknown::kRefused;
    std::optional<ApiError> error;
  };

  JsonReader(std::shared_ptr<Read> read, const boost::json::object* object, std::string path)
      : read_(std::move(read)), object_(object), path_(std::move(path)) {}

  const boost::json::value* Find(std::string_view name) const;

  std::shared_ptr<Read> read_;
  const boost::json::object* object_;
  /// Leads to the object; "" at the top.
  std::string path_;
};

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_WIRE_JSON_READER_H_
