#ifndef TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_CODEC_H_
#define TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_CODEC_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "tollbridge/options/v1/options.pb.h"

namespace google::protobuf {
class Descriptor;
class FieldDescriptor;
class Message;
}  // namespace google::protobuf

namespace tollbridge::payment_service {

// The one translation between protobuf messages and the payment service's JSON. It is driven by
// descriptors: names, enum texts and what must not leave are options beside the field
// (proto/tollbridge/options/v1/options.proto). It knows no message by name.
//
// All functions are pure and may be called from any thread. The tables behind them are built at
// the first use of a message type and kept for the life of the process.

/// Longest body that is read, in bytes.
inline constexpr std::size_t kMaxJsonBytes = std::size_t{8} << 20;

/// Deepest nesting of objects and arrays, read and written. What is within it also fits into
/// protobuf's own limit of 100 levels when the message is part of a response or an event.
inline constexpr int kMaxJsonDepth = 30;

/// Deepest nesting of an answer that lists orders: that of an order, and what the list adds. An
/// order that can be read alone can be read in every list.
inline constexpr int kMaxListDepth = kMaxJsonDepth + 2;

/// Why a body could not be read at all.
enum class Unreadable {
  kNo,        ///< It was read.
  kTooLong,   ///< Longer than kMaxJsonBytes.
  kTooDeep,   ///< Nested deeper than it may be.
  kBadText,   ///< Half of a surrogate pair.
  kBadJson,   ///< Not JSON for another reason: cut off, NaN, or not UTF-8, for example.
  kBadShape,  ///< JSON, but no object (or array, as the type demands).
};

/// What was passed over while reading generously: a measure of how far the payment service has
/// drifted from docs/interface.md. Holds names, never values.
struct DecodeReport {
  enum class Kind {
    kUnknownField,      ///< A name that the message does not have; not kept. Each time it is there.
    kUnknownEnumValue,  ///< Kept as text in the field beside the enum.
    kUnreadableValue,   ///< A value that its field cannot have; left absent.
  };
  struct Finding {
    Kind kind;
    /// Where, for example "transactions[0].status"; map keys and names that do not look like a
    /// field's are "*".
    std::string path;
  };

  std::size_t unknown_fields = 0;
  std::size_t unknown_enum_values = 0;
  std::size_t unreadable_values = 0;
  /// By how many bytes the message is smaller for the form that it was read in (ReadForm).
  std::size_t left_out = 0;
  /// The first kMaxFindings of them.
  std::vector<Finding> findings;
  /// Where the unreadable values are, as in `findings`; the first kMaxFindings of those.
  std::vector<std::string> unreadable_paths;
  /// The body has a member "error", which the message has not, and it is an object: what the
  /// payment service answers instead of the message.
  bool error_object = false;
  /// Why nothing was read, when nothing was.
  Unreadable failure = Unreadable::kNo;

  static constexpr std::size_t kMaxFindings = 32;
};

/// How a message is read that its readers get as it is: what is left out, and what is written in
/// another way. As it stands there, by default.
struct ReadForm {
  /// Fields of this sensitivity are left out.
  std::optional<options::v1::Sensitivity> left_out;

  /// A string, or each of a list.
  struct Text {
    const google::protobuf::FieldDescriptor* field;
    std::function<std::string(std::string_view)> write;
  };
  std::vector<Text> texts;

  /// A member of a free object that is left out; and the object, when it has no other.
  struct Member {
    const google::protobuf::FieldDescriptor* field;
    std::string name;
  };
  std::vector<Member> members;
};

/// The message as the payment service wants it: fields that are set, in the order of the .proto,
/// map and Struct keys sorted; an empty list or map is left out. `local` fields are never written.
///
/// Errors: INVALID_ARGUMENT with the path of a value that JSON cannot carry (a Struct number that
/// is not finite, a time outside the years 1 to 9999, nesting beyond kMaxJsonDepth); INTERNAL when
/// the type is not declared as `wire`. No error holds a value.
absl::StatusOr<std::string> ToWire(const google::protobuf::Message& message);

/// Reads a body into `*out`, which is cleared first, and stays cleared on error.
///
/// Generous (docs/interface.md#open-points): unknown fields are passed over; null is absent; an
/// unknown enum value sets the enum to UNSPECIFIED and keeps its text in the field beside it;
/// numbers are taken from strings and strings from numbers, booleans also from "true", "false" in
/// any letters, 0 and 1; whole doubles up to 2^53 are integers; times may have an offset, a
/// fraction or no seconds. Of repeated names in one object the last counts. A value of an
/// impossible shape is left absent. In a Struct an integer beyond 2^53 becomes its decimal text,
/// since a double cannot hold it. All that was passed over is added up in `*report`.
///
/// Errors: DATA_LOSS when this is not JSON (RFC 8259, valid UTF-8), not an object (or array, as
/// the type demands), longer than kMaxJsonBytes or deeper than `max_depth`; INTERNAL when the
/// type is not declared as `wire`. No error holds a part of the body.
absl::Status FromWire(std::string_view json, google::protobuf::Message* out,
                      DecodeReport* report = nullptr, int max_depth = kMaxJsonDepth);

/// Reads a body as FromWire does, without making a message of it: `*out` is one of `type` in
/// protobuf's wire format, its fields in the order of the .proto, in that form. Empty on error.
absl::Status ReadBytes(std::string_view json, const google::protobuf::Descriptor* type,
                       const ReadForm& form, std::string* out, DecodeReport* report = nullptr,
                       int max_depth = kMaxJsonDepth);

}  // namespace tollbridge::payment_service

#endif  // TOLLBRIDGE_ADAPTERS_PAYMENT_SERVICE_CODEC_H_
