#ifndef TOLLBRIDGE_TESTS_UNIT_SANDBOX_PAGES_HTML_CHECK_H_
#define TOLLBRIDGE_TESTS_UNIT_SANDBOX_PAGES_HTML_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

namespace tollbridge::sandbox {

/// What is wrong with a page, a line each: tags that are not closed, ids that are not unique or not
/// there, fields without a label, more or less than one h1, scripts, resources from elsewhere.
/// Reads the HTML that the pages write, quoted attributes and no comments, and no other.
std::vector<std::string> FaultsOf(std::string_view html);

}  // namespace tollbridge::sandbox

#endif  // TOLLBRIDGE_TESTS_UNIT_SANDBOX_PAGES_HTML_CHECK_H_
