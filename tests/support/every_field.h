#ifndef TOLLBRIDGE_TESTS_SUPPORT_EVERY_FIELD_H_
#define TOLLBRIDGE_TESTS_SUPPORT_EVERY_FIELD_H_

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace tollbridge::test {

/// Sets every field of `message`, and of the messages below it, to a value that tells it from its
/// neighbours: a string is its own name, an enum its first value that has a meaning, a list or map
/// has one element. Of a oneof the last field stays. Left alone are fields that are `local`, texts
/// beside an enum, and what is set already, so that a test can say first what has to fit a rule.
void FillEveryField(google::protobuf::Message& message);

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_EVERY_FIELD_H_
