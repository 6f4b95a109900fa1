#ifndef TOLLBRIDGE_SERVICES_DOMAIN_CONFLUENT_FRAME_H_
#define TOLLBRIDGE_SERVICES_DOMAIN_CONFLUENT_FRAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace google::protobuf {
class Descriptor;
}  // namespace google::protobuf

/// What stands before a protobuf message where clients of a schema registry read it
/// (docs/design/events.md#encodings): a zero byte, the schema's id in four bytes, the most
/// significant one first, and which message of the schema's file it is, as indexes from the
/// outermost message inwards, each a zigzag varint, with their number before them. The first
/// message of a file is a single zero.
namespace tollbridge::domain {

/// In the header content-type of such a record.
inline constexpr std::string_view kConfluentContentType = "application/vnd.confluent.protobuf";

/// The frame for a message of that type.
std::string ConfluentFrame(std::int64_t schema_id, const google::protobuf::Descriptor& message);

/// The message behind the frame; nullopt where there is none. Points into `value`.
std::optional<std::string_view> BehindConfluentFrame(std::string_view value);

}  // namespace tollbridge::domain

#endif  // TOLLBRIDGE_SERVICES_DOMAIN_CONFLUENT_FRAME_H_
