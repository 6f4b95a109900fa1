#include "tests/unit/sandbox/pages/html_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tollbridge::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string PageWith(const std::string& body) {
  return "<!doctype html><html lang=\"en\"><head><title>t</title><style>a>b{}</style></head>"
         "<body><h1>t</h1>" +
         body + "</body></html>";
}

TEST(HtmlCheck, FindsNothingInAGoodPage) {
  EXPECT_THAT(FaultsOf(PageWith("<p><label for=\"a\">A</label><input id=\"a\" "
                                "aria-describedby=\"h\"></p><span id=\"h\">x</span>")),
              IsEmpty());
}

TEST(HtmlCheck, FindsEachFault) {
  EXPECT_THAT(FaultsOf(PageWith("<p>")), testing::Not(IsEmpty()));
  EXPECT_THAT(FaultsOf(PageWith("<h1>x</h1>")), ElementsAre("2 h1"));
  EXPECT_THAT(FaultsOf(PageWith("<input id=\"a\">")), ElementsAre("no label for the field 'a'"));
  EXPECT_THAT(FaultsOf(PageWith("<p id=\"a\"></p><p id=\"a\"></p>")),
              ElementsAre("not the only one with the id 'a'"));
  EXPECT_THAT(FaultsOf(PageWith("<p aria-describedby=\"b\"></p>")),
              ElementsAre("nothing has the id 'b'"));
  EXPECT_THAT(FaultsOf(PageWith("<a href=\"javascript:x\">x</a>")),
              ElementsAre("leads to javascript:x"));
  EXPECT_THAT(FaultsOf(PageWith("<p onclick=\"x\"></p>")), ElementsAre("attribute onclick"));
  EXPECT_THAT(FaultsOf(PageWith("<script></script>")),
              ElementsAre("no page of ours has a tag 'script'"));
}

}  // namespace
}  // namespace tollbridge::sandbox
