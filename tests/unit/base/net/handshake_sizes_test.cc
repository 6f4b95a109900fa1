#include "base/net/handshake_sizes.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tollbridge::net {
namespace {

std::string Bytes(std::size_t number, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) {
    text += static_cast<char>((number >> static_cast<unsigned>(8 * i)) & 0xffU);
  }
  return text;
}

std::string Record(char type, const std::string& payload) {
  return std::string(1, type) + Bytes(0x0303, 2) + Bytes(payload.size(), 2) + payload;
}

std::string Hello(std::size_t says, std::size_t has) {
  return '\x1' + Bytes(says, 3) + std::string(has, 'x');
}

constexpr char kHandshake = 22;
constexpr char kChange = 20;
constexpr char kData = 23;

class HandshakeSizesTest : public testing::Test {
 protected:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };

  bool Take(const std::string& bytes) { return sizes_.Take(bytes, ssl_.get()); }

  const std::unique_ptr<SSL_CTX, Free> context_{SSL_CTX_new(TLS_server_method())};
  const std::unique_ptr<SSL, Free> ssl_{SSL_new(context_.get())};
  HandshakeSizes sizes_;
};

TEST_F(HandshakeSizesTest, AMessageMayBeSoLongAndNoLonger) {
  EXPECT_TRUE(Take(Record(kHandshake, Hello(HandshakeSizes::kMost, 0))));
  EXPECT_TRUE(Take(Record(kHandshake, std::string(HandshakeSizes::kMost, 'x'))));
  EXPECT_FALSE(Take(Record(kHandshake, Hello(HandshakeSizes::kMost + 1, 0))));
}

TEST_F(HandshakeSizesTest, ALengthInPiecesIsFound) {
  const std::string hello = Hello(131'000, 0);
  const std::string bytes =
      Record(kHandshake, hello.substr(0, 2)) + Record(kHandshake, hello.substr(2));
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) EXPECT_TRUE(Take(bytes.substr(i, 1)));
  EXPECT_FALSE(Take(bytes.substr(bytes.size() - 1)));
}

/// As when the server asks for another ClientHello.
TEST_F(HandshakeSizesTest, ASecondMessageIsFoundBehindAChangeThatSaysNothing) {
  EXPECT_TRUE(Take(Record(kHandshake, Hello(500, 500)) + Record(kChange, "\x1")));
  EXPECT_FALSE(Take(Record(kHandshake, Hello(131'000, 0))));
}

/// It may come early, and is skipped where the server asks for another ClientHello.
TEST_F(HandshakeSizesTest, WhatIsEncryptedSaysNothing) {
  EXPECT_TRUE(Take(Record(kHandshake, Hello(500, 500)) + Record(kData, Hello(131'000, 0))));
  EXPECT_FALSE(Take(Record(kHandshake, Hello(131'000, 0))));
}

}  // namespace
}  // namespace tollbridge::net
