#include "services/operations/identity.h"

#include <gtest/gtest.h>

namespace tollbridge::operations {
namespace {

TEST(OperationId, IsTheSameForTheSameKeyAndProjectOnly) {
  const Uuid shop = *Uuid::Parse("3b241101-e2bb-4255-8caf-4136c566a962");
  const Uuid other = *Uuid::Parse("3b241101-e2bb-4255-8caf-4136c566a963");
  EXPECT_EQ(OperationId(shop, "key"), Uuid::V5(shop, "key"));
  EXPECT_NE(OperationId(shop, "key"), OperationId(other, "key"));
  EXPECT_NE(OperationId(shop, "key"), OperationId(shop, "Key"));
}

}  // namespace
}  // namespace tollbridge::operations
