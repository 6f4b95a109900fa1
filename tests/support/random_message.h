#ifndef TOLLBRIDGE_TESTS_SUPPORT_RANDOM_MESSAGE_H_
#define TOLLBRIDGE_TESTS_SUPPORT_RANDOM_MESSAGE_H_

#include <random>
#include <string>

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace tollbridge::testing {

/// What FillRandom may do.
struct RandomMessageOptions {
  /// Chance of an optional field to be set.
  double presence = 0.6;
  /// Most elements of a repeated field or map.
  int max_elements = 3;
  /// How deep messages and Structs nest.
  int max_depth = 5;
};

/// Fills `*message`, of any compiled-in type, by walking its descriptor. The same state of `random`
/// gives the same message. The result is one that the payment service's JSON could have given:
/// `local` fields stay unset; of an enum and the text beside it either the value is a known one and
/// the text unset, or the value is set to UNSPECIFIED beside a text; times lie within the years 1
/// to 9999; Struct numbers are finite; all strings are valid UTF-8, with quotes, control and
/// multi-byte characters among them.
void FillRandom(google::protobuf::Message* message, std::mt19937_64* random,
                const RandomMessageOptions& options = {});

/// A valid UTF-8 string of at most `max_characters` characters.
std::string RandomText(std::mt19937_64* random, int max_characters = 12);

}  // namespace tollbridge::testing

#endif  // TOLLBRIDGE_TESTS_SUPPORT_RANDOM_MESSAGE_H_
