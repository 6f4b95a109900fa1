#ifndef TOLLBRIDGE_SANDBOX_PAGES_FORM_H_
#define TOLLBRIDGE_SANDBOX_PAGES_FORM_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/http/url.h"

namespace tollbridge::sandbox {

/// What a browser sends when a form is submitted.
class Form {
 public:
  /// A body that cannot be read is a form without fields.
  explicit Form(std::string_view body);

  /// The first value of the field, "" when there is none. The view lives as long as the form.
  std::string_view operator[](std::string_view field) const;

 private:
  http::QueryParameters fields_;
};

/// One line of text to be filled in.
struct TextField {
  std::string_view name;  ///< also its id
  std::string_view label;
  std::string_view hint;  ///< "": none
  /// Values of the attributes of those names; "": left out.
  std::string_view autocomplete;
  std::string_view inputmode;
  bool required = false;
  std::string value;
  std::string error;  ///< plain text; "": none
};

/// The field with label, hint and error, the last two tied to it.
std::string Draw(const TextField& field);

/// The payment methods as a choice, with a button. `error`, plain text, is tied to the choice; "":
/// none.
std::string DrawMethodChoice(const std::vector<std::string>& methods, std::string_view error);

/// A button that sends the form with one more field.
std::string Button(std::string_view name, std::string_view value, std::string_view text,
                   bool quiet = false);

/// A method's name for people: `Card`; what has none is shown as it is.
std::string MethodName(std::string_view method);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_SANDBOX_PAGES_FORM_H_
