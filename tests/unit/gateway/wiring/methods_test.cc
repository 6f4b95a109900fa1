#include "gateway/wiring/methods.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/config/published_services.h"
#include "services/rpc/method.h"

namespace tollbridge::gateway {
namespace {

class PublishedMethodsTest : public ::testing::Test {
 protected:
  absl::Status Made(std::vector<operations::Method> methods) const {
    return operations::Methods::Of(published_, std::move(methods)).status();
  }
  std::vector<operations::Method> All() const { return PublishedMethods(Config(), drain_); }

  rpc::Drain drain_;
  rpc::MethodTable published_ =
      *rpc::MethodTable::Of({kPublishedServices.begin(), kPublishedServices.end()});
};

TEST_F(PublishedMethodsTest, EachMethodOfTheProtoFilesHasOneRow) {
  EXPECT_EQ(Made(All()), absl::OkStatus());
  EXPECT_EQ(All().size(), published_.all().size());
}

TEST_F(PublishedMethodsTest, NoneCanBeLeftOutOrBeThereTwice) {
  for (std::size_t i = 0; i < All().size(); ++i) {
    const std::vector<operations::Method> all = All();
    const std::string name = rpc::MethodOf(*all[i].request)->full_name();
    std::vector<operations::Method> without = all;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THAT(std::string(Made(without).message()), ::testing::HasSubstr(name));
    std::vector<operations::Method> twice = all;
    twice.push_back(all[i]);
    EXPECT_THAT(std::string(Made(twice).message()), ::testing::HasSubstr(name));
  }
}

}  // namespace
}  // namespace tollbridge::gateway
