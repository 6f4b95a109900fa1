#include "services/domain/states.h"

#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace tollbridge::domain {
namespace {

TEST(States, AreThoseOfTheirCountry) {
  EXPECT_TRUE(IsListedState("US", "NY"));
  EXPECT_TRUE(IsListedState("US", "AP"));
  EXPECT_TRUE(IsListedState("CA", "QC"));
  EXPECT_FALSE(IsListedState("US", "QC"));
  EXPECT_FALSE(IsListedState("CA", "NY"));
  EXPECT_FALSE(IsListedState("US", "ny"));
  EXPECT_FALSE(IsListedState("US", ""));
  EXPECT_FALSE(IsListedState("US", "PR")) << "not in the interface's list";
}

TEST(States, AreAllOfTheDocumentAndNoOther) {
  const std::pair<const char*, const char*> listed[] = {
      {"CA", "AB BC MB NB NL NS NT NU ON PE QC SK YT"},
      {"US",
       "AA AE AK AL AP AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT "
       "NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY"}};
  for (const auto& [country, states] : listed) {
    std::istringstream words(states);
    const std::set<std::string> allowed{std::istream_iterator<std::string>(words), {}};
    for (char first = 'A'; first <= 'Z'; ++first) {
      for (char second = 'A'; second <= 'Z'; ++second) {
        const std::string state{first, second};
        EXPECT_EQ(IsListedState(country, state), allowed.contains(state)) << country << state;
      }
    }
  }
}

TEST(States, AreListedForTwoCountriesOnly) {
  EXPECT_TRUE(HasListedStates("US"));
  EXPECT_TRUE(HasListedStates("CA"));
  EXPECT_FALSE(HasListedStates("AU"));
  EXPECT_FALSE(IsListedState("AU", "NT"));
}

}  // namespace
}  // namespace tollbridge::domain
