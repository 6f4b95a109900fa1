#ifndef TOLLBRIDGE_TESTS_SUPPORT_LEAK_SCAN_H_
#define TOLLBRIDGE_TESTS_SUPPORT_LEAK_SCAN_H_

#include <cstddef>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tollbridge::test {

/// How a sink writes values down: decides where a code of four digits is taken for a leak.
enum class Writing {
  kText,    ///< for people: log lines, messages, a page of metrics
  kBinary,  ///< protobuf, encrypted values and the like, where any four bytes occur by chance
};

/// Something a mark must not be in, as it was when it was looked at.
struct Sink {
  std::string name;
  std::string content;
  Writing writing = Writing::kText;
};

/// A mark that was found.
struct Leak {
  std::string mark;
  /// "as it is", "base64", ...
  std::string form;
  std::string sink;
  /// What stands around it.
  std::string around;
};
void PrintTo(const Leak& leak, std::ostream* out);

/// Looks for marks: values that stand for card data and credentials in a test.
///
/// A mark is looked for as it is, in base64 (both alphabets, at any alignment), hexadecimal,
/// percent-encoded and JSON-escaped; digits also in groups of four with spaces or hyphens. Of a
/// mark that is put together, each piece of 24 or more letters and digits is looked for too, so
/// that it is found however its quotes were escaped.
///
/// A security code of four digits stands everywhere by chance. It is looked for as a value: in
/// quotes, behind `=`, behind its length as protobuf and Redis write it, or within 24 bytes of a
/// word for it (cvc, cvv, security code). In text it is also found as a word of its own: no letter,
/// digit, dot, colon, hyphen or underscore stands beside it, so that times, numbers in JSON and
/// addresses do not count.
class LeakScan {
 public:
  /// `name` says where the value was sent. A value that is known already stays as it is. At least 8
  /// bytes: less than that would be found by chance.
  void Add(const std::string& name, const std::string& value);
  /// Of exactly four digits.
  void AddSecurityCode(const std::string& name, const std::string& code);

  /// Every mark once for each form and sink that it is found in.
  std::vector<Leak> Find(const Sink& sink) const;
  std::vector<Leak> Find(const std::vector<Sink>& sinks) const;

  std::size_t size() const { return values_.size(); }

 private:
  struct Pattern {
    std::string bytes;
    std::string mark;
    std::string form;
  };

  void AddPattern(const std::string& mark, const std::string& form, const std::string& bytes);
  void FindCodes(const Sink& sink, std::vector<Leak>* leaks) const;

  std::set<std::string> values_;
  std::map<std::string, std::string> codes_;
  /// By their first bytes, as a number.
  std::unordered_map<std::size_t, std::vector<Pattern>> patterns_;
};

}  // namespace tollbridge::test

#endif  // TOLLBRIDGE_TESTS_SUPPORT_LEAK_SCAN_H_
