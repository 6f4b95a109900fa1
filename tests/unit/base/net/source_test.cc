#include "base/net/source.h"

#include <gtest/gtest.h>

#include <boost/asio/ip/address.hpp>

namespace tollbridge::net {
namespace {

TEST(Source, IsAnAddressOrTheNetworkOfAMachine) {
  const auto source = [](const char* text) {
    return SourceOf(boost::asio::ip::make_address(text));
  };
  EXPECT_EQ(source("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(source("::ffff:10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(source("2001:db8::1"), source("2001:db8::2:3:4:5"));
  EXPECT_NE(source("2001:db8::1"), source("2001:db8:0:1::1"));
}

}  // namespace
}  // namespace tollbridge::net
