#include "sandbox/webhooks/receivers.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <string>

namespace tollbridge::sandbox {
namespace {

class ReceiversTest : public testing::Test {
 protected:
  static http::Url Url(int number, const std::string& path = "") {
    return *http::ParseUrl("http://shop" + std::to_string(number) + ".test" + path);
  }

  boost::asio::io_context context_{1};
  Receivers receivers_{context_.get_executor(), std::chrono::seconds(10)};
};

TEST_F(ReceiversTest, OneOriginIsOneReceiverWhateverThePath) {
  Receiver* first = *receivers_.Get(Url(1, "/a"));
  EXPECT_EQ(*receivers_.Get(Url(1, "/b?c=d")), first);
  EXPECT_NE(*receivers_.Get(Url(2, "/a")), first);
  EXPECT_EQ(receivers_.size(), 2u);
}

TEST_F(ReceiversTest, OnlySixtyFourAreKeptAndTheOneIdleLongestGoes) {
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(receivers_.Get(Url(i)).ok());
  ASSERT_TRUE(receivers_.Get(Url(0)).ok()) << "used again: now 1 is the oldest";
  ASSERT_TRUE(receivers_.Get(Url(64)).ok());
  EXPECT_EQ(receivers_.size(), 64u);
  EXPECT_NE(receivers_.Find(Url(0)), nullptr);
  EXPECT_EQ(receivers_.Find(Url(1)), nullptr);
}

TEST_F(ReceiversTest, BusyOnesStay) {
  for (int i = 0; i < 64; ++i) {
    Receiver* receiver = *receivers_.Get(Url(i));
    if (i == 5) continue;
    if (i % 2 == 0) {
      receiver->in_flight = 1;
    } else {
      receiver->waiting.push_back(std::make_shared<Delivery>());
    }
  }
  ASSERT_TRUE(receivers_.Get(Url(64)).ok());
  EXPECT_EQ(receivers_.Find(Url(5)), nullptr);
  EXPECT_EQ(receivers_.size(), 64u);
}

TEST_F(ReceiversTest, ForgetsWhatWaits) {
  Receiver* receiver = *receivers_.Get(Url(1));
  receiver->waiting.push_back(std::make_shared<Delivery>());
  EXPECT_FALSE(receiver->idle());
  receivers_.ForgetWaiting();
  EXPECT_TRUE(receiver->idle());
}

}  // namespace
}  // namespace tollbridge::sandbox
