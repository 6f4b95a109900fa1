#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "base/net/tls.h"
#include "tests/support/test_certificates.h"

namespace tollbridge::net {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using test::TestCertificates;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class TlsFilesTest : public testing::Test {
 protected:
  void LookFor(const TlsContext& context, seconds how_long) {
    constexpr seconds kStep{5};
    for (seconds i{0}; i < how_long; i += kStep) {
      now_ += kStep;
      context.Look();
    }
  }

  const TestCertificates first_{"IP:127.0.0.1"};
  const TestCertificates second_{"IP:127.0.0.1"};
  const test::ExchangedCertificates files_{first_};
  BootTime now_{std::chrono::hours(1)};
  /// Whether the files were taken, as it was told.
  std::vector<bool> told_;
  std::shared_ptr<const TlsContext> context_ = *TlsContext::ForServer(
      {.certificate_chain_file = files_.certificate_file(),
       .private_key_file = files_.key_file(),
       .on_reload = [this](const absl::Status& status) { told_.push_back(status.ok()); },
       .now = [this] { return now_; }});
};

TEST_F(TlsFilesTest, FilesThatCannotBeUsedAreToldOfEveryFiveMinutesUntilTheyCan) {
  LookFor(*context_, minutes(6));
  EXPECT_THAT(told_, IsEmpty());
  files_.PutCertificateAlone(second_);
  LookFor(*context_, seconds(10));
  EXPECT_THAT(told_, ElementsAre(false));
  LookFor(*context_, minutes(4));
  EXPECT_THAT(told_, SizeIs(1));
  LookFor(*context_, minutes(1));
  EXPECT_THAT(told_, ElementsAre(false, false));
  LookFor(*context_, minutes(5));
  EXPECT_THAT(told_, ElementsAre(false, false, false));
  files_.Put(second_);
  LookFor(*context_, minutes(11));
  EXPECT_THAT(told_, ElementsAre(false, false, false, true));
}

}  // namespace
}  // namespace tollbridge::net
