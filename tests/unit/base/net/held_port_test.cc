// The ports of the servers that tests stop and start again: nobody else gets them meanwhile.
#include "tests/support/held_port.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <memory>

namespace tollbridge::test {
namespace {

sockaddr_in AddressOf(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

class Socket {
 public:
  Socket() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() { ::close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  bool Reuse() {
    const int on = 1;
    return ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0;
  }
  /// The kernel chooses this port or none.
  bool ChooseOnly(std::uint16_t port) {
    constexpr int kIpLocalPortRange = 51;
    const std::uint32_t range = std::uint32_t{port} << 16U | port;
    return ::setsockopt(fd_, IPPROTO_IP, kIpLocalPortRange, &range, sizeof(range)) == 0;
  }
  bool Bind(std::uint16_t port) { return Address(::bind, port); }
  bool Connect(std::uint16_t port) { return Address(::connect, port); }
  bool Listen() { return ::listen(fd_, 1) == 0; }

 private:
  bool Address(int (*call)(int, const sockaddr*, socklen_t), std::uint16_t port) {
    const sockaddr_in address = AddressOf(port);
    return call(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }

  const int fd_;
};

/// Whether the kernel gives the port to one who lets it choose.
bool IsGivenToWhoListens(std::uint16_t port) {
  Socket other;
  EXPECT_TRUE(other.Reuse() && other.ChooseOnly(port));
  return other.Bind(0);
}
bool IsGivenToWhoConnects(std::uint16_t port) {
  HeldPort server;
  server.Listen();
  Socket other;
  EXPECT_TRUE(other.Reuse() && other.ChooseOnly(port));
  return other.Connect(server.port());
}

TEST(HeldPortTest, IsGivenToNobodyElse) {
  auto held = std::make_unique<HeldPort>();
  const std::uint16_t port = held->port();
  EXPECT_FALSE(IsGivenToWhoListens(port));
  EXPECT_FALSE(IsGivenToWhoConnects(port));
  EXPECT_FALSE(Socket().Connect(port));
  held.reset();
  EXPECT_TRUE(IsGivenToWhoListens(port));
}

TEST(HeldPortTest, IsForTheServerThatIsToldItEachTimeThatItStarts) {
  const HeldPort held;
  for (int start = 0; start < 2; ++start) {
    {
      Socket server;
      ASSERT_TRUE(server.Reuse());
      EXPECT_TRUE(server.Bind(held.port()));
      EXPECT_TRUE(server.Listen());
      EXPECT_TRUE(Socket().Connect(held.port()));
    }
    EXPECT_FALSE(IsGivenToWhoListens(held.port()));
    EXPECT_FALSE(IsGivenToWhoConnects(held.port()));
    EXPECT_FALSE(Socket().Connect(held.port()));
  }
}

}  // namespace
}  // namespace tollbridge::test
