#include "base/net/address.h"

#include <gtest/gtest.h>

namespace tollbridge::net {
namespace {

TEST(AddressTest, TheTextOfAnIpv6AddressHasBrackets) {
  EXPECT_EQ((Address{.host = "::1", .port = 50051}.Text()), "[::1]:50051");
  EXPECT_EQ((Address{.host = "2001:db8::7", .port = 80}.Text()), "[2001:db8::7]:80");
  EXPECT_EQ((Address{.host = "127.0.0.1", .port = 50051}.Text()), "127.0.0.1:50051");
  EXPECT_EQ((Address{.host = "gateway.example", .port = 443}.Text()), "gateway.example:443");
}

}  // namespace
}  // namespace tollbridge::net
