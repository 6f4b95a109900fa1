#include "services/domain/states.h"

#include <gtest/gtest.h>

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
  EXPECT_FALSE(IsListedState("US", "PR")) << "not in the interface document's list";
}

TEST(States, AreListedForTwoCountriesOnly) {
  EXPECT_TRUE(HasListedStates("US"));
  EXPECT_TRUE(HasListedStates("CA"));
  EXPECT_FALSE(HasListedStates("AU"));
  EXPECT_FALSE(IsListedState("AU", "NT"));
}

}  // namespace
}  // namespace tollbridge::domain
