#ifndef TOLLBRIDGE_TESTS_E2E_LEAK_MARKS_H_
#define TOLLBRIDGE_TESTS_E2E_LEAK_MARKS_H_

#include <google/protobuf/message.h>

#include <set>
#include <string>
#include <vector>

#include "tests/e2e/published_methods.h"
#include "tests/support/leak_scan.h"

/// Marks in requests, by what the .proto files declare: a new field of card data or a new RPC is
/// marked without a line here.
namespace tollbridge::test {

/// What a marked value looks like.
enum class Shape {
  kValid,      ///< as the rules of its field want it
  kMalformed,  ///< against them, and near enough to be taken for the real thing: a wrong check
               ///< digit
  kTooLong,    ///< over every limit
  kNotUtf8,    ///< bytes that are no text: the request cannot be parsed
};

/// Full names of the fields that requests of these methods declare CARD_DATA or CREDENTIAL.
std::set<std::string> MarkedFields();

/// Gives out marks and remembers them.
class Marks {
 public:
  /// Puts a mark of its own into every field that is declared CARD_DATA or CREDENTIAL, at any
  /// depth, whether it has a value or not. Of a oneof, the field number `choice` modulo its size.
  /// `where` names the marks.
  void Fill(google::protobuf::Message& message, const std::string& where, Shape shape,
            int choice = 0);
  /// Puts card numbers and the like into all texts: where they do not belong.
  void FillTexts(google::protobuf::Message& message, const std::string& where);
  /// Takes for marks what stands in such fields already.
  void Learn(const google::protobuf::Message& message, const std::string& where);

  /// A card number of its own whose check digit is right.
  std::string CardNumber(const std::string& where);
  /// One that is put into a text for people, which answers give back as it is.
  std::string CardNumberInText(const std::string& where);
  /// A code of four digits of its own.
  std::string SecurityCode(const std::string& where);
  /// A text of its own, as cryptograms are: 28 characters.
  std::string Cryptogram(const std::string& where);
  /// A value of somebody else's making.
  void Know(const std::string& name, const std::string& value) { all_.Add(name, value); }

  /// All marks, and those of card data alone.
  const LeakScan& all() const { return all_; }
  const LeakScan& cards() const { return cards_; }
  /// Values of card data and credentials in a message, as an upstream service would repeat them.
  static std::vector<std::string> ValuesIn(const google::protobuf::Message& message);
  /// Full names of the fields that were filled so far.
  const std::set<std::string>& filled() const { return filled_; }

 private:
  std::string Make(const google::protobuf::FieldDescriptor& field, const std::string& where,
                   Shape shape);
  void Take(const google::protobuf::FieldDescriptor& field, const std::string& name,
            const std::string& value);
  /// Digits that no other mark has.
  std::string Serial(std::size_t digits);

  LeakScan all_;
  LeakScan cards_;
  std::set<std::string> filled_;
  int serial_ = 0;
  int codes_ = 0;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_E2E_LEAK_MARKS_H_
